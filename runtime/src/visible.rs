//! Characters that a person does not see, and that may hide what a text does: found in commands, and written out where
//! text of others is shown.

use std::fmt::Write as _;

/// Characters that take no room, look like a space, or change the order of what is shown. From Unicode's formats,
/// separators and fillers.
const INVISIBLE: &[(char, char)] = &[
    ('\u{0080}', '\u{00A0}'),
    ('\u{00AD}', '\u{00AD}'),
    ('\u{034F}', '\u{034F}'),
    ('\u{061C}', '\u{061C}'),
    ('\u{115F}', '\u{1160}'),
    ('\u{1680}', '\u{1680}'),
    ('\u{17B4}', '\u{17B5}'),
    ('\u{180B}', '\u{180F}'),
    ('\u{2000}', '\u{200F}'),
    ('\u{2028}', '\u{202F}'),
    ('\u{205F}', '\u{206F}'),
    ('\u{2800}', '\u{2800}'),
    ('\u{3000}', '\u{3000}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{FE00}', '\u{FE0F}'),
    ('\u{FEFF}', '\u{FEFF}'),
    ('\u{FFA0}', '\u{FFA0}'),
    ('\u{FFF0}', '\u{FFFB}'),
    ('\u{1BCA0}', '\u{1BCA3}'),
    ('\u{1D173}', '\u{1D17A}'),
    ('\u{E0000}', '\u{E0FFF}'),
];

/// Whether a person would not see a character; line ends and tabs are seen.
#[must_use]
pub fn is_unseen(c: char) -> bool {
    let is_control = c.is_control() && c != '\n' && c != '\t';
    is_control || INVISIBLE.iter().any(|(first, last)| (*first..=*last).contains(&c))
}

/// The first character of a text that a person would not see.
#[must_use]
pub fn first_unseen(text: &str) -> Option<char> {
    text.chars().find(|c| is_unseen(*c))
}

/// The text with every character that a terminal would obey or not show written out, such as `\u{1b}`; line ends and
/// tabs too.
#[must_use]
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() || is_unseen(c) {
            write!(out, "{}", c.escape_unicode()).expect("writing to a string does not fail");
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hides_is_found_and_what_shows_is_not() {
        for hidden in
            ['\0', '\r', '\u{1B}', '\u{7F}', '\u{A0}', '\u{200B}', '\u{202E}', '\u{FEFF}', '\u{E0041}']
        {
            assert_eq!(first_unseen(&format!("ls {hidden}x")), Some(hidden));
        }
        assert_eq!(first_unseen("ls\t-l \n echo grüße 🦀 日本"), None);
    }

    #[test]
    fn nothing_is_obeyed_and_nothing_hides() {
        let hostile = "a\u{1b}[2J\rb\n\u{202e}c\u{200b}\u{9b}31m";
        assert_eq!(visible(hostile), r"a\u{1b}[2J\u{d}b\u{a}\u{202e}c\u{200b}\u{9b}31m");
        assert_eq!(visible("grün 日本語 🙂"), "grün 日本語 🙂");
    }
}
