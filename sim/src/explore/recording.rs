//! A recording as what is explored: it is replayed through the real runtime.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::Arc;

use toolwright::contract::ErasedTool;
use toolwright::env::Rng;
use toolwright::permission::Mode;
use toolwright::registry::Catalogue;

use super::subject::{Identity, Ran, Subject};
use crate::engine::{Simulation, stream};
use crate::faults::{Fault, Faults};
use crate::replay::{Abort, Conditions, ModeChoice, Options, Prepared, RacerSays};
use crate::transcript::{Transcript, to_text};

/// Whether a seed changes more than the schedule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Swarm {
    /// The schedule alone.
    #[default]
    Off,
    /// Also the cap, the mode, who races with the person, and whether the turn is aborted.
    On,
}

/// A recording that is explored.
#[derive(Clone, Debug)]
pub struct Recording {
    prepared: Prepared,
    catalogue: Catalogue,
    config: String,
    swarm: Swarm,
    faults: Vec<Fault>,
}

impl Recording {
    /// A transcript, the tools it is replayed with, and how.
    #[must_use]
    pub fn new(transcript: &Transcript, catalogue: &Catalogue, options: &Options) -> Recording {
        let catalogue = named(catalogue, transcript);
        Recording {
            prepared: Prepared::new(transcript, &catalogue, options),
            catalogue,
            config: config(options),
            swarm: Swarm::Off,
            faults: Vec::new(),
        }
    }

    /// Another transcript, with the same tools and in the same way.
    #[must_use]
    pub fn with_transcript(&self, transcript: &Transcript) -> Recording {
        let prepared = Prepared::new(transcript, &self.catalogue, self.options());
        Recording { prepared, ..self.clone() }
    }

    /// Whether a seed changes more than the schedule.
    #[must_use]
    pub fn swarm(mut self, swarm: Swarm) -> Recording {
        self.swarm = swarm;
        self
    }

    /// Which faults a seed may put in; how often each strikes is drawn with it.
    #[must_use]
    pub fn faults(mut self, faults: impl IntoIterator<Item = Fault>) -> Recording {
        self.faults = faults.into_iter().collect();
        self
    }

    /// What is replayed.
    #[must_use]
    pub fn transcript(&self) -> &Transcript {
        self.prepared.transcript()
    }

    /// How it is replayed.
    #[must_use]
    pub fn options(&self) -> &Options {
        self.prepared.options()
    }

    /// The names of tools that the catalogue does not have: calls of these meet stand-ins.
    #[must_use]
    pub fn stand_ins(&self) -> &BTreeSet<String> {
        self.prepared.stand_ins()
    }

    /// Draws a turn with calls, and a time within what its calls take.
    fn abort(&self, drawn: &mut Rng) -> Option<Abort> {
        let turns = &self.transcript().turns;
        let turn = usize::try_from(drawn.below(turns.len() as u64)).ok()?;
        let calls = &turns.get(turn)?.calls;
        let span: u64 = calls.iter().filter_map(|call| call.service_ms).sum::<u64>().min(1 << 40);
        Some(Abort { turn, after_ms: drawn.below(span + 2) })
    }
}

/// The tools that the transcript names: a session reads the schemas of all that it has.
fn named(catalogue: &Catalogue, transcript: &Transcript) -> Catalogue {
    let names: BTreeSet<&str> = transcript.calls().map(|call| call.name.as_str()).collect();
    let is_named = |tool: &&Arc<dyn ErasedTool>| {
        let form = tool.form();
        names.contains(form.name.as_ref()) || form.aliases.iter().any(|alias| names.contains(alias.as_ref()))
    };
    let mut few = Catalogue::new();
    for tool in catalogue.built_in().iter().filter(is_named) {
        few.add_erased(Arc::clone(tool)).expect("it is in a catalogue already");
    }
    for tool in catalogue.remote().iter().filter(is_named) {
        few.add_remote(Arc::clone(tool)).expect("it is in a catalogue already");
    }
    few
}

/// What differs from the default, so that a new option does not make old tokens strangers.
fn config(options: &Options) -> String {
    let mut usual = Options::default();
    // Settings that say nothing leave the mode as it is.
    if options.settings.is_empty() && options.mode == ModeChoice::Settings {
        usual.mode = ModeChoice::Settings;
    }
    let parts = [
        ("cap", options.cap.to_string(), usual.cap.to_string()),
        ("mode", format!("{:?}", options.mode), format!("{:?}", usual.mode)),
        ("profile", format!("{:?}", options.profile), format!("{:?}", usual.profile)),
        ("siblings", format!("{:?}", options.siblings), format!("{:?}", usual.siblings)),
        ("arrivals", format!("{:?}", options.arrivals), format!("{:?}", usual.arrivals)),
        ("racer", format!("{:?}", options.racer), format!("{:?}", usual.racer)),
        ("faults", options.faults.to_string(), usual.faults.to_string()),
        ("abort", format!("{:?}", options.abort), format!("{:?}", usual.abort)),
        ("settings", format!("{:?}", options.settings), format!("{:?}", usual.settings)),
    ];
    let changed = parts.into_iter().filter(|(_, is, was)| is != was);
    changed.map(|(name, is, _)| format!("{name}={is}\n")).collect()
}

impl Subject for Recording {
    fn run(&self, simulation: &Simulation, conditions: &Conditions) -> Ran {
        let prepared;
        let prepared = if conditions.is_empty() {
            &self.prepared
        } else {
            prepared = self.prepared.under(conditions);
            &prepared
        };
        let (events, ended) = prepared.run(simulation);
        Ran { events, ended, cap: prepared.options().cap }
    }

    fn identity(&self) -> Identity {
        Identity::of(&to_text(self.transcript()), &self.config)
    }

    /// Half of the seeds change each of them.
    fn conditions(&self, seed: u64) -> Conditions {
        Conditions { faults: Faults::draw(&self.faults, &mut stream(seed, "faults")), ..self.swarmed(seed) }
    }
}

impl Recording {
    fn swarmed(&self, seed: u64) -> Conditions {
        match self.swarm {
            Swarm::Off => Conditions::default(),
            Swarm::On => {
                let mut drawn = stream(seed, "conditions");
                let cap = drawn.below(8);
                let mode = drawn.below(8);
                let racer = drawn.below(6);
                let is_aborted = drawn.below(2) == 0;
                Conditions {
                    cap: usize::try_from(cap).ok().filter(|cap| *cap <= 4).and_then(NonZeroUsize::new),
                    mode: match mode {
                        0 => Some(Mode::AcceptEdits),
                        1 => Some(Mode::BypassPermissions),
                        2 => Some(Mode::DontAsk),
                        3 => Some(Mode::Plan),
                        _as_it_is => None,
                    },
                    racer: match racer {
                        0 => Some(RacerSays::Same),
                        1 => Some(RacerSays::No),
                        2 => Some(RacerSays::Nothing),
                        _nobody => None,
                    },
                    abort: if is_aborted { self.abort(&mut drawn) } else { None },
                    faults: Faults::default(),
                }
            }
        }
    }
}
