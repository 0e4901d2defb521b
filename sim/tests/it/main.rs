//! Promises of the simulator and of the project as a whole, named by what must hold.

mod checkers;
#[cfg(feature = "cli")]
mod cli;
#[cfg(feature = "cli")]
mod cli_check;
mod conversation;
mod judge;
#[cfg(feature = "mutants")]
mod mutants;
mod outcomes;
mod random;
mod seeds;
mod tidy;
mod timeouts;
mod world;
