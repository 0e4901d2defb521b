//! The Model Context Protocol: tools of other programs' servers among ours (`client`), and ours for other programs
//! (`server`). Both go through the same pipeline as every other tool.

pub mod client;
pub mod server;
