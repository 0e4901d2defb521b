//! The driver of production: tokio's executor, the machine's clock and the machine's chance.

#![expect(clippy::disallowed_methods, reason = "this file is the door to the machine's clock and to tokio")]

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use tokio::time::Instant;

use super::{Access, BoxFuture, Driver, Handle, Object, Rng, TaskName, Tick, label_hash};

/// Runs an environment on the tokio runtime that it is made in. Its clock is tokio's, so that `now` and `sleep_until`
/// agree where a test has paused time.
#[derive(Debug)]
pub struct TokioDriver {
    runtime: tokio::runtime::Handle,
    began: Instant,
    seed: u64,
    streams: AtomicU64,
}

impl TokioDriver {
    /// A driver for the current tokio runtime.
    ///
    /// # Errors
    /// Outside a tokio runtime.
    pub fn current() -> Result<TokioDriver, tokio::runtime::TryCurrentError> {
        let runtime = tokio::runtime::Handle::try_current()?;
        let wall = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let seed = wall.as_nanos() as u64 ^ u64::from(std::process::id()).rotate_left(32);
        Ok(TokioDriver { runtime, began: Instant::now(), seed, streams: AtomicU64::new(0) })
    }
}

impl Driver for TokioDriver {
    fn spawn(&self, _name: TaskName, future: BoxFuture<'static, ()>) -> Handle {
        Handle::Tokio(self.runtime.spawn(future))
    }

    fn tokio(&self) -> Option<&tokio::runtime::Handle> {
        Some(&self.runtime)
    }

    fn now(&self) -> Tick {
        Tick::default() + self.began.elapsed()
    }

    fn sleep_until(&self, tick: Tick) -> BoxFuture<'static, ()> {
        // Far deadlines overflow the machine's clock; a century is as good as never.
        let wait = Duration::from_nanos(tick.0).min(Duration::from_secs(100 * 365 * 86_400));
        let deadline = self.began + wait;
        // Outside tokio's budget for a task: an alarm must be seen also beside work that has spent it.
        Box::pin(tokio::task::unconstrained(async move { tokio::time::sleep_until(deadline).await }))
    }

    fn wall_now(&self) -> SystemTime {
        SystemTime::now()
    }

    fn rng(&self, label: &'static str) -> Rng {
        let stream = self.streams.fetch_add(1, Ordering::Relaxed);
        Rng::new(Rng::new(self.seed ^ label_hash(label)).next_u64().wrapping_add(stream))
    }

    fn choose(&self, _label: &'static str, _n: usize) -> usize {
        0
    }

    fn settle(&self) -> BoxFuture<'static, ()> {
        Box::pin(tokio::task::yield_now())
    }

    fn announces(&self) -> bool {
        false
    }

    fn point(&self, _object: Object, _access: Access) -> BoxFuture<'static, ()> {
        Box::pin(std::future::ready(()))
    }

    fn blocking(&self, work: Box<dyn FnOnce() + Send>) {
        drop(self.runtime.spawn_blocking(work));
    }
}
