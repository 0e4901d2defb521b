//! What is done at a client's request.

use std::num::NonZeroUsize;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CustomRequest, CustomResult, ErrorCode,
    Implementation, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{ErrorData, ServerHandler};
use serde_json::{Value, json};
use tokio::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard, oneshot};
use tokio_util::sync::CancellationToken;
use toolwright::contract::Origin;
use toolwright::env::{Cancellation, Cause, Either, Env, TaskName};
use toolwright::message::{ToolResult, ToolUse, Turn};
use toolwright::session::Session;

use super::clients::{Begun, Clients, Reports, Running, report};
use super::listed;
use super::pending::{Pending, Waiting, Wanted};
use crate::one_line::one_line;

/// How long the end of all calls is waited for.
const END_PATIENCE: Duration = Duration::from_secs(5);

/// Answers clients. Cheap to clone; clones share.
#[derive(Clone)]
pub(super) struct Handler(Arc<Shared>);

struct Shared {
    /// What the server calls itself.
    name: String,
    session: Session,
    clients: Clients,
    /// Calls that may run beside others read, any other writes. Whoever asks first is served first.
    line: RwLock<()>,
    calls: AtomicU64,
    waiting: Waiting,
    /// Stops all calls.
    stop: CancellationToken,
}

/// A place in the line: beside others, or alone.
type Place<'a> = Either<RwLockReadGuard<'a, ()>, RwLockWriteGuard<'a, ()>>;

impl Handler {
    pub(super) fn new(name: String, session: Session, clients: Clients, cap: NonZeroUsize) -> Handler {
        let readers = u32::try_from(cap.get()).unwrap_or(u32::MAX >> 3);
        let line = RwLock::with_max_readers((), readers);
        Handler(Arc::new(Shared {
            name,
            session,
            clients,
            line,
            calls: AtomicU64::new(0),
            waiting: Waiting::default(),
            stop: CancellationToken::new(),
        }))
    }

    pub(super) fn env(&self) -> &Env {
        self.0.session.env()
    }

