//! Replays a transcript through the real registry, pipeline, permission and scheduler, in virtual time.
//!
//! A recorded call answers from the recording at its recorded latency; a recorded person answers as the recording
//! shows; recorded denials come from one hook. Everything else is the runtime's own.

mod conditions;
pub(crate) mod digest;
mod options;
mod person;
mod recorded;
mod refused;
mod report;
mod run;
mod stand_in;

pub use self::conditions::{Conditions, ConditionsError};
pub use self::options::{Abort, Arrivals, ModeChoice, Options, RacerSays};
pub(crate) use self::refused::refused;
pub use self::report::{Counts, Report};
pub use self::run::{Prepared, replay};
