//! What a call ends with, and what the scheduler knows of it while it runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::run::Services;
use crate::contract::first_lines;
use crate::env::Env;
use crate::event::{Digest, Event, Outcome, Refusal};
use crate::message::{CallId, Content, Message, RawInput, ToolResult};
use crate::scheduler::{Fells, Work};

/// What a call ends with.
#[derive(Clone, Debug, PartialEq)]
pub struct Completion {
    /// The one result.
    pub result: ToolResult,
    /// Messages to put into the conversation after the results of the turn.
    pub new_messages: Vec<Message>,
}

/// How a call ended, whichever way, before what else was said of it is added.
pub(super) struct Ended {
    pub(super) content: Content,
    pub(super) is_error: bool,
    pub(super) fells: Fells,
}

/// What is to be said of a call at its end beside its result, however it ends.
#[derive(Default)]
pub(super) struct Said {
    /// The call as a person reads it.
    pub(super) headline: String,
    /// What a person sees below that; the first lines of the result unless said.
    pub(super) shown: Option<Vec<String>>,
    /// What the tool puts into the conversation.
    pub(super) new_messages: Vec<Message>,
    /// What the model should know, from hooks.
    pub(super) notes: Vec<Message>,
    /// What the person should know, from hooks.
    pub(super) notices: Vec<String>,
}

impl Ended {
    pub(super) fn good(content: Content) -> Ended {
        Ended { content, is_error: false, fells: Fells::Nobody }
    }

    pub(super) fn error(content: impl Into<Content>, fells: Fells) -> Ended {
        Ended { is_error: true, fells, ..Ended::good(content.into()) }
    }

    /// The result and what goes with it, told to whoever shows calls to a person. Every call passes here.
    pub(super) fn complete(self, env: &Env, call: CallId, said: Option<Box<Said>>) -> (Completion, Fells) {
        let Ended { content, is_error, fells } = self;
        let new_messages = said.map(|said| told(env, &call, &content, *said)).unwrap_or_default();
        let result = ToolResult { tool_use_id: call, content, is_error };
        (Completion { result, new_messages }, fells)
    }
}

/// Tells a person what there is to be said of a call; gives what goes into the conversation.
fn told(env: &Env, call: &CallId, content: &Content, said: Said) -> Vec<Message> {
    let Said { headline, shown, mut new_messages, mut notes, notices } = said;
    env.emit(|| {
        let shown = shown.unwrap_or_else(|| first_lines(content));
        let lines = std::iter::once(headline).chain(shown).chain(notices).collect();
        Event::Rendered { call: call.clone(), lines }
    });
    new_messages.append(&mut notes);
    new_messages
}

/// One call, as the scheduler knows it.
pub(crate) struct CallWork {
    services: Arc<Services>,
    call: CallId,
    /// How other calls name it; nothing where none ever will.
    label: Option<Arc<str>>,
    has_begun: AtomicBool,
    has_ended: AtomicBool,
}

impl CallWork {
    pub(crate) fn new(services: Arc<Services>, call: CallId, label: Option<Arc<str>>) -> CallWork {
        let (has_begun, has_ended) = (AtomicBool::new(false), AtomicBool::new(false));
        CallWork { services, call, label, has_begun, has_ended }
    }

    /// What the call is run with.
    pub(super) fn services(&self) -> &Services {
        &self.services
    }

    /// The body begins, with this input.
    pub(super) fn begin_body(&self, input: &RawInput) {
        self.has_begun.store(true, Ordering::Release);
        let digest = || Digest::of(input.as_str());
        self.services.env.emit(|| Event::Started { call: self.call.clone(), input: digest() });
    }

    /// The body has ended.
    pub(super) fn end_body(&self, outcome: Outcome) {
        self.has_ended.store(true, Ordering::Release);
        self.services.env.emit(|| Event::Finished { call: self.call.clone(), outcome });
    }

    /// The call ends out of order, wherever it is: says so, since its result is to follow.
    pub(super) fn break_off(&self, outcome: Outcome, reason: &str) {
        if self.has_ended.load(Ordering::Acquire) {
            return;
        }
        if self.has_begun.load(Ordering::Acquire) {
            return self.end_body(outcome);
        }
        self.services.env.emit(|| Event::Refused {
            call: self.call.clone(),
            step: Refusal::Lost,
            reason: reason.to_owned(),
        });
    }
}

impl Work for CallWork {
    type Result = Completion;

    fn label(&self) -> Arc<str> {
        self.label.clone().unwrap_or_else(|| self.call.as_str().into())
    }

    fn lost(&self) -> Completion {
        let outcome = if std::thread::panicking() { Outcome::Panicked } else { Outcome::Cancelled };
        let reason = "the call ended without a result: its task was stopped";
        self.break_off(outcome, reason);
        let ended = Ended::error(reason, Fells::Nobody);
        let said = Said { headline: self.label().to_string(), ..Said::default() };
        ended.complete(&self.services.env, self.call.clone(), Some(Box::new(said))).0
    }

    fn refused_second_result(&self) {
        self.services.env.emit(|| Event::ResultRefused { call: self.call.clone() });
    }
}
