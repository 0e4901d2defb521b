//! What `#[tool]` makes of a struct.

mod cases;
mod fields;
mod form;
mod function;
mod hygiene;
mod mistakes;
mod odd_params;
mod params;
mod parsing;
mod schema;
mod size;
mod strict;

use toolwright::contract::ToolForm;

/// The names of a tool's parameters, in the order of the schema.
fn names<T: ToolForm>() -> Vec<&'static str> {
    T::FIELDS.iter().map(|field| field.name).collect()
}
