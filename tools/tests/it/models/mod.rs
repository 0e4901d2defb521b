//! Models over HTTP: what goes over the wire, what comes back, and every way in which it can break.

mod arbitrary;
mod cassettes;
mod chat;
mod faults;
mod fixtures;
mod messages;
mod retries;
mod secrets;
mod server;
mod session;
