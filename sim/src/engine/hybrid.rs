//! The same world inside a paused tokio runtime: its tasks are polled in the order that the strategy chooses, and what
//! they start in tokio itself (files, processes, sockets, timers) works.
//!
//! The world's tasks are one future to tokio. When none of them can run, tokio's own tasks have a go; then whatever is
//! outside the process has a while in real time; then tokio's clock, and the world's with it, moves to the next timer.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::Duration;

use futures_util::future::{Either, select};
use tokio::time::Instant;
use toolwright::env::Tick;

use super::stuck::Stuck;
use super::world::{Pick, World};

/// How long a world without timers waits for something outside before it is a deadlock, in virtual time.
const OUTSIDE_MAX: Duration = Duration::from_secs(24 * 3_600);

/// Runs the world to the end of its root, and ends it.
pub(super) fn drive<T>(
    world: &Arc<World>,
    steps_max: u64,
    patience: Duration,
    result: &Mutex<Option<T>>,
) -> Result<T, Stuck> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
    let runtime = runtime.expect("a runtime needs nothing but what the system gives to every process");
    runtime.block_on(tokio::task::unconstrained(async {
        let ended = to_end(world, steps_max, patience, result).await;
        // Here, since what the tasks hold of tokio is dropped with them.
        world.end();
        ended
    }))
}

async fn to_end<T>(
    world: &World,
    steps_max: u64,
    patience: Duration,
    result: &Mutex<Option<T>>,
) -> Result<T, Stuck> {
    let began = Instant::now();
    for _ in 0..steps_max {
        if let Some(value) = result.lock().unwrap_or_else(PoisonError::into_inner).take() {
            return Ok(value);
        }
        world.catch_up(Tick(0) + began.elapsed());
        match world.pick() {
            Pick::Task(task) => world.step(task),
            Pick::GivenUp => return Err(Stuck::GivenUp),
            Pick::Nobody if has_news(world).await || world.settle() => {}
            Pick::Nobody if moves_on(world, began, patience).await => {}
            Pick::Nobody => return Err(Stuck::Deadlock(world.waiting())),
        }
    }
    Err(Stuck::Livelock { steps: steps_max, busy: world.waiting() })
}

/// Lets tokio's own tasks have a go; says whether they made one of the world's tasks ready.
async fn has_news(world: &World) -> bool {
    tokio::task::yield_now().await;
    !world.ready.lock().news.woken.is_empty()
}

/// Waits for what is outside, then for the next timer; says whether anything came of it.
async fn moves_on(world: &World, began: Instant, patience: Duration) -> bool {
    if !patience.is_zero() {
        // Tokio's clock stands still while somebody blocks.
        let real = pin!(tokio::task::spawn_blocking(move || std::thread::sleep(patience)));
        if let Either::Left(_woken) = select(pin!(woken(world)), real).await {
            return true;
        }
    }
    let next = world.next_tick();
    let until = began + next.map_or(world.now().since(Tick(0)) + OUTSIDE_MAX, |tick| tick.since(Tick(0)));
    match select(pin!(woken(world)), pin!(tokio::time::sleep_until(until))).await {
        Either::Left(_woken) => true,
        Either::Right(_time) => next.is_some() && world.advance(),
    }
}

/// Waits until one of the world's tasks can run.
async fn woken(world: &World) {
    poll_fn(|cx| {
        let mut ready = world.ready.lock();
        if !ready.news.woken.is_empty() {
            return Poll::Ready(());
        }
        ready.outside = Some(cx.waker().clone());
        Poll::Pending
    })
    .await;
}
