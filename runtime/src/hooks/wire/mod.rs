//! What hooks outside the process read and write: JSON whose shape is public, with JSON Schemas.

pub mod events;
mod input;
mod output;
mod update;

use schemars::Schema;
use schemars::generate::SchemaSettings;

pub use self::input::{Common, Effort, HookInput, ReadInput};
pub use self::output::{
    HookOutput, PermissionDeniedOutput, PermissionRequestOutput, PermissionWord, PostToolUseOutput,
    PreToolUseOutput, RequestWord, Specific, TopDecision, Words,
};
pub use self::update::{Destination, PermissionUpdate, RuleBehavior, RuleValue};
pub use super::stage::EventInput;

/// The JSON Schema of what a hook is given.
#[must_use]
pub fn input_schema() -> Schema {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<HookInput>()
}

/// The JSON Schema of what a hook may print.
#[must_use]
pub fn output_schema() -> Schema {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<HookOutput>()
}
