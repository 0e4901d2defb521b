//! The runtime's only door to an executor, a clock and chance.
//!
//! Nothing else in this crate names one: production gives an [`Env`] on tokio, the simulator one on its own executor,
//! and the code between cannot tell them apart. Every unit of concurrency is a spawned task, so that the order in
//! which tasks run is in one hand.

mod cancel;
mod driver;
mod race;
mod rng;
mod task;
mod tick;
mod tokio;

use std::fmt;
use std::future::{Future, poll_fn};
use std::panic::AssertUnwindSafe;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, SystemTime};

use ::tokio::sync::oneshot;
use futures_util::FutureExt;

pub use self::cancel::{Cancellation, Cause};
pub use self::driver::{Access, BoxFuture, Driver, Handle, Object, Order, OtherHandle, Raced, TaskName};
pub use self::race::Either;
pub use self::rng::{Rng, label_hash};
use self::task::ended;
pub use self::task::{Task, TaskEnd, panic_message};
pub use self::tick::Tick;
pub use self::tokio::TokioDriver;
use crate::event::{Event, EventSink};
#[cfg(feature = "mutants")]
use crate::mutant::Mutant;
use crate::mutant::Mutants;

/// An executor, a clock, a source of chance and a sink for events; cheap to clone.
// One reference, since every call keeps several.
#[derive(Clone)]
pub struct Env(Arc<Inner>);

#[derive(Clone)]
struct Inner {
    driver: Arc<dyn Driver>,
    sink: Option<Arc<dyn EventSink>>,
    announces: bool,
    mutants: Mutants,
}

/// The deadline passed before the work was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("timed out after {0:?}")]
pub struct Elapsed(pub Duration);

impl Env {
    /// An environment on the current tokio runtime, without a sink for events.
    ///
    /// # Errors
    /// Outside a tokio runtime.
    pub fn tokio() -> Result<Env, ::tokio::runtime::TryCurrentError> {
        Ok(Env::new(Arc::new(TokioDriver::current()?)))
    }

    /// An environment on any driver, without a sink for events.
    #[must_use]
    pub fn new(driver: Arc<dyn Driver>) -> Env {
        let announces = driver.announces();
        Env(Arc::new(Inner { driver, sink: None, announces, mutants: Mutants::of_environment() }))
    }

    /// The same environment, with its events going to `sink`.
    #[must_use]
    pub fn with_sink(mut self, sink: Arc<dyn EventSink>) -> Env {
        Arc::make_mut(&mut self.0).sink = Some(sink);
        self
    }

    /// The same environment with one implanted bug, to prove that checkers find it.
    #[cfg(feature = "mutants")]
    #[must_use]
    pub fn with_mutant(mut self, mutant: Mutant) -> Env {
        Arc::make_mut(&mut self.0).mutants = Mutants::only(mutant);
        self
    }

    /// Which implanted bugs are on; none without the feature `mutants`.
    pub(crate) fn mutants(&self) -> &Mutants {
        &self.0.mutants
    }

    /// Starts a task; a panic in it ends it, and nothing else.
    pub fn spawn(&self, name: TaskName, future: impl Future<Output = ()> + Send + 'static) -> Handle {
        self.spawn_unboxed(name, AssertUnwindSafe(future).catch_unwind().map(drop))
    }

    fn spawn_unboxed(&self, name: TaskName, future: impl Future<Output = ()> + Send + 'static) -> Handle {
        match self.0.driver.tokio() {
            Some(runtime) => Handle::Tokio(runtime.spawn(future)),
            None => self.0.driver.spawn(name, Box::pin(future)),
        }
    }

    /// Starts a future that [`caught`] has boxed before, so that it is boxed once.
    pub(crate) fn spawn_caught(&self, name: TaskName, future: BoxFuture<'static, ()>) -> Handle {
        self.0.driver.spawn(name, future)
    }

