//! The known word that was probably meant.

/// The word nearest to `wrong`, if one is near: at most a third of its letters differ, or one begins with the other.
pub(crate) fn nearest<'a>(wrong: &str, words: &[&'a str]) -> Option<&'a str> {
    let folded = wrong.to_lowercase().replace('-', "_");
    let near = words.iter().filter_map(|word| {
        let edits = edit_distance(&folded, word);
        let contained = folded.len() >= 3 && (word.contains(&folded) || folded.contains(word));
        (edits <= word.len() / 3 || contained).then_some((edits, *word))
    });
    near.min().map(|(_edits, word)| word)
}

/// The end of a message: the word that was probably meant, or all there are.
pub(crate) fn suggestion(wrong: &str, words: &[&str]) -> String {
    match nearest(wrong, words) {
        Some(word) => format!("did you mean `{word}`?"),
        None => format!("there are `{}`", words.join("`, `")),
    }
}

/// The number of insertions, deletions and replacements between two words (Levenshtein).
fn edit_distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(from != to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: &[&str] = &["read_only", "concurrency_safe", "state", "name"];

    #[test]
    fn near_words_are_found_and_far_ones_are_not() {
        assert_eq!(nearest("readonly", WORDS), Some("read_only"));
        assert_eq!(nearest("concurrent_safe", WORDS), Some("concurrency_safe"));
        assert_eq!(nearest("concurrency", WORDS), Some("concurrency_safe"));
        assert_eq!(nearest("frobnicate", WORDS), None);
    }
}
