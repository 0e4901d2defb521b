//! Reports of runs, each judged by somebody else than who wrote it: the page by a browser, the trace by a script, the
//! rest by what the events say.

mod browser;
mod devtools;
mod forms;
mod keys;
mod page;

/// Two reads side by side of which the first fails, and two more calls behind them; names and texts that try to be more
/// than text.
const HOSTILE: &str = include_str!("hostile.twt.jsonl");
