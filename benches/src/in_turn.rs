//! Bodies timed in turn, for figures that are ratios: what else the machine does falls on all of them alike.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Bodies that are compared with the first of them.
pub struct InTurn<'a> {
    bodies: Vec<Body<'a>>,
    rounds: u32,
    calls: u32,
}

struct Body<'a> {
    name: &'static str,
    run: Box<dyn FnMut() + 'a>,
    least: Duration,
}

impl<'a> InTurn<'a> {
    /// Nothing to compare yet. Each body takes its turn in every round, and then runs so many times between two looks at
    /// the clock.
    #[must_use]
    pub fn new(rounds: u32, calls: u32) -> InTurn<'a> {
        InTurn { bodies: Vec::new(), rounds, calls }
    }

    /// Adds a body. What it gives is dropped within the time that is taken.
    #[must_use]
    pub fn with<T>(mut self, name: &'static str, mut body: impl FnMut() -> T + 'a) -> InTurn<'a> {
        let calls = self.calls;
        let run = move || {
            for _ in 0..calls {
                drop(black_box(body()));
            }
        };
        self.bodies.push(Body { name, run: Box::new(run), least: Duration::MAX });
        self
    }

    /// Runs all of them in turn, and gives for each its name and the least nanoseconds of a call.
    #[must_use]
    pub fn least(mut self) -> Vec<(&'static str, f64)> {
        for _ in 0..self.rounds {
            for body in &mut self.bodies {
                let start = Instant::now();
                (body.run)();
                body.least = body.least.min(start.elapsed());
            }
        }
        let nanoseconds = |body: &Body<'_>| body.least.as_secs_f64() * 1e9 / f64::from(self.calls);
        self.bodies.iter().map(|body| (body.name, nanoseconds(body))).collect()
    }

    /// Prints what [`InTurn::least`] gives, and for each its ratio to the first.
    pub fn print(self, title: &str) {
        println!("{title}, the least of {} rounds of {} in turn:", self.rounds, self.calls);
        let all = self.least();
        for (name, own) in &all {
            println!("  {name:<24} {own:>9.1} ns  {:>6.3}", own / all[0].1);
        }
    }
}
