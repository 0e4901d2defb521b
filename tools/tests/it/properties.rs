//! What holds of every command line: the judge neither panics nor takes long, and how a command is written does not
//! change what it does.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use toolwright::contract::{Effect, Effects};

use crate::corpus::{call, effects};

/// How long one command line may take, on a machine that does other things too.
const TIME_MAX: Duration = Duration::from_secs(5);

/// Pieces that matter to a shell.
const PIECES: &[&str] = &[
    "a",
    "rm",
    "ls",
    " ",
    " ",
    "\n",
    "\t",
    ";",
    "&",
    "&&",
    "||",
    "|",
    "|&",
    "(",
    ")",
    "((",
    "))",
    "{",
    "}",
    "[",
    "]",
    "[[",
    "]]",
    "$",
    "$(",
    "${",
    "`",
    "'",
    "\"",
    "\\",
    "<",
    ">",
    "<<EOF\n",
    "EOF\n",
    "<<<",
    "<(",
    ">&",
    "2>",
    "*",
    "?",
    "~",
    "/",
    "..",
    "=",
    "X=",
    "-",
    "--",
    "#",
    "!",
    "if ",
    "then ",
    "fi",
    "for x in ",
    "do ",
    "done",
    "while ",
    "case ",
    "esac",
    "function ",
    "time ",
    "bash -c ",
    "eval ",
    "xargs ",
    "find . -exec ",
    "1",
    "ü",
    "🦀",
    "\u{200B}",
    "\0",
    ",",
];

fn judge_in_time(command: &str) {
    let began = Instant::now();
    let flags = call(command).flags();
    let told = effects(command);
    assert!(began.elapsed() < TIME_MAX, "{:?}: {command:?}", began.elapsed());
    if let Effects::Unknown { raw, .. } = told {
        assert_eq!(raw, command);
        assert!(!flags.read_only, "{command:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_judged_in_time(command in any::<String>()) {
        judge_in_time(&command);
    }

    #[test]
    fn any_bytes_are_judged_in_time(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        judge_in_time(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_pieces_are_judged_in_time(pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..60)) {
        judge_in_time(&pieces.concat());
    }

    #[test]
    fn quotes_and_blanks_change_nothing(
        words in proptest::collection::vec("[a-z./-]{1,6}", 1..5),
        styles in proptest::collection::vec(0..4_usize, 5),
        blanks in proptest::collection::vec(proptest::sample::select(&[" ", "  ", "\t", " \\\n "][..]), 5),
    ) {
        let name = ["rm", "cat", "ls", "touch", "p"][words.len() % 5];
        let written = words.iter().zip(&styles).map(|(word, style)| match style {
            0 => word.clone(),
            1 => format!("'{word}'"),
            2 => format!("\"{word}\""),
            _escaped => word.chars().flat_map(|c| ['\\', c]).collect(),
        });
        let plain = format!("{name} {}", words.join(" "));
        let other: String = std::iter::once(name.to_owned())
            .chain(written.zip(&blanks).map(|(word, blank)| format!("{blank}{word}")))
            .collect();
        prop_assert_eq!(without_text(effects(&plain)), without_text(effects(&other)), "{:?} and {:?}", plain, other);
    }
}

/// Effects but for how commands are written. An option that is hidden by quotes is no longer harmless; that it is
/// asked about is as strict.
fn without_text(effects: Effects) -> Vec<Effect> {
    let Effects::Known(effects) = effects else { return Vec::new() };
    let plain = |effect| match effect {
        Effect::Command { words, .. } => {
            Some(Effect::Command { text: String::new(), words, read_only: false })
        }
        // The piece that is asked about is shown as it was typed.
        Effect::Name(_) => None,
        path @ (Effect::Read(_)
        | Effect::ReadBelow(_)
        | Effect::Write(_)
        | Effect::Remove(_)
        | Effect::MayWrite(_)
        | Effect::Contact(_)) => Some(path),
    };
    effects.into_iter().filter_map(plain).collect()
}

#[test]
fn hostile_lengths_and_depths_take_bounded_time() {
    let long = |piece: &str| piece.repeat(9_900 / piece.len());
    for piece in [
        "(",
        "{ ",
        "$(",
        "\"$(",
        "`",
        "a;",
        "a|",
        "a&&",
        "${a:-",
        "$((",
        "[[ ",
        "<(",
        "if a; then ",
        "for a in b; do ",
        "'",
        "\"",
        "\\",
        "<<a\n",
        "a\\\n",
        "{a,",
        "*",
        "x=",
        "!",
        "bash -c '",
        "f(){ ",
        "case a in a) ",
        "a b\n",
    ] {
        judge_in_time(&long(piece));
    }
    for command in [
        format!("echo {}", "{a,b}".repeat(20)),
        "for a in 1 2 3 4; do for b in 1 2 3 4; do for c in 1 2 3 4; do for d in 1 2 3 4; do for e in 1 2 3 4; do ls; done; done; done; done; done".to_owned(),
        "f() { f; f; }; f".to_owned(),
        format!("{} x", "timeout 1 ".repeat(300)),
        format!("{}x", "while a; do ".repeat(20)) + &"; done".repeat(20),
        "x=$(x=$(x=$(x=$(x=$(x=$(x=$(x=$(x=$(x=$(ls))))))))))".to_owned(),
    ] {
        judge_in_time(&command);
    }
}
