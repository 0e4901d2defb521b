//! Permission: what may run, what asks, and who decides.

mod answers;
mod broken;
mod children;
mod classifier;
mod decisions;
mod killswitch;
mod links;
mod modes;
mod named;
mod order;
mod paths;
mod planning;
mod probe;
mod protected;
mod race;
mod reports;
mod rewrites;
mod sources;
mod suggest;
mod tools;
mod vectors;
mod world;
