//! Counting the words of tools, and weighing them: the work that is done once, so that searches have little to do.

#[expect(
    clippy::disallowed_types,
    reason = "its hash is fixed, and its order is never seen: words are sorted"
)]
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher};

use super::index::{Posting, SearchDoc, Weights};
use super::words::{each_root, says_something};
use crate::cut::start_of;

/// How often a word of the name, of the hint and of the description counts.
const NAME_WEIGHT: f32 = 4.0;
const HINT_WEIGHT: f32 = 3.0;
const DESCRIPTION_WEIGHT: f32 = 1.0;
/// How many words of one tool are looked at.
const WORDS_MAX: usize = 512;
/// How many bytes of a description are looked at.
const DESCRIPTION_BYTES_MAX: usize = 2_048;
/// The usual constants of BM25.
const K1: f32 = 1.2;
const B: f32 = 0.75;
/// One in so many tools must have a word for its weights to stand in a list of all tools.
const MANY: usize = 4;

/// An index in the making.
#[derive(Default)]
#[expect(
    clippy::disallowed_types,
    reason = "its hash is fixed, and its order is never seen: words are sorted"
)]
pub(super) struct Builder {
    /// The words by number, as they came; none for those that say nothing.
    words: HashMap<Box<str>, Option<u32>, BuildHasherDefault<DefaultHasher>>,
    /// How often each tool has each of its words, tool by tool in the order of their names.
    counts: Vec<Count>,
    /// For each word, where in `counts` it stood last.
    last: Vec<usize>,
    /// How many words each tool has, by weight.
    lengths: Vec<f32>,
}

struct Count {
    word: u32,
    place: u32,
    often: f32,
}

impl Builder {
    /// Adds a tool behind those that are there.
    pub(super) fn add(&mut self, doc: &SearchDoc<'_>) {
        let first = self.counts.len();
        let place = self.lengths.len() as u32;
        let (mut left, mut length) = (WORDS_MAX, 0.0);
        let described = start_of(doc.description, DESCRIPTION_BYTES_MAX);
        for (text, weight) in
            [(doc.name, NAME_WEIGHT), (doc.hint, HINT_WEIGHT), (described, DESCRIPTION_WEIGHT)]
        {
            each_root(text, |word| {
                let next = self.counts.len();
                let number = match self.words.get(word) {
                    Some(number) => *number,
                    None => {
                        let number = match says_something(word) {
                            true => Some(self.last.len() as u32),
                            false => None,
                        };
                        self.words.insert(word.into(), number);
                        self.last.extend(number.map(|_new| next));
                        number
                    }
                };
                let Some(number) = number.filter(|_| left > 0) else { return };
                left -= 1;
                length += weight;
                let last = &mut self.last[number as usize];
                match self.counts.get_mut(*last) {
                    Some(count) if *last >= first => count.often += weight,
                    _other => {
                        *last = next;
                        self.counts.push(Count { word: number, place, often: weight });
                    }
                }
            });
        }
        self.lengths.push(length);
    }

    /// The words in their order, with how much each counts for the tools that have it.
    pub(super) fn weighed(self) -> Vec<(Box<str>, Weights)> {
        let tools = self.lengths.len();
        let average = (self.lengths.iter().sum::<f32>() / tools.max(1) as f32).max(1.0);
        let mut having = vec![0_u32; self.last.len()];
        self.counts.iter().for_each(|count| having[count.word as usize] += 1);
        let rarities: Vec<f32> = having.iter().map(|having| rarity(tools as f32, *having as f32)).collect();
        let mut weights: Vec<Weights> = having
            .iter()
            .map(|having| match *having as usize {
                having if having * MANY >= tools => Weights::Many(vec![0.0; tools]),
                having => Weights::Few(Vec::with_capacity(having)),
            })
            .collect();
        for Count { word, place, often } in self.counts {
            let length = self.lengths[place as usize] / average;
            let weight = rarities[word as usize] * often * (K1 + 1.0) / (often + K1 * (1.0 - B + B * length));
            match &mut weights[word as usize] {
                Weights::Few(postings) => postings.push(Posting { place, weight }),
                Weights::Many(all) => all[place as usize] = weight,
            }
        }
        let numbered = self.words.into_iter().filter_map(|(word, number)| Some((word, number?)));
        let mut words: Vec<(Box<str>, u32)> = numbered.collect();
        words.sort_unstable();
        let mut taken = |number: u32| std::mem::take(&mut weights[number as usize]);
        words.into_iter().map(|(word, number)| (word, taken(number))).collect()
    }
}

/// How much it says that a tool has a word which so many of all tools have.
fn rarity(tools: f32, having: f32) -> f32 {
    ((tools - having + 0.5) / (having + 0.5)).ln_1p()
}
