//! Reports of runs: what happened, for a terminal, as a page, for trace viewers, for Markdown, for programs. All are drawn
//! from the same lanes, and these from events alone.

mod case;
mod cause;
mod chrome;
mod cut;
mod json;
mod lanes;
mod mermaid;
mod page;

pub use self::case::{Case, Form, Run, UnknownForm};
pub use self::cut::Cut;
pub use self::lanes::{Activity, Lane, Mark, Phase, State, Turn, turns};
