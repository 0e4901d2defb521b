//! Where faults strike: a choice each time, and what comes of it for tools, turns and messages.

use std::panic::resume_unwind;
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use toolwright::env::{Access, Env, Handle, Object, TaskName};
use toolwright::pipeline::BodyResult;
use toolwright::query::{ModelError, ModelErrorKind};
use toolwright::session::Session;

use super::kind::Fault;
use super::rates::Faults;

/// How much longer than usual what is slow takes.
const SLOW: Duration = Duration::from_secs(90);
/// How long a person waits for what hangs before they stop it.
const PATIENCE: Duration = Duration::from_secs(3_600);
/// How long a silent person is silent.
const SILENCE: Duration = Duration::from_secs(24 * 3_600);
/// How many characters are far too much.
pub(super) const HUGE_CHARS: usize = 150_000;
/// Into how many parts a turn is cut, at one of which it is stopped.
const PARTS: usize = 8;

/// The faults of one session.
pub(crate) struct Faulty {
    env: Env,
    faults: Faults,
    session: OnceLock<Weak<Session>>,
}

/// How a person stops a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stops {
    Abort,
    Interrupt,
}

impl Faulty {
    pub(crate) fn new(env: Env, faults: Faults) -> Arc<Faulty> {
        Arc::new(Faulty { env, faults, session: OnceLock::new() })
    }

    /// Whose turns a person stops who has had enough.
    pub(crate) fn is_of(&self, session: &Arc<Session>) {
        // It is told once, and a second session would be another's.
        drop(self.session.set(Arc::downgrade(session)));
    }

    pub(crate) fn has(&self, fault: Fault) -> bool {
        self.faults.has(fault)
    }

    /// Whether the fault strikes now.
    pub(crate) fn strikes(&self, fault: Fault) -> bool {
        self.faults.every(fault).is_some_and(|every| self.env.choose(fault.label(), every) == 1)
    }

    pub(super) fn env(&self) -> &Env {
        &self.env
    }

    /// Waits where something is slow.
    pub(super) async fn drag(&self) {
        self.env.sleep(SLOW).await;
    }

    /// What goes wrong with a body that would take so long; nothing where it does its work after all.
    pub(crate) async fn befalls(&self, is_remote: bool, latency: Duration) -> Option<BodyResult> {
        if self.strikes(Fault::ToolSlow) {
            self.drag().await;
        }
        if self.strikes(Fault::ToolPanics) {
            self.env.sleep(latency / 2).await;
            panics("a tool panicked as it was told");
        }
        if self.strikes(Fault::ToolHangs) {
            self.hang().await;
        }
        if is_remote && self.strikes(Fault::McpDisconnects) {
            self.env.sleep(latency / 2).await;
            return Some(error("the server closed the connection"));
        }
        if self.strikes(Fault::ToolFails) {
            self.env.sleep(latency).await;
            return Some(error("the tool failed as it was told"));
        }
        if self.strikes(Fault::ToolHuge) {
            self.env.sleep(latency).await;
            return Some(BodyResult { content: "x".repeat(HUGE_CHARS).into(), is_error: false });
        }
        None
    }

    /// Never ends by itself. The person who waits for it stops the turn at last.
    pub(super) async fn hang(&self) {
        let (env, session) = (self.env.clone(), self.session.get().cloned());
        drop(self.env.spawn(TaskName { kind: "impatient person", index: 0 }, async move {
            env.sleep(PATIENCE).await;
            env.point(Object::Stop, Access::Write).await;
            if let Some(session) = session.and_then(|session| session.upgrade()) {
                session.abort();
            }
        }));
        std::future::pending().await
    }

    /// What goes wrong with a person who is asked: whether they answer after all.
    pub(crate) async fn answers(&self) -> bool {
        if self.strikes(Fault::PersonLost) {
            panics("whatever asks the person broke down");
        }
        let is_silent = self.strikes(Fault::PersonSilent);
        if is_silent {
            self.env.sleep(SILENCE).await;
        }
        !is_silent
    }

    /// How a person stops a turn that takes so long, and after which part of it; nothing where they let it be.
    pub(crate) fn stops(&self, span: Duration) -> Option<(Stops, Duration)> {
        let how = if self.strikes(Fault::Abort) {
            Stops::Abort
        } else if self.strikes(Fault::Interrupt) {
            Stops::Interrupt
        } else {
            return None;
        };
        let part = self.env.choose("fault: after how many parts of the turn", PARTS + 1);
        let part = u32::try_from(part).expect("a small number");
        Some((how, span * part / u32::try_from(PARTS).expect("a small number")))
    }
}

/// Stops the running turn of a session some time from now.
pub(crate) fn stop_later(env: &Env, session: &Arc<Session>, how: Stops, after: Duration) -> Handle {
    let (own, session) = (env.clone(), Arc::downgrade(session));
    env.spawn(TaskName { kind: "abort", index: 0 }, async move {
        own.sleep(after).await;
        own.point(Object::Stop, Access::Write).await;
        let Some(session) = session.upgrade() else { return };
        match how {
            Stops::Abort => session.abort(),
            Stops::Interrupt => session.interrupt(),
        }
    })
}

/// How a message breaks off.
pub(crate) fn broken_stream() -> ModelError {
    ModelError::new(ModelErrorKind::Connection, "the connection broke in the middle of the message")
}

fn error(text: &str) -> BodyResult {
    BodyResult { content: text.into(), is_error: true }
}

/// Panics without a word on the terminal: what is meant to happen is no news.
pub(super) fn panics(text: &'static str) -> ! {
    resume_unwind(Box::new(text))
}
