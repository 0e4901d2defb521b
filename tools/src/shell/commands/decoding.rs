//! Programs that make readable what was written so that nobody reads it. Code that is decoded before it runs may do
//! anything, and is written so to hide it: it is never taken for the program's own business.

use toolwright::permission::runs_first_file;

use super::pipes::Input;
use super::place::State;
use super::walk::Walker;
use super::word::Word;
use crate::shell::syntax::Doubt;

/// Decoders, with the beginnings of the words of which one must be among their arguments; none where they always decode.
const DECODERS: &[(&str, &[&str])] = &[
    ("base32", DECODING),
    ("base64", DECODING),
    ("basenc", DECODING),
    ("gpg", &["-d", "--d"]),
    ("openssl", &["-d", "-a", "-A", "base64"]),
    ("rev", &[]),
    ("uudecode", &[]),
    ("xxd", &["-r", "-pr"]),
];
const DECODING: &[&str] = &["-d", "-D", "-i", "--d"];

/// Whether a program decodes with these words behind it.
pub(super) fn decodes<'w>(name: &str, arguments: impl Iterator<Item = &'w str>) -> bool {
    let Some((_, options)) = DECODERS.iter().find(|(known, _)| *known == name) else { return false };
    options.is_empty()
        || arguments.into_iter().any(|word| options.iter().any(|option| word.starts_with(option)))
}

/// Whether a text that stands in a word has a decoder in it.
fn decodes_within(typed: &str) -> bool {
    let words: Vec<&str> = typed.split(|c: char| c.is_whitespace() || "|;&()`\"'<>$".contains(c)).collect();
    words.iter().enumerate().any(|(at, name)| {
        let name = name.rsplit('/').next().unwrap_or_default();
        decodes(name, words[at + 1..].iter().copied())
    })
}

impl Walker<'_> {
    /// Doubts an interpreter that runs what is decoded first: what it reads, a text among its words, or a file that the
    /// command line decoded itself.
    pub(super) fn check_runs_nothing_decoded(
        &self,
        name: &str,
        arguments: &[Word],
        input: &Input,
        state: &State,
    ) -> Result<(), Doubt> {
        if !runs_first_file(name) {
            return Ok(());
        }
        let reads = *input == Input::Decoded
            && arguments
                .iter()
                .all(|word| matches!(word.value.as_str(), "-" | "-u" | "-B" | "-s" | "/dev/stdin"));
        let is_decoded = |word: &&Word| {
            ((!word.is_known() || word.is_stream) && decodes_within(&word.typed))
                || self.was_decoded(word, state)
        };
        match arguments.iter().find(is_decoded) {
            Some(word) => Err(Doubt::new(format!("`{name}` runs `{}`, which is decoded first", word.typed))),
            None if reads => Err(Doubt::new(format!("`{name}` runs what it reads, which is decoded first"))),
            None => Ok(()),
        }
    }

    /// Whether the command line itself decoded something into a file.
    pub(super) fn was_decoded(&self, file: &Word, state: &State) -> bool {
        self.places(file, state).iter().any(|path| self.decoded.contains(path))
    }

    /// Keeps that a file was written with what is decoded.
    pub(super) fn note_decoded(&mut self, targets: &[Word], state: &State) {
        for target in targets {
            let places = self.places(target, state);
            self.decoded.extend(places);
        }
    }
}
