//! Replays recorded model turns through Toolwright in virtual time.

pub mod engine;
pub mod import;
pub mod transcript;
