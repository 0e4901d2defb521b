//! The world of one simulation: its tasks, its timers and its clock.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use toolwright::env::{BoxFuture, Raced, TaskName, Tick};

use super::choice::Choices;
use super::strategy::{Announced, ReadyTask, Step, Strategy, TaskId};
use super::stuck::Waits;
use super::task::{Fate, News, Ready, SimHandle, TaskWaker, lock};
use super::tasks::{Task, Tasks};

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
    timers: BTreeMap<(Tick, u64), Waker>,
    next_timer: u64,
    /// Who waits until nothing else can run.
    settling: Vec<Waker>,
    pub(super) choices: Choices,
    /// Kept between steps so that they are not made anew for each.
    ready_tasks: Vec<ReadyTask>,
    news: News,
    /// A world that has ended spawns nothing.
    is_over: bool,
}

/// What came of the search for a task to run.
pub(super) enum Pick {
    Task(ReadyTask),
    Nobody,
    GivenUp,
}

impl World {
    pub(super) fn new(strategy: Box<dyn Strategy>) -> World {
        let state = State {
            tasks: Tasks::default(),
            running: None,
            wakes: 0,
            timers: BTreeMap::new(),
            next_timer: 0,
            settling: Vec::new(),
            choices: Choices::new(strategy),
            ready_tasks: Vec::new(),
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

    pub(super) fn spawn(&self, name: TaskName, future: BoxFuture<'static, ()>) -> SimHandle {
        let mut state = self.lock();
        let (id, parent) = (state.tasks.next_id(), state.running);
        let fate = Arc::new(Mutex::new(Fate { has_ended: state.is_over, ..Fate::default() }));
        let handle = SimHandle { id, ready: Arc::clone(&self.ready), fate: Arc::clone(&fate) };
        if state.is_over {
            drop(state);
            // Dropped with the lock free: a future may hold places and timers of this world.
            drop(future);
            return handle;
        }
        let waker = Waker::from(Arc::new(TaskWaker { id, ready: Arc::clone(&self.ready) }));
        let task = Task {
            name,
            future: Some(future),
            waker,
            fate,
            is_aborted: false,
            announced: None,
            last: None,
            since: self.now(),
            wakes: 0,
            steps: 0,
        };
        state.tasks.add(task, parent);
        self.ready.lock().wake(id);
        handle
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
        let timer = state.next_timer;
        state.next_timer += 1;
        state.timers.insert((tick, timer), waker);
    }

    /// Wakes `waker` when nothing else can run at this instant.
    pub(super) fn when_settled(&self, waker: Waker) {
        self.lock().settling.push(waker);
    }

    /// Takes one of the tasks that can run.
    pub(super) fn pick(&self) -> Pick {
        let mut guard = self.lock();
        let state = &mut *guard;
        let mut ready = self.ready.lock();
        // What was made ready between steps: by timers, and from outside.
        state.tasks.note(&ready.news.woken, &ready.news.aborted);
        ready.news.clear();
        state.ready_tasks.clear();
        // Whoever has ended may still be woken.
        state.ready_tasks.extend(ready.ids.iter().filter_map(|id| state.tasks.ready(*id)));
        if state.ready_tasks.is_empty() {
            ready.ids.clear();
            return Pick::Nobody;
        }
        let Some(picked) = state.choices.task(&state.ready_tasks) else { return Pick::GivenUp };
        let task = state.ready_tasks[picked];
        ready.ids.remove(&task.id);
        Pick::Task(task)
    }

    /// Makes one step of a task.
    pub(super) fn step(&self, ready: ReadyTask) {
        let now = self.now();
        let taken = {
            let mut state = self.lock();
            let Some(task) = state.tasks.get(ready.id) else { return };
            task.steps += 1;
            task.since = now;
            task.last = task.announced.take().or(task.last);
            let wakes = std::mem::take(&mut task.wakes);
            let taken = task.future.take().map(|future| (future, task.waker.clone(), Arc::clone(&task.fate)));
            (state.running, state.wakes) = (Some(ready.id), wakes);
            taken
        };
        if let Some((future, waker, fate)) = taken {
            self.poll(ready.id, future, &waker, &fate);
        }
        let mut guard = self.lock();
        let state = &mut *guard;
        state.running = None;
        state.news.clear();
        std::mem::swap(&mut state.news, &mut self.ready.lock().news);
        let News { woken, aborted } = &state.news;
        state.choices.ran(Step { task: ready, woken, aborted });
        state.tasks.note(woken, aborted);
    }

    fn poll(&self, id: TaskId, mut future: BoxFuture<'static, ()>, waker: &Waker, fate: &Mutex<Fate>) {
        let goes_on =
            !lock(fate).is_aborted && future.as_mut().poll(&mut Context::from_waker(waker)) == Poll::Pending;
        if goes_on && let Some(task) = self.lock().tasks.get(id) {
            task.future = Some(future);
            return;
        }
        // Dropped with the lock free: the future may leave places, set timers and spawn.
        drop(future);
        drop(self.lock().tasks.remove(id));
        let joiner = {
            let mut fate = lock(fate);
            fate.has_ended = true;
            fate.joiner.take()
        };
        if let Some(joiner) = joiner {
            joiner.wake();
        }
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

    /// The tick of the next timer.
    #[cfg(feature = "engines")]
    pub(super) fn next_tick(&self) -> Option<Tick> {
        self.lock().timers.first_key_value().map(|((tick, _), _)| *tick)
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
            state.tasks.drain()
        };
        drop(tasks);
        let mut ready = self.ready.lock();
        ready.ids.clear();
        ready.news.clear();
    }
}
