//! Promises of the runtime, named by what must hold.

mod contract;
mod examples;
mod hooks;
mod hooks_answers;
mod hooks_config;
mod hooks_fake;
mod hooks_moments;
mod hooks_outside;
mod hooks_wire;
mod outside_crate;
mod permission;
mod pipeline;
mod query;
mod repair;
mod scheduler;
mod scheduler_drops;
mod scheduler_streaming;
mod schema;
mod settings;
mod shared;
mod tool_macro;
mod world;
