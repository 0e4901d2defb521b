//! Schemas and the reading of inputs: what is accepted, converted, refused, and how that is told.

mod arguments;
mod contract_checks;
mod entropy;
mod generate;
mod in_a_session;
mod leniencies;
mod map_order;
mod profiles;
mod reported;
mod types;
mod zoo;
