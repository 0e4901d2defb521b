//! The runtime's seam, filled by the simulated world.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, SystemTime};

use toolwright::env::{Access, BoxFuture, Driver, Handle, Object, Order, Raced, Rng, TaskName, Tick};

use super::strategy::Announced;
use super::world::World;

/// The time of day at which every simulation begins: the start of the year 2026, UTC.
const EPOCH: Duration = Duration::from_secs(1_767_225_600);

pub(super) struct SimDriver(pub(super) Arc<World>);

impl Driver for SimDriver {
    fn spawn(&self, name: TaskName, future: BoxFuture<'static, ()>) -> Handle {
        Handle::Other(self.0.spawn(name, future))
    }

    fn now(&self) -> Tick {
        self.0.now()
    }

    fn sleep_until(&self, tick: Tick) -> BoxFuture<'static, ()> {
        Box::pin(SleepUntil { world: Arc::clone(&self.0), tick, has_waited: false })
    }

    fn wall_now(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH + EPOCH + self.now().since(Tick(0))
    }

    fn rng(&self, label: &'static str) -> Rng {
        self.0.lock().choices.rng(label)
    }

    fn choose(&self, label: &'static str, n: usize) -> usize {
        self.0.lock().choices.value(label, n)
    }

    fn order(&self, label: &'static str) -> Order {
        self.0.lock().choices.order(label)
    }

    fn raced(&self, raced: Raced) {
        self.0.raced(raced);
    }

    fn settle(&self) -> BoxFuture<'static, ()> {
        Box::pin(Settle { world: Arc::clone(&self.0), is_waiting: false })
    }

    fn announces(&self) -> bool {
        true
    }

    fn point(&self, object: Object, access: Access) -> BoxFuture<'static, ()> {
        let announced = Announced { object, access };
        Box::pin(Point { world: Arc::clone(&self.0), announced, has_yielded: false })
    }

    /// Blocking work is a task of one step, which takes no virtual time: others may go before it, and between it and
    /// whoever waits for it. As in production, it is done also when nobody waits any more.
    fn blocking(&self, work: Box<dyn FnOnce() + Send>) {
        drop(self.0.spawn(TaskName { kind: "blocking", index: 0 }, Box::pin(async move { work() })));
    }
}

/// Sets its timer anew at each poll: a timer that fires for a future that is gone wakes a task for nothing, and no
/// more. A tick that has come already lets others go first too.
struct SleepUntil {
    world: Arc<World>,
    tick: Tick,
    has_waited: bool,
}

impl Future for SleepUntil {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let had_waited = std::mem::replace(&mut self.has_waited, true);
        match self.world.now() >= self.tick {
            true if had_waited => return Poll::Ready(()),
            true => cx.waker().wake_by_ref(),
            false => self.world.set_timer(self.tick, cx.waker().clone()),
        }
        Poll::Pending
    }
}

struct Settle {
    world: Arc<World>,
    is_waiting: bool,
}

impl Future for Settle {
    type Output = ();

    /// Whoever is woken first may make others ready; the settling is over all the same, since all who settle at this
    /// instant were woken together.
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if self.is_waiting {
            return Poll::Ready(());
        }
        self.is_waiting = true;
        self.world.when_settled(cx.waker().clone());
        Poll::Pending
    }
}

/// Says what is touched next, and lets every other task that can run go first, if it is chosen.
struct Point {
    world: Arc<World>,
    announced: Announced,
    has_yielded: bool,
}

impl Future for Point {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if self.has_yielded {
            return Poll::Ready(());
        }
        self.has_yielded = true;
        self.world.announce(self.announced);
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}
