//! Turns on a minimal pipeline: one tool, one person, one hook that races with the person, and nothing else.

use std::future::ready;
use std::sync::Arc;

use async_trait::async_trait;
use toolwright::env::{Access, Env, Object, TaskName};
use toolwright::event::{Event, Stamped};
use toolwright::message::{ToolUse, Turn};
use toolwright::permission::{Answer, Prompter, Question};
use toolwright::prelude::*;
use toolwright::registry::Catalogue;
use toolwright::session::{Session, SessionBuilder};
use toolwright_sim::explore::Scene;

use super::hooks::Rival;
use super::world::{ms, number};

/// One call of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Shape {
    /// Whether it may run beside others.
    pub(crate) safe: bool,
    pub(crate) end: End,
    /// Who is asked.
    pub(crate) racers: Racers,
}

/// How a call ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum End {
    Ok,
    Fails,
    /// Its failure fells the others.
    Fells,
    /// It never runs.
    Unknown,
}

/// Who is asked about a call, and says what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Racers {
    Nobody,
    /// The person alone, who says no.
    No,
    /// The person, who says yes, and a hook, which says no.
    Two,
}

impl Shape {
    pub(crate) const SAFE: Shape = Shape { safe: true, end: End::Ok, racers: Racers::Nobody };
    pub(crate) const ALONE: Shape = Shape { safe: false, ..Shape::SAFE };
    pub(crate) const RACED: Shape = Shape { racers: Racers::Two, ..Shape::SAFE };
}

/// Works at once, and ends as it is told.
#[tool(concurrency_safe = |work| work.safe, read_only = |work| !work.asks)]
struct Plain {
    /// Whether it may run beside others.
    safe: bool,
    /// Whether somebody must be asked.
    asks: bool,
    /// Whether it fails.
    fails: bool,
    /// How long it takes.
    ms: u64,
}

/// Like `Plain`; its failure fells the others.
#[tool(concurrency_safe = |work| work.safe, read_only = |work| !work.asks, cancels_siblings)]
struct Marked {
    /// Whether it may run beside others.
    safe: bool,
    /// Whether somebody must be asked.
    asks: bool,
    /// Whether it fails.
    fails: bool,
    /// How long it takes.
    ms: u64,
}

macro_rules! works {
    ($($tool:ty),*) => {$(
        impl Tool for $tool {
            type Output = String;

            fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
                if self.asks { Effects::unknown("it wants to be asked about") } else { Effects::none() }
            }

            async fn call(&self, cx: &Cx<'_, Self>) -> Result<String, ToolError> {
                cx.sleep(ms(self.ms)).await;
                if self.fails { Err(ToolError::new("it failed")) } else { Ok("done".to_owned()) }
            }
        }
    )*};
}

works!(Plain, Marked);

/// Says yes where there is a race, and no where not; the calls that race are known by their names.
struct Person;

#[async_trait]
impl Prompter for Person {
    async fn ask(&self, question: &Question) -> Option<Answer> {
        Some(if question.call.as_str().starts_with("raced") {
            Answer::Allow { input: None }
        } else {
            Answer::Deny { message: None }
        })
    }
}

/// How a minimal turn is run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct How {
    pub(crate) cap: usize,
    /// How long each body takes.
    pub(crate) ms: u64,
    /// An abort at this time.
    pub(crate) abort_ms: Option<u64>,
}

impl Default for How {
    fn default() -> How {
        How { cap: 10, ms: 10, abort_ms: None }
    }
}

fn calls(shapes: &[Shape], how: How) -> Vec<ToolUse> {
    let call = |(index, shape): (usize, &Shape)| {
        let name = match shape.end {
            End::Ok | End::Fails => "Plain",
            End::Fells => "Marked",
            End::Unknown => "Unknown",
        };
        let (kind, asks) = match shape.racers {
            Racers::Nobody => ("call", false),
            Racers::No => ("refused", true),
            Racers::Two => ("raced", true),
        };
        let fails = matches!(shape.end, End::Fails | End::Fells);
        let input = format!(r#"{{"safe":{},"asks":{asks},"fails":{fails},"ms":{}}}"#, shape.safe, how.ms);
        ToolUse::new(format!("{kind}{index}"), name, input)
    };
    shapes.iter().enumerate().map(call).collect()
}

fn builder(env: Env, has_rival: bool) -> SessionBuilder {
    let mut catalogue = Catalogue::new();
    catalogue.add::<Plain>().add::<Marked>();
    let builder = Session::builder(env, catalogue)
        .siblings(toolwright::session::SiblingPolicy::Marked)
        .prompter(Person);
    let denies = |_: &Question| ready(Some(Answer::Deny { message: None }));
    if has_rival { builder.hook(Rival(denies)) } else { builder }
}

/// A turn of these calls as something to explore.
pub(crate) fn turn(shapes: &[Shape], how: How) -> Scene {
    let has_rival = shapes.iter().any(|shape| shape.racers == Racers::Two);
    let calls = calls(shapes, how);
    let name = format!("{shapes:?} {how:?}");
    let scene = Scene::driven(
        name,
        move |env| builder(env, has_rival),
        move |env, session| {
            let (turn, abort) = (Turn::new(calls.clone()), how.abort_ms);
            Box::pin(async move {
                if let Some(after) = abort {
                    drop(
                        env.spawn(TaskName { kind: "abort", index: 0 }, aborts(env.clone(), &session, after)),
                    );
                }
                session.run_turn(turn).await;
            })
        },
    );
    scene.cap(number(how.cap))
}

fn aborts(env: Env, session: &Arc<Session>, after: u64) -> impl Future<Output = ()> + Send + use<> {
    let session = Arc::clone(session);
    async move {
        env.sleep(ms(after)).await;
        env.point(Object::Stop, Access::Write).await;
        session.abort();
    }
}

/// What is decided, run and answered, each call by itself: what an order of independent steps cannot change.
pub(crate) fn outcome(events: &[Stamped]) -> Vec<String> {
    let mut lines: Vec<String> = events
        .iter()
        .filter_map(|stamped| {
            let at = stamped.at.millis();
            match &stamped.event {
                Event::Decided(decided) => Some(format!("{} decided by {} {at}", decided.call, decided.by)),
                Event::Started { call, .. } => Some(format!("{call} started {at}")),
                Event::Finished { call, outcome } => Some(format!("{call} finished {outcome:?} {at}")),
                Event::Refused { call, step, .. } => Some(format!("{call} refused {step:?} {at}")),
                Event::Result { call, content, .. } => Some(format!("{call} result {content:?} {at}")),
                _other => None,
            }
        })
        .collect();
    lines.sort();
    lines
}
