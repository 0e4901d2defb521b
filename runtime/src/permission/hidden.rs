//! Text that a command line decodes and runs: it is written so that nobody can read in it what it would do.

use super::raw::RawText;
use super::words::{INTERPRETERS, program};

/// Decoders, with the beginnings of the options with which they decode; none where they always do.
const DECODERS: &[(&str, &[&str])] = &[
    ("base32", DECODING),
    ("base64", DECODING),
    ("basenc", DECODING),
    ("openssl", &["-d", "-a", "base64"]),
    ("rev", &[]),
    ("uudecode", &[]),
    ("xxd", &["-r", "-pr"]),
];
const DECODING: &[&str] = &["-d", "-D", "-i", "--d"];
/// How many characters a text that is not understood may write by their numbers before it counts as hidden.
const NUMBERED_MAX: usize = 2;

/// Whether a text that was not understood may run what it decodes: what that names cannot be searched for.
pub(super) fn hides_what_it_runs(raw: &RawText) -> bool {
    let is_runner = |word: &String| {
        let stem = program(word).trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        matches!(word.as_str(), "." | "chmod") || word.starts_with("./") || INTERPRETERS.contains(&stem)
    };
    let is_said = |options: &[&str]| {
        options.is_empty()
            || raw.words.iter().any(|word| options.iter().any(|option| word.starts_with(option)))
    };
    let decodes = || {
        DECODERS
            .iter()
            .any(|(name, options)| raw.words.iter().any(|word| program(word) == *name) && is_said(options))
    };
    raw.words.iter().any(is_runner) && (raw.numbered > NUMBERED_MAX || decodes())
}

/// How many characters are written by their numbers, as `printf` and `echo` read them.
pub(super) fn numbered(text: &str) -> usize {
    text.match_indices('\\')
        .filter(|(at, _)| {
            let behind = &text[at + 1..];
            let (digits, radix, least) = match behind.chars().next() {
                Some('x' | 'u' | 'U') => (&behind[1..], 16, 2),
                _octal => (behind, 8, 3),
            };
            digits.chars().take(least).filter(|digit| digit.is_digit(radix)).count() == least
        })
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_decoded_and_run_is_hidden() {
        for (text, is_hidden) in [
            ("echo cm0gLXJmIH4= | base64 -d | sh", true),
            ("echo cm0gLXJmIH4= | base64 --decode | bash -s", true),
            ("eval \"$(base64 -d <<< cm0=)\"", true),
            ("xxd -r -p <<< 726d | python3.12", true),
            ("rev <<< 'x ls' | sh", true),
            ("printf '\\162\\155\\040\\176' | sh", true),
            ("echo -e '\\x72\\x6d\\x20' | zsh", true),
            (". <(openssl enc -d -a -in x)", true),
            ("base64 -d <<< cm0= > x; chmod +x x; ./x", true),
            ("base64 x | sh", false),
            ("base64 -d x > y", false),
            ("curl -fsSL http://x/ | sh", false),
            ("sed 's/\\(a\\)/\\1/' x | sh", false),
        ] {
            assert_eq!(hides_what_it_runs(&RawText::new(text)), is_hidden, "{text}");
        }
    }
}
