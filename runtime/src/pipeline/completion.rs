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

/// How a call ended, whichever way, before hooks' notes and rendering are added.
pub(super) struct Ended {
    pub(super) content: Content,
    pub(super) is_error: bool,
    pub(super) new_messages: Vec<Message>,
    /// What a person sees below the description; the first lines of the content unless said.
    pub(super) shown: Option<Vec<String>>,
    pub(super) fells: Fells,
}

impl Ended {
    pub(super) fn good(content: Content) -> Ended {
        let fells = Fells::Nobody;
        Ended { content, is_error: false, new_messages: Vec::new(), shown: None, fells }
    }

    pub(super) fn error(content: impl Into<Content>, fells: Fells) -> Ended {
        Ended { is_error: true, fells, ..Ended::good(content.into()) }
    }

    /// The result and what goes with it, told to whoever shows calls to a person. Every call passes here.
    pub(super) fn complete(
        self,
        env: &Env,
        call: CallId,
        description: String,
        mut notes: Vec<Message>,
        notices: Vec<String>,
    ) -> (Completion, Fells) {
        let Ended { content, is_error, mut new_messages, shown, fells } = self;
        env.emit(|| {
            let shown = shown.unwrap_or_else(|| first_lines(&content));
            rendered(&call, description, shown.into_iter().chain(notices).collect())
        });
        new_messages.append(&mut notes);
        let result = ToolResult { tool_use_id: call, content, is_error };
        (Completion { result, new_messages }, fells)
    }
}

fn rendered(call: &CallId, description: String, shown: Vec<String>) -> Event {
    let lines = std::iter::once(description).chain(shown).collect();
    Event::Rendered { call: call.clone(), lines }
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
        ended
            .complete(&self.services.env, self.call.clone(), self.label().to_string(), Vec::new(), Vec::new())
            .0
    }

    fn refused_second_result(&self) {
        self.services.env.emit(|| Event::ResultRefused { call: self.call.clone() });
    }
}
