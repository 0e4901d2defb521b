//! The command that shows a run once more, as this one was called.

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::path::Path;

use toolwright::visible::visible;

/// The flags that a replay has as well, each with a value: they say what is replayed, and what must hold.
const KEPT: &[&str] = &["--never", "--siblings", "--mode", "--settings", "--profile", "--mutant"];

/// The command line, for a shell, that replays the run of a token of this file with the program that is called.
pub(super) fn replayed(file: &Path, token: &str) -> String {
    let mut given = std::env::args_os();
    let program = given.next().unwrap_or_default();
    let own = [&program, OsStr::new("replay"), file.as_os_str(), OsStr::new("--token"), OsStr::new(token)];
    let words: Vec<String> =
        own.into_iter().map(quoted).chain(kept(given).iter().map(|word| quoted(word))).collect();
    words.join(" ")
}

/// Those of the arguments that a replay takes.
fn kept(mut given: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut kept = Vec::new();
    while let Some(word) = given.next() {
        let text = word.to_string_lossy();
        let flag = text.split('=').next().unwrap_or_default();
        if KEPT.contains(&flag) {
            let value = if flag == text { given.next() } else { None };
            kept.push(word);
            kept.extend(value);
        }
    }
    kept
}

/// A word as a shell reads it whole. What a terminal would obey or not show is written out, as in `$'\x1b'`.
fn quoted(word: &OsStr) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@%+".contains(c);
    match word.to_str() {
        Some(text) if !text.is_empty() && text.chars().all(is_plain) => text.to_owned(),
        Some(text) if visible(text) == text => format!("'{}'", text.replace('\'', r"'\''")),
        _odd => format!("$'{}'", escaped(word.as_encoded_bytes())),
    }
}

fn escaped(bytes: &[u8]) -> String {
    let mut out = String::new();
    let byte = |out: &mut String, byte: &u8| {
        write!(out, "\\x{byte:02x}").expect("writing to a string does not fail")
    };
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            let text = c.to_string();
            match c {
                '\'' | '\\' => out.extend(['\\', c]),
                _seen if visible(&text) == text => out.push(c),
                _unseen => text.as_bytes().iter().for_each(|b| byte(&mut out, b)),
            }
        }
        chunk.invalid().iter().for_each(|b| byte(&mut out, b));
    }
    out
}
