//! The tool author's code outside a body. A panic in it is the failure of one call, and of nothing else.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::env::panic_message;

/// Runs code of the tool's author; gives the message of its panic.
pub(super) fn guarded<T>(code: impl FnOnce() -> T) -> Result<T, Arc<str>> {
    catch_unwind(AssertUnwindSafe(code)).map_err(|panic| panic_message(&*panic))
}
