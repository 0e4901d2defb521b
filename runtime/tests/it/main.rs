//! Promises of the runtime, named by what must hold.

mod tool_macro;
