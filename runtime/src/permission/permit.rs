//! The proof that a call may run.

use crate::message::{CallId, RawInput};

/// The proof that one call, with one input, may run. Only this room makes one; running the call uses it up.
#[derive(Debug)]
#[must_use]
pub struct Permit {
    call: CallId,
    input: RawInput,
}
