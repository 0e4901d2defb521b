//! Step ②: the tool itself looks at the input.

use super::parsed::{ParsedCall, Refused};
use super::run::Stopped;
use crate::contract::CallContext;
use crate::event::Refusal;

/// A call whose input makes sense to its tool.
pub(super) struct ValidCall {
    pub(super) parsed: ParsedCall,
}

impl ParsedCall {
    /// Asks the tool whether the input makes sense. A body that is not the tool's own replaces this too.
    pub(super) async fn validate(self, cx: &CallContext) -> Result<ValidCall, Stopped> {
        if self.known.body.is_none()
            && let Err(invalid) = self.call.validate(cx).await
        {
            return Err(Refused::new(Refusal::Validation, invalid.message).into());
        }
        Ok(ValidCall { parsed: self })
    }
}
