//! What a call ends with, and what the scheduler knows of it while it runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::env::Env;
use crate::event::{Event, Outcome, Refusal};
use crate::message::{CallId, Message, ToolResult};
use crate::scheduler::Work;

/// What a call ends with.
#[derive(Clone, Debug, PartialEq)]
pub struct Completion {
    /// The one result.
    pub result: ToolResult,
    /// Messages to put into the conversation after the results of the turn.
    pub new_messages: Vec<Message>,
}

impl Completion {
    pub(super) fn error(call: &CallId, text: impl Into<String>) -> Completion {
        Completion { result: ToolResult::error(call.clone(), text), new_messages: Vec::new() }
    }
}

/// One call, as the scheduler knows it.
pub(crate) struct CallWork {
    pub(crate) env: Env,
    pub(crate) call: CallId,
    pub(crate) label: Arc<str>,
    pub(crate) body_runs: AtomicBool,
}

impl Work for CallWork {
    type Result = Completion;

    fn label(&self) -> Arc<str> {
        Arc::clone(&self.label)
    }

    fn lost(&self) -> Completion {
        let call = || self.call.clone();
        if self.body_runs.load(Ordering::Relaxed) {
            self.env.emit(|| Event::Finished { call: call(), outcome: Outcome::Panicked });
        } else {
            let reason = "its task ended without a result".to_owned();
            self.env.emit(|| Event::Refused { call: call(), step: Refusal::Lost, reason });
        }
        Completion::error(&self.call, "the call ended without a result: something around the tool panicked")
    }

    fn refused_second_result(&self) {
        self.env.emit(|| Event::ResultRefused { call: self.call.clone() });
    }
}
