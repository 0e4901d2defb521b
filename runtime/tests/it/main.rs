//! Promises of the runtime, named by what must hold.

mod contract;
mod hooks;
mod outside_crate;
mod permission;
mod pipeline;
mod query;
mod scheduler;
mod scheduler_streaming;
mod schema;
mod tool_macro;
mod world;
