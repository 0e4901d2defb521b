//! A simulation from outside, and the loop that runs it.

use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

use toolwright::env::{Env, TaskName, Tick};

use super::choice::Choice;
use super::driver::SimDriver;
use super::strategy::Strategy;
use super::stuck::Stuck;
use super::world::{Pick, World};
use crate::strategy::{First, Random};

/// How many steps a run may take before it is given up as a livelock.
const STEPS_MAX: u64 = 200_000_000;

/// One simulated world.
pub struct Simulation {
    world: Arc<World>,
    steps_max: u64,
    /// How long whatever is outside the world may take in real time before the clock moves, where it is in tokio.
    #[cfg(feature = "engines")]
    patience: Option<std::time::Duration>,
}

impl Simulation {
    /// A world at time 0 that takes its choices from a seed; without one, option 0 everywhere.
    #[must_use]
    pub fn new(seed: Option<u64>) -> Simulation {
        match seed {
            Some(seed) => Simulation::with(Random::new(seed)),
            None => Simulation::with(First),
        }
    }

    /// A world at time 0 whose choices are made by a strategy.
    #[must_use]
    pub fn with(strategy: impl Strategy + 'static) -> Simulation {
        Simulation::with_boxed(Box::new(strategy))
    }

    /// See [`Simulation::with`].
    #[must_use]
    pub fn with_boxed(strategy: Box<dyn Strategy>) -> Simulation {
        Simulation {
            world: Arc::new(World::new(strategy)),
            steps_max: STEPS_MAX,
            #[cfg(feature = "engines")]
            patience: None,
        }
    }

    /// Runs inside a paused tokio runtime, so that tools may use tokio's files, processes, sockets and clock. Before
    /// virtual time moves on, what is outside gets so long in real time to answer; with real answers a run is no longer
    /// a function of its choices alone. Times are whole milliseconds there.
    #[cfg(feature = "engines")]
    #[must_use]
    pub fn in_tokio(mut self, patience: std::time::Duration) -> Simulation {
        self.patience = Some(patience);
        self
    }

    /// After how many steps a run is given up as a livelock.
    #[must_use]
    pub fn steps_max(mut self, steps: u64) -> Simulation {
        self.steps_max = steps;
        self
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
        #[cfg(feature = "engines")]
        if let Some(patience) = self.patience {
            return self.run_in_tokio(patience, root);
        }
        let ended = self.drive(&self.begin(root));
        self.world.end();
        ended
    }

    /// Runs as one does that is [`in_tokio`](Simulation::in_tokio).
    #[cfg(feature = "engines")]
    pub(crate) fn run_in_tokio<T: Send + 'static>(
        &self,
        patience: std::time::Duration,
        root: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, Stuck> {
        super::hybrid::drive(&self.world, self.steps_max, patience, &self.begin(root))
    }

    /// Makes a future the first task; gives the place where it leaves its value.
    fn begin<T: Send + 'static>(
        &self,
        root: impl Future<Output = T> + Send + 'static,
    ) -> Arc<Mutex<Option<T>>> {
        let result = Arc::new(Mutex::new(None));
        let slot = Arc::clone(&result);
        let work = Box::pin(async move {
            let value = root.await;
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
        });
        self.world.spawn(TaskName { kind: "root", index: 0 }, work);
        result
    }

    fn drive<T>(&self, result: &Mutex<Option<T>>) -> Result<T, Stuck> {
        for _ in 0..self.steps_max {
            if let Some(value) = result.lock().unwrap_or_else(PoisonError::into_inner).take() {
                return Ok(value);
            }
            match self.world.pick() {
                Pick::Task(task) => self.world.step(task),
                Pick::GivenUp => return Err(Stuck::GivenUp),
                Pick::Nobody if self.world.settle() || self.world.advance() => {}
                Pick::Nobody => return Err(Stuck::Deadlock(self.world.waiting())),
            }
        }
        Err(Stuck::Livelock { steps: self.steps_max, busy: self.world.waiting() })
    }
}

impl std::fmt::Debug for Simulation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Simulation").field("now", &self.now()).finish_non_exhaustive()
    }
}
