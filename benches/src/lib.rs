//! What the benches in `benches/` share.

pub mod search;
