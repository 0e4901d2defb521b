//! Text from a model as one short line for a person, with nothing in it that a person would not see.

use toolwright::visible::is_unseen;

/// How many characters a line about a call has.
const CHARS_MAX: usize = 60;

/// The text on one line, cut where it is long; runs of white space become one space, and characters that would not
/// be seen become `�`.
pub(crate) fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line: String = words.join(" ").chars().map(|c| if is_unseen(c) { '\u{FFFD}' } else { c }).collect();
    match line.char_indices().nth(CHARS_MAX) {
        Some((at, _first_left_out)) => format!("{}…", &line[..at]),
        None => line,
    }
}

/// A path on one line.
pub(crate) fn path_line(path: &std::path::Path) -> String {
    one_line(&path.to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::one_line;

    #[test]
    fn nothing_hides_and_nothing_breaks_the_line() {
        assert_eq!(one_line("a\n  b\tc"), "a b c");
        assert_eq!(one_line("a\u{1B}[2Kb\u{202E}c"), "a\u{FFFD}[2Kb\u{FFFD}c");
        assert_eq!(one_line(&"ü".repeat(61)), format!("{}…", "ü".repeat(60)));
    }
}
