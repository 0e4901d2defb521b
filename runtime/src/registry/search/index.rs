//! An inverted index with the weights worked out beforehand, so that a search is a few additions.
//!
//! The rank is BM25 (Robertson and Zaragoza, 2009) over a text in which a word of the name counts as often as several of
//! the description. Everything about it depends on the tools and their order alone. What a search finds is what a plain
//! scan by the formula would: nothing is left out to be faster.

use std::collections::BTreeMap;

use super::Query;
use super::build::Builder;

/// How many longer words stand in for one that no tool has.
const LONGER_WORDS_MAX: usize = 8;
/// How much such a word counts.
const LONGER_WORD_WEIGHT: f32 = 0.5;
/// How many tools are looked at together for whether any is good enough.
const BLOCK: usize = 16;

/// What is known of one tool.
#[derive(Clone, Copy, Debug)]
pub struct SearchDoc<'a> {
    /// Its name.
    pub name: &'a str,
    /// Words that describe what it is good for.
    pub hint: &'a str,
    /// What the model reads about it.
    pub description: &'a str,
}

/// An index of tools.
#[derive(Debug, Default)]
pub struct SearchIndex {
    /// The tools, as numbers of the list that they were given in, by name: of equal ranks the smaller name wins.
    by_name: Vec<u32>,
    names: BTreeMap<String, u32>,
    /// The words in their order, and how much each counts for which tools.
    words: Vec<(Box<str>, Weights)>,
}

/// How much a word counts for the tools that have it. No weight is 0.
#[derive(Debug)]
pub(super) enum Weights {
    /// By the tools that have the word.
    Few(Vec<Posting>),
    /// By all tools; 0 where a tool does not have it. A word that many tools have is added up faster so.
    Many(Vec<f32>),
}

impl Default for Weights {
    fn default() -> Weights {
        Weights::Few(Vec::new())
    }
}

/// How much a word counts for a tool; `place` is the tool's place by name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Posting {
    pub(super) place: u32,
    pub(super) weight: f32,
}

impl SearchIndex {
    /// An index of these tools.
    #[must_use]
    pub fn new(docs: &[SearchDoc<'_>]) -> SearchIndex {
        let mut by_name: Vec<u32> = (0..).zip(docs).map(|(number, _)| number).collect();
        by_name.sort_by_key(|number| docs[*number as usize].name);
        let mut builder = Builder::default();
        let mut names = Vec::with_capacity(docs.len());
        for (place, number) in (0..).zip(&by_name) {
            let doc = &docs[*number as usize];
            builder.add(doc);
            names.push((doc.name.to_lowercase(), place));
        }
        SearchIndex { by_name, names: names.into_iter().collect(), words: builder.weighed() }
    }

    /// The best tools for a query, best first, as numbers of the list that they were given in; at most `most`. Names are
    /// found whatever their case.
    #[must_use]
    pub fn search(&self, query: &Query, most: usize) -> Vec<usize> {
        let mut best: Vec<u32> = Vec::new();
        match query {
            Query::Names(names) => {
                for name in names.iter().filter_map(|name| self.named(name)) {
                    if !best.contains(&name) {
                        best.push(name);
                    }
                }
            }
            Query::Words { whole, must, words } => {
                for name in whole.iter().filter_map(|name| self.named(name)) {
                    if best.len() < most && !best.contains(&name) {
                        best.push(name);
                    }
                }
                let exact = best.len();
                for place in self.ranked(must, words, most) {
                    if best.len() < most && !best[..exact].contains(&place) {
                        best.push(place);
                    }
                }
            }
        }
        best.into_iter().map(|place| self.by_name[place as usize] as usize).collect()
    }

    fn named(&self, name: &str) -> Option<u32> {
        self.names.get(name).or_else(|| self.names.get(&name.to_lowercase())).copied()
    }

    /// The places of the best tools by words.
    fn ranked(&self, must: &[String], words: &[String], most: usize) -> Vec<u32> {
        let mut scores = vec![0.0_f32; self.by_name.len()];
        for word in words {
            for (weights, part) in self.meant(word) {
                weights.add_to(&mut scores, part);
            }
        }
        for word in must {
            self.keep_having(word, &mut scores);
        }
        top(&scores, most)
    }

    /// What a word stands for, and how much that counts: the word itself; where no tool has it, those that begin with it.
    fn meant(&self, word: &str) -> impl Iterator<Item = (&Weights, f32)> {
        let from = self.words.partition_point(|(known, _)| **known < *word);
        let is_known = self.words.get(from).is_some_and(|(known, _)| **known == *word);
        let (number, part) = if is_known { (1, 1.0) } else { (LONGER_WORDS_MAX, LONGER_WORD_WEIGHT) };
        let meant = self.words[from..].iter().take_while(move |(known, _)| known.starts_with(word));
        meant.take(number).map(move |(_, weights)| (weights, part))
    }

    /// Leaves the scores of tools that have a word, and takes those of all others.
    fn keep_having(&self, word: &str, scores: &mut [f32]) {
        let mut has = vec![0.0_f32; scores.len()];
        for (weights, part) in self.meant(word) {
            weights.add_to(&mut has, part);
        }
        for (score, has) in scores.iter_mut().zip(has) {
            *score = if has > 0.0 { *score } else { 0.0 };
        }
    }
}

impl Weights {
    /// Adds these weights, or a part of each, to the scores of the tools.
    fn add_to(&self, scores: &mut [f32], part: f32) {
        match self {
            Weights::Few(postings) => {
                for posting in postings {
                    scores[posting.place as usize] += posting.weight * part;
                }
            }
            Weights::Many(weights) => {
                for (score, weight) in scores.iter_mut().zip(weights) {
                    *score += *weight * part;
                }
            }
        }
    }
}

/// The places of the best scores above 0, best first; of equal ones the first by name.
fn top(scores: &[f32], most: usize) -> Vec<u32> {
    let mut best: Vec<u32> = Vec::with_capacity(most.min(scores.len()) + 1);
    // What a score must pass; places come in their order, so that of equal ones the first is there already.
    let mut passed = 0.0_f32;
    for (block, start) in scores.chunks(BLOCK).zip((0..).step_by(BLOCK)) {
        let highest =
            block.iter().fold(0.0_f32, |highest, score| if *score > highest { *score } else { highest });
        if highest <= passed {
            continue;
        }
        for (score, place) in block.iter().zip(start..) {
            if *score <= passed {
                continue;
            }
            let at = best.partition_point(|better: &u32| scores[*better as usize] >= *score);
            best.insert(at, place);
            best.truncate(most);
            if best.len() == most {
                passed = best.last().map_or(f32::INFINITY, |last| scores[*last as usize]);
            }
        }
    }
    best
}
