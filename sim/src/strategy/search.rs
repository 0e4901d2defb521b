//! Every run there is, one after another, each from the start.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::engine::{ReadyTask, Step, Strategy};

/// The choices that were made so far and those still to be made. It is asked like a strategy, run after run.
pub trait Tree: Default + Send + 'static {
    /// See [`Strategy::task`].
    fn task(&mut self, ready: &[ReadyTask]) -> Option<usize>;
    /// See [`Strategy::value`].
    fn value(&mut self, options: usize) -> usize;
    /// See [`Strategy::ran`].
    fn ran(&mut self, step: Step<'_>);
    /// See [`Strategy::quiet`].
    fn quiet(&mut self);
    /// See [`Strategy::mattered`].
    fn mattered(&mut self, value: usize);
    /// Turns to the next run; says whether there is one.
    fn turn(&mut self) -> bool;
    /// Whether the same choices have led to another question: then the search has not seen every run.
    fn has_strayed(&self) -> bool {
        false
    }
}

/// Goes through all runs that differ in what a tree tells apart.
#[derive(Debug, Default)]
pub struct Search<T> {
    tree: Arc<Mutex<T>>,
    has_begun: bool,
}

impl<T: Tree> Search<T> {
    /// A search that has not begun.
    #[must_use]
    pub fn new(tree: T) -> Search<T> {
        Search { tree: Arc::new(Mutex::new(tree)), has_begun: false }
    }

    /// The strategy of the next run; nothing when there is none. The run before must have ended.
    pub fn next_run(&mut self) -> Option<Box<dyn Strategy>> {
        let goes_on = !self.has_begun || lock(&self.tree).turn();
        self.has_begun = true;
        goes_on.then(|| Box::new(Run(Arc::clone(&self.tree))) as Box<dyn Strategy>)
    }

    /// See [`Tree::has_strayed`].
    #[must_use]
    pub fn has_strayed(&self) -> bool {
        lock(&self.tree).has_strayed()
    }
}

struct Run<T>(Arc<Mutex<T>>);

fn lock<T>(tree: &Mutex<T>) -> MutexGuard<'_, T> {
    tree.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<T: Tree> Strategy for Run<T> {
    fn task(&mut self, ready: &[ReadyTask]) -> Option<usize> {
        lock(&self.0).task(ready)
    }

    fn value(&mut self, _label: &'static str, options: usize) -> usize {
        lock(&self.0).value(options)
    }

    fn ran(&mut self, step: Step<'_>) {
        lock(&self.0).ran(step);
    }

    fn quiet(&mut self) {
        lock(&self.0).quiet();
    }

    fn mattered(&mut self, value: usize) {
        lock(&self.0).mattered(value);
    }
}
