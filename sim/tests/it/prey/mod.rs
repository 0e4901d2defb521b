//! Sessions in which implanted bugs show that need more than a recording: inputs that are rewritten, modes that change,
//! sessions within sessions, and crowds of steps between two of one task.

pub(crate) mod checks;
mod scenes;

pub(crate) use self::scenes::scenes;

use std::sync::Arc;

use async_trait::async_trait;
use futures_util::stream;
use tokio::sync::Notify;
use toolwright::env::{Access, Env, Object};
use toolwright::hooks::Hook;
use toolwright::message::{RawInput, ToolUse};
use toolwright::permission::{Answer, Prompter, Question};
use toolwright::prelude::*;
use toolwright::query::{Model, ModelEvent, ModelStream, Request};

use self::checks::{APPROVED, LISTED, RAN, say};
use super::hooks::{Rewrites, Rival};
use super::world::ms;

/// What the parts of a scene share: who wakes the crowd.
pub(crate) type Crowd = Arc<Notify>;

/// How many accesses the crowd announces each time.
const CROWD_STEPS: usize = 40;

/// Announces accesses that concern nobody, each time it is woken. Never ends.
pub(crate) async fn crowd(env: Env, woken: Crowd) {
    loop {
        woken.notified().await;
        for step in 0..CROWD_STEPS {
            env.point(Object::Claim(1_000 + step), Access::Read).await;
        }
    }
}

/// Does what it is told, and says what that was.
#[tool(concurrency_safe = |act| act.safe, read_only = |act| !act.asks && !act.deadly, state = Crowd)]
pub(crate) struct Act {
    /// Whether it may run beside others.
    safe: bool,
    /// Whether somebody must be asked.
    asks: bool,
    /// Whether it would remove everything there is.
    deadly: bool,
    /// How long it takes.
    ms: u64,
}

impl Tool for Act {
    type Output = String;

    fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
        if self.deadly {
            Effects::one(Effect::Remove("/".into()))
        } else if self.asks {
            Effects::unknown("it wants to be asked about")
        } else {
            Effects::none()
        }
    }

    async fn call(&self, cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        let Act { safe, asks, deadly, ms: wait } = self;
        let input = format!(r#"{{"safe":{safe},"asks":{asks},"deadly":{deadly},"ms":{wait}}}"#);
        say(cx.env(), RAN, Some(cx.call_id()), input);
        cx.sleep(ms(*wait)).await;
        cx.state().notify_one();
        Ok("done".to_owned())
    }
}

/// A call of [`Act`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Acts {
    pub(crate) safe: bool,
    pub(crate) asks: bool,
    pub(crate) deadly: bool,
    pub(crate) ms: u64,
}

impl Acts {
    pub(crate) const SAFE: Acts = Acts { safe: true, asks: false, deadly: false, ms: 10 };
    pub(crate) const ALONE: Acts = Acts { safe: false, ..Acts::SAFE };
    pub(crate) const ASKED: Acts = Acts { asks: true, ..Acts::SAFE };
    pub(crate) const DEADLY: Acts = Acts { deadly: true, safe: false, ..Acts::SAFE };

    pub(crate) fn input(self) -> String {
        let Acts { safe, asks, deadly, ms } = self;
        format!(r#"{{"safe":{safe},"asks":{asks},"deadly":{deadly},"ms":{ms}}}"#)
    }

    pub(crate) fn call(self, id: impl Into<String>) -> ToolUse {
        ToolUse::new(id.into(), "Act", self.input())
    }
}

/// Says yes, perhaps after a while, perhaps to another input, and says to what.
pub(crate) struct Person {
    pub(crate) env: Env,
    pub(crate) crowd: Crowd,
    /// What the person makes of a call, by the first letters of its identifier.
    pub(crate) rewrites: &'static [(&'static str, Acts)],
    /// How long the person may think.
    pub(crate) thinks_ms: u64,
}

#[async_trait]
impl Prompter for Person {
    async fn ask(&self, question: &Question) -> Option<Answer> {
        if self.thinks_ms > 0 {
            let thinks = self.env.choose("person", 3) as u64 * self.thinks_ms;
            self.env.sleep(ms(thinks)).await;
        }
        self.crowd.notify_one();
        let rewrite = self.rewrites.iter().find(|(kind, _)| question.call.as_str().starts_with(kind));
        let input = rewrite.map(|(_, acts)| RawInput::new(acts.input()));
        let approved = input.as_ref().unwrap_or(&question.input).as_str().to_owned();
        say(&self.env, APPROVED, Some(&question.call), approved);
        Some(Answer::Allow { input })
    }
}

/// Rewrites calls to this, perhaps after a while.
pub(crate) fn rewriter(env: Env, crowd: Crowd, to: Acts, thinks_ms: u64) -> impl Hook + 'static {
    Rewrites(move || {
        let (env, crowd) = (env.clone(), Arc::clone(&crowd));
        async move {
            if thinks_ms > 0 {
                let thinks = env.choose("hook", 3) as u64 * thinks_ms;
                env.sleep(ms(thinks)).await;
            }
            crowd.notify_one();
            to.input()
        }
    })
}

/// Answers in a person's place, perhaps after a while, and makes something deadly of what begins with `harmless`.
pub(crate) fn rival(env: Env) -> impl Hook + 'static {
    Rival(move |question: &Question| {
        let env = env.clone();
        let is_harmless = question.call.as_str().starts_with("harmless");
        async move {
            // Never when a person may: what both say at one instant is the prey of recordings.
            env.sleep(ms(1 + 2 * env.choose("rival", 3) as u64)).await;
            let input = RawInput::new(Acts::DEADLY.input());
            is_harmless.then_some(Answer::Allow { input: Some(input) })
        }
    })
}

/// Makes these calls, one message after another, and says which tools it was given.
pub(crate) struct Caller {
    pub(crate) env: Env,
    pub(crate) messages: std::sync::Mutex<Vec<Vec<ToolUse>>>,
}

impl Model for Caller {
    fn respond(&self, request: Request) -> ModelStream {
        say(&self.env, LISTED, None, request.tools.concat());
        let mut messages = self.messages.lock().expect("nobody panics");
        let calls = if messages.is_empty() { Vec::new() } else { messages.remove(0) };
        let events = calls.into_iter().enumerate().map(|(index, call)| Ok(ModelEvent::call(index, call)));
        Box::pin(stream::iter(events.collect::<Vec<_>>()))
    }
}
