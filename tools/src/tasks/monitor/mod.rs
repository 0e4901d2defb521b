//! Monitors: tasks whose lines reach the model as they come.

mod follow;
mod run;
mod tool;

pub use self::tool::{Monitor, MonitorOutput};
