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
use std::path::{Path, PathBuf};

use toolwright::registry::Catalogue;

use crate::explore::{Explore, Recording, State, Subject};
use crate::import::read_path;
use crate::replay::Options;
use crate::shrink::{shrink, shrink_recording};
use crate::token::Token;

/// A test that explores a recording, or replays one run of it. The path is below the crate's folder. The tools are
/// those of this project unless `tools = …` gives a catalogue; `options = …` gives other
/// [`Options`](crate::replay::Options) than the usual ones; `never = …` names a state that no run may be in.
#[macro_export]
macro_rules! sim_test {
    (
        $name:ident, seeds = $seeds:expr, transcript = $file:expr
        $(, tools = $tools:expr)? $(, options = $options:expr)? $(, never = $never:expr)? $(,)?
    ) => {
        #[test]
        fn $name() {
            let recorded = $crate::testing::Recorded::below(env!("CARGO_MANIFEST_DIR"), $file);
            $(let recorded = recorded.tools($tools);)?
            $(let recorded = recorded.options($options);)?
            $(let recorded = recorded.never($never);)?
            recorded.seeds($seeds);
        }
    };
    (
        $name:ident, replay = $token:expr, transcript = $file:expr
        $(, tools = $tools:expr)? $(, options = $options:expr)? $(, never = $never:expr)? $(,)?
    ) => {
        #[test]
        fn $name() {
            let recorded = $crate::testing::Recorded::below(env!("CARGO_MANIFEST_DIR"), $file);
            $(let recorded = recorded.tools($tools);)?
            $(let recorded = recorded.options($options);)?
            $(let recorded = recorded.never($never);)?
            recorded.replay($token);
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

/// A recording in a test; see [`sim_test!`](crate::sim_test).
#[derive(Clone, Debug)]
pub struct Recorded {
    file: PathBuf,
    tools: Catalogue,
    options: Options,
    never: Vec<State>,
}

impl Recorded {
    /// A file below a folder, replayed with the tools of this project.
    #[must_use]
    pub fn below(folder: &str, file: &str) -> Recorded {
        Recorded {
            file: Path::new(folder).join(file),
            tools: toolwright_tools::catalogue(),
            options: Options::default(),
            never: Vec::new(),
        }
    }

    /// With other tools.
    #[must_use]
    pub fn tools(mut self, tools: Catalogue) -> Recorded {
        self.tools = tools;
        self
    }

    /// In another way.
    #[must_use]
    pub fn options(mut self, options: Options) -> Recorded {
        self.options = options;
        self
    }

    /// With a state that no run may be in.
    ///
    /// # Panics
    /// When there is no state of that name.
    #[must_use]
    pub fn never(mut self, name: &str) -> Recorded {
        self.never.push(State::named(name).unwrap_or_else(|unknown| panic!("{unknown}")));
        self
    }

    fn explore(&self) -> Explore<'static> {
        self.never.iter().fold(Explore::new(), |explore, state| explore.never(*state))
    }

    fn read(&self) -> Recording {
        let imported = read_path(&self.file).unwrap_or_else(|error| panic!("{error}"));
        Recording::new(&imported.transcript, &self.tools, &self.options)
    }

    /// Explores it under so many seeds, or as the environment says.
    ///
    /// # Panics
    /// When something is broken: with the invariant, the token, and the shrunk run.
    #[track_caller]
    pub fn seeds(&self, seeds: u64) {
        let recording = self.read();
        let explore = self.explore();
        let seeds = match Asked::of_environment(seeds) {
            Asked::Run(token) => return run_with(&explore, &recording, &token),
            Asked::Seeds(seeds) => seeds,
        };
        let explore = explore.findings_max(1);
        let found = explore.seeds(&recording, seeds);
        let Some(finding) = found.findings.first() else { return };
        let Token { way, conditions, .. } = &finding.token;
        let small = match shrink_recording(&explore, &recording, way, conditions) {
            Ok(small) => {
                let words = small.deviations.join("\n");
                format!("shrunk to {} calls: {}\n{words}", small.calls(), small.token)
            }
            Err(error) => error.to_string(),
        };
        panic!("{found}\n{small}");
    }

    /// Replays one run of it.
    ///
    /// # Panics
    /// When the run breaks something, or the token is for another recording.
    #[track_caller]
    pub fn replay(&self, token: &str) {
        let token: Token = token.parse().unwrap_or_else(|error| panic!("{error}"));
        let recording = self.read();
        token.fits(&recording.identity()).unwrap_or_else(|mismatch| panic!("{mismatch}"));
        run_with(&self.explore(), &recording, &token);
    }
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
fn run_with(explore: &Explore<'_>, subject: &dyn Subject, token: &Token) {
    if let Err(mismatch) = token.fits(&subject.identity()) {
        println!("passed over: {mismatch}");
        return;
    }
    let Token { way, conditions, .. } = token;
    let judged = explore.one(subject, way, conditions);
    let broken: Vec<String> = judged.violations.iter().map(ToString::to_string).collect();
    assert!(broken.is_empty(), "broken by {token}:\n{}", broken.join("\n"));
}
