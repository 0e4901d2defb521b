//! Runs a subject under many seeds, checks each run, and names every failure by a token that shows it again.
//!
//! A [`Subject`] is a recording ([`Recording`]) or a session that a developer builds ([`Scene`]); an [`Explore`] says
//! how it is explored and gives an [`Exploration`].

mod coverage;
mod recording;
mod report;
mod run;
mod scene;
mod subject;
mod summary;

pub use self::coverage::{Coverage, State, UnknownState, built_in_states};
pub use self::recording::{Recording, Swarm};
pub use self::report::{Exploration, Finding};
pub(crate) use self::run::SIMULATED_TIME;
#[cfg(feature = "cli")]
pub(crate) use self::run::entered;
pub use self::run::{Explore, Judged, NEVER};
pub use self::scene::Scene;
pub use self::subject::{Identity, Ran, Subject};
#[cfg(feature = "cli")]
pub(crate) use self::summary::held;
pub use self::summary::{Crash, MergeError, Summary, SummaryFinding};
