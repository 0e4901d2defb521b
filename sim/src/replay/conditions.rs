//! What a seed may change of a replay besides its schedule, as a value with a short form for tokens.

use std::fmt;
use std::num::NonZeroUsize;
use std::str::FromStr;

use toolwright::permission::Mode;

use super::options::{Abort, ModeChoice, Options, RacerSays};
use crate::faults::Faults;

/// What is changed of a replay; by default nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conditions {
    /// How many calls run side by side.
    pub cap: Option<NonZeroUsize>,
    /// The permission mode.
    pub mode: Option<Mode>,
    /// A hook that races with the person.
    pub racer: Option<RacerSays>,
    /// An abort.
    pub abort: Option<Abort>,
    /// What goes wrong around the runtime.
    pub faults: Faults,
}

impl Conditions {
    /// Whether nothing is changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Conditions::default()
    }

    /// What is changed, for a person; nothing when nothing is.
    #[must_use]
    pub fn in_words(&self) -> Vec<String> {
        let racer = self.racer.map(|says| match says {
            RacerSays::Same => "a hook answers questions beside the person, as the person does",
            RacerSays::No => "a hook answers questions beside the person, and says no",
            RacerSays::Nothing => "a hook is asked beside the person, and says nothing",
        });
        let abort = |abort: Abort| format!("turn {} is aborted after {} ms", abort.turn + 1, abort.after_ms);
        let faults: Vec<String> = self.faults.iter().map(|fault| fault.to_string()).collect();
        let parts = [
            self.cap.map(|cap| format!("at most {cap} side by side")),
            self.mode.map(|mode| format!("in the mode {mode}")),
            racer.map(str::to_owned),
            self.abort.map(abort),
            (!faults.is_empty()).then(|| format!("with the faults {}", faults.join(", "))),
        ];
        parts.into_iter().flatten().collect()
    }

    /// Makes the changes.
    pub fn change(&self, options: &mut Options) {
        options.cap = self.cap.unwrap_or(options.cap);
        options.mode = self.mode.map_or(options.mode, ModeChoice::Fixed);
        options.racer = self.racer.or(options.racer);
        options.abort = self.abort.or(options.abort);
        if !self.faults.is_empty() {
            options.faults = self.faults.clone();
        }
    }
}

impl fmt::Display for Conditions {
    /// Such as `k2~mplan~xs~a0-120~fp4`: a cap, a mode, a racer, an abort, faults; nothing when nothing is changed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let racer = self.racer.map(|says| match says {
            RacerSays::Same => "xs",
            RacerSays::No => "xn",
            RacerSays::Nothing => "x-",
        });
        let parts = [
            self.cap.map(|cap| format!("k{cap}")),
            self.mode.map(|mode| format!("m{mode}")),
            racer.map(str::to_owned),
            self.abort.map(|abort| format!("a{}-{}", abort.turn, abort.after_ms)),
            (!self.faults.is_empty()).then(|| format!("f{}", self.faults)),
        ];
        f.write_str(&parts.into_iter().flatten().collect::<Vec<_>>().join("~"))
    }
}

/// A part of a text that is no condition.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no condition: there are `k2` for a cap, `mplan` for a mode, `xs`, `xn` and `x-` for a racer, `a0-120` for an abort, `fp4` for faults"
)]
pub struct ConditionsError(pub String);

impl FromStr for Conditions {
    type Err = ConditionsError;

    fn from_str(text: &str) -> Result<Conditions, ConditionsError> {
        let mut conditions = Conditions::default();
        for part in text.split('~').filter(|part| !part.is_empty()) {
            let wrong = || ConditionsError(part.to_owned());
            let (kind, rest) = part.split_at_checked(1).ok_or_else(wrong)?;
            match (kind, rest) {
                ("k", cap) => conditions.cap = Some(cap.parse().map_err(|_not_a_number| wrong())?),
                ("m", mode) => conditions.mode = Some(mode.parse().map_err(|_unknown| wrong())?),
                ("x", "s") => conditions.racer = Some(RacerSays::Same),
                ("x", "n") => conditions.racer = Some(RacerSays::No),
                ("f", faults) => conditions.faults = Faults::parse(faults).ok_or_else(wrong)?,
                ("x", "-") => conditions.racer = Some(RacerSays::Nothing),
                ("a", abort) => {
                    let (turn, after) = abort.split_once('-').ok_or_else(wrong)?;
                    let turn = turn.parse().map_err(|_not_a_number| wrong())?;
                    let after_ms = after.parse().map_err(|_not_a_number| wrong())?;
                    conditions.abort = Some(Abort { turn, after_ms });
                }
                _other => return Err(wrong()),
            }
        }
        Ok(conditions)
    }
}
