//! What is done at a client's request.

use std::num::NonZeroUsize;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{ErrorData, ServerHandler};
use serde_json::{Value, json};
use tokio::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};
use toolwright::contract::Origin;
use toolwright::env::{Cancellation, Cause, Either, Env, TaskName};
use toolwright::message::{RawInput, ToolResult, ToolUse, Turn};
use toolwright::session::Session;

use super::clients::{Clients, report};
use super::listed;

/// Answers clients. Cheap to clone; clones share.
#[derive(Clone)]
pub(super) struct Handler(Arc<Shared>);

struct Shared {
    session: Session,
    clients: Clients,
    /// Calls that may run beside others read, any other writes. Whoever asks first is served first.
    line: RwLock<()>,
    calls: AtomicU64,
}

/// A place in the line: beside others, or alone.
type Place<'a> = Either<RwLockReadGuard<'a, ()>, RwLockWriteGuard<'a, ()>>;

impl Handler {
    pub(super) fn new(session: Session, clients: Clients, cap: NonZeroUsize) -> Handler {
        let readers = u32::try_from(cap.get()).unwrap_or(u32::MAX >> 3);
        let line = RwLock::with_max_readers((), readers);
        Handler(Arc::new(Shared { session, clients, line, calls: AtomicU64::new(0) }))
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

    async fn call(
        &self,
        request: CallToolRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<Value, ErrorData> {
        let number = self.0.calls.fetch_add(1, Ordering::Relaxed);
        let id = format!("mcp-{number}");
        let pool = self.0.session.pool();
        let schema = pool.find(&request.name).ok().and_then(|pooled| listed::output_schema(pooled));
        let (running, reports) = self.0.clients.begin(id.clone(), &cx);
        if let Some((token, reports)) = reports {
            let name = TaskName { kind: "progress for a client", index: 0 };
            drop(self.env().spawn(name, report(cx.peer.clone(), token, reports)));
        }
        let input = RawInput::new(Value::Object(request.arguments.unwrap_or_default()).to_string());
        let call = ToolUse::new(id, request.name.into_owned(), input.as_str());
        let result = self.run(call, cx.ct.cancelled_owned()).await;
        let Some(result) = result else {
            return Err(ErrorData::internal_error("the call was cancelled", None));
        };
        let mut answer = json!({"content": listed::content(&result.content), "isError": result.is_error});
        // Data goes only with a promise of its shape; what breaks the promise is not sent.
        if !result.is_error
            && schema.is_some()
            && let Some(output @ Value::Object(_)) = running.take_output()
        {
            answer["structuredContent"] = output;
        }
        Ok(answer)
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let name = Implementation::new("toolwright", env!("CARGO_PKG_VERSION"));
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
        let answer = self.call(request, cx).await?;
        let answer: Result<CallToolResult, _> = serde_json::from_value(answer);
        answer
            .map(CallToolResponse::Complete)
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }
}
