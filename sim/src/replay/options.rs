//! What a replay may change of what was recorded.

use std::num::NonZeroUsize;

use toolwright::permission::{Mode, Profile};
use toolwright::session::SiblingPolicy;
use toolwright::settings::ExtraSettings;

use crate::faults::Faults;

/// In which permission mode the calls are replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModeChoice {
    /// In the mode of each turn, as recorded.
    Recorded,
    /// In this mode throughout.
    Fixed(Mode),
    /// In the mode that settings choose throughout; in the default one where they choose none.
    Settings,
}

/// An abort in the middle of a turn, as a person would cause it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Abort {
    /// The turn, from 0.
    pub turn: usize,
    /// How long after the turn's beginning, in milliseconds.
    pub after_ms: u64,
}

/// When the calls of a message arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrivals {
    /// All at once, with the whole message.
    Together,
    /// Each when it was recorded, while the message streams.
    AsRecorded,
}

/// What a hook says that answers every question beside the person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RacerSays {
    /// What the person says.
    Same,
    /// No.
    No,
    /// Nothing: it abstains.
    Nothing,
}

/// What a replay may change of what was recorded. The default reproduces the recording.
#[derive(Clone, Debug)]
pub struct Options {
    /// The seed of the schedule; without one, the run most like production.
    pub seed: Option<u64>,
    /// The permission mode.
    pub mode: ModeChoice,
    /// Settings to judge the calls under. They are read anew for each recording: what they say hangs on its directory.
    pub settings: Vec<ExtraSettings>,
    /// Which observed behaviour is followed where two differ.
    pub profile: Profile,
    /// Which failures cancel the other calls of their turn, on top of the recorded cancellations.
    pub siblings: SiblingPolicy,
    /// How many calls run side by side.
    pub cap: NonZeroUsize,
    /// When the calls of a message arrive.
    pub arrivals: Arrivals,
    /// A hook to put in that races with the person for every question.
    pub racer: Option<RacerSays>,
    /// An abort to put in.
    pub abort: Option<Abort>,
    /// What goes wrong around the runtime.
    pub faults: Faults,
    /// A bug to put in, to see that it is found.
    #[cfg(feature = "mutants")]
    pub mutant: Option<toolwright::Mutant>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            seed: None,
            mode: ModeChoice::Fixed(Mode::Default),
            settings: Vec::new(),
            profile: Profile::default(),
            siblings: SiblingPolicy::None,
            cap: NonZeroUsize::new(10).expect("ten is not zero"),
            arrivals: Arrivals::Together,
            racer: None,
            abort: None,
            faults: Faults::default(),
            #[cfg(feature = "mutants")]
            mutant: None,
        }
    }
}
