//! Files that a command names: a program nobody tells of may read whatever stands among its words, so rules that close
//! reading look at these words too.

use std::collections::BTreeSet;
use std::path::Path;

use super::scripts::scripts;
use super::words::{arguments, pieces_within, program};
use crate::contract::{Context, Effect, Effects, absolute};

/// How many pieces of words of a call are looked at.
const PIECES_MAX: usize = 20_000;

/// The files that the commands of a call may mean with their words. A command that is known to only look is left out:
/// what it reads is told as effects of its own. Nothing when there are too many words to be looked at.
pub(super) fn named_files(effects: &Effects, context: &Context) -> Option<Vec<Effect>> {
    let Effects::Known(known) = effects else { return Some(Vec::new()) };
    let mut found = BTreeSet::new();
    let mut below = BTreeSet::new();
    let mut written = BTreeSet::new();
    // What git shows of a file, it shows by a name that is told nowhere else.
    let is_git = |words: &[String]| words.first().is_some_and(|name| program(name) == "git");
    let commands = known.iter().filter_map(|effect| match effect {
        Effect::Command { words, read_only, .. } => (!read_only || is_git(words)).then_some(words),
        Effect::Read(_)
        | Effect::ReadBelow(_)
        | Effect::Write(_)
        | Effect::Remove(_)
        | Effect::MayWrite(_)
        | Effect::Contact(_)
        | Effect::Name(_) => None,
    });
    let place = |piece: &str| absolute(&context.cwd, context.home.as_deref(), Path::new(piece));
    let mut count = 0_usize;
    for words in commands {
        // Code may write what it names, as well as read it.
        for piece in scripts(words).flat_map(|script| pieces(script)) {
            count += 1;
            if count > PIECES_MAX {
                return None;
            }
            written.insert(place(piece));
        }
        let takes_folders = words.first().is_some_and(|name| FOLDER_READERS.contains(&program(name)));
        for word in arguments(words) {
            if takes_folders && !word.starts_with('-') {
                below.insert(place(word));
            }
            for piece in pieces(word) {
                count += 1;
                if count > PIECES_MAX {
                    return None;
                }
                // A name in brackets is that, or one of one letter less.
                let is_bracketed = !piece.contains(['*', '?']) && !takes_folders;
                // A wildcard stands for any name in its folder.
                match piece.find(['*', '?', '[']).filter(|_| !is_bracketed) {
                    Some(wild) => {
                        let folder = piece[..wild].rsplit_once('/').map_or(".", |(folder, _)| folder);
                        below.insert(place(if folder.is_empty() { "/" } else { folder }));
                    }
                    None => drop(found.insert(place(piece))),
                }
            }
        }
    }
    let read = found.into_iter().map(Effect::Read).chain(below.into_iter().map(Effect::ReadBelow));
    Some(read.chain(written.into_iter().map(Effect::MayWrite)).collect())
}

/// Programs that read all that is in a folder they are given.
const FOLDER_READERS: &[&str] =
    &["7z", "ack", "ag", "bsdtar", "cpio", "gtar", "rsync", "scp", "sftp", "tar", "zip"];

/// What in a word may be a path: the whole, what stands between the marks that programs put before a path, and what is
/// attached to an option of one letter.
fn pieces(word: &str) -> impl Iterator<Item = &str> {
    let inner = pieces_within(word);
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
