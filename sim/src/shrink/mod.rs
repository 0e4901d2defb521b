//! Makes a failure small: fewer turns, calls and conditions, then fewer and lower choices, and always the same
//! invariant.
//!
//! Every step is tried by running it; what is kept is what still fails in the same way. The number of runs is bounded.

mod attempt;
mod choices;
mod shrunk;
mod transcript;

pub use self::attempt::{NotFailing, RUNS_MAX};
pub use self::shrunk::Shrunk;

use crate::explore::{Explore, Recording, Subject};
use crate::replay::Conditions;
use crate::strategy::Way;
use attempt::Attempts;

/// Shrinks the choices and conditions of a failing run, and not what is run.
///
/// # Errors
/// The run does not fail.
pub fn shrink(
    explore: &Explore<'_>,
    subject: &dyn Subject,
    way: &Way,
    conditions: &Conditions,
) -> Result<Shrunk, NotFailing> {
    let mut attempts = Attempts::new(explore);
    let mut failing = attempts.first(subject, way, conditions)?;
    choices::shrink(&mut attempts, subject, &mut failing);
    Ok(Shrunk::new(&mut attempts, subject, failing, None))
}

/// Shrinks a failing run of a recording: what is run, under which conditions, by which choices.
///
/// # Errors
/// The run does not fail.
pub fn shrink_recording(
    explore: &Explore<'_>,
    recording: &Recording,
    way: &Way,
    conditions: &Conditions,
) -> Result<Shrunk, NotFailing> {
    let mut attempts = Attempts::new(explore);
    let mut failing = attempts.first(recording, way, conditions)?;
    let smaller = transcript::shrink(&mut attempts, recording, &mut failing);
    choices::shrink(&mut attempts, &smaller, &mut failing);
    let transcript = smaller.transcript().clone();
    Ok(Shrunk::new(&mut attempts, &smaller, failing, Some(transcript)))
}
