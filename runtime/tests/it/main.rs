//! Promises of the runtime, named by what must hold.

mod outside_crate;
mod permission;
mod tool_macro;
