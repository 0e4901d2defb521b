//! Promises of the simulator and of the project as a whole, named by what must hold.

mod checkers;
#[cfg(feature = "cli")]
mod cli;
#[cfg(feature = "cli")]
mod cli_check;
mod conversation;
mod generated;
mod import;
#[cfg(feature = "cli")]
mod import_cli;
mod import_export;
mod import_fixtures;
mod import_hostile;
mod judge;
mod model;
#[cfg(feature = "mutants")]
mod mutants;
mod outcomes;
mod pairs;
mod random;
mod recorded_turns;
mod seeds;
mod siblings;
mod streaming;
mod tidy;
mod timeouts;
mod world;
