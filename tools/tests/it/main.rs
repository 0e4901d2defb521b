//! What the tools of this crate promise, through the contract they implement.

mod agents;
mod arbitrary;
mod bash;
mod bash_limits;
mod bfcl;
mod catalogue;
mod commands;
mod corpus;
mod described;
mod doubts;
mod edit;
mod full_disk;
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
mod sandbox;
mod sed_edit;
mod session;
mod settings;
mod shared;
mod siblings;
mod skills;
mod stress;
mod swapped;
mod syntax;
mod write;
