//! How a recording is replayed, on the command line: what several commands share.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use toolwright::permission::Mode;
use toolwright::session::SiblingPolicy;
use toolwright::settings::Severity;

use super::apart::Apart;
use super::mended;
use super::output::{Fault, complain};
use super::program::Tools;
use super::settings::SettingsArguments;
use crate::explore::{Explore, Recording, State, Subject, Swarm};
use crate::faults;
use crate::import::read_path;
use crate::replay::{ModeChoice, Options};
use crate::timeline::counted;
use crate::token::Token;

#[derive(Args)]
pub(super) struct HowArguments {
    /// Which failures cancel the other calls of their turn, on top of what was recorded
    #[arg(long, value_enum, default_value = "none")]
    siblings: Siblings,
    /// The permission mode to replay in: `recorded`, or a mode such as `plan`; what settings choose when left out
    #[arg(long, value_parser = parse_mode)]
    mode: Option<ModeChoice>,
    #[command(flatten)]
    settings: SettingsArguments,
    /// End with 2 where the recording had to be mended, has calls of no tool here, or some that are refused now
    #[arg(long)]
    pub(super) strict: bool,
    /// Put in one of the bugs that prove that bugs are found
    #[cfg(feature = "mutants")]
    #[arg(long, value_parser = parse_mutant)]
    mutant: Option<toolwright::Mutant>,
}

#[cfg(feature = "mutants")]
fn parse_mutant(text: &str) -> Result<toolwright::Mutant, String> {
    let named = toolwright::Mutant::ALL.iter().find(|mutant| format!("{mutant:?}") == text);
    named
        .copied()
        .ok_or_else(|| format!("`{text}` is no implanted bug; there are {:?}", toolwright::Mutant::ALL))
}

#[derive(Clone, Copy, ValueEnum)]
enum Siblings {
    None,
    Marked,
    Any,
}

fn parse_mode(text: &str) -> Result<ModeChoice, String> {
    match text {
        "recorded" => Ok(ModeChoice::Recorded),
        mode => {
            mode.parse::<Mode>().map(ModeChoice::Fixed).map_err(|unknown| format!("{unknown}, or recorded"))
        }
    }
}

impl HowArguments {
    /// Says what is wrong with the settings, and what of them a replay leaves out. A replay under half of what was given
    /// would answer another question.
    pub(super) fn complain_of_settings(&self) -> Result<(), Fault> {
        let settings = self.settings.given(Path::new("/"))?;
        settings.diagnostics.iter().for_each(|problem| complain(&problem.to_string()));
        let wrong = settings.diagnostics.iter().filter(|problem| problem.severity == Severity::Error).count();
        if wrong > 0 {
            let what = counted(wrong, "error");
            return Err(Fault::new(format!("the settings have {what}: nothing is run under a part of them")));
        }
        let hooks: usize = settings.hooks.iter().map(|file| file.hooks.config.handlers().len()).sum();
        if hooks > 0 {
            let what = counted(hooks, "hook");
            complain(&format!("a replay starts nothing: {what} of the settings left out"));
        }
        Ok(())
    }

    pub(super) fn options(&self, seed: Option<u64>) -> Result<Options, Fault> {
        let siblings = match self.siblings {
            Siblings::None => SiblingPolicy::None,
            Siblings::Marked => SiblingPolicy::Marked,
            Siblings::Any => SiblingPolicy::Any,
        };
        Ok(Options {
            seed,
            mode: self.mode.unwrap_or(ModeChoice::Settings),
            settings: self.settings.extra()?,
            profile: self.settings.profile(),
            siblings,
            #[cfg(feature = "mutants")]
            mutant: self.mutant,
            ..Options::default()
        })
    }
}

/// Kinds of faults.
#[derive(Clone)]
pub(super) struct Kinds(Vec<faults::Fault>);

fn parse_faults(text: &str) -> Result<Kinds, String> {
    faults::Fault::list(text).map(Kinds).map_err(|unknown| unknown.to_string())
}

/// A recording, and how it is replayed.
#[derive(Args)]
pub(super) struct SubjectArguments {
    /// The recording
    pub(super) file: PathBuf,
    /// Let a seed change more than the schedule: the cap, the mode, who races with the person, an abort
    #[arg(long)]
    pub(super) swarm: bool,
    /// Let a seed put in faults of these kinds, such as `tool-panics,hook-hangs`, or `all`
    #[arg(long, value_name = "KINDS", value_parser = parse_faults)]
    faults: Option<Kinds>,
    /// A state that no run may be in, by its name; may be given again
    #[arg(long, value_name = "STATE", value_parser = parse_state)]
    never: Vec<State>,
    #[command(flatten)]
    how: HowArguments,
}

/// A state by its name.
pub(super) fn parse_state(text: &str) -> Result<State, String> {
    State::named(text).map_err(|unknown| unknown.to_string())
}

impl SubjectArguments {
    /// How it is explored, as far as that goes for every command.
    pub(super) fn explore(&self) -> Explore<'static> {
        self.never.iter().fold(Explore::new(), |explore, state| explore.never(*state))
    }

    pub(super) fn recording(&self, tools: &Tools) -> Result<Recording, Fault> {
        Ok(self.recording_and_repairs(tools)?.0)
    }

    /// The recording, and how much of it had to be mended.
    pub(super) fn recording_and_repairs(&self, tools: &Tools) -> Result<(Recording, usize), Fault> {
        self.how.complain_of_settings()?;
        let imported = read_path(&self.file).map_err(|error| Fault::new(error.to_string()))?;
        let catalogue = tools.catalogue();
        let recording = Recording::new(&imported.transcript, &catalogue, &self.how.options(None)?);
        mended::complain_of(&imported);
        let apart = Apart::of(&recording, &catalogue);
        apart.complain();
        let refused = mended::refused(&self.file.display().to_string(), &imported, &apart);
        if let Some(fault) = refused.filter(|_| self.how.strict) {
            return Err(fault);
        }
        let recording = recording.faults(self.faults());
        let recording = recording.swarm(if self.swarm { Swarm::On } else { Swarm::Off });
        Ok((recording, mended::count(&imported)))
    }

    /// The faults that were asked for.
    pub(super) fn faults(&self) -> Vec<faults::Fault> {
        self.faults.iter().flat_map(|Kinds(kinds)| kinds.clone()).collect()
    }
}

/// Reads a token that was made for this recording.
pub(super) fn token(text: &str, recording: &Recording) -> Result<Token, Fault> {
    let token: Token = text.parse().map_err(|error| Fault::new(format!("{error}")))?;
    token.fits(&recording.identity()).map_err(|mismatch| Fault::new(mismatch.to_string()))?;
    Ok(token)
}

/// Seeds as `A..B`, or a number of them from 0; at least one, since none would hold whatever is wrong.
pub(super) fn parse_seeds(text: &str) -> Result<std::ops::Range<u64>, String> {
    let wrong = || {
        format!(
            "`{text}` are no seeds: give a number of them, or the first and the one after the last like 10..20"
        )
    };
    let number = |text: &str| text.trim().parse::<u64>().map_err(|_not_a_number| wrong());
    let seeds = match text.split_once("..") {
        Some((from, to)) => number(from)?..number(to)?,
        None => 0..number(text)?,
    };
    if seeds.is_empty() { Err(wrong()) } else { Ok(seeds) }
}
