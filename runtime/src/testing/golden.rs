//! The bytes that models see, and other texts that a person looks at once, kept in files.

use std::path::Path;

use crate::contract::SessionFacts;
use crate::registry::{Catalogue, Pool};

/// The environment variable that has golden files written in place of compared: set it to `1` once, and look at the
/// difference.
pub const BLESS: &str = "TOOLWRIGHT_BLESS";

/// Compares the definitions of a catalogue, a line each, with a file. The path is from where the test runs: the folder
/// of its crate.
///
/// # Panics
/// With the first line that differs; and where the file cannot be read, or written.
#[track_caller]
pub fn check_golden(catalogue: &Catalogue, path: impl AsRef<Path>) {
    let pool = Pool::new(catalogue, &SessionFacts::default(), |_name| true);
    let lines: Vec<String> = pool.definitions().iter().map(|line| format!("{line}\n")).collect();
    check_golden_text(&lines.concat(), path);
}

/// Compares a text with a file. The path is from where the test runs: the folder of its crate.
///
/// # Panics
/// With the first line that differs; and where the file cannot be read, or written.
#[track_caller]
pub fn check_golden_text(text: &str, path: impl AsRef<Path>) {
    let path = path.as_ref();
    if std::env::var_os(BLESS).is_some_and(|value| value == "1") {
        let written = std::fs::write(path, text);
        assert!(written.is_ok(), "`{}` cannot be written: {written:?}", path.display());
        return;
    }
    let advice = format!("run the test once with {BLESS}=1, and look at the difference");
    let Ok(golden) = std::fs::read_to_string(path) else {
        panic!("there is no golden file `{}`: {advice}", path.display());
    };
    if golden == text {
        return;
    }
    let (mut ours, mut theirs) = (text.lines(), golden.lines());
    let (mut number, mut pair) = (1, (ours.next(), theirs.next()));
    while pair.0.is_some() && pair.0 == pair.1 {
        number += 1;
        pair = (ours.next(), theirs.next());
    }
    let told = |line: Option<&str>| line.unwrap_or("nothing").to_owned();
    panic!(
        "it has changed; {advice}\n`{}`, line {number}:\n  was {}\n  is  {}",
        path.display(),
        told(pair.1),
        told(pair.0)
    );
}
