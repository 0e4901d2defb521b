//! Our tools as a server: driven over HTTP by our own client, which speaks the newer era, and by a plain one.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use toolwright::contract::{Context, Flags, Origin};
use toolwright::message::RawInput;
use toolwright::permission::Mode;
use toolwright::prelude::*;
use toolwright::registry::Catalogue;
use toolwright::schema::Schema;
use toolwright::session::Session;
use toolwright_tools::mcp::client::{Reach, Servers};
use toolwright_tools::mcp::server::{Clients, HttpServer, ToolServer};

use super::{call, config, env, names, session};

/// How many calls of `Meet` and of `Alone` run now, and how many did at most.
#[derive(Default)]
struct Counts {
    now: AtomicUsize,
    most: AtomicUsize,
}

impl Counts {
    async fn stay(&self) {
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_millis(200)).await;
        self.now.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Runs beside others.
#[tool(read_only, concurrency_safe, default_permission = allow, state = Arc<Counts>)]
struct Beside {}

/// Runs alone.
#[tool(destructive, default_permission = allow, state = Arc<Counts>)]
struct Alone {}

/// Adds.
#[tool(read_only, concurrency_safe, default_permission = allow, progress = Value)]
struct Add {
    /// One number.
    a: i64,
    /// Another.
    b: i64,
}

/// Panics.
#[tool(default_permission = allow)]
struct Panics {}

/// Waits for long.
#[tool(default_permission = allow, state = Arc<Counts>)]
struct Long {}

/// Asks.
#[tool]
struct Asks {}

/// Looks, or books.
#[tool(read_only = |book| book.cents == 0, concurrency_safe = |book| book.cents == 0)]
struct Book {
    /// Nothing only looks.
    #[serde(default)]
    cents: i64,
}

/// A sum.
#[derive(Serialize)]
struct Sum {
    /// What it is.
    sum: i64,
}

macro_rules! stays {
    ($($tool:ty),*) => {$(
        impl Tool for $tool {
            type Output = &'static str;

            fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
                Effects::none()
            }

            async fn call(&self, cx: &Cx<'_, Self>) -> Result<&'static str, ToolError> {
                cx.state().stay().await;
                Ok("done")
            }
        }
    )*};
}

stays!(Beside, Alone);

impl Tool for Add {
    type Output = Sum;

    fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
        Effects::none()
    }

    fn output_schema() -> Option<Schema> {
        Some(Schema::new(
            json!({"type": "object", "properties": {"sum": {"type": "integer"}}, "required": ["sum"]}),
        ))
    }

    async fn call(&self, cx: &Cx<'_, Self>) -> Result<Sum, ToolError> {
        cx.progress(json!({"message": "adding"}));
        Ok(Sum { sum: self.a + self.b })
    }
}

impl Tool for Panics {
    type Output = &'static str;

    fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
        Effects::none()
    }

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<&'static str, ToolError> {
        panic!("it breaks")
    }
}

impl Tool for Long {
    type Output = &'static str;

    fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
        Effects::none()
    }

    async fn call(&self, cx: &Cx<'_, Self>) -> Result<&'static str, ToolError> {
        struct Leaves<'a>(&'a Counts);
        impl Drop for Leaves<'_> {
            fn drop(&mut self) {
                self.0.now.fetch_sub(1, Ordering::SeqCst);
            }
        }
        cx.state().now.fetch_add(1, Ordering::SeqCst);
        let _leaves = Leaves(cx.state());
        cx.sleep(Duration::from_secs(600)).await;
        Ok("done")
    }
}

impl Tool for Asks {
    type Output = &'static str;

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<&'static str, ToolError> {
        Ok("it ran")
    }
}

impl Tool for Book {
    type Output = i64;

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<i64, ToolError> {
        Ok(self.cents)
    }
}

pub(super) struct Served {
    pub(super) http: HttpServer,
    beside: Arc<Counts>,
    alone: Arc<Counts>,
    long: Arc<Counts>,
}

pub(super) async fn served() -> Served {
    let counts = || Arc::<Counts>::default();
    let (beside, alone, long) = (counts(), counts(), counts());
    let mut catalogue = Catalogue::new();
    catalogue
        .add::<Add>()
        .add::<Panics>()
        .add::<Asks>()
        .add::<Book>()
        .add_with::<Beside>(Arc::clone(&beside))
        .add_with::<Alone>(Arc::clone(&alone))
        .add_with::<Long>(Arc::clone(&long));
    let clients = Clients::new();
    let session = Session::builder(env().with_sink(clients.sink()), catalogue)
        .context(Context::new("/"))
        .prompter(clients.clone())
        .hook(clients.clone())
        .build();
    let http = ToolServer::new(session, clients).serve_http("127.0.0.1:0").await.expect("it listens");
    Served { http, beside, alone, long }
}

