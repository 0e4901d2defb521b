//! What confined commands are refused, tried for real with each who confines on this machine.

#[cfg(feature = "repl")]
mod code;
mod escapes;
mod permission;
mod refused;
mod world;
