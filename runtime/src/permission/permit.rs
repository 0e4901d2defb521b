//! The proof that a call may run.

use crate::message::{CallId, RawInput};

/// The proof that one call, with one input, may run. Only this room makes one; running the call uses it up.
#[derive(Debug)]
#[must_use]
pub struct Permit {
    call: CallId,
    input: RawInput,
}

impl Permit {
    pub(super) fn new(call: CallId, input: RawInput) -> Permit {
        Permit { call, input }
    }

    /// Whether it was given for this call with this very input.
    #[must_use]
    pub fn is_for(&self, call: &CallId, input: &RawInput) -> bool {
        self.call == *call && self.input == *input
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_permit_is_for_one_call_with_one_input() {
        let (call, input) = (CallId::new("a"), RawInput::new(r#"{"x":1}"#));
        let permit = Permit::new(call.clone(), input.clone());
        assert!(permit.is_for(&call, &input));
        assert!(!permit.is_for(&CallId::new("b"), &input));
        for other in [r#"{"x":2}"#, r#"{"x": 1}"#, r#"{"x":1} "#, ""] {
            assert!(!permit.is_for(&call, &RawInput::new(other)), "{other}");
        }
    }
}
