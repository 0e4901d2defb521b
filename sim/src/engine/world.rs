//! The world of one simulation: its tasks, its timers, its clock, and the loop that runs them.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use toolwright::env::{BoxFuture, Env, TaskName, Tick};

use super::choice::{Choice, Choices};
use super::driver::SimDriver;
use super::task::{Fate, Ready, SimHandle, TaskId, TaskWaker, lock};

/// How many polls a run may take before it is given up as a livelock.
const POLLS_MAX: u64 = 200_000_000;

/// Why a simulation ended without its result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stuck {
    /// Nothing can run, no timer is set, and these tasks wait.
    #[error("deadlock: nothing can run and no timer is set; waiting: {0}")]
    Deadlock(String),
    /// Tasks run on and on.
    #[error("livelock: no end after {POLLS_MAX} polls")]
    Livelock,
}

/// One simulated world.
pub struct Simulation {
    world: Arc<World>,
}

pub(super) struct World {
    pub(super) ready: Arc<Ready>,
    now: AtomicU64,
    state: Mutex<State>,
}

pub(super) struct State {
    tasks: BTreeMap<TaskId, Task>,
    next_task: TaskId,
    /// Who waits for which tick; timers of one tick fire together, and the choice among the woken is the tie.
    timers: BTreeMap<(Tick, u64), Waker>,
    next_timer: u64,
    /// Who waits until nothing else can run.
    settling: Vec<Waker>,
    pub(super) choices: Choices,
    /// A world that has ended spawns nothing.
    is_over: bool,
}

struct Task {
    name: TaskName,
    /// Taken out while the task is polled.
    future: Option<BoxFuture<'static, ()>>,
    waker: Waker,
    fate: Arc<Mutex<Fate>>,
}

impl Simulation {
    /// A world at time 0 that takes its choices from a seed; without one, option 0 everywhere.
    #[must_use]
    pub fn new(seed: Option<u64>) -> Simulation {
        let state = State {
            tasks: BTreeMap::new(),
            next_task: 0,
            timers: BTreeMap::new(),
            next_timer: 0,
            settling: Vec::new(),
            choices: Choices::new(seed),
            is_over: false,
        };
        let world = World { ready: Arc::default(), now: AtomicU64::new(0), state: Mutex::new(state) };
        Simulation { world: Arc::new(world) }
    }

    /// The environment of this world.
    #[must_use]
    pub fn env(&self) -> Env {
        Env::new(Arc::new(SimDriver(Arc::clone(&self.world))))
    }

    /// The time in this world.
    #[must_use]
    pub fn now(&self) -> Tick {
        self.world.now()
    }

    /// The choices made so far.
    #[must_use]
    pub fn choices(&self) -> Vec<Choice> {
        self.world.lock().choices.made().to_vec()
    }

    /// Runs a future to its end, with everything it spawns; then ends the world.
    ///
    /// # Errors
    /// [`Stuck`] when it cannot end.
    pub fn run<T: Send + 'static>(&self, root: impl Future<Output = T> + Send + 'static) -> Result<T, Stuck> {
        let result = Arc::new(Mutex::new(None));
        let slot = Arc::clone(&result);
        let work = Box::pin(async move {
            let value = root.await;
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
        });
        self.world.spawn(TaskName { kind: "root", index: 0 }, work);
        let ended = self.drive(&result);
        self.world.end();
        ended
    }

    fn drive<T>(&self, result: &Mutex<Option<T>>) -> Result<T, Stuck> {
        for _ in 0..POLLS_MAX {
            if let Some(value) = result.lock().unwrap_or_else(PoisonError::into_inner).take() {
                return Ok(value);
            }
            match self.world.pick() {
                Some(id) => self.world.poll(id),
                None if self.world.settle() || self.world.advance() => {}
                None => return Err(Stuck::Deadlock(self.world.waiting())),
            }
        }
        Err(Stuck::Livelock)
    }
}

impl std::fmt::Debug for Simulation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Simulation").field("now", &self.now()).finish_non_exhaustive()
    }
}

