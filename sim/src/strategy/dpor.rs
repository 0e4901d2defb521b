//! Only orders that differ in what matters: dynamic partial-order reduction (Flanagan and Godefroid, POPL 2005) with
//! sleep sets (Godefroid, 1996), over the accesses that tasks announce.
//!
//! A step that announced nothing is taken to commute with every other, so it is made at once. Between steps that
//! touched the same thing, each order that is not forced by who woke or spawned whom is tried. What happens at a later
//! instant could not have happened before, so races are looked for within one instant.

use std::collections::{BTreeMap, BTreeSet};

use toolwright::env::{Access, Object};

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
    done: BTreeSet<TaskId>,
    backtrack: BTreeSet<TaskId>,
    /// What an earlier run has shown already, as long as nothing conflicts with it.
    sleep: Vec<ReadyTask>,
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
    sleep: Vec<ReadyTask>,
    /// What happened before the next step of each task, within this instant.
    clocks: BTreeMap<TaskId, Clock>,
    /// The accesses of this instant.
    touched: BTreeMap<Object, Vec<Touch>>,
    /// The last step of each task in this instant.
    last: BTreeMap<TaskId, usize>,
}

/// For each task the number of steps up to its last one that happened before.
type Clock = BTreeMap<TaskId, usize>;

#[derive(Debug)]
struct Touch {
    frame: usize,
    task: TaskId,
    announced: Announced,
    clock: Clock,
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
        let writes = step.task.announced.is_some_and(|announced| announced.access == Access::Write);
        for ready in tasks.ready.iter().filter(|ready| ready.id != step.task.id && !ready.is_aborted) {
            let touches_same = step
                .task
                .announced
                .zip(ready.announced)
                .is_some_and(|(made, waiting)| made.conflicts(waiting));
            let is_told = writes && step.woken.contains(&ready.id);
            let is_stopped = aborts == Aborts::Conflict && step.aborted.contains(&ready.id);
            if touches_same || is_told || is_stopped {
                tasks.backtrack.insert(ready.id);
            }
        }
    }

    /// Those before the step that touched the same, and did not happen before it.
    fn race_before(&mut self, frame: usize, step: Step<'_>, clock: &Clock) {
        let task = step.task.id;
        if let Some(announced) = step.task.announced {
            let touched = self.run.touched.get(&announced.object).into_iter().flatten().rev();
            let is_race = |touch: &&Touch| {
                touch.task != task
                    && touch.announced.conflicts(announced)
                    && !happened(clock, touch.task, touch.frame)
            };
            let mut touched = touched;
            if let Some(earlier) = touched.find(is_race).map(|touch| touch.frame) {
                self.race(earlier, task, clock);
            }
        }
        // A change that is told to a task, such as a cancellation, is seen by any of its steps.
        if step.task.announced.is_some_and(|announced| announced.access == Access::Write) {
            for woken in step.woken.iter().filter(|woken| **woken != task) {
                if let Some(&earlier) = self.run.last.get(woken)
                    && earlier != frame
                    && !happened(clock, *woken, earlier)
                {
                    self.race(earlier, task, clock);
                }
            }
        }
    }

    /// What the step happened after, and who happens after it.
    fn keep_order(&mut self, frame: usize, step: Step<'_>, mut clock: Clock) {
        let task = step.task.id;
        if let Some(announced) = step.task.announced {
            let touched = self.run.touched.entry(announced.object).or_default();
            let conflicting = touched.iter().filter(|touch| touch.announced.conflicts(announced));
            conflicting.for_each(|touch| join(&mut clock, &touch.clock));
            clock.insert(task, frame + 1);
            touched.push(Touch { frame, task, announced, clock: clock.clone() });
        } else {
            clock.insert(task, frame + 1);
        }
        let Some(Frame::Task(tasks)) = self.frames.get(frame) else { return };
        for woken in step.woken.iter().filter(|woken| **woken != task) {
            // Whoever could run already does not wait for this step.
            if !tasks.ready.iter().any(|ready| ready.id == *woken) {
                join(self.run.clocks.entry(*woken).or_default(), &clock);
            }
        }
        self.run.last.insert(task, frame);
        self.run.clocks.insert(task, clock);
    }

    /// Those who sleep on after the step: nothing that it did touches what they will do.
    fn keep_asleep(&mut self, frame: usize, step: Step<'_>) {
        let Some(Frame::Task(tasks)) = self.frames.get(frame) else { return };
        let tried = tasks.ready.iter().filter(|ready| tasks.done.contains(&ready.id));
        let sleeps = |ready: &&ReadyTask| {
            let touches_same = step
                .task
                .announced
                .zip(ready.announced)
                .is_some_and(|(made, waiting)| made.conflicts(waiting));
            ready.id != step.task.id
                && !touches_same
                && !step.woken.contains(&ready.id)
                && !step.aborted.contains(&ready.id)
        };
        self.run.sleep = tasks.sleep.iter().chain(tried).filter(sleeps).copied().collect();
    }

    /// A step that touches nothing, if there is one; otherwise the first that nobody has shown yet.
    fn first(ready: &[ReadyTask], sleep: &[ReadyTask]) -> Option<TaskId> {
        let is_awake = |task: &&ReadyTask| !sleep.iter().any(|asleep| asleep.id == task.id);
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
                done: BTreeSet::new(),
                backtrack: BTreeSet::from([picked]),
                sleep,
            }));
        }
        self.run.next += 1;
        match &self.frames[self.run.next - 1] {
            Frame::Task(tasks) => ready.iter().position(|task| task.id == tasks.picked),
            // The same choices lead to the same question; a subject that is not deterministic is given up.
            Frame::Value(_) => None,
        }
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
            Frame::Task(_) => 0,
        }
    }

    fn ran(&mut self, step: Step<'_>) {
        // Values may have been chosen since the task was.
        let is_task = |frame: &Frame| matches!(frame, Frame::Task(_));
        let Some(frame) = self.frames[..self.run.next].iter().rposition(is_task) else { return };
        let clock = self.run.clocks.remove(&step.task.id).unwrap_or_default();
        self.race_beside(frame, step);
        self.race_before(frame, step, &clock);
        self.keep_order(frame, step, clock);
        self.keep_asleep(frame, step);
    }

    fn quiet(&mut self) {
        self.run.clocks.clear();
        self.run.touched.clear();
        self.run.last.clear();
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
                    tasks.done.insert(tasks.picked);
                    let is_asleep = |id: &TaskId| tasks.sleep.iter().any(|asleep| asleep.id == *id);
                    let next = tasks.backtrack.difference(&tasks.done).copied().find(|id| !is_asleep(id));
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
}