    /// Starts a task whose value, or way of ending, can be awaited.
    pub fn spawn_task<T: Send + 'static>(
        &self,
        name: TaskName,
        future: impl Future<Output = T> + Send + 'static,
    ) -> Task<T> {
        let (send, value) = oneshot::channel();
        // The receiver may be gone: then nobody wants the value.
        let caught = ended(future).map(|ended| drop(send.send(ended)));
        Task { handle: self.spawn_unboxed(name, caught), value }
    }

    /// The time now.
    #[must_use]
    pub fn now(&self) -> Tick {
        self.0.driver.now()
    }

    /// The time of day.
    #[must_use]
    pub fn wall_now(&self) -> SystemTime {
        self.0.driver.wall_now()
    }

    /// Waits for `wait`.
    pub fn sleep(&self, wait: Duration) -> BoxFuture<'static, ()> {
        self.0.driver.sleep_until(self.0.driver.now() + wait)
    }

    /// Waits for `work`, for `limit` at the most, counted from where it first waits itself: nothing could stop what it
    /// does before. Work that is ready at the deadline counts as done in time.
    ///
    /// # Errors
    /// [`Elapsed`] when the limit passed first; the work is dropped then.
    pub async fn timeout<T>(&self, limit: Duration, work: impl Future<Output = T>) -> Result<T, Elapsed> {
        let mut work = pin!(work);
        // Most work is quick, and neither a look at the clock nor an alarm is cheap.
        if let Poll::Ready(value) = poll_fn(|cx| Poll::Ready(work.as_mut().poll(cx))).await {
            return Ok(value);
        }
        let late = Box::pin(self.before(self.now() + limit, work)).await;
        late.ok_or(Elapsed(limit))
    }

    /// Waits for work until a deadline; nothing when that came first.
    async fn before<T>(&self, deadline: Tick, mut work: Pin<&mut impl Future<Output = T>>) -> Option<T> {
        let mut alarm = self.0.driver.sleep_until(deadline);
        match self.race("timeout", &mut work, &mut alarm).await {
            Either::Left(value) => Some(value),
            // Whichever was looked at first: what is ready now was ready in time.
            Either::Right(()) => work.as_mut().now_or_never(),
        }
    }

    /// A source of chance of its own for this label.
    #[must_use]
    pub fn rng(&self, label: &'static str) -> Rng {
        self.0.driver.rng(label)
    }

    /// A new identifier, such as `call_1f0c…`: 16 hexadecimal digits behind its kind.
    #[must_use]
    pub fn new_id(&self, kind: &'static str) -> String {
        format!("{kind}_{:016x}", self.rng(kind).next_u64())
    }

    /// One of `n` options: always 0 in production, a recorded choice in a simulation.
    #[must_use]
    pub fn choose(&self, label: &'static str, n: usize) -> usize {
        self.0.driver.choose(label, n)
    }

    /// Waits until everything else that can run at this instant has run (production: until others had one go).
    pub fn settle(&self) -> BoxFuture<'static, ()> {
        self.0.driver.settle()
    }

    /// Announces an access to shared state: free in production; a simulation lets others go first.
    pub async fn point(&self, object: Object, access: Access) {
        if self.0.announces {
            self.0.mutants.announced();
            self.0.driver.point(object, access).await;
        }
    }

    /// Like [`Env::point`], where it must be found out how the object is touched: that is asked in a simulation only.
    pub(crate) async fn point_as(&self, object: Object, access: impl FnOnce() -> Access) {
        if self.0.announces {
            self.0.mutants.announced();
            self.0.driver.point(object, access()).await;
        }
    }

    /// Runs `work` where blocking is allowed.
    ///
    /// # Errors
    /// [`TaskEnd`] when it panicked or the executor is shutting down.
    pub async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, TaskEnd> {
        let (send, value) = oneshot::channel();
        self.0.driver.blocking(Box::new(move || {
            let ended = std::panic::catch_unwind(AssertUnwindSafe(work));
            drop(send.send(ended.map_err(|panic| TaskEnd::Panicked(panic_message(&*panic)))));
        }));
        value.await.unwrap_or(Err(TaskEnd::Cancelled))
    }

    /// Whether events go anywhere: what nobody hears of need not be put into words.
    #[must_use]
    pub fn is_heard(&self) -> bool {
        self.0.sink.is_some()
    }

    /// Sends an event to the sink, if there is one; `event` is only made then. A sink that panics loses the event and
    /// nothing else: events are told from drops too, where a panic would end the process.
    #[inline]
    pub fn emit(&self, event: impl FnOnce() -> Event) {
        if let Some(sink) = &self.0.sink {
            self.tell(sink.as_ref(), event());
        }
    }

    #[cold]
    fn tell(&self, sink: &dyn EventSink, event: Event) {
        let told = AssertUnwindSafe(|| sink.emit(event, &|| self.0.driver.now()));
        drop(std::panic::catch_unwind(told));
    }
}

/// Boxes a future so that a panic in it ends it, and nothing else.
pub(crate) fn caught(future: impl Future<Output = ()> + Send + 'static) -> BoxFuture<'static, ()> {
    Box::pin(AssertUnwindSafe(future).catch_unwind().map(drop))
}

impl fmt::Debug for Env {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Env").field("listening", &self.0.sink.is_some()).finish_non_exhaustive()
    }
}
