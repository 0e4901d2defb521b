//! Settings files: what they say, what is wrong with them, and what they mean for a session.

mod broken;
mod layers;
mod random;
mod recorded;
mod session;
mod trust;
mod world;
mod write;