    /// Waits for a place: beside others where the call may run so, else alone.
    async fn place(&self, call: &ToolUse) -> Place<'_> {
        match self.is_safe(call) {
            true => Either::Left(self.0.line.read().await),
            false => Either::Right(self.0.line.write().await),
        }
    }

    /// Whether a call says that it may run beside others. A tool that panics at that may not.
    fn is_safe(&self, call: &ToolUse) -> bool {
        let flags = || {
            let pooled = Arc::clone(self.0.session.pool().find(&call.name).ok()?);
            let parsed = pooled.parse(&call.input, Origin::Model).ok()?;
            Some(parsed.call.flags().concurrency_safe)
        };
        let said = std::panic::catch_unwind(std::panic::AssertUnwindSafe(flags));
        said.ok().flatten().unwrap_or(false)
    }

    /// Runs a call to its end, or until the client cancels it.
    async fn run(&self, call: ToolUse, cancelled: impl Future<Output = ()>) -> Option<ToolResult> {
        let mut cancelled = pin!(cancelled);
        let env = self.env();
        let _place = {
            let mut place = pin!(self.place(&call));
            match env.race("place of a request", &mut place, &mut cancelled).await {
                Either::Left(place) => place,
                Either::Right(()) => return None,
            }
        };
        // Each request is a session within, so that it can be stopped by itself.
        let stop = Cancellation::new();
        let within = self.0.session.child(call.id.as_str(), "client", stop.clone()).share_files().build();
        let mut running = pin!(within.run_turn(Turn::new(vec![call])));
        match env.race("request", &mut running, &mut cancelled).await {
            Either::Left(outcome) => outcome.results.into_iter().next(),
            Either::Right(()) => {
                stop.cancel(Cause::Aborted);
                within.abort();
                running.await.results.into_iter().next()
            }
        }
    }

    /// A call begins. It runs as a task of its own: its client may have to make another request before it ends.
    fn begin(&self, wanted: Wanted, cx: &RequestContext<RoleServer>) -> Pending {
        let number = self.0.calls.fetch_add(1, Ordering::Relaxed);
        let id = format!("mcp-{number}");
        let pool = self.0.session.pool();
        let schema = pool.find(&wanted.tool).ok().and_then(|pooled| listed::output_schema(pooled));
        let Begun { running, asked, reports } = self.0.clients.begin(id.clone(), self.env(), cx);
        self.report(reports, cx);
        let call = ToolUse::new(id.as_str(), wanted.tool.as_str(), wanted.input.as_str());
        let (send, result) = oneshot::channel();
        let stopped = self.0.stop.child_token();
        let _stop = stopped.clone().drop_guard();
        let handler = self.clone();
        drop(self.env().spawn(TaskName { kind: "call of a client", index: 0 }, async move {
            let result = handler.run(call, stopped.cancelled_owned()).await;
            let answer = result.map(|result| {
                let notes = handler.0.session.take_notes();
                answer(&result, notes, schema.is_some(), &running)
            });
            // A client that has gone wants no answer.
            let _gone = send.send(answer);
        }));
        Pending { call: id, wanted, asked, result, _stop }
    }

    fn report(&self, reports: Option<Reports>, cx: &RequestContext<RoleServer>) {
        if let Some(reports) = reports {
            let name = TaskName { kind: "progress for a client", index: 0 };
            drop(self.env().spawn(name, report(cx.peer.clone(), reports)));
        }
    }

    async fn call(
        &self,
        mut request: CallToolRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let wanted = Wanted::of(&mut request);
        let mut pending = match request.request_state {
            None => self.begin(wanted, &cx),
            Some(state) => {
                let pending = self.0.waiting.answered(&state, &wanted, request.input_responses)?;
                self.report(self.0.clients.report_to(&pending.call, &cx), &cx);
                pending
            }
        };
        let cancelled = || ErrorData::internal_error("the call was cancelled", None);
        tokio::select! {
            biased;
            result = &mut pending.result => {
                let answer = result.ok().flatten().ok_or_else(cancelled)?;
                let answer: Result<CallToolResult, _> = serde_json::from_value(answer);
                answer
                    .map(CallToolResponse::Complete)
                    .map_err(|error| ErrorData::internal_error(error.to_string(), None))
            }
            Some(asked) = pending.asked.recv() => {
                let state = self.env().new_id("question");
                self.0.waiting.park(state, pending, asked).map(CallToolResponse::InputRequired)
            }
            () = cx.ct.cancelled() => Err(cancelled()),
        }
    }

    /// Stops all calls and waits until they have ended, for a few seconds at the most.
    pub(super) async fn end(&self) {
        self.0.stop.cancel();
        let _in_time = self.env().timeout(END_PATIENCE, self.0.line.write()).await;
    }
}

/// The answer to a call, and behind it what calls before it have to tell that go on in the background: a client is told
/// nothing else of them.
fn answer(result: &ToolResult, notes: Vec<String>, has_schema: bool, running: &Running) -> Value {
    let notes = notes.into_iter().map(|note| json!({"type": "text", "text": note}));
    let content: Vec<Value> = listed::content(&result.content).into_iter().chain(notes).collect();
    let mut answer = json!({"content": content, "isError": result.is_error});
    // Data goes only with a promise of its shape; what breaks the promise is not sent.
    if !result.is_error
        && has_schema
        && let Some(output @ Value::Object(_)) = running.take_output()
    {
        answer["structuredContent"] = output;
    }
    answer
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let name = Implementation::new(self.0.name.as_str(), env!("CARGO_PKG_VERSION"));
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build()).with_server_info(name)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _cx: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let pool = self.0.session.pool();
        Ok(ListToolsResult::with_all_items(
            pool.tools().iter().filter_map(|tool| listed::tool(tool)).collect(),
        ))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.call(request, cx).await
    }

    /// A request that is none of the protocol's, or one of its own with parameters that do not fit.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _cx: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(match request.method.as_str() {
            "tools/call" => {
                let why = "`params` do not fit `tools/call`: give the tool's `name`, a text, and its `arguments`, an object";
                ErrorData::invalid_params(why, None)
            }
            "tools/list" => {
                ErrorData::invalid_params("`params` do not fit `tools/list`: leave them out", None)
            }
            other => {
                let why = format!("there is no method `{}` here", one_line(other));
                ErrorData::new(ErrorCode::METHOD_NOT_FOUND, why, None)
            }
        })
    }
}
