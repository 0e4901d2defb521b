//! A session that a developer builds, as what is explored: with the builder of production, in virtual time.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use toolwright::env::{BoxFuture, Env};
use toolwright::event::{EventSink, Recorder};
use toolwright::message::Turn;
use toolwright::session::{Groundwork, Session, SessionBuilder};

use super::subject::{Identity, Ran, Subject};
use crate::engine::{Simulation, stream};
#[cfg(feature = "engines")]
use crate::engine::{Stuck, Waits};
use crate::faults::{
    Fault, Faults, Faulty, FaultyBodies, FaultyClassifier, FaultyHook, FaultyStore, stop_later,
};
use crate::replay::Conditions;

/// How many calls run side by side in a scene unless said.
const CAP_DEFAULT: NonZeroUsize = NonZeroUsize::new(10).expect("ten is not zero");

type Build = dyn Fn(Env) -> SessionBuilder + Send + Sync;
type Drive = dyn Fn(Env, Arc<Session>) -> BoxFuture<'static, ()> + Send + Sync;

/// A session and what is done with it. Everything in it that waits must wait on the environment that it is given. Its
/// rules are compiled once, and tools have their schemas made once where the builder gives clones of one catalogue.
pub struct Scene {
    name: String,
    build: Box<Build>,
    drive: Box<Drive>,
    cap: NonZeroUsize,
    faults: Vec<Fault>,
    /// What no run has to make anew, as far as the builder gives the same rules and tools each time.
    groundwork: Groundwork,
    #[cfg(feature = "engines")]
    patience: Option<Duration>,
}

/// Within which time a turn is stopped, where that is the fault.
const STOPPED_WITHIN: Duration = Duration::from_millis(16);

impl Scene {
    /// A session of this builder, in which these turns are run one after another.
    #[must_use]
    pub fn turns(
        name: impl Into<String>,
        turns: impl IntoIterator<Item = Turn>,
        build: impl Fn(Env) -> SessionBuilder + Send + Sync + 'static,
    ) -> Scene {
        let turns: Vec<Turn> = turns.into_iter().collect();
        let name = format!("{} {turns:?}", name.into());
        Scene::driven(name, build, move |_env, session| {
            let turns = turns.clone();
            Box::pin(async move {
                for turn in turns {
                    session.run_turn(turn).await;
                }
            })
        })
    }

    /// A session of this builder, and what is done with it.
    #[must_use]
    pub fn driven(
        name: impl Into<String>,
        build: impl Fn(Env) -> SessionBuilder + Send + Sync + 'static,
        drive: impl Fn(Env, Arc<Session>) -> BoxFuture<'static, ()> + Send + Sync + 'static,
    ) -> Scene {
        Scene {
            name: name.into(),
            build: Box::new(build),
            drive: Box::new(drive),
            cap: CAP_DEFAULT,
            faults: Vec::new(),
            groundwork: Groundwork::new(),
            #[cfg(feature = "engines")]
            patience: None,
        }
    }

    /// Runs it inside a paused tokio runtime, for tools that wait on tokio itself; without the feature `engines` whatever a
    /// body waits for must be waited for through its `cx`. See
    /// [`Simulation::in_tokio`](crate::engine::Simulation::in_tokio) for what the patience is: where nothing but tokio's
    /// clock is waited for, none is needed.
    #[cfg(feature = "engines")]
    #[must_use]
    pub fn in_tokio(mut self, patience: Duration) -> Scene {
        self.patience = Some(patience);
        self
    }

    /// How many calls run side by side.
    #[must_use]
    pub fn cap(mut self, cap: NonZeroUsize) -> Scene {
        self.cap = cap;
        self
    }

    /// Which faults a seed may put in; how often each strikes is drawn with it. Where a tool fails, another body stands
    /// in its place. Of the person and the model, which are the scene's own, nothing goes wrong, and no tool is slow.
    #[must_use]
    pub fn faults(mut self, faults: impl IntoIterator<Item = Fault>) -> Scene {
        self.faults = faults.into_iter().collect();
        self
    }
}

