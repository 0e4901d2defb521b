//! What somebody looks for.

use std::collections::BTreeSet;

use super::words::each_word;

/// How many characters of a query are read.
const CHARS_MAX: usize = 1_000;
/// How many different words of a query are looked up.
const WORDS_MAX: usize = 24;
/// How many names can be asked for at once.
const NAMES_MAX: usize = 100;

/// What somebody looks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Query {
    /// Tools by their names: `select:A,B`.
    Names(Vec<String>),
    /// Tools by words; those with `+` must be there. A whole name among them comes first.
    Words {
        /// The parts between spaces, as they were written.
        whole: Vec<String>,
        /// The words that must be there.
        must: Vec<String>,
        /// All words, each once.
        words: Vec<String>,
    },
}

impl Query {
    /// Reads a query. Any text is one.
    #[must_use]
    pub fn new(text: &str) -> Query {
        let text: String = text.trim().chars().take(CHARS_MAX).collect();
        if let Some(names) = text.strip_prefix("select:") {
            let names = names.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
            return Query::Names(names.take(NAMES_MAX).collect());
        }
        let (mut whole, mut must, mut words) = (Vec::new(), Vec::new(), Vec::new());
        let mut seen = BTreeSet::new();
        for part in text.split_whitespace() {
            let (is_must, part) = match part.strip_prefix('+') {
                Some(rest) => (true, rest),
                None => (false, part),
            };
            whole.push(part.trim_matches(['"', '\'', '`', ',', '.', ';', ':']).to_owned());
            each_word(part, |word| {
                if words.len() < WORDS_MAX && seen.insert(word.to_owned()) {
                    words.push(word.to_owned());
                }
                if is_must && must.len() < WORDS_MAX && !must.iter().any(|known| known == word) {
                    must.push(word.to_owned());
                }
            });
        }
        Query::Words { whole, must, words }
    }
}
