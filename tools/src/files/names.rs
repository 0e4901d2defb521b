//! Names of files in a list that a model reads, one a line: a name may have line ends of its own.

use std::borrow::Cow;

/// The name with the characters that end a line, or do worse to whoever shows it, written out, such as `\n`.
pub(crate) fn on_one_line(name: &str) -> Cow<'_, str> {
    if !name.contains(char::is_control) {
        return Cow::Borrowed(name);
    }
    let written =
        name.chars().map(|c| if c.is_control() { c.escape_default().to_string() } else { c.into() });
    Cow::Owned(written.collect())
}

/// The names as lines, and a last one that says so where a name is not written as it is.
pub(crate) fn listed(names: &[String]) -> Vec<String> {
    let mut lines: Vec<String> = names.iter().map(|name| on_one_line(name).into_owned()).collect();
    if lines != names {
        lines.push(
            "(some names have line ends or other control characters, written as `\\n` and the like)"
                .to_owned(),
        );
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_never_looks_like_two() {
        assert_eq!(on_one_line("grün a.rs"), "grün a.rs");
        assert_eq!(on_one_line("a\nb\u{1B}[2K"), "a\\nb\\u{1b}[2K");
        assert_eq!(listed(&["a".to_owned(), "b\r".to_owned()])[..2], ["a", "b\\r"]);
        assert_eq!(listed(&["a".to_owned()]), ["a"]);
    }
}
