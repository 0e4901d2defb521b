//! The permission modes, and the two profiles of behaviour.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

/// How questions are answered that the rules leave open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Mode {
    /// What is unknown asks.
    #[default]
    Default,
    /// Writes are refused until a plan is approved.
    Plan,
    /// Edits in the working directories are approved.
    AcceptEdits,
    /// Nothing asks.
    BypassPermissions,
    /// What would ask is refused.
    DontAsk,
    /// A classifier decides; nothing asks.
    Auto,
    /// A sub-agent passes its questions up to its parent.
    Bubble,
}

impl Mode {
    /// All modes, with their names in settings and on the command line.
    pub const NAMES: &[(&str, Mode)] = &[
        ("default", Mode::Default),
        ("plan", Mode::Plan),
        ("acceptEdits", Mode::AcceptEdits),
        ("bypassPermissions", Mode::BypassPermissions),
        ("dontAsk", Mode::DontAsk),
        ("auto", Mode::Auto),
        ("bubble", Mode::Bubble),
    ];
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = Mode::NAMES.iter().find(|(_, mode)| mode == self);
        f.write_str(found.map_or("default", |(name, _)| name))
    }
}

/// A word that is no mode.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a permission mode: use default, plan, acceptEdits, bypassPermissions, dontAsk, auto or bubble"
)]
pub struct UnknownMode(pub String);

impl FromStr for Mode {
    type Err = UnknownMode;

    fn from_str(name: &str) -> Result<Mode, UnknownMode> {
        let found = Mode::NAMES.iter().find(|(known, _)| *known == name);
        // `manual` is an old name of the default mode that settings files still carry.
        if name == "manual" { Some(Mode::Default) } else { found.map(|(_, mode)| *mode) }
            .ok_or_else(|| UnknownMode(name.to_owned()))
    }
}

/// Which of two observed behaviours is followed where they differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// As version 2.1.88 of the reference: conflicts of rules are decided by their source.
    #[default]
    V2_1_88,
    /// As its current version: deny, then ask, then allow, over all sources; managed policy is final.
    Current,
}
