//! Permission: what may run, what asks, and who decides.

mod broken;
mod killswitch;
mod links;
mod modes;
mod order;
mod paths;
mod protected;
mod race;
mod reports;
mod rewrites;
mod sources;
mod suggest;
mod tools;
mod vectors;
mod world;