impl World {
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn now(&self) -> Tick {
        Tick(self.now.load(Ordering::Relaxed))
    }

    pub(super) fn spawn(&self, name: TaskName, future: BoxFuture<'static, ()>) -> SimHandle {
        let mut state = self.lock();
        let id = state.next_task;
        state.next_task += 1;
        let fate = Arc::new(Mutex::new(Fate { has_ended: state.is_over, ..Fate::default() }));
        let handle = SimHandle { id, ready: Arc::clone(&self.ready), fate: Arc::clone(&fate) };
        if state.is_over {
            drop(state);
            // Dropped with the lock free: a future may hold places and timers of this world.
            drop(future);
            return handle;
        }
        let waker = Waker::from(Arc::new(TaskWaker { id, ready: Arc::clone(&self.ready) }));
        state.tasks.insert(id, Task { name, future: Some(future), waker, fate });
        self.ready.lock().insert(id);
        handle
    }

    /// Wakes `waker` at `tick`.
    pub(super) fn set_timer(&self, tick: Tick, waker: Waker) {
        let mut state = self.lock();
        let timer = state.next_timer;
        state.next_timer += 1;
        state.timers.insert((tick, timer), waker);
    }

    /// Wakes `waker` when nothing else can run at this instant.
    pub(super) fn when_settled(&self, waker: Waker) {
        self.lock().settling.push(waker);
    }

    /// Takes one of the tasks that can run.
    fn pick(&self) -> Option<TaskId> {
        let mut ready = self.ready.lock();
        let picked = self.lock().choices.choose("task", ready.len());
        let id = ready.iter().nth(picked).copied()?;
        ready.remove(&id);
        Some(id)
    }

    fn poll(&self, id: TaskId) {
        let taken = {
            let mut state = self.lock();
            let Some(task) = state.tasks.get_mut(&id) else { return };
            task.future.take().map(|future| (future, task.waker.clone(), Arc::clone(&task.fate)))
        };
        let Some((mut future, waker, fate)) = taken else { return };
        let goes_on = !lock(&fate).is_aborted
            && future.as_mut().poll(&mut Context::from_waker(&waker)) == Poll::Pending;
        if goes_on && let Some(task) = self.lock().tasks.get_mut(&id) {
            task.future = Some(future);
            return;
        }
        // Dropped with the lock free: the future may leave places, set timers and spawn.
        drop(future);
        self.lock().tasks.remove(&id);
        let joiner = {
            let mut fate = lock(&fate);
            fate.has_ended = true;
            fate.joiner.take()
        };
        if let Some(joiner) = joiner {
            joiner.wake();
        }
    }

    /// Nothing else can run at this instant: wakes those who waited for that.
    fn settle(&self) -> bool {
        let settling = std::mem::take(&mut self.lock().settling);
        let any = !settling.is_empty();
        settling.into_iter().for_each(Waker::wake);
        any
    }

    /// Moves the clock to the next timer and fires all timers of that tick.
    fn advance(&self) -> bool {
        let mut due = Vec::new();
        {
            let mut state = self.lock();
            let Some((&(tick, _), _)) = state.timers.first_key_value() else { return false };
            while let Some(entry) = state.timers.first_entry()
                && entry.key().0 == tick
            {
                due.push(entry.remove());
            }
            self.now.fetch_max(tick.0, Ordering::Relaxed);
        }
        due.into_iter().for_each(Waker::wake);
        true
    }

    fn waiting(&self) -> String {
        let names: Vec<String> = self.lock().tasks.values().map(|task| task.name.to_string()).collect();
        names.join(", ")
    }

    /// Drops every task that is left. What their drops spawn is dropped too.
    fn end(&self) {
        let tasks = {
            let mut state = self.lock();
            state.is_over = true;
            state.timers.clear();
            state.settling.clear();
            std::mem::take(&mut state.tasks)
        };
        drop(tasks);
        self.ready.lock().clear();
    }
}
