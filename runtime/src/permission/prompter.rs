//! Asking a person.

use std::fmt;
use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use tokio::sync::Notify;

use super::{Grant, Mode, QuestionKey, Suggestion, Why};
use crate::contract::Context;
use crate::message::{CallId, RawInput};

/// What a person, or a hook, is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// The call.
    pub call: CallId,
    /// The tool's name, as the model wrote it.
    pub tool: String,
    /// One line about the call.
    pub description: String,
    /// The input that would run.
    pub input: RawInput,
    /// Why it asks.
    pub reason: String,
    /// The kind of reason.
    pub why: Why,
    /// The mode in which it asks.
    pub mode: Mode,
    /// What the call would run in: paths in its input lead on from its working directory.
    pub context: Arc<Context>,
    /// Rules that an answer may keep, so that the same is not asked again. None where no rule could answer.
    pub suggestions: Vec<Suggestion>,
    /// What a classifier finds worrying about it, once it has said so.
    pub worry: Worry,
    /// The agents that it comes from, the innermost last; none for a call of the session itself.
    pub agents: Vec<String>,
    /// What an answer is tied to.
    pub key: QuestionKey,
}

/// What a person, or a hook, answers.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// Run it: as it is, or with another input, which is checked again.
    Allow {
        /// The other input.
        input: Option<RawInput>,
    },
    /// Run it, and keep these rules. Where no rule may answer, the yes counts once and nothing is kept.
    Always {
        /// The other input.
        input: Option<RawInput>,
        /// The rules.
        grants: Vec<Grant>,
    },
    /// Do not run it. The message is what the model reads; without one it reads our words.
    Deny {
        /// What the model reads.
        message: Option<String>,
    },
}

/// Asks a person. The future is dropped when somebody else has answered: then the dialog is to be withdrawn.
#[async_trait]
pub trait Prompter: Send + Sync + 'static {
    /// Asks, and waits for the answer; nothing means that the person went away without one, or was never shown it.
    async fn ask(&self, question: &Question) -> Option<Answer>;
}

#[async_trait]
impl<P: Prompter + ?Sized> Prompter for Arc<P> {
    async fn ask(&self, question: &Question) -> Option<Answer> {
        self.as_ref().ask(question).await
    }
}

/// What a classifier finds worrying about a call. It may come while the question is already shown. Cheap to clone;
/// clones share.
#[derive(Clone, Default)]
pub struct Worry(Arc<Told>);

#[derive(Default)]
struct Told {
    text: OnceLock<String>,
    notify: Notify,
}

impl Worry {
    /// What it is, if it has been said.
    #[must_use]
    pub fn now(&self) -> Option<&str> {
        self.0.text.get().map(String::as_str)
    }

    /// Waits until it is said, which may be never.
    pub async fn said(&self) -> &str {
        loop {
            let mut told = std::pin::pin!(self.0.notify.notified());
            told.as_mut().enable();
            if let Some(text) = self.now() {
                return text;
            }
            told.await;
        }
    }

    /// Says it; the first word stays.
    pub(crate) fn say(&self, text: String) {
        drop(self.0.text.set(text));
        self.0.notify.notify_waiters();
    }
}

impl PartialEq for Worry {
    fn eq(&self, other: &Worry) -> bool {
        self.now() == other.now()
    }
}

impl fmt::Debug for Worry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Worry").field(&self.now()).finish()
    }
}
