//! What the tools of this crate promise, through the contract they implement.

mod bash;
mod catalogue;
mod commands;
mod edit;
mod glob;
mod read;
mod recorded;
mod session;
mod write;
