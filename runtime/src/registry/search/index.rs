//! An inverted index with the weights worked out beforehand, so that a search is a few additions.
//!
//! The rank is BM25 (Robertson and Zaragoza, 2009) over a text in which a word of the name counts as often as several of
//! the description. Everything about it depends on the tools and their order alone.

use std::collections::BTreeMap;
use std::ops::Range;

use super::Query;
use super::words::each_word;

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
/// How many longer words stand in for one that no tool has.
const LONGER_WORDS_MAX: usize = 8;
/// How much such a word counts.
const LONGER_WORD_WEIGHT: f32 = 0.5;

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
    words: BTreeMap<Box<str>, Range<u32>>,
    postings: Vec<Posting>,
}

/// How much a word counts for a tool; `place` is the tool's place by name.
#[derive(Clone, Copy, Debug)]
struct Posting {
    place: u32,
    weight: f32,
}

/// A word while the index is built: the tools that have it, and how often.
type Counts = BTreeMap<Box<str>, Vec<Posting>>;

impl SearchIndex {
    /// An index of these tools.
    #[must_use]
    pub fn new(docs: &[SearchDoc<'_>]) -> SearchIndex {
        let mut by_name: Vec<u32> = (0..).zip(docs).map(|(number, _)| number).collect();
        by_name.sort_by_key(|number| docs[*number as usize].name);
        let mut counts = Counts::new();
        let mut lengths = Vec::with_capacity(docs.len());
        for (place, number) in (0..).zip(&by_name) {
            lengths.push(count(&mut counts, place, &docs[*number as usize]));
        }
        let names =
            (0..).zip(&by_name).map(|(place, number)| (docs[*number as usize].name.to_lowercase(), place));
        let names = names.collect();
        let mut index = SearchIndex { by_name, names, ..SearchIndex::default() };
        index.weigh(counts, &lengths);
        index
    }

    /// Turns how often words occur into how much they count.
    fn weigh(&mut self, counts: Counts, lengths: &[f32]) {
        let tools = lengths.len().max(1) as f32;
        let average = (lengths.iter().sum::<f32>() / tools).max(1.0);
        for (word, with) in counts {
            let start = self.postings.len() as u32;
            let having = with.len() as f32;
            let rarity = (1.0 + (tools - having + 0.5) / (having + 0.5)).ln();
            self.postings.extend(with.into_iter().map(|Posting { place, weight: often }| {
                let length = lengths[place as usize] / average;
                let weight = rarity * often * (K1 + 1.0) / (often + K1 * (1.0 - B + B * length));
                Posting { place, weight }
            }));
            self.words.insert(word, start..self.postings.len() as u32);
        }
    }

    /// The best tools for a query, best first, as numbers of the list that they were given in; at most `most`. Names are
    /// found whatever their case.
    #[must_use]
    pub fn search(&self, query: &Query, most: usize) -> Vec<usize> {
        let mut best: Vec<u32> = Vec::new();
        match query {
            Query::Names(names) => {
                for name in names.iter().filter_map(|name| self.names.get(&name.to_lowercase())) {
                    if !best.contains(name) {
                        best.push(*name);
                    }
                }
            }
            Query::Words { whole, must, words } => {
                for name in whole.iter().filter_map(|name| self.names.get(&name.to_lowercase())) {
                    if best.len() < most && !best.contains(name) {
                        best.push(*name);
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

    /// The places of the best tools by words.
    fn ranked(&self, must: &[String], words: &[String], most: usize) -> Vec<u32> {
        let mut scores = vec![0.0_f32; self.by_name.len()];
        let mut touched: Vec<u32> = Vec::new();
        for word in self.telling(must, words) {
            self.each_posting(word, |posting| {
                let score = &mut scores[posting.place as usize];
                if *score == 0.0 {
                    touched.push(posting.place);
                }
                *score += posting.weight;
            });
        }
        for word in must {
            let mut has = vec![false; self.by_name.len()];
            self.each_posting(word, |posting| has[posting.place as usize] = true);
            touched.retain(|place| has[*place as usize]);
        }
        top(&touched, &scores, most)
    }

    /// The words that tell tools apart. One that most tools have says next to nothing and costs most of the search, so it
    /// counts only where there is no other, or where it must be there.
    fn telling<'a>(&self, must: &[String], words: &'a [String]) -> impl Iterator<Item = &'a String> {
        let half = self.by_name.len() / 2;
        let is_common =
            |word: &String| half > 0 && self.words.get(word.as_str()).is_some_and(|range| range.len() > half);
        let are_all = words.iter().all(is_common);
        let kept = words.iter().filter(|word| are_all || must.contains(word) || !is_common(word));
        kept.collect::<Vec<_>>().into_iter()
    }

    /// The tools that have a word; where no tool has it, those that have a word that begins with it.
    fn each_posting(&self, word: &str, mut each: impl FnMut(Posting)) {
        let of = |range: &Range<u32>| &self.postings[range.start as usize..range.end as usize];
        if let Some(range) = self.words.get(word) {
            of(range).iter().copied().for_each(each);
            return;
        }
        let longer =
            self.words.range::<str, _>((std::ops::Bound::Included(word), std::ops::Bound::Unbounded));
        for (_, range) in longer.take_while(|(longer, _)| longer.starts_with(word)).take(LONGER_WORDS_MAX) {
            for posting in of(range) {
                each(Posting { weight: posting.weight * LONGER_WORD_WEIGHT, ..*posting });
            }
        }
    }
}

/// The best of these places, best first; of equal ones the first by name.
fn top(touched: &[u32], scores: &[f32], most: usize) -> Vec<u32> {
    let mut best: Vec<u32> = Vec::with_capacity(most.min(touched.len()) + 1);
    let is_before = |a: u32, b: u32| {
        let (of_a, of_b) = (scores[a as usize], scores[b as usize]);
        of_a > of_b || (of_a == of_b && a < b)
    };
    for place in touched.iter().copied() {
        let is_full = best.len() == most;
        if is_full && best.last().is_none_or(|last| !is_before(place, *last)) {
            continue;
        }
        let at = best.partition_point(|better| is_before(*better, place));
        best.insert(at, place);
        best.truncate(most);
    }
    best
}

/// Counts the words of one tool; gives how many there are, by weight.
fn count(counts: &mut Counts, place: u32, doc: &SearchDoc<'_>) -> f32 {
    let mut left = WORDS_MAX;
    let mut length = 0.0;
    let described = start_of(doc.description, DESCRIPTION_BYTES_MAX);
    let fields = [(doc.name, NAME_WEIGHT), (doc.hint, HINT_WEIGHT), (described, DESCRIPTION_WEIGHT)];
    for (text, weight) in fields {
        each_word(text, |word| {
            if left == 0 {
                return;
            }
            left -= 1;
            length += weight;
            if let Some(with) = counts.get_mut(word) {
                match with.last_mut() {
                    Some(last) if last.place == place => last.weight += weight,
                    _other => with.push(Posting { place, weight }),
                }
            } else {
                counts.insert(word.into(), vec![Posting { place, weight }]);
            }
        });
    }
    length
}

/// The beginning of a text, cut between characters.
fn start_of(text: &str, bytes_max: usize) -> &str {
    let end = (0..=bytes_max.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or(0)]
}
