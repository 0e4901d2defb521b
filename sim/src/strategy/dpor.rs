//! Only orders that differ in what matters: dynamic partial-order reduction (Flanagan and Godefroid, POPL 2005) with
//! sleep sets (Godefroid, 1996), over the accesses that tasks announce.
//!
//! A step that announced nothing is taken to commute with every other but an abort, so it is made at once. Between
//! steps that touched the same thing, each order that is not forced by who woke or spawned whom is tried. What happens at a later
//! instant could not have happened before, so races are looked for within one instant.

use std::collections::{BTreeMap, BTreeSet};

use toolwright::env::Object;

use super::search::Tree;
use crate::engine::{Announced, ReadyTask, Step, TaskId};

/// Whether it makes a difference that a task is stopped before or after its next step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Aborts {
    /// It does not: whoever was stopped had lost already. What is decided, run and answered is found whole.
    #[default]
    Commute,
    /// It does: also the answer that comes too late is tried at every time.
    Conflict,
}

/// The choices of one run, each with what is to be tried besides.
#[derive(Debug, Default)]
pub struct Dpor {
    aborts: Aborts,
    frames: Vec<Frame>,
    run: Run,
    has_strayed: bool,
}

#[derive(Debug)]
enum Frame {
    Task(Tasks),
    Value(Values),
}

#[derive(Debug)]
struct Tasks {
    ready: Vec<ReadyTask>,
    picked: TaskId,
    /// What was tried whole.
    done: Vec<Tried>,
    backtrack: BTreeSet<TaskId>,
    /// What an earlier run has shown already, as long as nothing conflicts with it.
    sleep: Vec<Tried>,
    /// Whom the step that was picked stopped.
    stopped: Vec<TaskId>,
}

/// A step that was tried, and whom it stopped.
#[derive(Clone, Debug)]
struct Tried {
    task: ReadyTask,
    stopped: Vec<TaskId>,
}

impl Tasks {
    fn is_known(&self, id: TaskId) -> bool {
        self.done.iter().chain(&self.sleep).any(|tried| tried.task.id == id)
    }
}

#[derive(Debug)]
struct Values {
    options: usize,
    picked: usize,
    value: usize,
    matters: bool,
}

/// How far the run has come.
#[derive(Debug, Default)]
struct Run {
    next: usize,
    values: usize,
    sleep: Vec<Tried>,
    /// What happened before the next step of each task, within this instant.
    clocks: BTreeMap<TaskId, Clock>,
    /// The steps of this instant.
    steps: Vec<Made>,
}

/// For each task the number of steps up to its last one that happened before.
type Clock = BTreeMap<TaskId, usize>;

/// A step that was made.
#[derive(Debug)]
struct Made {
    frame: usize,
    task: TaskId,
    announced: Option<Announced>,
    clock: Clock,
}

/// Whether it matters which of two steps comes first. Whether calls are to stop, and what they are judged by, may be
/// seen by any step.
fn conflicts(one: Option<Announced>, other: Option<Announced>) -> bool {
    let is_seen_by_all = |step: Option<Announced>| {
        step.is_some_and(|announced| matches!(announced.object, Object::Stop | Object::Context))
    };
    is_seen_by_all(one)
        || is_seen_by_all(other)
        || one.zip(other).is_some_and(|(one, other)| one.conflicts(other))
}

fn join(clock: &mut Clock, other: &Clock) {
    for (&task, &steps) in other {
        let own = clock.entry(task).or_default();
        *own = (*own).max(steps);
    }
}

/// Whether the step at this frame happened before whoever has this clock.
fn happened(clock: &Clock, task: TaskId, frame: usize) -> bool {
    clock.get(&task).is_some_and(|&steps| steps > frame)
}

impl Dpor {
    /// A search in which stopping a task conflicts with its steps, or not.
    #[must_use]
    pub fn new(aborts: Aborts) -> Dpor {
        Dpor { aborts, ..Dpor::default() }
    }

    /// Whoever must be tried at `frame` so that `task`, with what happened before it, comes before the step there.
    fn race(&mut self, frame: usize, task: TaskId, clock: &Clock) {
        let Some(Frame::Task(tasks)) = self.frames.get_mut(frame) else { return };
        if tasks.ready.iter().any(|ready| ready.id == task) {
            tasks.backtrack.insert(task);
            return;
        }
        let leads = |ready: &&ReadyTask| ready.id != tasks.picked && happened(clock, ready.id, frame);
        match tasks.ready.iter().find(leads) {
            Some(ready) => drop(tasks.backtrack.insert(ready.id)),
            None => tasks.backtrack.extend(tasks.ready.iter().map(|ready| ready.id)),
        }
    }

    /// Those who were ready beside the step and touch the same: the order of the two is to be turned round.
    fn race_beside(&mut self, frame: usize, step: Step<'_>) {
        let aborts = self.aborts;
        let Some(Frame::Task(tasks)) = self.frames.get_mut(frame) else { return };
        for ready in tasks.ready.iter().filter(|ready| ready.id != step.task.id && !ready.is_aborted) {
            let is_stopped = aborts == Aborts::Conflict && step.aborted.contains(&ready.id);
            if is_stopped || conflicts(step.task.announced, ready.announced) {
                tasks.backtrack.insert(ready.id);
            }
        }
    }

