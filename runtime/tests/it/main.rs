//! Promises of the runtime, named by what must hold.

mod outside_crate;
mod schema;
mod tool_macro;
