//! What the tools of this crate promise, through the contract they implement.

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
mod json_schema_suite;
mod properties;
mod read;
mod recorded;
mod runs;
mod session;
mod syntax;
mod write;
