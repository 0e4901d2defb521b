//! A program of one's own: every command of `toolwright`, with one's own tools beside the built-in ones.
//!
//! `cargo run -p toolwright-sim --example program -- check 'Book(Lisbon)'`

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use toolwright::prelude::*;

/// How many seats are left, by place. Clones share.
type Seats = Arc<Mutex<BTreeMap<String, u32>>>;

/// Says how many seats are left on the train to a place, and books some.
#[tool(state = Seats, read_only = |book| book.seats == 0, concurrency_safe = |book| book.seats == 0)]
struct Book {
    /// Where the train goes.
    to: String,
    /// How many seats to book.
    #[serde(default)]
    seats: u32,
}

impl Tool for Book {
    type Output = u32;

    fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
        Effects::one(Effect::Name(self.to.clone()))
    }

    async fn call(&self, cx: &Cx<'_, Self>) -> Result<u32, ToolError> {
        let mut seats = cx.state().lock().unwrap_or_else(PoisonError::into_inner);
        let there = seats.entry(self.to.clone()).or_insert(10);
        let left = there.checked_sub(self.seats);
        *there = left.ok_or_else(|| ToolError::new(format!("only {there} are left: book fewer")))?;
        Ok(*there)
    }
}

/// Runs the program.
fn main() -> ExitCode {
    let seats = Seats::default();
    toolwright_sim::cli::main_with(|mut tools| {
        tools.add_with::<Book>(seats);
        tools
    })
}
