//! What `#[tool]` makes of a struct.

mod form;
mod mistakes;
mod parsing;
mod schema;
mod strict;