/// The session with what goes wrong around it.
fn with_faults(builder: SessionBuilder, faults: &Faults, faulty: &Arc<Faulty>) -> SessionBuilder {
    let any = |of: &[Fault]| of.iter().any(|fault| faults.has(*fault));
    let mut builder = builder;
    if any(&FaultyBodies::FAULTS) {
        builder = builder.bodies(FaultyBodies(Arc::clone(faulty)));
    }
    if any(&FaultyHook::FAULTS) {
        builder = builder.hook(FaultyHook(Arc::clone(faulty)));
    }
    if any(&[Fault::ClassifierFails]) {
        builder = builder.classifier(FaultyClassifier(Arc::clone(faulty)));
    }
    if any(&[Fault::DiskFull]) {
        builder = builder.store(FaultyStore(Arc::clone(faulty)));
    }
    builder
}

/// A session that is ready to be driven.
struct Ready {
    recorder: Arc<Recorder>,
    cap: NonZeroUsize,
    driven: BoxFuture<'static, ()>,
}

impl Scene {
    /// The session in this environment, under these conditions.
    fn ready(&self, env: Env, conditions: &Conditions) -> Ready {
        let recorder = Arc::new(Recorder::default());
        let env = env.with_sink(Arc::clone(&recorder) as Arc<dyn EventSink>);
        let cap = conditions.cap.unwrap_or(self.cap);
        let builder = (self.build)(env.clone()).cap(cap).groundwork(&self.groundwork);
        let builder = match conditions.mode {
            Some(mode) => builder.mode(mode),
            None => builder,
        };
        let faulty = Faulty::new(env.clone(), conditions.faults.clone());
        let session = Arc::new(with_faults(builder, &conditions.faults, &faulty).build());
        faulty.is_of(&session);
        let driven = (self.drive)(env.clone(), Arc::clone(&session));
        let driven = Box::pin(async move {
            if let Some((how, after)) = faulty.stops(STOPPED_WITHIN) {
                drop(stop_later(&env, &session, how, after));
            }
            drop(session);
            driven.await;
        });
        Ready { recorder, cap, driven }
    }

    /// Runs it once on so many real threads, in real time: whatever comes of it, some run of the simulation must show.
    #[cfg(feature = "engines")]
    #[must_use]
    pub fn on_threads(&self, threads: NonZeroUsize, conditions: &Conditions) -> Ran {
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        let runtime = builder.worker_threads(threads.get()).enable_all().build();
        let runtime = runtime.expect("a runtime needs nothing but what the system gives to every process");
        runtime.block_on(async {
            let env = Env::tokio().expect("it is asked for inside a runtime");
            let Ready { recorder, cap, driven } = self.ready(env, conditions);
            // In a task, so that it is on one of the threads too.
            let ended = tokio::time::timeout(THREADS_MAX, tokio::spawn(driven)).await;
            let ended = match ended {
                Ok(Ok(())) => Ok(()),
                Ok(Err(_panicked)) => Err(Stuck::Deadlock(Waits::default())),
                Err(_elapsed) => Err(Stuck::Livelock { steps: 0, busy: Waits::default() }),
            };
            Ran { events: recorder.take(), ended, cap }
        })
    }
}

/// How long a run on real threads may take.
#[cfg(feature = "engines")]
const THREADS_MAX: Duration = Duration::from_secs(60);

impl Subject for Scene {
    fn run(&self, simulation: &Simulation, conditions: &Conditions) -> Ran {
        let Ready { recorder, cap, driven } = self.ready(simulation.env(), conditions);
        #[cfg(feature = "engines")]
        if let Some(patience) = self.patience {
            let ended = simulation.run_in_tokio(patience, driven);
            return Ran { events: recorder.take(), ended, cap };
        }
        let ended = simulation.run(driven);
        Ran { events: recorder.take(), ended, cap }
    }

    fn identity(&self) -> Identity {
        Identity::of(&self.name, &self.cap.to_string())
    }

    fn conditions(&self, seed: u64) -> Conditions {
        Conditions {
            faults: Faults::draw(&self.faults, &mut stream(seed, "faults")),
            ..Conditions::default()
        }
    }
}

impl std::fmt::Debug for Scene {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scene").field("name", &self.name).finish_non_exhaustive()
    }
}
