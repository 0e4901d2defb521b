//! Ways of choosing, one in each file: at random, by priorities, by a record, or every one there is.
//!
//! A [`Way`] names one with its seed, in a few characters; [`Search`] goes through all that differ.

mod depth_first;
mod deviations;
mod dpor;
mod first;
mod pct;
mod portfolio;
mod pos;
mod prefix;
mod random;
mod replayed;
mod search;
mod told;
mod way;

pub use self::depth_first::{DepthFirst, Steps};
pub use self::deviations::{Deviations, Label};
pub use self::dpor::{Aborts, Dpor};
pub use self::first::First;
pub use self::pct::Pct;
pub use self::portfolio::portfolio;
pub use self::pos::Pos;
pub use self::prefix::Prefix;
pub use self::random::Random;
pub use self::replayed::Replayed;
pub use self::search::{Search, Tree};
pub use self::told::{Note, Told};
pub use self::way::{Family, Way, WayError};
