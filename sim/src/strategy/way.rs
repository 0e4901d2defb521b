//! A way of choosing by name and seed: what goes into a token.

use std::fmt;
use std::str::FromStr;

use super::{Deviations, First, Pct, Pos, Random, Replayed, portfolio};
use crate::engine::Strategy;

/// How the choices of one run are made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Way {
    /// Option 0 everywhere: the run most like production.
    #[default]
    First,
    /// Every option as likely as any other.
    Random {
        /// Of the chance.
        seed: u64,
    },
    /// By priorities that change a few times.
    Pct {
        /// How many orders a bug needs to be found; one more than the changes.
        depth: u32,
        /// Of the chance.
        seed: u64,
    },
    /// By priorities of steps; those that race draw anew.
    Pos {
        /// Of the chance.
        seed: u64,
    },
    /// Option 0 but for these.
    Choices(Deviations),
}

/// A family of ways, of which a seed names one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Family {
    /// Each by turns, see [`portfolio`].
    #[default]
    Portfolio,
    /// [`Way::Random`].
    Random,
    /// [`Way::Pct`].
    Pct(u32),
    /// [`Way::Pos`].
    Pos,
}

impl Family {
    /// The families by themselves, without the one that mixes them.
    pub const PLAIN: [Family; 5] =
        [Family::Random, Family::Pos, Family::Pct(2), Family::Pct(3), Family::Pct(4)];

    /// The way of a seed.
    #[must_use]
    pub fn way(self, seed: u64) -> Way {
        match self {
            Family::Portfolio => portfolio(seed),
            Family::Random => Way::Random { seed },
            Family::Pct(depth) => Way::Pct { depth, seed },
            Family::Pos => Way::Pos { seed },
        }
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Family::Portfolio => f.write_str("portfolio"),
            Family::Random => f.write_str("random"),
            Family::Pct(depth) => write!(f, "pct{depth}"),
            Family::Pos => f.write_str("pos"),
        }
    }
}

impl FromStr for Family {
    type Err = String;

    fn from_str(text: &str) -> Result<Family, String> {
        match text {
            "portfolio" => Ok(Family::Portfolio),
            "random" => Ok(Family::Random),
            "pos" => Ok(Family::Pos),
            "pct2" => Ok(Family::Pct(2)),
            "pct3" => Ok(Family::Pct(3)),
            "pct4" => Ok(Family::Pct(4)),
            other => Err(format!(
                "`{other}` is no strategy; there are portfolio, random, pos, pct2, pct3 and pct4"
            )),
        }
    }
}

impl Way {
    /// The strategy that makes the choices.
    #[must_use]
    pub fn strategy(&self) -> Box<dyn Strategy> {
        match self {
            Way::First => Box::new(First),
            Way::Random { seed } => Box::new(Random::new(*seed)),
            Way::Pct { depth, seed } => Box::new(Pct::new(*depth, *seed)),
            Way::Pos { seed } => Box::new(Pos::new(*seed)),
            Way::Choices(deviations) => Box::new(Replayed::new(deviations.clone())),
        }
    }

    /// The seed of values that are no choices.
    #[must_use]
    pub fn chance(&self) -> u64 {
        match self {
            Way::First => 0,
            Way::Random { seed } | Way::Pct { seed, .. } | Way::Pos { seed } => *seed,
            Way::Choices(deviations) => deviations.chance,
        }
    }
}

impl fmt::Display for Way {
    /// Such as `first`, `r42`, `o42`, `p3-42` or `cAAEFAQ`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Way::First => f.write_str("first"),
            Way::Random { seed } => write!(f, "r{seed}"),
            Way::Pct { depth, seed } => write!(f, "p{depth}-{seed}"),
            Way::Pos { seed } => write!(f, "o{seed}"),
            Way::Choices(deviations) => write!(f, "c{}", deviations.encode()),
        }
    }
}

/// What is not the name of a way.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` names no choices: take `first`, `r`, `o` or `p2-` with a seed, or `c` with recorded choices, whole"
)]
pub struct WayError(pub String);

impl FromStr for Way {
    type Err = WayError;

    fn from_str(text: &str) -> Result<Way, WayError> {
        if text == "first" {
            return Ok(Way::First);
        }
        let wrong = || WayError(text.to_owned());
        let (kind, rest) = text.split_at_checked(1).ok_or_else(wrong)?;
        let seed = |digits: &str| digits.parse::<u64>().map_err(|_not_a_number| wrong());
        match kind {
            "r" => Ok(Way::Random { seed: seed(rest)? }),
            "o" => Ok(Way::Pos { seed: seed(rest)? }),
            "p" => {
                let (depth, digits) = rest.split_once('-').ok_or_else(wrong)?;
                let depth = depth.parse().map_err(|_not_a_number| wrong())?;
                Ok(Way::Pct { depth, seed: seed(digits)? })
            }
            "c" => Deviations::decode(rest).map(Way::Choices).ok_or_else(wrong),
            _other => Err(wrong()),
        }
    }
}
