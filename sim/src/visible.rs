//! Text of others on a terminal: nothing in it may move the cursor, colour the screen, or hide.

use std::fmt::Write as _;

/// The text with every character that a terminal would obey or not show written out, such as `\u{1b}`.
pub(crate) fn visible(text: &str) -> String {
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

/// Characters that take no room or turn the direction of writing.
fn is_unseen(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_obeyed_and_nothing_hides() {
        let hostile = "a\u{1b}[2J\rb\n\u{202e}c\u{200b}\u{9b}31m";
        assert_eq!(visible(hostile), r"a\u{1b}[2J\u{d}b\u{a}\u{202e}c\u{200b}\u{9b}31m");
        assert_eq!(visible("grün 日本語 🙂"), "grün 日本語 🙂");
    }
}
