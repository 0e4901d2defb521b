//! An input as the pipeline would parse it, without a pool.

use crate::contract::{Origin, SessionFacts, ToolForm};
use crate::message::RawInput;
use crate::schema::{InputErrors, Schema, parse_at_once, parse_slowly};

/// The input of a tool from JSON, as the pipeline would parse what a model sent, in a session without feature switches.
///
/// # Errors
/// Every problem of the input at once.
pub fn parse_input<T: ToolForm>(json: &str, state: &T::State) -> Result<T, InputErrors> {
    let schema = Schema::of::<T>(&SessionFacts::default());
    let input = RawInput::new(json);
    let wire = match parse_at_once::<T>(&input, &schema) {
        Some(wire) => wire,
        None => parse_slowly::<T>(&input, Origin::Model, &schema)?.value,
    };
    Ok(T::from_wire(wire, state))
}
