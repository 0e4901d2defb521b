//! Connections by `rmcp`: over the streams of a program, or by streamable HTTP, in either era of the protocol.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use http::{HeaderName, HeaderValue};
use rmcp::ClientHandler;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientConfig, ClientRequest, Implementation, ListRootsResult,
    ProgressNotificationParam, ProgressToken, ProtocolVersion, ReadResourceRequestParams, ServerNotification,
    ServerResult, SubscriptionFilter,
};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, ClientServiceExt, NotificationContext, Peer,
    PeerRequestOptions, RequestContext, RequestHandle, RoleClient, RunningService,
    RunningServiceCancellationToken, ServiceError,
};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;
use toolwright::env::{Env, TaskName};

use super::config::{Reach, ServerConfig};
use super::input::answers;
use super::link::{About, CallAnswer, Heard, Link, LinkError, Progress, RemoteTool};
use super::pages::Pages;
use super::patient::Patient;
use super::process::Process;

/// How often a server may ask for more before it answers a call.
const ROUNDS_MAX: usize = 10;

type Watcher = Arc<dyn Fn(Progress) + Send + Sync>;

/// What a server may ask of us, and what it tells us.
#[derive(Clone)]
struct Client {
    roots: Value,
    heard: Arc<dyn Heard>,
    watchers: Arc<Watchers>,
}

/// Who wants to hear how far a call is. The lock is held while a call is sent, so that no word of it comes too early.
#[derive(Default)]
struct Watchers(tokio::sync::Mutex<BTreeMap<String, Watcher>>);

/// A connection.
struct Connection {
    env: Env,
    about: About,
    roots: Value,
    peer: Peer<RoleClient>,
    watchers: Arc<Watchers>,
    gone: CancellationToken,
    stop: Mutex<Option<RunningServiceCancellationToken>>,
    process: Mutex<Option<Process>>,
}

/// Connects to a server.
///
/// # Errors
/// In words: why it did not come about.
pub(super) async fn connect(
    env: &Env,
    config: &ServerConfig,
    heard: Arc<dyn Heard>,
) -> Result<Arc<dyn Link>, LinkError> {
    let roots: Vec<Value> = config.roots.iter().map(|root| json!({"uri": uri_of(root)})).collect();
    let roots = json!({"roots": roots});
    let watchers = Arc::<Watchers>::default();
    let client = Client { roots: roots.clone(), heard: Arc::clone(&heard), watchers: Arc::clone(&watchers) };
    let (running, process) = match &config.reach {
        Reach::Stdio { command, args, env: variables, cwd } => {
            let started = Process::start(env, command, args, variables, cwd);
            let (process, output, input) = started
                .map_err(|error| LinkError::Gone(format!("`{command}` could not be started: {error}")))?;
            let said = |error: String| match process.fault().get() {
                Some(why) => LinkError::Gone(why.clone()),
                None => LinkError::Gone(failed(&error, &process.complaints())),
            };
            let mut streams = Patient::new(output, input, Arc::clone(process.fault()));
            let era = streams.era(env, config.start_timeout / 2, &client.get_info()).await;
            let era = era.map_err(|error| said(format!("it ended or closed its output: {error}")))?;
            let running = client.serve_with_lifecycle(streams, era).await;
            let running = running.map_err(|error| said(error.to_string()))?;
            (running, Some(process))
        }
        Reach::Http { url, headers } => (over_http(client, url, headers).await?, None),
    };
    let connection = Connection::new(env, running, process, roots, watchers);
    connection.hear_of_changes(heard);
    Ok(Arc::new(connection))
}

/// Connects by HTTP: in the newer era, and where the server does not understand that, in the older one.
async fn over_http(
    client: Client,
    url: &str,
    headers: &BTreeMap<String, String>,
) -> Result<RunningService<RoleClient, Client>, LinkError> {
    let either =
        ClientLifecycleMode::Auto { preferred_versions: vec![ProtocolVersion::LATEST], legacy_version: None };
    let transport = http_transport(url, headers)?;
    let running = match client.clone().serve_with_lifecycle(transport, either).await {
        // Some answer every question with something, so that only what it is tells that it was not understood.
        Err(ClientInitializeError::ExpectedInitResult(_)) => {
            let transport = http_transport(url, headers)?;
            client.serve_with_lifecycle(transport, ClientLifecycleMode::Initialize).await
        }
        other => other,
    };
    running.map_err(|error| LinkError::Gone(not_reached(&error)))
}

