//! A user's own tool as a function, with a nested type, in a crate without a dependency but Toolwright.

use toolwright::prelude::*;
use toolwright::{contract::SessionFacts, registry::Catalogue, registry::Pool};

/// A stretch of lines.
#[derive(Clone, Params)]
pub struct Lines {
    /// The last line.
    to: u32,
    /// The first line.
    from: Option<u32>,
}

/// Counts lines.
#[tool(read_only, concurrency_safe, effects = none)]
pub async fn count_lines(
    /// The lines.
    lines: Vec<Lines>,
) -> Result<u32, ToolError> {
    Ok(lines.iter().map(|lines| lines.to - lines.from.unwrap_or(1) + 1).sum())
}

fn main() {
    let mut tools = Catalogue::new();
    tools.add::<CountLines>();
    let pool = Pool::new(&tools, &SessionFacts::default(), |_| true);
    println!("{}", pool.definitions()[0]);
}
