//! The words of a text as they are looked up: lower case, names taken apart, plural as singular.

/// How long a word may be, in bytes; what is longer is no word.
const WORD_BYTES_MAX: usize = 40;

/// Words that say nothing about a tool.
const EMPTY_WORDS: &[&str] = &[
    "a", "all", "an", "and", "any", "are", "as", "at", "be", "by", "can", "for", "from", "have", "i", "if",
    "in", "is", "it", "me", "my", "need", "of", "on", "or", "our", "that", "the", "thi", "to", "tool", "use",
    "want", "with", "you", "your",
];

/// Calls `each` with every word of a text that says something. `camelCase` and `snake_case` are taken apart.
pub(super) fn each_word(text: &str, mut each: impl FnMut(&str)) {
    each_root(text, |word| {
        if says_something(word) {
            each(word);
        }
    });
}

/// Whether a word says something about a tool.
pub(super) fn says_something(word: &str) -> bool {
    EMPTY_WORDS.binary_search(&word).is_err()
}

/// Calls `each` with every word of a text, also with those that say nothing.
pub(super) fn each_root(text: &str, mut each: impl FnMut(&str)) {
    let mut word = String::new();
    let mut was_lower = false;
    for c in text.chars() {
        // Nearly all characters are of this kind, and their questions are simple ones.
        if c.is_ascii() {
            if !c.is_ascii_alphanumeric() {
                end(&mut word, &mut each);
                was_lower = false;
                continue;
            }
            let is_upper = c.is_ascii_uppercase();
            if is_upper && was_lower {
                end(&mut word, &mut each);
            }
            was_lower = !is_upper;
            word.push(c.to_ascii_lowercase());
            continue;
        }
        if !c.is_alphanumeric() {
            end(&mut word, &mut each);
            was_lower = false;
            continue;
        }
        if c.is_uppercase() && was_lower {
            end(&mut word, &mut each);
        }
        was_lower = c.is_lowercase() || c.is_numeric();
        word.extend(c.to_lowercase());
    }
    end(&mut word, &mut each);
}

/// Ends a word.
fn end(word: &mut String, each: &mut impl FnMut(&str)) {
    if (1..=WORD_BYTES_MAX).contains(&word.len()) {
        let root = root(word);
        if !root.is_empty() {
            each(root);
        }
    }
    word.clear();
}

/// A word without the ending of a plural.
fn root(word: &str) -> &str {
    match word.strip_suffix('s') {
        Some(root) if word.len() > 3 && !root.ends_with(['s', 'u', 'i']) => root,
        Some(root) if word == "this" => root,
        _as_it_is => word,
    }
}

#[cfg(test)]
mod tests {
    use super::{EMPTY_WORDS, each_word};

    fn words(text: &str) -> Vec<String> {
        let mut words = Vec::new();
        each_word(text, |word| words.push(word.to_owned()));
        words
    }

    #[test]
    fn names_are_taken_apart_and_plurals_are_singulars() {
        assert_eq!(
            words("mcp__gitHub__list_pull-requests"),
            ["mcp", "git", "hub", "list", "pull", "request"]
        );
        assert_eq!(words("Search the issues of this status"), ["search", "issue", "status"]);
        assert_eq!(words("Zeige die Größe, 2 mal"), ["zeige", "die", "größe", "2", "mal"]);
        assert_eq!(words(&"x".repeat(100)), Vec::<String>::new());
    }

    #[test]
    fn the_empty_words_can_be_searched_in() {
        assert!(EMPTY_WORDS.is_sorted());
    }
}
