//! Bodies timed in turn, for figures that are ratios: what else the machine does falls on all of them alike.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// How often a body runs between two looks at the clock.
const CALLS: u32 = 200;

/// How often the bodies take their turns.
const ROUNDS: u32 = 4_000;

/// Bodies that are compared with the first of them.
#[derive(Default)]
pub struct InTurn<'a> {
    bodies: Vec<Body<'a>>,
}

struct Body<'a> {
    name: &'a str,
    run: Box<dyn FnMut() + 'a>,
    least: Duration,
}

impl<'a> InTurn<'a> {
    /// Adds a body. What it gives is dropped within the time that is taken.
    #[must_use]
    pub fn with<T>(mut self, name: &'a str, mut body: impl FnMut() -> T + 'a) -> InTurn<'a> {
        let run = move || {
            for _ in 0..CALLS {
                drop(black_box(body()));
            }
        };
        self.bodies.push(Body { name, run: Box::new(run), least: Duration::MAX });
        self
    }

    /// Runs all of them in turn, and prints for each the least nanoseconds of a call and their ratio to the first's.
    pub fn print(mut self, title: &str) {
        for _ in 0..ROUNDS {
            for body in &mut self.bodies {
                let start = Instant::now();
                (body.run)();
                body.least = body.least.min(start.elapsed());
            }
        }
        let nanoseconds = |body: &Body<'_>| body.least.as_secs_f64() * 1e9 / f64::from(CALLS);
        let Some(first) = self.bodies.first().map(nanoseconds) else { return };
        println!("{title}, the least of {ROUNDS} rounds of {CALLS} in turn:");
        for body in &self.bodies {
            let own = nanoseconds(body);
            println!("  {:<24} {own:>9.1} ns  {:>6.3}", body.name, own / first);
        }
    }
}
