//! Laws of every answer: nothing widens it, nobody to ask is no yes, and length opens nothing.

use toolwright::permission::{Mode, Profile};

use super::{Rules, answer};
use crate::runs::Maker;

#[test]
fn a_command_padded_with_blanks_is_shown_to_its_end() {
    let command = format!("ls{}; touch hidden\u{200B}name", "\t ".repeat(400));
    for profile in [Profile::V2_1_88, Profile::Current] {
        let (given, reason) = answer(&["+Bash(ls *)"], &command, Mode::Default, profile, true);
        assert_eq!(given, "ask");
        assert!(reason.contains("U+200B"), "{reason}");
    }
}

#[test]
fn nobody_to_ask_is_a_refusal() {
    for (rules, command) in [
        (&["+Bash(git log:*)"] as Rules, "git log -1; touch x"),
        (&["+Bash"], "rm -rf ~"),
        (&["+Bash"], "echo \"$(rm -rf /)\""),
    ] {
        let (given, reason) = answer(rules, command, Mode::DontAsk, Profile::Current, false);
        assert_eq!(given, "deny", "{command}: {reason}");
    }
}

fn strictness(answer: &str) -> usize {
    ["allow", "ask", "deny"].iter().position(|known| *known == answer).expect("it is one of these")
}

#[test]
fn a_second_command_never_widens_the_answer() {
    const OURS: Rules =
        &["+Bash(p1 *)", "+Bash(git *)", "+Bash(echo *)", "-Bash(rm *)", "?Bash(p3 *)", "-Read(.env)"];
    const SECONDS: &[&str] = &["ls", "p1 x", "rm y", "cat .env", "p9", "echo $X", "> o", "git push", "'"];
    const JOINED: &[&str] = &[
        "A; B",
        "A && B",
        "A || B",
        "A | B",
        "A\nB",
        "A & B",
        "B; A",
        "B | A",
        "(A); B",
        "A $(B)",
        "A \"$(B)\"",
        "A <(B)",
    ];
    let mut maker = Maker::new(0x0123_4567_89AB_CDEF);
    let (mut allowed, mut joined) = (0, 0);
    let firsts = ["p1 a", "git log", "echo a b", "ls", "cat src/a", "git status && ls"].map(str::to_owned);
    let made: Vec<String> =
        (0..40).map(|at| maker.list(1 + at % 2)).filter(|it| !it.contains("<<")).collect();
    for first in firsts.iter().chain(&made) {
        let (alone, _) = answer(OURS, first, Mode::Default, Profile::Current, true);
        allowed += usize::from(alone == "allow");
        for second in SECONDS {
            for pattern in JOINED {
                let both = pattern.replace('B', "\0").replace('A', first).replace('\0', second);
                let (together, _) = answer(OURS, &both, Mode::Default, Profile::Current, true);
                let is_no_narrower = strictness(together) < strictness(alone).min(1);
                assert!(!is_no_narrower, "{first:?} is {alone}, and {both:?} {together}");
                joined += 1;
            }
        }
    }
    assert!(allowed >= 6 && joined > 2_000, "{allowed} allowed, {joined} joined");
}

#[test]
fn hostile_lengths_ask_at_the_gate() {
    let long = |piece: &str| piece.repeat(1_000_000 / piece.len());
    let deep =
        (0..12).fold("ls".to_owned(), |inner, _| format!("bash -c '{}'", inner.replace('\'', "'\\''")));
    let rows = ["(", "$(", "a;", "'", "\"", "{a,b}", "a && ", "<<a\n", "\\", "`", "!(", "$'\\x", "{", "x=$("];
    let documents = "cat <<a\na\n".repeat(100_000);
    let chain = vec!["a"; 10_000].join(" && ");
    let braces = format!("touch {}", "{a,b}".repeat(30));
    for command in rows.map(long).into_iter().chain([deep, documents, chain, braces]) {
        for (rules, mode) in [(&[] as Rules, Mode::Default), (&["-Read(.env)", "-Bash(rm *)"], Mode::Default)]
        {
            let (given, _reason) = answer(rules, &command, mode, Profile::Current, true);
            assert_ne!(given, "allow", "{}", &command[..20]);
        }
    }
}
