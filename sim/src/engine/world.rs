//! The world of one simulation: its tasks, its timers and its clock.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

use toolwright::env::{BoxFuture, Raced, TaskName, Tick};

use super::choice::Choices;
use super::strategy::{Announced, ReadyTask, Step, Strategy, TaskId};
use super::stuck::Waits;
use super::task::{Fate, News, Ready, Shared};
use super::tasks::{Polled, Task, Tasks};
use super::timer::Timer;

pub(super) struct World {
    pub(super) ready: Arc<Ready>,
    now: AtomicU64,
    state: Mutex<State>,
}

pub(super) struct State {
    tasks: Tasks,
    /// Whose step this is.
    running: Option<TaskId>,
    /// How often the running task was woken since its step before.
    wakes: u32,
    /// Who waits for which tick; timers of one tick fire together, and the choice among the woken is the tie.
    timers: BinaryHeap<Reverse<Timer>>,
    next_timer: u64,
    /// Who waits until nothing else can run.
    settling: Vec<Waker>,
    pub(super) choices: Choices,
    /// The tasks that can run, in the order of their numbers.
    ready: Vec<ReadyTask>,
    /// Kept between steps so that it is not made anew for each.
    news: News,
    /// A world that has ended spawns nothing.
    is_over: bool,
}

/// What came of the search for a task to run.
pub(super) enum Pick {
    Task(Picked),
    Nobody,
    GivenUp,
}

/// A task that is to make a step.
pub(super) struct Picked {
    task: ReadyTask,
    polled: Polled,
}

impl State {
    /// The tick of the next timer.
    fn next_tick(&self) -> Option<Tick> {
        self.timers.peek().map(|Reverse(timer)| timer.tick)
    }

    /// Takes note of who was woken and who was stopped.
    fn hear(&mut self) {
        let State { tasks, ready, news, .. } = self;
        for id in news.woken.drain(..) {
            // Whoever has ended may still be woken.
            let Some(task) = tasks.get(id) else { continue };
            task.wakes += 1;
            if let Err(place) = ready.binary_search_by_key(&id, |task| task.id) {
                ready.insert(place, task.ready(id));
            }
        }
        for id in news.aborted.drain(..) {
            let Some(task) = tasks.get(id) else { continue };
            task.is_aborted = true;
            if let Ok(place) = ready.binary_search_by_key(&id, |task| task.id) {
                ready[place] = task.ready(id);
            }
        }
    }
}

