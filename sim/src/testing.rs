//! Explorations as tests, in a line or two.
//!
//! ```
//! toolwright_sim::sim_test!(the_bundled_session_holds, seeds = 20, transcript = "examples/session.twt.jsonl");
//! # fn main() {}
//! ```
//!
//! `TOOLWRIGHT_SEEDS` gives another number of seeds, `TOOLWRIGHT_SEED` one seed alone, and `TOOLWRIGHT_REPLAY` the token
//! of one run alone; in a test of several, a token that was made for another recording is passed over.

use std::ops::Range;
use std::path::Path;

use toolwright::registry::Catalogue;

use crate::explore::{Explore, Recording, Subject};
use crate::import::read_path;
use crate::replay::Options;
use crate::shrink::{shrink, shrink_recording};
use crate::strategy::Way;
use crate::token::Token;

/// A test that explores a recording, or replays one run of it. The path is below the crate's folder. The tools are
/// those of this project unless `tools = …` gives a catalogue.
#[macro_export]
macro_rules! sim_test {
    ($name:ident, seeds = $seeds:expr, transcript = $file:expr $(, tools = $tools:expr)? $(,)?) => {
        #[test]
        fn $name() {
            #[expect(unused_mut, unused_assignments, reason = "only where tools are given")]
            let tools = { let mut tools = None; $(tools = Some($tools);)? tools };
            let file = ::std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join($file);
            $crate::testing::seeds(&file, tools, $seeds);
        }
    };
    ($name:ident, replay = $token:expr, transcript = $file:expr $(, tools = $tools:expr)? $(,)?) => {
        #[test]
        fn $name() {
            #[expect(unused_mut, unused_assignments, reason = "only where tools are given")]
            let tools = { let mut tools = None; $(tools = Some($tools);)? tools };
            let file = ::std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join($file);
            $crate::testing::replay(&file, tools, $token);
        }
    };
}

/// What the environment asks for in place of what a test says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// These seeds.
    Seeds(Range<u64>),
    /// One run.
    Run(Token),
}

impl Asked {
    /// Reads the environment; what is not said is `seeds` seeds from 0.
    ///
    /// # Panics
    /// On a variable that cannot be read: a test that ran something else than was asked for would mislead.
    #[must_use]
    pub fn of_environment(seeds: u64) -> Asked {
        let variable = |name: &str| std::env::var(name).ok();
        let number = |name: &str, text: String| -> u64 {
            text.trim().parse().unwrap_or_else(|_| panic!("{name} is `{text}`, and must be a number"))
        };
        if let Some(text) = variable("TOOLWRIGHT_REPLAY") {
            return Asked::Run(text.parse().unwrap_or_else(|error| panic!("TOOLWRIGHT_REPLAY: {error}")));
        }
        if let Some(text) = variable("TOOLWRIGHT_SEED") {
            let seed = number("TOOLWRIGHT_SEED", text);
            return Asked::Seeds(seed..seed.saturating_add(1));
        }
        let seeds = variable("TOOLWRIGHT_SEEDS").map_or(seeds, |text| number("TOOLWRIGHT_SEEDS", text));
        Asked::Seeds(0..seeds)
    }
}

fn recording(file: &Path, tools: Option<Catalogue>) -> Recording {
    let imported = read_path(file).unwrap_or_else(|error| panic!("{error}"));
    let tools = tools.unwrap_or_else(toolwright_tools::catalogue);
    Recording::new(&imported.transcript, &tools, &Options::default())
}

/// Explores a recording under so many seeds; see [`sim_test!`](crate::sim_test).
///
/// # Panics
/// When something is broken: with the invariant, the token, and the shrunk run.
#[track_caller]
pub fn seeds(file: &Path, tools: Option<Catalogue>, seeds: u64) {
    let recording = recording(file, tools);
    match Asked::of_environment(seeds) {
        Asked::Run(token) => run(&recording, &token),
        Asked::Seeds(seeds) => {
            let explore = Explore::new().findings_max(1);
            let found = explore.seeds(&recording, seeds);
            let Some(finding) = found.findings.first() else { return };
            let Token { way, conditions, .. } = &finding.token;
            let small = shrink_recording(&explore, &recording, way, conditions);
            let small = small.map_or_else(
                |error| error.to_string(),
                |small| {
                    format!(
                        "shrunk to {} calls: {}\n{}",
                        small.calls(),
                        small.token,
                        small.deviations.join("\n")
                    )
                },
            );
            panic!("{found}\n{small}");
        }
    }
}

/// Replays one run of a recording; see [`sim_test!`](crate::sim_test).
///
/// # Panics
/// When the run breaks something, or the token is for another recording.
#[track_caller]
pub fn replay(file: &Path, tools: Option<Catalogue>, token: &str) {
    let token: Token = token.parse().unwrap_or_else(|error| panic!("{error}"));
    let recording = recording(file, tools);
    token.fits(&recording.identity()).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    run(&recording, &token);
}

/// Explores anything under so many seeds, or as the environment says.
///
/// # Panics
/// When something is broken, or a declared state was never seen.
#[track_caller]
pub fn explore(explore: &Explore<'_>, subject: &dyn Subject, seeds: u64) {
    match Asked::of_environment(seeds) {
        Asked::Run(token) => run_with(explore, subject, &token),
        Asked::Seeds(seeds) => {
            let found = explore.seeds(subject, seeds);
            let small = found.findings.first().and_then(|finding| {
                let Token { way, conditions, .. } = &finding.token;
                shrink(explore, subject, way, conditions).ok()
            });
            let small = small.map_or_else(String::new, |small| {
                format!("\nshrunk: {}\n{}", small.token, small.deviations.join("\n"))
            });
            assert!(found.is_ok(), "{found}{small}");
        }
    }
}

#[track_caller]
fn run(recording: &Recording, token: &Token) {
    run_with(&Explore::new(), recording, token);
}

#[track_caller]
fn run_with(explore: &Explore<'_>, subject: &dyn Subject, token: &Token) {
    if let Err(mismatch) = token.fits(&subject.identity()) {
        println!("passed over: {mismatch}");
        return;
    }
    let Token { way, conditions, .. } = token;
    let judged = explore.one(subject, way, conditions);
    let broken: Vec<String> = judged.violations.iter().map(ToString::to_string).collect();
    let kind = matches!(way, Way::Choices(_)).then_some("recorded choices").unwrap_or("a seed");
    assert!(broken.is_empty(), "broken by {kind}, {token}:\n{}", broken.join("\n"));
}
