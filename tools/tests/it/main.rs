//! What the tools of this crate promise, through the contract they implement.

mod agents;
mod arbitrary;
mod background;
mod bad_files;
mod bash;
mod bash_limits;
mod bash_reads;
mod bfcl;
mod catalogue;
mod catalogue_examples;
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
mod living;
#[cfg(feature = "mcp")]
mod mcp;
#[cfg(feature = "http")]
mod models;
#[cfg(feature = "monitor")]
mod monitor;
mod notebook;
mod preview;
mod processes;
mod progress;
mod properties;
mod read;
mod recorded;
mod registry;
#[cfg(feature = "repl")]
mod repl;
mod reported;
mod ripgrep;
mod runs;
mod sandbox;
mod sed_edit;
mod session;
mod settings;
#[path = "../../../runtime/tests/it/shared.rs"]
mod shared;
mod siblings;
mod skills;
#[cfg(feature = "proactive")]
mod sleep;
mod stress;
mod swapped;
mod syntax;
mod task_owners;
mod write;
