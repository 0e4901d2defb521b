//! The clients whose calls run: who is told of a call's progress, and who is asked about it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use rmcp::model::{ElicitRequestParams, ProgressNotificationParam, ProgressToken, ProtocolVersion};
use rmcp::service::{Peer, RequestContext, RoleServer};
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};
use toolwright::env::{Env, Tick};
use toolwright::event::{Event, EventSink};
use toolwright::hooks::{Hook, HookCall, HookError, HookStage, PostToolUse};
use toolwright::permission::{Answer, Prompter, Question};

/// How many reports of progress may wait to be sent; more are dropped.
const REPORTS_MAX: usize = 256;
/// How long an answer is waited for. A call that waits may keep others waiting.
const ANSWER_PATIENCE: Duration = Duration::from_secs(300);

/// The clients whose calls run. A session is built with it as sink, prompter and hook. Cheap to clone; clones share.
#[derive(Clone, Default)]
pub struct Clients(Arc<Mutex<BTreeMap<String, Calling>>>);

/// A call that runs for a client.
struct Calling {
    env: Env,
    asks: Asks,
    reports: Option<mpsc::Sender<Value>>,
    output: Option<Value>,
}

/// How a client is asked.
#[derive(Clone)]
enum Asks {
    /// It cannot be.
    Not,
    /// By a request of its own, in the older era.
    ByRequest(Peer<RoleServer>),
    /// In the answer to its call, which it then makes again, in the newer era.
    InAnswer(mpsc::Sender<Asked>),
}

/// A question that a client is to be asked in the answer to its call.
pub(super) struct Asked {
    pub(super) form: ElicitRequestParams,
    /// Takes what the client says, as the protocol writes it.
    pub(super) answer: oneshot::Sender<Value>,
}

/// What a call has for its client while it runs.
pub(super) struct Begun {
    pub(super) running: Running,
    pub(super) asked: mpsc::Receiver<Asked>,
    pub(super) reports: Option<Reports>,
}

/// Reports of progress, and what the client calls them by.
pub(super) type Reports = (ProgressToken, mpsc::Receiver<Value>);

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

    /// A call of a client begins.
    pub(super) fn begin(&self, call: String, env: &Env, cx: &RequestContext<RoleServer>) -> Begun {
        let (ask, asked) = mpsc::channel(1);
        let is_newer =
            cx.protocol_version().is_some_and(|version| version.as_str() >= ProtocolVersion::LATEST.as_str());
        let can_ask = cx.client_capabilities().and_then(|client| client.elicitation);
        // A client that says nothing of forms and addresses has forms.
        let has_forms = can_ask.is_some_and(|can| can.form.is_some() || can.url.is_none());
        let asks = match (has_forms, is_newer) {
            (false, _) => Asks::Not,
            (true, false) => Asks::ByRequest(cx.peer.clone()),
            (true, true) => Asks::InAnswer(ask),
        };
        let calling = Calling { env: env.clone(), asks, reports: None, output: None };
        self.lock().insert(call.clone(), calling);
        let reports = self.report_to(&call, cx);
        Begun { running: Running { clients: self.clone(), call }, asked, reports }
    }

    /// From now on progress is reported to this request of a call, where its client wants that.
    pub(super) fn report_to(&self, call: &str, cx: &RequestContext<RoleServer>) -> Option<Reports> {
        let token = cx.meta.get_progress_token();
        let (send, receive) = mpsc::channel(REPORTS_MAX);
        self.lock().get_mut(call)?.reports = token.is_some().then_some(send);
        token.map(|token| (token, receive))
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
        if let Event::Progress { call, data, .. } = event
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
        let (env, asks) = {
            let clients = self.lock();
            let calling = clients.get(question.call.as_str())?;
            (calling.env.clone(), calling.asks.clone())
        };
        let form = asked(question)?;
        let answered = async {
            match asks {
                Asks::Not => Err(format!(
                    "nobody could be asked whether `{}` may run, since this client cannot ask: a rule in the settings of the \
                     server can allow it",
                    question.tool
                )),
                Asks::ByRequest(peer) => {
                    let answer = peer.create_elicitation(form).await.map_err(|error| error.to_string())?;
                    serde_json::to_value(answer).map_err(|error| error.to_string())
                }
                Asks::InAnswer(ask) => {
                    let (answer, said) = oneshot::channel();
                    let gone = || "the client is no longer there to be asked".to_owned();
                    ask.send(Asked { form, answer }).await.map_err(|_| gone())?;
                    said.await.map_err(|_| gone())
                }
            }
        };
        let late = || format!("the client did not answer whether `{}` may run", question.tool);
        match env.timeout(ANSWER_PATIENCE, answered).await.unwrap_or_else(|_elapsed| Err(late())) {
            Ok(said) if said["action"] == "accept" && said["content"]["allow"] == true => {
                Some(Answer::Allow { input: None })
            }
            Ok(_no) => Some(Answer::Deny { message: None }),
            Err(why) => Some(Answer::Deny { message: Some(why) }),
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

/// Sends the reports of a call to its client, until it ends. Steps are counted where a tool does not count them itself,
/// since clients want numbers that grow.
pub(super) async fn report(peer: Peer<RoleServer>, (token, mut reports): Reports) {
    let mut last = f64::NEG_INFINITY;
    let mut count = 0.0_f64;
    while let Some(data) = reports.recv().await {
        count += 1.0;
        let own = data["progress"].as_f64().filter(|own| *own > last);
        let step = own.unwrap_or(if last < count { count } else { last + 1.0 });
        last = step;
        let mut told = ProgressNotificationParam::new(token.clone(), step);
        told.total = own.and(data["total"].as_f64());
        let text = data["message"].as_str().map(str::to_owned);
        told.message = text.or_else(|| own.is_none().then(|| data.to_string()));
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