impl World {
    pub(super) fn new(strategy: Box<dyn Strategy>) -> World {
        let state = State {
            tasks: Tasks::new(),
            running: None,
            wakes: 0,
            timers: BinaryHeap::new(),
            next_timer: 0,
            settling: Vec::new(),
            choices: Choices::new(strategy),
            ready: Vec::new(),
            news: News::default(),
            is_over: false,
        };
        World { ready: Arc::default(), now: AtomicU64::new(0), state: Mutex::new(state) }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn now(&self) -> Tick {
        Tick(self.now.load(Ordering::Relaxed))
    }

    pub(super) fn spawn(&self, name: TaskName, future: BoxFuture<'static, ()>) -> Arc<Shared> {
        let mut state = self.lock();
        let (id, parent) = (state.tasks.next_id(), state.running);
        let fate = Mutex::new(Fate { has_ended: state.is_over, ..Fate::default() });
        let shared = Arc::new(Shared { id, ready: Arc::clone(&self.ready), fate });
        if state.is_over {
            drop(state);
            // Dropped with the lock free: a future may hold places and timers of this world.
            drop(future);
            return shared;
        }
        let waker = Waker::from(Arc::clone(&shared));
        let task = Task::new(name, Arc::clone(&shared), Polled { future, waker }, self.now());
        state.tasks.add(task, parent);
        self.ready.lock().wake(id);
        shared
    }

    /// The running task will touch this next.
    pub(super) fn announce(&self, announced: Announced) {
        let mut state = self.lock();
        let running = state.running;
        if let Some(task) = running.and_then(|id| state.tasks.get(id)) {
            task.announced = Some(announced);
        }
    }

    /// A loser that was not looked at can have been first only if, since the step before, more than the winner's news
    /// has come to the task.
    pub(super) fn raced(&self, raced: Raced) {
        let mut state = self.lock();
        if raced.unseen && state.wakes > 1 {
            state.choices.mattered(raced.choice);
        }
    }

    /// Wakes `waker` at `tick`.
    pub(super) fn set_timer(&self, tick: Tick, waker: Waker) {
        let mut state = self.lock();
        let number = state.next_timer;
        state.next_timer += 1;
        state.timers.push(Reverse(Timer { tick, number, waker }));
    }

    /// Wakes `waker` when nothing else can run at this instant.
    pub(super) fn when_settled(&self, waker: Waker) {
        self.lock().settling.push(waker);
    }

    /// Takes one of the tasks that can run.
    pub(super) fn pick(&self) -> Pick {
        let mut guard = self.lock();
        let state = &mut *guard;
        // What was made ready between steps: by timers, and from outside.
        std::mem::swap(&mut state.news, &mut self.ready.lock().news);
        state.hear();
        if state.ready.is_empty() {
            return Pick::Nobody;
        }
        let Some(picked) = state.choices.task(&state.ready) else { return Pick::GivenUp };
        let ready = state.ready.remove(picked);
        let Some(task) = state.tasks.get(ready.id) else { return Pick::Nobody };
        let Some(polled) = task.begin_step(self.now()) else { return Pick::Nobody };
        (state.running, state.wakes) = (Some(ready.id), std::mem::take(&mut task.wakes));
        Pick::Task(Picked { task: ready, polled })
    }

    /// Makes one step of a task.
    pub(super) fn step(&self, Picked { task, mut polled }: Picked) {
        let goes_on = !task.is_aborted && polled.poll() == Poll::Pending;
        let left = if goes_on { Some(polled) } else { self.end_task(task.id, polled) };
        let mut guard = self.lock();
        let state = &mut *guard;
        if let Some(task) = state.tasks.get(task.id) {
            task.polled = left;
        }
        state.running = None;
        std::mem::swap(&mut state.news, &mut self.ready.lock().news);
        let News { woken, aborted } = &state.news;
        state.choices.ran(Step { task, woken, aborted });
        state.hear();
    }

    /// Drops what a task was, and tells whoever waits for its end; nothing is left of it.
    fn end_task(&self, id: TaskId, polled: Polled) -> Option<Polled> {
        // Dropped with the lock free: the future may leave places, set timers and spawn.
        drop(polled);
        let ended = self.lock().tasks.remove(id);
        let joiner = ended.and_then(|task| {
            let mut fate = task.shared.fate();
            fate.has_ended = true;
            fate.joiner.take()
        });
        if let Some(joiner) = joiner {
            joiner.wake();
        }
        None
    }

    /// Nothing else can run at this instant: wakes those who waited for that.
    pub(super) fn settle(&self) -> bool {
        let settling = {
            let mut state = self.lock();
            state.choices.quiet();
            std::mem::take(&mut state.settling)
        };
        let any = !settling.is_empty();
        settling.into_iter().for_each(Waker::wake);
        any
    }

    /// Moves the clock to the next timer and fires all timers of that tick.
    pub(super) fn advance(&self) -> bool {
        let mut due = Vec::new();
        {
            let mut state = self.lock();
            let Some(tick) = state.next_tick() else { return false };
            while state.next_tick() == Some(tick) {
                due.extend(state.timers.pop().map(|Reverse(timer)| timer.waker));
            }
            self.now.fetch_max(tick.0, Ordering::Relaxed);
        }
        due.into_iter().for_each(Waker::wake);
        true
    }

    /// The tick of the next timer.
    #[cfg(feature = "engines")]
    pub(super) fn next_tick(&self) -> Option<Tick> {
        self.lock().next_tick()
    }

    /// The clock of the runtime around this world has come so far.
    #[cfg(feature = "engines")]
    pub(super) fn catch_up(&self, now: Tick) {
        self.now.fetch_max(now.0, Ordering::Relaxed);
    }

    /// Who has not ended, and whom each may wait for.
    pub(super) fn waiting(&self) -> Waits {
        self.lock().tasks.waiting()
    }

    /// Drops every task that is left. What their drops spawn is dropped too.
    pub(super) fn end(&self) {
        let tasks = {
            let mut state = self.lock();
            state.is_over = true;
            state.timers.clear();
            state.settling.clear();
            state.ready.clear();
            state.tasks.drain()
        };
        drop(tasks);
        self.ready.lock().news.clear();
    }
}
