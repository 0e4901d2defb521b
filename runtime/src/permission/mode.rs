//! The permission modes, and the two profiles of behaviour.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use crate::contract::Context;

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

impl Mode {
    /// The mode of a sub-agent that wants another, below a session in this one: what it wants where that is no wider,
    /// and else this one.
    #[must_use]
    pub fn of_agent(self, wanted: Mode) -> Mode {
        let is_narrower = match self {
            // What was chosen for the whole session goes for the agents in it. What `dontAsk` refuses, others ask about,
            // and what `plan` asks about, others allow.
            Mode::BypassPermissions | Mode::AcceptEdits | Mode::Auto | Mode::DontAsk | Mode::Plan => false,
            Mode::Default | Mode::Bubble => match wanted {
                Mode::Default | Mode::Plan | Mode::DontAsk | Mode::Bubble => true,
                Mode::AcceptEdits | Mode::Auto | Mode::BypassPermissions => false,
            },
        };
        if is_narrower { wanted } else { self }
    }
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

/// How many tokens the context of the last assistant message may have for planning to keep its model.
pub const PLAN_TOKENS_MAX: u64 = 200_000;
/// The model that plans where the context has more, unless another is named.
pub const PLAN_MODEL_DEFAULT: &str = "sonnet";

/// What planning began from, to be restored when it ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BeforePlan {
    /// The mode.
    pub mode: Mode,
    /// The model.
    pub model: Option<String>,
}

/// The change of context with which a session begins to plan. Where the last assistant message's context had more than
/// [`PLAN_TOKENS_MAX`] tokens, `plan_model` plans, and else the session's model stays. What is unknown switches nothing.
pub fn enter_plan(
    context_tokens: Option<u64>,
    plan_model: impl Into<String>,
) -> impl FnOnce(&mut Context) + Send + 'static {
    let plan_model = plan_model.into();
    move |context| {
        if context.mode == Mode::Plan {
            return;
        }
        let model = context.model.clone();
        context.before_plan = Some(BeforePlan { mode: context.mode, model });
        context.mode = Mode::Plan;
        if context_tokens.is_some_and(|tokens| tokens > PLAN_TOKENS_MAX) {
            context.model = Some(plan_model);
        }
    }
}

/// The change of context with which planning ends: mode and model are what they were before, or the default mode where
/// the session began with planning.
pub fn leave_plan(context: &mut Context) {
    let before = context.before_plan.take();
    // Somebody else may have changed the mode since.
    if context.mode == Mode::Plan {
        context.mode = before.as_ref().map_or(Mode::Default, |before| before.mode);
        context.model = before.map_or_else(|| context.model.take(), |before| before.model);
    }
}
