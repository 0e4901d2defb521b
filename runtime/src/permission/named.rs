//! Files that a command names: a program nobody tells of may read whatever stands among its words, so rules that close
//! reading look at these words too.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::contract::{Context, Effect, Effects, absolute};

/// How many pieces of words of a call are looked at.
const PIECES_MAX: usize = 20_000;

/// The files that the commands of a call may mean with their words. A command that is known to only look is left out:
/// what it reads is told as effects of its own. Nothing when there are too many words to be looked at.
pub(super) fn named_files(effects: &Effects, context: &Context) -> Option<BTreeSet<PathBuf>> {
    let Effects::Known(known) = effects else { return Some(BTreeSet::new()) };
    let mut found = BTreeSet::new();
    let commands = known.iter().filter_map(|effect| match effect {
        Effect::Command { words, read_only: false, .. } => Some(words),
        Effect::Command { read_only: true, .. }
        | Effect::Read(_)
        | Effect::ReadBelow(_)
        | Effect::Write(_)
        | Effect::Remove(_)
        | Effect::Contact(_)
        | Effect::Name(_) => None,
    });
    let words = commands.flat_map(|words| words.iter().skip(1));
    for (at, piece) in words.flat_map(|word| pieces(word)).enumerate() {
        if at >= PIECES_MAX {
            return None;
        }
        found.insert(absolute(&context.cwd, context.home.as_deref(), Path::new(piece)));
    }
    Some(found)
}

/// What in a word may be a path: the whole, what stands between the marks that programs put before a path, and what is
/// attached to an option of one letter.
fn pieces(word: &str) -> impl Iterator<Item = &str> {
    let inner = word.split(['=', ':', ',', '@', '<', '>', ';', ' ']);
    let attached = word.strip_prefix('-').filter(|rest| !rest.starts_with('-')).and_then(|rest| {
        let mut letters = rest.chars();
        letters.next().map(|_letter| letters.as_str())
    });
    let all = std::iter::once(word).chain(inner).chain(attached);
    all.flat_map(|piece| [piece, strip_scheme(piece)])
        .filter(|piece| !piece.is_empty() && *piece != "." && *piece != "/")
}

/// `//host/path` behind a scheme: the path alone.
fn strip_scheme(piece: &str) -> &str {
    piece.strip_prefix("//").map_or(piece, |rest| rest.find('/').map_or("", |at| &rest[at..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pieces_of_a_word_that_may_be_a_path() {
        for (word, path) in [
            (".env", ".env"),
            ("if=.env", ".env"),
            ("-i.env", ".env"),
            ("--file=.env", ".env"),
            ("--data=@.env", ".env"),
            ("@.env", ".env"),
            ("host:.env", ".env"),
            ("a,.env", ".env"),
            ("file:///w/.env", "/w/.env"),
            ("//w/p/.env", "//w/p/.env"),
            ("SELECT readfile('x') .env", ".env"),
        ] {
            assert!(pieces(word).any(|piece| piece == path), "{word}");
        }
        assert!(!pieces("-.env").any(|piece| piece == ".env"), "a letter comes first");
    }
}
