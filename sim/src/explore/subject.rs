//! What can be explored.

use std::num::NonZeroUsize;

use sha2::{Digest as _, Sha256};
use toolwright::event::Stamped;

use crate::engine::{Simulation, Stuck};
use crate::replay::Conditions;

/// What is run and how, as hashes of eight hexadecimal digits: a token is for one identity.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Identity {
    /// Of the recording, or of the scene's name and turns.
    pub transcript: String,
    /// Of everything else that a run depends on.
    pub config: String,
}

impl Identity {
    /// The identity of what is written in these two texts.
    #[must_use]
    pub fn of(transcript: &str, config: &str) -> Identity {
        let hash = |text: &str| {
            let bytes = Sha256::digest(text.as_bytes());
            bytes.iter().take(4).map(|byte| format!("{byte:02x}")).collect()
        };
        Identity { transcript: hash(transcript), config: hash(config) }
    }
}

/// What one run came to.
#[derive(Clone, Debug)]
pub struct Ran {
    /// Every event, in order.
    pub events: Vec<Stamped>,
    /// Whether it came to its end.
    pub ended: Result<(), Stuck>,
    /// How many calls could run side by side.
    pub cap: NonZeroUsize,
}

/// Something that can be run over and over, each time in a new world.
pub trait Subject: Sync {
    /// Runs it once. The same choices and conditions give the same events.
    fn run(&self, simulation: &Simulation, conditions: &Conditions) -> Ran;

    /// What a token of it names.
    fn identity(&self) -> Identity;

    /// What a seed changes of it besides the schedule; nothing unless said.
    fn conditions(&self, seed: u64) -> Conditions {
        let _ = seed;
        Conditions::default()
    }
}
