//! An index over texts that patterns cannot match without: one look at a subject finds the few patterns that might
//! match it, however many there are.

use std::collections::BTreeMap;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

/// Texts of which everything that a pattern matches has all: any one of them serves to find the pattern.
pub(super) type Literals = Vec<Vec<u8>>;

/// Patterns by their rarest text, and those that match one text only by that text.
#[derive(Clone, Debug, Default)]
pub(super) struct LiteralIndex {
    /// Patterns that match this very text and no other: looking it up costs less than a search.
    exact: BTreeMap<Vec<u8>, Vec<u32>>,
    /// Nothing where no pattern has such a text.
    automaton: Option<AhoCorasick>,
    // INVARIANT: for each text of the automaton, the patterns that are found by it.
    found_by: Vec<Vec<u32>>,
    /// Patterns without such a text: they might match anything.
    always: Vec<u32>,
}

/// Collects patterns for an index.
#[derive(Debug, Default)]
pub(super) struct LiteralIndexBuilder {
    exact: BTreeMap<Vec<u8>, Vec<u32>>,
    others: Vec<(u32, Literals)>,
}

impl LiteralIndexBuilder {
    /// Adds a way in which a pattern may match.
    pub(super) fn add(&mut self, pattern: u32, literals: Literals) {
        self.others.push((pattern, literals));
    }

    /// Adds the one text that a pattern matches, byte for byte.
    pub(super) fn add_exact(&mut self, pattern: u32, text: &str) {
        self.exact.entry(text.as_bytes().to_vec()).or_default().push(pattern);
    }

    /// The index. Of each pattern's texts the one is taken that the fewest others have, and of these the longest.
    pub(super) fn build(self, any_case: bool) -> LiteralIndex {
        let mut uses: BTreeMap<&[u8], usize> = BTreeMap::new();
        for literal in self.others.iter().flat_map(|(_, literals)| literals) {
            *uses.entry(literal).or_default() += 1;
        }
        let rarest = |literals: &Literals| {
            let rarity = |literal: &&Vec<u8>| (uses[literal.as_slice()], std::cmp::Reverse(literal.len()));
            literals.iter().filter(|literal| !literal.is_empty()).min_by_key(rarity).cloned()
        };
        let mut index = LiteralIndex { exact: self.exact, ..LiteralIndex::default() };
        let mut places: BTreeMap<Vec<u8>, usize> = BTreeMap::new();
        let mut texts: Vec<Vec<u8>> = Vec::new();
        for (pattern, literals) in &self.others {
            let patterns = match rarest(literals) {
                None => &mut index.always,
                Some(text) => {
                    let at = *places.entry(text).or_insert_with_key(|text| {
                        texts.push(text.clone());
                        index.found_by.push(Vec::new());
                        texts.len() - 1
                    });
                    &mut index.found_by[at]
                }
            };
            if patterns.last() != Some(pattern) {
                patterns.push(*pattern);
            }
        }
        if !texts.is_empty() {
            let built = AhoCorasick::builder()
                .match_kind(MatchKind::Standard)
                .kind(Some(AhoCorasickKind::ContiguousNFA))
                .ascii_case_insensitive(any_case)
                .build(&texts);
            match built {
                Ok(automaton) => index.automaton = Some(automaton),
                // Too much of it: then every pattern is looked at.
                Err(_too_large) => {
                    index.always.extend(index.found_by.drain(..).flatten());
                }
            }
        }
        index
    }
}

impl LiteralIndex {
    /// Tells every pattern that might match a text; some more than once.
    pub(super) fn each(&self, text: &[u8], mut tell: impl FnMut(u32)) {
        self.exact.get(text).into_iter().flatten().for_each(|pattern| tell(*pattern));
        self.always.iter().for_each(|pattern| tell(*pattern));
        let Some(automaton) = &self.automaton else { return };
        // One text is found in most subjects, and no list is made for it.
        let mut found = automaton.find_overlapping_iter(text).map(|found| found.pattern().as_usize());
        let Some(first) = found.next() else { return };
        let mut others: Vec<usize> = Vec::new();
        for at in found {
            if at != first && others.last() != Some(&at) {
                others.push(at);
            }
        }
        others.sort_unstable();
        others.dedup();
        let all = std::iter::once(&first).chain(&others);
        all.flat_map(|at| &self.found_by[*at]).for_each(|pattern| tell(*pattern));
    }

    /// How many patterns are looked at for every text.
    #[cfg(test)]
    pub(super) fn always(&self) -> usize {
        self.always.len()
    }
}
