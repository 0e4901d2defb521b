//! What an environment needs of an executor: the seam between the runtime and the world it runs in.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::SystemTime;

use super::{Rng, Tick};

/// A boxed future that can move between threads.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The name of a task: what it is, and for which call, so that traces and deadlock reports can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TaskName {
    /// What the task does, such as `call`, `hook` or `person`.
    pub kind: &'static str,
    /// Which one of its kind: the index of the call in its turn, or of the racer in its race.
    pub index: usize,
}

impl fmt::Display for TaskName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.kind, self.index)
    }
}

/// How a [point](super::Env::point) touches its object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Access {
    /// The object is looked at; two reads commute.
    Read,
    /// The object is changed in a way that comes to the same in whatever order such changes are made.
    Add,
    /// The object is changed.
    Write,
}

impl Access {
    /// Whether two accesses to one object come to the same in either order.
    #[must_use]
    pub fn commutes(self, other: Access) -> bool {
        match (self, other) {
            (Access::Read, Access::Read) | (Access::Add, Access::Add) => true,
            (Access::Read | Access::Add | Access::Write, Access::Write)
            | (Access::Write, Access::Read | Access::Add)
            | (Access::Read, Access::Add)
            | (Access::Add, Access::Read) => false,
        }
    }
}

/// The shared state that a [point](super::Env::point) touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Object {
    /// The line of a turn: places, admissions, results, cancellations. Calls that are safe beside others start and
    /// leave in any order with the same end; every other change of it counts as a write.
    Line,
    /// The claim on one permission question, by the index of its call.
    Claim(usize),
    /// Whether calls are to stop: every step of any task may look at it. Whoever aborts a turn in a simulation, from a
    /// task of its own, announces a write of it.
    Stop,
    /// What calls are judged by, and run in: rules and the context. Like [`Object::Stop`] it may be looked at in every
    /// step of any task, so that only changes of it are announced.
    Context,
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Object::Line => f.write_str("the line"),
            Object::Claim(index) => write!(f, "the claim of call {index}"),
            Object::Stop => f.write_str("whether calls are to stop"),
            Object::Context => f.write_str("what calls are judged by"),
        }
    }
}

/// The order in which a [race](super::Env::race) looks at its two futures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// Whether the right one is looked at first.
    pub right_first: bool,
    /// Which of the driver's choices this was.
    pub choice: usize,
}

/// How a [race](super::Env::race) was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Raced {
    /// The choice of its order.
    pub choice: usize,
    /// Whether the loser was not looked at when the winner was found ready: it may have been ready too.
    pub unseen: bool,
}

/// An executor, a clock and a source of chance behind an [`Env`](super::Env).
///
/// Three laws hold for every driver: `spawn` never polls inline, aborting a handle never drops the future inline, and
/// timers never fire early.
pub trait Driver: Send + Sync + 'static {
    /// Starts a task. The future catches its own panics.
    fn spawn(&self, name: TaskName, future: BoxFuture<'static, ()>) -> Handle;

    /// The tokio runtime that tasks run on, where it is one: its tasks are spawned without a box of their own.
    fn tokio(&self) -> Option<&tokio::runtime::Handle> {
        None
    }

    /// The time now.
    fn now(&self) -> Tick;

    /// Ends when `tick` has come.
    fn sleep_until(&self, tick: Tick) -> BoxFuture<'static, ()>;

    /// The time of day.
    fn wall_now(&self) -> SystemTime;

    /// A source of chance of its own for each label.
    fn rng(&self, label: &'static str) -> Rng;

    /// One of `n` options, `n >= 1`: always 0 in production, a recorded choice in a simulation.
    fn choose(&self, label: &'static str, n: usize) -> usize;

    /// The order in which a race looks at its futures, in an environment that [announces](Driver::announces): elsewhere
    /// it is the left one first.
    fn order(&self, label: &'static str) -> Order {
        Order { right_first: self.choose(label, 2) == 1, choice: 0 }
    }

    /// Told how a race was decided, by an environment that [announces](Driver::announces).
    fn raced(&self, raced: Raced) {
        let _ = raced;
    }

    /// Ends when everything else that can run at this instant has run.
    fn settle(&self) -> BoxFuture<'static, ()>;

    /// Whether [`Driver::point`] does anything; asked once, when the environment is made.
    fn announces(&self) -> bool;

    /// Announces an access to shared state and lets others go first.
    fn point(&self, object: Object, access: Access) -> BoxFuture<'static, ()>;

    /// Runs `work` where blocking is allowed.
    fn blocking(&self, work: Box<dyn FnOnce() + Send>);
}

/// A running task. Dropping the handle leaves the task running.
pub enum Handle {
    /// A task of tokio.
    Tokio(tokio::task::JoinHandle<()>),
    /// A task of another driver.
    Other(Arc<dyn OtherHandle>),
}

/// The handle of a task of a driver other than tokio.
pub trait OtherHandle: Send + Sync {
    /// Stops the task before its next poll.
    fn abort(&self);
    /// Whether the task has ended; registers the waker otherwise.
    fn poll_ended(&self, cx: &mut Context<'_>) -> Poll<()>;
}

impl Handle {
    /// Stops the task before its next poll; what it holds is dropped by the executor, never inline.
    pub fn abort(&self) {
        match self {
            Handle::Tokio(handle) => handle.abort(),
            Handle::Other(handle) => handle.abort(),
        }
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Handle")
    }
}

impl Future for Handle {
    type Output = ();

    /// Ready when the task has ended, whichever way.
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        match self.get_mut() {
            Handle::Tokio(handle) => Pin::new(handle).poll(cx).map(|_ended| ()),
            Handle::Other(handle) => handle.poll_ended(cx),
        }
    }
}
