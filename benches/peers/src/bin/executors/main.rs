//! How many turns a second the simulator's own executor runs, beside executors of others that could be used instead.
//!
//! `cargo run --release --features executors --bin executors` in the folder of this package prints the table. It is a
//! program of its own, since madsim puts itself before functions of the operating system.

mod engines;
mod turn;

use std::time::{Duration, Instant};

use engines::ENGINES;

/// How many turns an executor runs between two looks at the clock.
const TURNS: u64 = 500;
/// How often the executors take their turns.
const ROUNDS: u64 = 40;

fn main() {
    let mut least = [Duration::MAX; ENGINES.len()];
    for round in 0..ROUNDS {
        for ((_name, engine), least) in ENGINES.iter().zip(&mut least) {
            let start = Instant::now();
            engine(round * TURNS..(round + 1) * TURNS);
            *least = (*least).min(start.elapsed());
        }
    }
    let a_second = least.map(|least| TURNS as f64 / least.as_secs_f64());
    println!(
        "ten calls, four at once, two who answer for each; the least of {ROUNDS} rounds of {TURNS} turns in turn:"
    );
    for ((name, _engine), turns) in ENGINES.iter().zip(a_second) {
        println!("  {name:<32} {turns:>9.0} turns/s  {:>5.2}", turns / a_second[0]);
    }
}
