//! Promises of the simulator and of the project as a whole, named by what must hold.

mod announced;
mod checkers;
mod checkers_facts;
#[cfg(feature = "cli")]
mod cli;
#[cfg(feature = "cli")]
mod cli_check;
#[cfg(feature = "cli")]
mod cli_explore;
#[cfg(feature = "cli")]
mod cli_files;
#[cfg(feature = "cli")]
mod cli_own;
#[cfg(feature = "cli")]
mod cli_stops;
#[cfg(feature = "cli")]
mod cli_tasks;
#[cfg(feature = "cli")]
mod cli_terminal;
mod conversation;
#[cfg(feature = "engines")]
mod engines;
mod exhaustive;
mod explore;
mod faults;
mod flaws;
mod generated;
mod groundwork;
mod hooks;
#[cfg(feature = "mutants")]
mod hunt;
mod import;
#[cfg(feature = "cli")]
mod import_cli;
mod import_export;
mod import_fixtures;
mod import_hostile;
mod judge;
mod memory;
mod minimal;
mod model;
#[cfg(feature = "mutants")]
mod mutants;
mod outcomes;
mod pairs;
#[cfg(feature = "mutants")]
mod prey;
#[cfg(feature = "proptest")]
mod property;
mod random;
mod readme;
mod recorded_turns;
#[cfg(feature = "cli")]
mod report;
mod reported;
#[cfg(feature = "cli")]
mod run;
mod seeds;
#[cfg(feature = "cli")]
mod serve;
#[path = "../../../runtime/tests/it/shared.rs"]
mod shared;
mod siblings;
mod sleep;
mod streaming;
#[cfg(feature = "mutants")]
mod suite;
mod tidy;
mod timeouts;
mod waits;
mod world;
