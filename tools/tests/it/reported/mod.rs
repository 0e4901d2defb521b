//! What people reported of comparable systems, that no other test here has.

mod commands;
mod remote_tools;