/// Why a server cannot be reached by HTTP, with what can be done about it.
fn not_reached(error: &ClientInitializeError) -> String {
    let said = match error {
        // In neither era; the older one says more.
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => error_chain(fallback),
        other => error_chain(other),
    };
    if error.auth_challenge().is_some() || said.contains("HTTP 401") {
        return format!(
            "it wants to know who asks ({said}); signing in by OAuth is not supported: put a token into the entry's `headers`, \
             such as `\"Authorization\": \"Bearer ${{TOKEN}}\"`"
        );
    }
    if ["HTTP 404", "HTTP 405", "HTTP 406"].iter().any(|status| said.contains(status)) {
        return format!(
            "{said}; where its address is right, it may speak the older `sse`, which is not supported: use its address for \
             streamable HTTP, or a program between that speaks `stdio`"
        );
    }
    said
}

/// What an error says, and what those behind it say.
fn error_chain(error: &dyn std::error::Error) -> String {
    let mut said = error.to_string();
    let mut behind = error.source();
    while let Some(error) = behind {
        let more = error.to_string();
        if !said.contains(&more) {
            said.extend([": ", &more]);
        }
        behind = error.source();
    }
    said
}

fn http_transport(
    url: &str,
    headers: &BTreeMap<String, String>,
) -> Result<StreamableHttpClientTransport<reqwest::Client>, LinkError> {
    let wrong = |what: String| LinkError::Gone(what);
    let parsed =
        reqwest::Url::parse(url).map_err(|error| wrong(format!("`{url}` is no address: {error}")))?;
    if !matches!(parsed.scheme(), "http" | "https") {
        return Err(wrong(format!("`{url}` is no address of HTTP: begin it with `https://` or `http://`")));
    }
    let is_here = matches!(parsed.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
    let client = if is_here { crate::http::client_without_proxy() } else { crate::http::client() };
    let client = client.map_err(|error| wrong(error.to_string()))?;
    let mut custom = HashMap::new();
    for (name, value) in headers {
        let header = HeaderName::try_from(name.as_str())
            .map_err(|_| wrong(format!("`{name}` is no name for a header")))?;
        // The value may be a secret, so it is not shown.
        let mut value = HeaderValue::try_from(value.as_str()).map_err(|_| {
            wrong(format!("the value of the header `{name}` has characters that headers cannot have"))
        })?;
        value.set_sensitive(true);
        custom.insert(header, value);
    }
    let config = StreamableHttpClientTransportConfig::with_uri(url).custom_headers(custom);
    Ok(StreamableHttpClientTransport::with_client(client, config))
}

fn uri_of(path: &std::path::Path) -> String {
    reqwest::Url::from_file_path(path)
        .map_or_else(|()| format!("file://{}", path.display()), |url| url.to_string())
}

fn failed(error: &str, complaints: &str) -> String {
    let last: Vec<&str> = complaints.lines().rev().take(3).collect();
    match last.as_slice() {
        [] => error.to_owned(),
        lines => format!("{error}; it said: {}", lines.iter().rev().copied().collect::<Vec<_>>().join(" / ")),
    }
}

impl Connection {
    fn new(
        env: &Env,
        running: RunningService<RoleClient, Client>,
        process: Option<Process>,
        roots: Value,
        watchers: Arc<Watchers>,
    ) -> Connection {
        let info = running.peer().peer_info();
        let about = info.map_or_else(About::default, |info| About {
            has_tools: info.capabilities.tools.is_some(),
            has_resources: info.capabilities.resources.is_some(),
            instructions: info.instructions.clone(),
            protocol: info.protocol_version.to_string(),
        });
        let (peer, gone) = (running.peer().clone(), CancellationToken::new());
        let stop = Mutex::new(Some(running.cancellation_token()));
        let ended = gone.clone();
        drop(env.spawn(TaskName { kind: "connection to a server", index: 0 }, async move {
            drop(running.waiting().await);
            ended.cancel();
        }));
        Connection {
            env: env.clone(),
            about,
            roots,
            peer,
            watchers,
            gone,
            stop,
            process: Mutex::new(process),
        }
    }

    /// In the newer era changes are told only to those who ask to hear of them.
    fn hear_of_changes(&self, heard: Arc<dyn Heard>) {
        if !self.about.has_tools || self.about.protocol.as_str() < ProtocolVersion::LATEST.as_str() {
            return;
        }
        let (peer, gone) = (self.peer.clone(), self.gone.clone());
        let listening = async move {
            let filter = SubscriptionFilter::builder().tools_list_changed().build();
            let Ok(mut subscription) = peer.listen(filter).await else { return };
            while let Ok(Some(told)) = subscription.next().await {
                if let ServerNotification::ToolListChangedNotification(_) = told {
                    heard.tools_changed();
                }
            }
        };
        drop(self.env.spawn(TaskName { kind: "news of a server", index: 0 }, async move {
            // Whichever ends first ends the other: there is no more news of a server that is gone.
            let _ended = gone.run_until_cancelled(listening).await;
        }));
    }

    /// One request for a call; its future can be dropped at any time, and the server hears of it.
    async fn ask(
        &self,
        params: CallToolRequestParams,
        progress: &Watcher,
    ) -> Result<ServerResult, LinkError> {
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let (handle, token) = {
            let mut watchers = self.watchers.0.lock().await;
            let sent = self.peer.send_cancellable_request(request, PeerRequestOptions::no_options()).await;
            let handle = sent.map_err(|error| self.said(&error))?;
            let token = key(&handle.progress_token);
            watchers.insert(token.clone(), Arc::clone(progress));
            (handle, token)
        };
        let mut asked = Asked {
            env: self.env.clone(),
            handle: Some(handle),
            watchers: Arc::clone(&self.watchers),
            token,
        };
        asked.answer().await.map_err(|error| self.said(&error))
    }

    fn said(&self, error: &ServiceError) -> LinkError {
        match error {
            ServiceError::McpError(error) => LinkError::Refused(error.message.clone().into_owned()),
            ServiceError::TransportClosed | ServiceError::TransportSend(_) => {
                let process = self.lock_process();
                let fault = process.as_ref().and_then(|process| process.fault().get().cloned());
                let complaints = process.as_ref().map(Process::complaints).unwrap_or_default();
                let last = complaints.lines().next_back().map(|line| format!("; it said: {line}"));
                LinkError::Gone(
                    fault.unwrap_or_else(|| format!("the server has gone{}", last.unwrap_or_default())),
                )
            }
            other => LinkError::Refused(other.to_string()),
        }
    }

    fn lock_process(&self) -> std::sync::MutexGuard<'_, Option<Process>> {
        self.process.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn key(token: &ProgressToken) -> String {
    token.0.to_string()
}

pub(super) fn as_ours<T: serde::de::DeserializeOwned>(theirs: impl serde::Serialize) -> Result<T, LinkError> {
    let value = serde_json::to_value(theirs).and_then(serde_json::from_value);
    value.map_err(|error| LinkError::Refused(format!("its answer is not understood: {error}")))
}

/// A call that was sent. Dropping it tells the server that nobody waits any more.
struct Asked {
    env: Env,
    handle: Option<RequestHandle<RoleClient>>,
    watchers: Arc<Watchers>,
    token: String,
}

impl Asked {
    async fn answer(&mut self) -> Result<ServerResult, ServiceError> {
        let Some(handle) = &mut self.handle else { return Err(ServiceError::TransportClosed) };
        let answer = (&mut handle.rx).await.map_err(|_gone| ServiceError::TransportClosed)?;
        // It has answered, so there is nothing to cancel.
        self.handle = None;
        answer
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        let (handle, token, watchers) =
            (self.handle.take(), std::mem::take(&mut self.token), Arc::clone(&self.watchers));
        drop(self.env.spawn(TaskName { kind: "end of a remote call", index: 0 }, async move {
            watchers.0.lock().await.remove(&token);
            if let Some(handle) = handle {
                // A server that is gone cannot be told.
                drop(handle.cancel(Some("the call was stopped".to_owned())).await);
            }
        }));
    }
}

#[async_trait]
impl Link for Connection {
    fn about(&self) -> About {
        self.about.clone()
    }

    async fn tools(&self) -> Result<Vec<RemoteTool>, LinkError> {
        let mut pages = Pages::default();
        while let Some(params) = pages.next()? {
            let page = self.peer.list_tools(Some(params)).await.map_err(|error| self.said(&error))?;
            pages.take(page.tools, page.next_cursor)?;
        }
        Ok(pages.entries)
    }

    async fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
        progress: Watcher,
    ) -> Result<CallAnswer, LinkError> {
        let mut params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        for _ in 0..ROUNDS_MAX {
            match self.ask(params.clone(), &progress).await? {
                ServerResult::CallToolResult(answer) => return as_ours(answer),
                ServerResult::InputRequiredResult(wanted) => {
                    params.input_responses = answers(wanted.input_requests, &self.roots)?;
                    params.request_state = wanted.request_state;
                }
                ServerResult::EmptyResult(_) => return Ok(CallAnswer::default()),
                ServerResult::CustomResult(other) => return as_ours(other),
                _other => return Err(LinkError::Refused("its answer is none to a call".to_owned())),
            }
        }
        Err(LinkError::Refused(format!("it asked for more than {ROUNDS_MAX} times before it would answer")))
    }

    async fn resources(&self) -> Result<Vec<Value>, LinkError> {
        let mut pages = Pages::default();
        while let Some(params) = pages.next()? {
            let page = self.peer.list_resources(Some(params)).await.map_err(|error| self.said(&error))?;
            pages.take(page.resources, page.next_cursor)?;
        }
        Ok(pages.entries)
    }

    async fn read(&self, uri: &str) -> Result<Vec<Value>, LinkError> {
        let read = self.peer.read_resource(ReadResourceRequestParams::new(uri)).await;
        read.map_err(|error| self.said(&error))?.contents.into_iter().map(as_ours).collect()
    }

    async fn closed(&self) {
        self.gone.cancelled().await;
    }

    async fn close(&self) {
        let stop = self.stop.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(stop) = stop {
            stop.cancel();
        }
        self.gone.cancelled().await;
        let process = self.lock_process().take();
        if let Some(process) = process {
            process.end(&self.env).await;
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.lock().unwrap_or_else(PoisonError::into_inner).take() {
            stop.cancel();
        }
    }
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let capabilities = serde_json::from_value(json!({"roots": {"listChanged": false}}));
        let name = Implementation::new("toolwright", env!("CARGO_PKG_VERSION"));
        let mut config = ClientConfig::new(capabilities.unwrap_or_default(), name);
        // It is said where a connection begins as in the older era, and there are versions that know no such beginning.
        config.protocol_version = ProtocolVersion::LATEST_WITH_INITIALIZE;
        config
    }

    async fn list_roots(&self, _cx: RequestContext<RoleClient>) -> Result<ListRootsResult, rmcp::ErrorData> {
        serde_json::from_value(self.roots.clone())
            .map_err(|error| rmcp::ErrorData::internal_error(error.to_string(), None))
    }

    async fn on_progress(&self, told: ProgressNotificationParam, _cx: NotificationContext<RoleClient>) {
        let watcher = self.watchers.0.lock().await.get(&key(&told.progress_token)).cloned();
        if let Some(watcher) = watcher {
            watcher(Progress { progress: told.progress, total: told.total, message: told.message });
        }
    }

    async fn on_tool_list_changed(&self, _cx: NotificationContext<RoleClient>) {
        self.heard.tools_changed();
    }
}
