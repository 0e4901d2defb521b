//! One turn as small as a turn can be: ten calls, a cap, two who race to answer for each, and results in order.
//!
//! It is written once, for whatever executor runs it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::{Notify, Semaphore, mpsc};

/// How many calls there are.
const CALLS: u64 = 10;
/// How many of them run at once.
const CAP: usize = 4;

/// What a turn asks of an executor.
pub trait Executor: Clone + Send + Sync + 'static {
    /// Has a future run beside the others.
    fn spawn(&self, future: impl Future<Output = ()> + Send + 'static);

    /// Waits for so many milliseconds, or lets the others go first where there is no time.
    fn sleep(&self, ms: u64) -> impl Future<Output = ()> + Send;
}

/// Whoever answers first answers.
#[derive(Default)]
struct Race {
    is_claimed: AtomicBool,
    answered: Notify,
}

/// Runs a turn. Its waits depend on the seed alone. Gives the sum of the results, each weighed by its place.
pub async fn turn<E: Executor>(executor: E, seed: u64) -> u64 {
    let cap = Arc::new(Semaphore::new(CAP));
    let (sender, mut results) = mpsc::unbounded_channel();
    for call in 0..CALLS {
        let (executor, cap, sender) = (executor.clone(), Arc::clone(&cap), sender.clone());
        executor.clone().spawn(async move {
            let _place = cap.acquire().await;
            ask(&executor, seed, call).await;
            executor.sleep(wait(seed, call)).await;
            let _all_gone = sender.send((call, call + 1));
        });
    }
    let mut slots = [0; CALLS as usize];
    for _ in 0..CALLS {
        let Some((call, result)) = results.recv().await else { break };
        slots[call as usize] = result;
    }
    slots.iter().zip(1..).map(|(result, place)| result * place).sum()
}

async fn ask<E: Executor>(executor: &E, seed: u64, call: u64) {
    let race = Arc::new(Race::default());
    for racer in 1..=2 {
        let (sleeper, race) = (executor.clone(), Arc::clone(&race));
        executor.spawn(async move {
            sleeper.sleep(wait(seed, call + CALLS * racer)).await;
            if !race.is_claimed.swap(true, Ordering::SeqCst) {
                race.answered.notify_one();
            }
        });
    }
    race.answered.notified().await;
}

/// A wait between 1 and 8 ms.
fn wait(seed: u64, of: u64) -> u64 {
    let mixed = (seed ^ of.wrapping_mul(0x9E37_79B9_7F4A_7C15)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    1 + (mixed >> 61)
}
