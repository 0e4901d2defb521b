//! The clients whose calls run: who is told of a call's progress, and who is asked about it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use rmcp::model::{
    ElicitRequestParams, ElicitationAction, ProgressNotificationParam, ProgressToken, ProtocolVersion,
};
use rmcp::service::{ElicitationMode, Peer, RequestContext, RoleServer};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use toolwright::env::Tick;
use toolwright::event::{Event, EventSink};
use toolwright::hooks::{Hook, HookCall, HookError, HookStage, PostToolUse};
use toolwright::permission::{Answer, Prompter, Question};

/// How many reports of progress may wait to be sent; more are dropped.
const REPORTS_MAX: usize = 256;

/// The clients whose calls run. A session is built with it as sink, prompter and hook. Cheap to clone; clones share.
#[derive(Clone, Default)]
pub struct Clients(Arc<Mutex<BTreeMap<String, Calling>>>);

/// A call that runs for a client.
struct Calling {
    peer: Peer<RoleServer>,
    can_ask: bool,
    reports: Option<mpsc::Sender<Value>>,
    output: Option<Value>,
}

/// A call while it runs; at its end the client is forgotten.
pub(super) struct Running {
    clients: Clients,
    call: String,
}

impl Clients {
    /// No clients yet.
    #[must_use]
    pub fn new() -> Clients {
        Clients::default()
    }

    /// The sink of events of the session that is served.
    #[must_use]
    pub fn sink(&self) -> Arc<dyn EventSink> {
        Arc::new(self.clone())
    }

    /// A call of a client begins. Gives the reports of progress that are to be sent to it, where it wants them.
    pub(super) fn begin(
        &self,
        call: String,
        cx: &RequestContext<RoleServer>,
    ) -> (Running, Option<(ProgressToken, mpsc::Receiver<Value>)>) {
        let token = cx.meta.get_progress_token();
        let (send, receive) = mpsc::channel(REPORTS_MAX);
        let is_older =
            cx.protocol_version().is_none_or(|version| version.as_str() < ProtocolVersion::LATEST.as_str());
        let can_ask = is_older && cx.peer.supported_elicitation_modes().contains(&ElicitationMode::Form);
        let reports = token.is_some().then_some(send);
        let calling = Calling { peer: cx.peer.clone(), can_ask, reports, output: None };
        self.lock().insert(call.clone(), calling);
        (Running { clients: self.clone(), call }, token.map(|token| (token, receive)))
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Calling>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Running {
    /// What the tool gave back, as data.
    pub(super) fn take_output(&self) -> Option<Value> {
        self.clients.lock().get_mut(&self.call)?.output.take()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.clients.lock().remove(&self.call);
    }
}

impl EventSink for Clients {
    fn emit(&self, event: Event, _now: &dyn Fn() -> Tick) {
        if let Event::Progress { call, data } = event
            && let Some(Calling { reports: Some(reports), .. }) = self.lock().get(call.as_str())
        {
            // A client that does not keep up misses some.
            drop(reports.try_send(data));
        }
    }
}

#[async_trait]
impl Prompter for Clients {
    async fn ask(&self, question: &Question) -> Option<Answer> {
        let peer = {
            let clients = self.lock();
            let calling = clients.get(question.call.as_str())?;
            if !calling.can_ask {
                let message = format!(
                    "nobody could be asked whether `{}` may run, since this client cannot ask: a rule in the settings of the \
                     server can allow it",
                    question.tool
                );
                return Some(Answer::Deny { message: Some(message) });
            }
            calling.peer.clone()
        };
        let asked = peer.create_elicitation(asked(question)?).await.ok()?;
        let says_yes = asked.content.is_some_and(|content| content["allow"] == true);
        match asked.action {
            ElicitationAction::Accept if says_yes => Some(Answer::Allow { input: None }),
            _other => Some(Answer::Deny { message: None }),
        }
    }
}

/// The question as a form with one box to tick.
fn asked(question: &Question) -> Option<ElicitRequestParams> {
    let Question { tool, input, reason, .. } = question;
    let form = json!({
        "mode": "form",
        "message": format!("{tool} wants to run with the input\n{}\n({reason})", input.as_str()),
        "requestedSchema": {
            "type": "object",
            "properties": {"allow": {"type": "boolean", "title": "Allow it", "description": "Whether it may run, once."}},
            "required": ["allow"],
        },
    });
    serde_json::from_value(form).ok()
}

#[async_trait]
impl Hook for Clients {
    fn name(&self) -> &str {
        "results for clients"
    }

    fn stages(&self) -> &[HookStage] {
        &[HookStage::PostToolUse]
    }

    async fn post_tool_use(&self, call: &HookCall, output: &Value) -> Result<PostToolUse, HookError> {
        if let Some(calling) = self.lock().get_mut(call.call.as_str()) {
            calling.output = Some(output.clone());
        }
        Ok(PostToolUse::default())
    }
}

/// Sends the reports of a call to its client, until it ends. Steps are counted, since clients want numbers that grow.
pub(super) async fn report(peer: Peer<RoleServer>, token: ProgressToken, mut reports: mpsc::Receiver<Value>) {
    let mut step = 0.0_f64;
    while let Some(data) = reports.recv().await {
        step += 1.0;
        let mut told = ProgressNotificationParam::new(token.clone(), step);
        let text = data["message"].as_str().map(str::to_owned);
        told.message = Some(text.unwrap_or_else(|| data.to_string()));
        if peer.notify_progress(told).await.is_err() {
            return;
        }
    }
}

impl std::fmt::Debug for Clients {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Clients").field(&self.lock().len()).finish()
    }
}
