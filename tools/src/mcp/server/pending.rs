//! Calls that run, and those of them that wait for an answer which the client brings with its next request.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rmcp::ErrorData;
use rmcp::model::{CallToolRequestParams, ElicitRequest, InputRequest, InputRequiredResult};
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::DropGuard;

use super::clients::Asked;

/// How many calls may wait for answers at once.
const WAITING_MAX: usize = 1_000;
/// By what a question goes among the requests of an answer: there is one at a time.
const QUESTION: &str = "permission";

/// A call that runs. Dropping it stops it.
pub(super) struct Pending {
    pub(super) call: String,
    /// What was asked for, so that an answer is for that and nothing else.
    pub(super) wanted: Wanted,
    pub(super) asked: mpsc::Receiver<Asked>,
    /// What the call comes to; nothing where it was stopped before it began.
    pub(super) result: oneshot::Receiver<Option<Value>>,
    pub(super) _stop: DropGuard,
}

/// Which tool, with which input.
#[derive(Clone, PartialEq)]
pub(super) struct Wanted {
    pub(super) tool: String,
    pub(super) input: String,
}

/// The calls that wait for answers, by what their clients were given to name them.
#[derive(Default)]
pub(super) struct Waiting(Mutex<BTreeMap<String, (Pending, oneshot::Sender<Value>)>>);

impl Wanted {
    pub(super) fn of(request: &mut CallToolRequestParams) -> Wanted {
        let input = Value::Object(request.arguments.take().unwrap_or_default()).to_string();
        Wanted { tool: request.name.clone().into_owned(), input }
    }
}

impl Waiting {
    /// Has a call wait for an answer; gives what its client is told. `state` is not to be guessed.
    pub(super) fn park(
        &self,
        state: String,
        pending: Pending,
        asked: Asked,
    ) -> Result<InputRequiredResult, ErrorData> {
        let mut waiting = self.lock();
        // Nobody waits for the answer any more where it was waited for too long.
        waiting.retain(|_, (_, answer)| !answer.is_closed());
        if waiting.len() >= WAITING_MAX {
            return Err(ErrorData::internal_error("too many calls wait for answers: try again later", None));
        }
        let request = InputRequest::Elicitation(ElicitRequest::new(asked.form));
        waiting.insert(state.clone(), (pending, asked.answer));
        Ok(InputRequiredResult::new(Some([(QUESTION.to_owned(), request)].into()), Some(state)))
    }

    /// Gives a call its answer, and the call back. An answer to another call is none.
    pub(super) fn answered(
        &self,
        state: &str,
        wanted: &Wanted,
        answers: Option<BTreeMap<String, Value>>,
    ) -> Result<Pending, ErrorData> {
        let mut waiting = self.lock();
        let is_this = waiting.get(state).is_some_and(|(pending, _)| pending.wanted == *wanted);
        let Some((pending, answer)) = waiting.remove(state).filter(|_| is_this) else {
            let why = "no such question is open: call the tool again without `requestState`";
            return Err(ErrorData::invalid_params(why, None));
        };
        let said = answers.unwrap_or_default().remove(QUESTION).unwrap_or_default();
        // A call that ended meanwhile has its result ready.
        let _ended = answer.send(said);
        Ok(pending)
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, (Pending, oneshot::Sender<Value>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