    /// The last step before this one that touched the same, and did not happen before it.
    fn race_before(&mut self, step: Step<'_>, clock: &Clock) {
        let ReadyTask { id, announced, .. } = step.task;
        let is_race = |made: &&Made| {
            made.task != id && conflicts(made.announced, announced) && !happened(clock, made.task, made.frame)
        };
        if let Some(earlier) = self.run.steps.iter().rev().find(is_race).map(|made| made.frame) {
            self.race(earlier, id, clock);
        }
    }

    /// What the step happened after, and who happens after it.
    fn keep_order(&mut self, frame: usize, step: Step<'_>, mut clock: Clock) {
        let ReadyTask { id, announced, .. } = step.task;
        for made in self.run.steps.iter().filter(|made| conflicts(made.announced, announced)) {
            join(&mut clock, &made.clock);
        }
        clock.insert(id, frame + 1);
        self.run.steps.push(Made { frame, task: id, announced, clock: clock.clone() });
        let Some(Frame::Task(tasks)) = self.frames.get(frame) else { return };
        for woken in step.woken.iter().filter(|woken| **woken != id) {
            // Whoever could run already does not wait for this step.
            if !tasks.ready.iter().any(|ready| ready.id == *woken) {
                join(self.run.clocks.entry(*woken).or_default(), &clock);
            }
        }
        self.run.clocks.insert(id, clock);
    }

    /// Those who sleep on after the step: nothing that it did touches what they will do.
    fn keep_asleep(&mut self, frame: usize, step: Step<'_>) {
        let aborts = self.aborts;
        let Some(Frame::Task(tasks)) = self.frames.get_mut(frame) else { return };
        let is_awake = |Tried { task, stopped }: &Tried| {
            task.id == step.task.id
                || conflicts(step.task.announced, task.announced)
                || step.woken.contains(&task.id)
                || step.aborted.contains(&task.id)
                || (aborts == Aborts::Conflict && stopped.contains(&step.task.id))
        };
        let shown = tasks.sleep.iter().chain(&tasks.done);
        self.run.sleep = shown.filter(|tried| !is_awake(tried)).cloned().collect();
        tasks.stopped = step.aborted.to_vec();
    }

    /// A step that touches nothing, if there is one; otherwise the first that nobody has shown yet.
    fn first(ready: &[ReadyTask], sleep: &[Tried]) -> Option<TaskId> {
        let is_awake = |task: &&ReadyTask| !sleep.iter().any(|asleep| asleep.task.id == task.id);
        let mut awake = ready.iter().filter(is_awake);
        let silent = awake.clone().find(|task| task.announced.is_none());
        silent.or_else(|| awake.next()).map(|task| task.id)
    }
}

impl Tree for Dpor {
    fn task(&mut self, ready: &[ReadyTask]) -> Option<usize> {
        if self.run.next == self.frames.len() {
            let sleep = std::mem::take(&mut self.run.sleep);
            let picked = Dpor::first(ready, &sleep)?;
            self.frames.push(Frame::Task(Tasks {
                ready: ready.to_vec(),
                picked,
                done: Vec::new(),
                backtrack: BTreeSet::from([picked]),
                sleep,
                stopped: Vec::new(),
            }));
        }
        self.run.next += 1;
        let picked = match &self.frames[self.run.next - 1] {
            Frame::Task(tasks) => ready.iter().position(|task| task.id == tasks.picked),
            Frame::Value(_) => None,
        };
        self.has_strayed |= picked.is_none();
        picked
    }

    fn value(&mut self, options: usize) -> usize {
        let value = self.run.values;
        self.run.values += 1;
        if self.run.next == self.frames.len() {
            self.frames.push(Frame::Value(Values { options, picked: 0, value, matters: false }));
        }
        self.run.next += 1;
        match &self.frames[self.run.next - 1] {
            Frame::Value(values) => values.picked,
            Frame::Task(_) => {
                self.has_strayed = true;
                0
            }
        }
    }

    fn ran(&mut self, step: Step<'_>) {
        // Values may have been chosen since the task was.
        let is_task = |frame: &Frame| matches!(frame, Frame::Task(_));
        let Some(frame) = self.frames[..self.run.next].iter().rposition(is_task) else { return };
        let clock = self.run.clocks.remove(&step.task.id).unwrap_or_default();
        self.race_beside(frame, step);
        self.race_before(step, &clock);
        self.keep_order(frame, step, clock);
        self.keep_asleep(frame, step);
    }

    fn quiet(&mut self) {
        self.run.clocks.clear();
        self.run.steps.clear();
    }

    fn mattered(&mut self, value: usize) {
        let found = self.frames.iter_mut().find_map(|frame| match frame {
            Frame::Value(values) if values.value == value => Some(values),
            Frame::Value(_) | Frame::Task(_) => None,
        });
        if let Some(values) = found {
            values.matters = true;
        }
    }

    fn turn(&mut self) -> bool {
        self.run = Run::default();
        while let Some(frame) = self.frames.last_mut() {
            match frame {
                Frame::Task(tasks) => {
                    let stopped = std::mem::take(&mut tasks.stopped);
                    let picked = tasks.ready.iter().find(|ready| ready.id == tasks.picked);
                    tasks.done.extend(picked.map(|&task| Tried { task, stopped }));
                    let next = tasks.backtrack.iter().copied().find(|id| !tasks.is_known(*id));
                    if let Some(next) = next {
                        tasks.picked = next;
                        return true;
                    }
                }
                Frame::Value(values) if values.matters && values.picked + 1 < values.options => {
                    values.picked += 1;
                    return true;
                }
                Frame::Value(_) => {}
            }
            self.frames.pop();
        }
        false
    }

    fn has_strayed(&self) -> bool {
        self.has_strayed
    }
}
