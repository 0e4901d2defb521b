//! What the tools of this crate promise, through the contract they implement.

mod agents;
mod arbitrary;
mod bash;
mod bfcl;
mod catalogue;
mod commands;
mod corpus;
mod described;
mod doubts;
mod edit;
mod gate;
mod glob;
mod grep;
mod hooks;
mod hooks_in_settings;
mod json_schema_suite;
#[cfg(feature = "mcp")]
mod mcp;
#[cfg(feature = "http")]
mod models;
mod notebook;
mod properties;
mod read;
mod recorded;
mod registry;
mod reported;
mod ripgrep;
mod runs;
mod session;
mod settings;
#[path = "../../../runtime/tests/it/shared.rs"]
mod shared;
mod siblings;
mod skills;
mod swapped;
mod syntax;
mod write;
