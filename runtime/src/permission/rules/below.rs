//! Which rules name something below a folder, or a folder above it: for removing a folder, and for reading all of it.

use std::collections::BTreeMap;
use std::path::{Component, Path};

/// How the rules rank: by source, and over the union. The lower decides.
pub(super) type Ranks = [u64; 2];

/// The names of a path as bytes, each with a `/` behind it, so that one path is below another exactly where its key
/// begins with the other's. Letters have no case.
pub(super) fn key(path: &Path) -> Vec<u8> {
    let mut key = Vec::new();
    for part in path.components() {
        let name = match part {
            Component::RootDir | Component::CurDir => continue,
            Component::Prefix(_) | Component::ParentDir | Component::Normal(_) => part.as_os_str(),
        };
        if name.is_ascii() {
            key.extend(name.as_encoded_bytes().iter().map(u8::to_ascii_lowercase));
        } else {
            // Names with other letters are only ever like each other.
            key.push(0);
            key.extend(name.to_string_lossy().to_lowercase().bytes());
        }
        key.push(b'/');
    }
    key
}

/// Rules by the folder or file they name before any wildcard.
#[derive(Clone, Debug, Default)]
pub(super) struct Below {
    // INVARIANT: sorted.
    keys: Vec<Vec<u8>>,
    /// The best rank in each stretch of the keys, for each way of ranking.
    best: [Stretches; 2],
    /// The best ranks of the rules that go on with a wildcard, by the folder they name.
    wild: BTreeMap<Vec<u8>, Ranks>,
}

/// What such an index is made of.
#[derive(Clone, Debug, Default)]
pub(super) struct BelowBuilder(Vec<(Vec<u8>, Ranks, bool)>);

impl BelowBuilder {
    /// Adds a rule with what it names, and whether it goes on with a wildcard.
    pub(super) fn add(&mut self, key: Vec<u8>, ranks: Ranks, is_wild: bool) {
        self.0.push((key, ranks, is_wild));
    }

    pub(super) fn build(mut self) -> Below {
        self.0.sort_unstable();
        let mut wild: BTreeMap<Vec<u8>, Ranks> = BTreeMap::new();
        for (key, ranks, _) in self.0.iter().filter(|(_, _, is_wild)| *is_wild) {
            let best = wild.entry(key.clone()).or_insert(*ranks);
            *best = [best[0].min(ranks[0]), best[1].min(ranks[1])];
        }
        let best = [0, 1].map(|way| Stretches::new(self.0.iter().map(|(_, ranks, _)| ranks[way]).collect()));
        Below { keys: self.0.into_iter().map(|(key, ..)| key).collect(), best, wild }
    }
}

impl Below {
    /// The best rank of a rule that names something below a folder, or the folder itself.
    pub(super) fn best_below(&self, folder: &[u8], way: usize) -> Option<u64> {
        let from = self.keys.partition_point(|key| key.as_slice() < folder);
        let to = from + self.keys[from..].partition_point(|key| key.starts_with(folder));
        self.best[way].least(from, to)
    }

    /// The best rank of a rule that names a folder above this one, or this one, and goes on with a wildcard.
    pub(super) fn best_above(&self, folder: &[u8], way: usize) -> Option<u64> {
        if self.wild.is_empty() {
            return None;
        }
        let ends = folder.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at + 1);
        let named = std::iter::once(0).chain(ends).filter_map(|end| self.wild.get(&folder[..end]));
        named.map(|ranks| ranks[way]).min()
    }
}

/// Numbers, of any stretch of which the least is found in few steps.
#[derive(Clone, Debug, Default)]
pub(super) struct Stretches {
    len: usize,
    // INVARIANT: the numbers are at `len..`; what is at `i` is the lesser of `2i` and `2i + 1`.
    least: Vec<u64>,
}

impl Stretches {
    pub(super) fn new(numbers: Vec<u64>) -> Stretches {
        let len = numbers.len();
        let mut least = vec![u64::MAX; len];
        least.extend(numbers);
        for at in (1..len).rev() {
            least[at] = least[2 * at].min(least[2 * at + 1]);
        }
        Stretches { len, least }
    }

    /// The least of the numbers from one place up to another.
    pub(super) fn least(&self, from: usize, to: usize) -> Option<u64> {
        let (mut from, mut to) = (from + self.len, to + self.len);
        let mut found = None;
        let mut take = |number: u64| found = Some(found.map_or(number, |found: u64| found.min(number)));
        while from < to {
            if from % 2 == 1 {
                take(self.least[from]);
                from += 1;
            }
            if to % 2 == 1 {
                to -= 1;
                take(self.least[to]);
            }
            from /= 2;
            to /= 2;
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_of_every_stretch_is_found() {
        let numbers: Vec<u64> = (0..37).map(|at| (at * 17) % 31).collect();
        let stretches = Stretches::new(numbers.clone());
        for from in 0..=numbers.len() {
            for to in from..=numbers.len() {
                assert_eq!(
                    stretches.least(from, to),
                    numbers[from..to].iter().min().copied(),
                    "{from}..{to}"
                );
            }
        }
    }
}
