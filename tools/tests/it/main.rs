//! What the tools of this crate promise, through the contract they implement.

mod bash;
mod bfcl;
mod catalogue;
mod commands;
mod described;
mod edit;
mod glob;
mod hooks;
mod json_schema_suite;
mod read;
mod recorded;
mod session;
mod siblings;
mod write;
