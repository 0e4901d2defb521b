//! A session that a developer builds, as what is explored: with the builder of production, in virtual time.

use std::num::NonZeroUsize;
use std::sync::Arc;

use toolwright::env::{BoxFuture, Env};
use toolwright::event::{EventSink, Recorder};
use toolwright::message::Turn;
use toolwright::session::{Session, SessionBuilder};

use super::subject::{Identity, Ran, Subject};
use crate::engine::Simulation;
use crate::replay::Conditions;

/// How many calls run side by side in a scene unless said.
const CAP_DEFAULT: NonZeroUsize = NonZeroUsize::new(10).expect("ten is not zero");

type Build = dyn Fn(Env) -> SessionBuilder + Send + Sync;
type Drive = dyn Fn(Env, Arc<Session>) -> BoxFuture<'static, ()> + Send + Sync;

/// A session and what is done with it. Everything in it that waits must wait on the environment that it is given.
pub struct Scene {
    name: String,
    build: Box<Build>,
    drive: Box<Drive>,
    cap: NonZeroUsize,
}

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
        Scene { name: name.into(), build: Box::new(build), drive: Box::new(drive), cap: CAP_DEFAULT }
    }

    /// How many calls run side by side.
    #[must_use]
    pub fn cap(mut self, cap: NonZeroUsize) -> Scene {
        self.cap = cap;
        self
    }
}

impl Subject for Scene {
    fn run(&self, simulation: &Simulation, conditions: &Conditions) -> Ran {
        let recorder = Arc::new(Recorder::default());
        let env = simulation.env().with_sink(Arc::clone(&recorder) as Arc<dyn EventSink>);
        let cap = conditions.cap.unwrap_or(self.cap);
        let builder = (self.build)(env.clone()).cap(cap);
        let builder = match conditions.mode {
            Some(mode) => builder.mode(mode),
            None => builder,
        };
        let ended = simulation.run((self.drive)(env, Arc::new(builder.build())));
        Ran { events: recorder.take(), ended, cap }
    }

    fn identity(&self) -> Identity {
        Identity::of(&self.name, &self.cap.to_string())
    }
}

impl std::fmt::Debug for Scene {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scene").field("name", &self.name).finish_non_exhaustive()
    }
}
