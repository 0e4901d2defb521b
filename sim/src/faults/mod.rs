//! What goes wrong in the world around the runtime, as choices of the run: tools, hooks, people, models and disks that
//! fail, are slow, or say nothing at all.
//!
//! Each kind of [`Fault`] has a stream of choices of its own, and option 0 is always that nothing goes wrong.
//! [`Faults`] says which kinds there are in a run and how often each strikes; under a seed it is drawn, so that some
//! runs have one kind alone and others many.

mod around;
mod bodies;
mod kind;
mod rates;
mod strike;

pub(crate) use self::around::{FaultyClassifier, FaultyHook, FaultyStore};
pub(crate) use self::bodies::FaultyBodies;
pub use self::kind::{Fault, UnknownFault};
pub use self::rates::Faults;
pub(crate) use self::strike::{Faulty, broken_stream, stop_later};
