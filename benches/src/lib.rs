//! What the benches in `benches/` share.

pub mod files;
pub mod in_turn;
pub mod pipeline;
pub mod search;
pub mod yes;
