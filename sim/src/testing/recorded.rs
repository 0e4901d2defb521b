//! A recording in a test.

use std::path::{Path, PathBuf};

use toolwright::registry::Catalogue;

use super::asked::Asked;
use super::flaw::{Flaw, flaws};
use super::{flaw, run_with, told};
use crate::explore::{Explore, Recording, State, Subject as _};
use crate::import::read_path;
use crate::replay::Options;
use crate::shrink::shrink_recording;
use crate::token::Token;

/// A recording in a test; see [`sim_test!`](crate::sim_test).
#[derive(Clone, Debug)]
pub struct Recorded {
    file: PathBuf,
    tools: Option<Catalogue>,
    options: Options,
    never: Vec<State>,
    allowed: Vec<Flaw>,
}

impl Recorded {
    /// A file below a folder, replayed with the tools of this project.
    #[must_use]
    pub fn below(folder: &str, file: &str) -> Recorded {
        Recorded {
            file: Path::new(folder).join(file),
            tools: None,
            options: Options::default(),
            never: Vec::new(),
            allowed: Vec::new(),
        }
    }

    /// With other tools. Each call of the recording must be of one of them, unless [`Flaw::StandIn`] is allowed.
    #[must_use]
    pub fn tools(mut self, tools: Catalogue) -> Recorded {
        self.tools = Some(tools);
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
    #[track_caller]
    pub fn never(mut self, name: &str) -> Recorded {
        self.never.push(State::named(name).unwrap_or_else(|unknown| panic!("{unknown}")));
        self
    }

    /// Although the recording has such a flaw.
    #[must_use]
    pub fn allow(mut self, flaw: Flaw) -> Recorded {
        self.allowed.push(flaw);
        self
    }

    fn explore(&self) -> Explore<'static> {
        self.never.iter().fold(Explore::new(), |explore, state| explore.never(*state))
    }

    #[track_caller]
    fn read(&self) -> Recording {
        let imported = read_path(&self.file).unwrap_or_else(|error| panic!("{error}"));
        let own = toolwright_tools::catalogue;
        let tools = self.tools.clone().unwrap_or_else(own);
        let recording = Recording::new(&imported.transcript, &tools, &self.options);
        let flaws = flaws(&imported, &recording, self.tools.as_ref());
        if let Some(told) = flaw::told(&self.file.display().to_string(), &flaws, &self.allowed) {
            panic!("{told}");
        }
        recording
    }

    /// Explores it under so many seeds, or as the environment says.
    ///
    /// # Panics
    /// When the recording has a [`Flaw`] that is not allowed, or something is broken: with the invariant, what shows it
    /// again, and the shrunk run.
    #[track_caller]
    pub fn seeds(&self, seeds: u64) {
        let recording = self.read();
        let explore = self.explore();
        let seeds = match Asked::of_environment(seeds, &recording.identity()) {
            Asked::Run(token) => return run_with(&explore, &recording, &token),
            Asked::Seeds(seeds) => seeds,
        };
        let explore = explore.findings_max(1);
        let found = explore.seeds(&recording, seeds);
        let small =
            |Token { way, conditions, .. }: &Token| shrink_recording(&explore, &recording, way, conditions);
        assert!(found.is_ok(), "{}", told::found(&found, |finding| small(&finding.token)));
    }

    /// Replays one run of it.
    ///
    /// # Panics
    /// When the recording has a [`Flaw`] that is not allowed, the run breaks something, or the token is for another
    /// recording.
    #[track_caller]
    pub fn replay(&self, token: &str) {
        let token: Token = token.parse().unwrap_or_else(|error| panic!("{error}"));
        let recording = self.read();
        token.fits(&recording.identity()).unwrap_or_else(|mismatch| panic!("{mismatch}"));
        run_with(&self.explore(), &recording, &token);
    }
}