impl Served {
    async fn client(&self) -> (Servers, Arc<Session>) {
        let reach =
            Reach::Http { url: format!("http://{}/mcp", self.http.address()), headers: Default::default() };
        let servers = Servers::start(&env(), vec![config("us", reach)]).await;
        assert!(servers.problems().is_empty(), "{:?}", servers.problems());
        let session = Arc::new(session(&servers, &["mcp__us"]));
        (servers, session)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn our_tools_are_served_over_http_with_data_hints_and_errors_as_results() {
    let served = served().await;
    let (_servers, session) = served.client().await;
    let ours: Vec<String> =
        names(&session).into_iter().filter(|name| name.starts_with("mcp__us__")).collect();
    assert_eq!(
        ours,
        ["Add", "Alone", "Asks", "Beside", "Book", "Long", "Panics"].map(|name| format!("mcp__us__{name}"))
    );
    let sum = call(&session, "mcp__us__Add", r#"{"a":"40","b":2}"#).await;
    assert_eq!(sum.content.to_text(), r#"{"sum":42}"#);
    let panicked = call(&session, "mcp__us__Panics", "{}").await;
    assert!(panicked.is_error && panicked.content.to_text().contains("it breaks"), "{panicked:?}");
    let denied = call(&session, "mcp__us__Asks", "{}").await;
    assert!(denied.is_error && denied.content.to_text().contains("cannot ask"), "{denied:?}");
    let again = call(&session, "mcp__us__Add", r#"{"a":1,"b":2}"#).await;
    assert!(!again.is_error, "a panic leaves the server as it was: {again:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn only_what_is_true_of_every_input_is_promised_to_clients() {
    let served = served().await;
    let (_servers, session) = served.client().await;
    let flags = |tool: &str| {
        let pool = session.pool();
        let pooled = pool.find(&format!("mcp__us__{tool}")).expect("it is served");
        let parsed = pooled.parse(&RawInput::new(r#"{"a":1,"b":2}"#), Origin::Model);
        parsed.or_else(|_| pooled.parse(&RawInput::new("{}"), Origin::Model)).expect("it fits").call.flags()
    };
    let only_reads = Flags { read_only: false, destructive: false, concurrency_safe: true };
    let unknown = Flags { read_only: false, destructive: true, concurrency_safe: false };
    assert_eq!((flags("Add"), flags("Beside")), (only_reads, only_reads));
    assert_eq!((flags("Alone"), flags("Asks")), (unknown, unknown));
    assert_eq!(flags("Book"), unknown, "it reads only where its input says so");
}

#[tokio::test(flavor = "multi_thread")]
async fn parallel_requests_run_side_by_side_only_where_they_may() {
    let served = served().await;
    let (_servers, session) = served.client().await;
    let each = |name: &'static str| {
        let session = Arc::clone(&session);
        // Each on a session of its own: one session would not send two that are unsafe at once.
        tokio::spawn(async move {
            let within = session.child("a", "helper", toolwright::env::Cancellation::new()).build();
            call(&within, name, "{}").await
        })
    };
    let safe = || (0..4).map(|_| each("mcp__us__Beside"));
    // Whoever asks first is served first: in turn with others that run alone, safe calls might never meet.
    for round in [safe().collect::<Vec<_>>(), safe().chain((0..4).map(|_| each("mcp__us__Alone"))).collect()]
    {
        for one in round {
            let result = one.await.expect("it does not panic");
            assert!(!result.is_error, "{result:?}");
        }
    }
    assert!(served.beside.most.load(Ordering::SeqCst) > 1, "safe calls meet");
    assert_eq!(served.alone.most.load(Ordering::SeqCst), 1, "others never do");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_request_stops_the_body_and_frees_its_place() {
    let served = served().await;
    let (_servers, session) = served.client().await;
    let running = Arc::clone(&session);
    let long = tokio::spawn(async move { call(&running, "mcp__us__Long", "{}").await });
    let began = std::time::Instant::now();
    let wait = || async {
        assert!(began.elapsed() < super::PATIENCE, "it never happens");
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    while served.long.now.load(Ordering::SeqCst) == 0 {
        wait().await;
    }
    session.abort();
    assert!(long.await.expect("it does not panic").is_error);
    while served.long.now.load(Ordering::SeqCst) > 0 {
        wait().await;
    }
    assert!(!call(&session, "mcp__us__Alone", "{}").await.is_error, "the place is free");
}

/// One request, written by hand.
pub(super) async fn post(address: std::net::SocketAddr, headers: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(address).await.expect("it listens");
    let request = format!(
        "POST /mcp HTTP/1.1\r\n{headers}Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await.expect("it reads");
    let mut answer = Vec::new();
    let read = tokio::time::timeout(Duration::from_secs(5), stream.read_to_end(&mut answer)).await;
    drop(read);
    String::from_utf8_lossy(&answer).into_owned()
}

/// How a client of the older era begins.
const HELLO: &str = r#"{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
    "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}"#;

/// A session of the older era, by its identifier.
async fn session_of(at: std::net::SocketAddr) -> String {
    let answer = post(at, &format!("Host: {at}\r\n"), HELLO).await;
    let line = answer.lines().find_map(|line| line.strip_prefix("mcp-session-id: "));
    format!("Host: {at}\r\nMcp-Session-Id: {}\r\n", line.expect("a session begins").trim())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_ends_in_the_background_is_told_once_with_the_next_answer() {
    let clients = Clients::new();
    let session = Session::builder(env().with_sink(clients.sink()), toolwright_tools::catalogue())
        .context(Context::new("/"))
        .mode(Mode::BypassPermissions)
        .prompter(clients.clone())
        .hook(clients.clone())
        .build();
    let http = ToolServer::new(session, clients).serve_http("127.0.0.1:0").await.expect("it listens");
    let at = http.address();
    let headers = session_of(at).await;
    let bash = async |arguments: Value| {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": "Bash", "arguments": arguments}});
        post(at, &headers, &body.to_string()).await
    };
    let mut answer = bash(json!({"command": "true", "run_in_background": true})).await;
    assert!(answer.contains("in the background as"), "{answer}");
    // It may have ended before that very answer was written.
    let (began, ended) = (std::time::Instant::now(), "has ended with exit code 0");
    while !answer.contains(ended) {
        assert!(began.elapsed() < super::PATIENCE, "nobody is told");
        tokio::time::sleep(Duration::from_millis(20)).await;
        answer = bash(json!({"command": "true"})).await;
    }
    assert!(!bash(json!({"command": "true"})).await.contains(ended), "once is enough");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_calls_itself_what_it_was_named() {
    for name in [None, Some("lab")] {
        let clients = Clients::new();
        let session = Session::builder(env().with_sink(clients.sink()), Catalogue::new()).build();
        let server = match name {
            None => ToolServer::new(session, clients),
            Some(name) => ToolServer::named(name, session, clients),
        };
        let http = server.serve_http("127.0.0.1:0").await.expect("it listens");
        let told = post(http.address(), &format!("Host: {}\r\n", http.address()), HELLO).await;
        let line =
            told.lines().find_map(|line| line.strip_prefix("data: ").filter(|line| line.contains('{')));
        let answer: Value = serde_json::from_str(line.expect("it answers")).expect("it is JSON");
        assert_eq!(answer["result"]["serverInfo"]["name"], name.unwrap_or("toolwright"), "{answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn parameters_that_do_not_fit_are_told_as_such_and_unknown_methods_by_name() {
    let served = served().await;
    let at = served.http.address();
    let headers = session_of(at).await;
    let ask = async |method: &str, params: Value| {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        post(at, &headers, &body.to_string()).await
    };
    for params in [json!({"name": 5}), json!({}), json!({"name": "Add", "arguments": []})] {
        let answer = ask("tools/call", params.clone()).await;
        assert!(
            answer.contains("-32602") && answer.contains("do not fit `tools/call`"),
            "{params}: {answer}"
        );
    }
    let answer = ask("no/such", json!({})).await;
    assert!(answer.contains("-32601") && answer.contains("there is no method `no/such` here"), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_other_places_cannot_reach_the_server() {
    let served = served().await;
    let at = served.http.address();
    let good = post(at, &format!("Host: {at}\r\n"), HELLO).await;
    assert!(good.starts_with("HTTP/1.1 200"), "{good}");
    let rebound = post(at, "Host: evil.example\r\n", HELLO).await;
    assert!(rebound.starts_with("HTTP/1.1 403"), "{rebound}");
    let origin = post(at, &format!("Host: {at}\r\nOrigin: http://evil.example\r\n"), HELLO).await;
    assert!(origin.starts_with("HTTP/1.1 403"), "{origin}");
    let own = post(at, &format!("Host: {at}\r\nOrigin: http://{at}\r\n"), HELLO).await;
    assert!(own.starts_with("HTTP/1.1 200"), "{own}");
    let beside = post(at, &format!("Host: {at}\r\nOrigin: http://127.0.0.1:1\r\n"), HELLO).await;
    assert!(beside.starts_with("HTTP/1.1 403"), "{beside}");
    let broken = post(at, &format!("Host: {at}\r\n"), "{\"jsonrpc\":").await;
    assert!(broken.starts_with("HTTP/1.1 4"), "{broken}");
    let (_servers, session) = served.client().await;
    assert!(!call(&session, "mcp__us__Add", r#"{"a":1,"b":2}"#).await.is_error);
}
