//! Servers that exist in the test only: how they are started, lost, listed again and given up.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use serde_json::{Map, Value, json};
use tokio::sync::Notify;
use toolwright::env::Env;
use toolwright_tools::mcp::client::{
    About, CallAnswer, Connect, Heard, Link, LinkError, Progress, Reach, RemoteTool, ServerConfig, Servers,
    Status,
};

use super::{PATIENCE, call, config, env, names, session};

/// What the test makes of each connection.
#[derive(Default)]
struct Script {
    tools: Mutex<Vec<Value>>,
    connected: AtomicUsize,
    /// How many times connecting fails first.
    failures: AtomicUsize,
    /// How long connecting takes.
    delay: Mutex<Duration>,
    heard: Mutex<Option<Arc<dyn Heard>>>,
    lost: Arc<Notify>,
}

struct Fake(Arc<Script>);

struct FakeLink(Arc<Script>);

#[async_trait]
impl Connect for Fake {
    async fn connect(
        &self,
        _env: &Env,
        config: &ServerConfig,
        heard: Arc<dyn Heard>,
    ) -> Result<Arc<dyn Link>, LinkError> {
        let delay = *self.0.delay.lock().expect("nobody panicked");
        tokio::time::sleep(delay).await;
        if self
            .0
            .failures
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1))
            .is_ok()
        {
            return Err(LinkError::Gone(format!("`{}` is not ready", config.name)));
        }
        self.0.connected.fetch_add(1, Ordering::SeqCst);
        *self.0.heard.lock().expect("nobody panicked") = Some(heard);
        Ok(Arc::new(FakeLink(Arc::clone(&self.0))))
    }
}

#[async_trait]
impl Link for FakeLink {
    fn about(&self) -> About {
        About { has_tools: true, ..About::default() }
    }

    async fn tools(&self) -> Result<Vec<RemoteTool>, LinkError> {
        let tools = self.0.tools.lock().expect("nobody panicked").clone();
        Ok(tools.into_iter().map(|tool| serde_json::from_value(tool).expect("it is a tool")).collect())
    }

    async fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
        _progress: Arc<dyn Fn(Progress) + Send + Sync>,
    ) -> Result<CallAnswer, LinkError> {
        match tool {
            "fail" => Err(LinkError::Refused("no".to_owned())),
            "large" => Ok(answer(&"long ".repeat(50_000))),
            _any => Ok(answer(&format!("{tool} {}", Value::Object(arguments)))),
        }
    }

    async fn resources(&self) -> Result<Vec<Value>, LinkError> {
        Ok(Vec::new())
    }

    async fn read(&self, _uri: &str) -> Result<Vec<Value>, LinkError> {
        Err(LinkError::Refused("there is none".to_owned()))
    }

    async fn closed(&self) {
        self.0.lost.notified().await;
    }

    async fn close(&self) {}
}

fn answer(text: &str) -> CallAnswer {
    CallAnswer { content: vec![json!({"type": "text", "text": text})], ..CallAnswer::default() }
}

fn listed(name: &str) -> Value {
    json!({"name": name, "description": "Does it.", "inputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}}})
}

fn nowhere(name: &str) -> ServerConfig {
    let reach = Reach::Http { url: "http://127.0.0.1:9/".to_owned(), headers: Default::default() };
    config(name, reach)
}

async fn until(what: &str, is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "{what} never happens");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn servers_start_side_by_side_and_one_that_is_late_keeps_nobody_for_longer_than_its_time() {
    let script = Arc::new(Script::default());
    *script.delay.lock().expect("nobody panicked") = Duration::from_millis(300);
    let configs = (0..10).map(|n| nowhere(&format!("s{n}"))).collect();
    let began = Instant::now();
    let servers = Servers::start_by(&env(), configs, Arc::new(Fake(Arc::clone(&script)))).await;
    assert!(began.elapsed() < Duration::from_millis(2_000), "{:?}", began.elapsed());
    assert_eq!(script.connected.load(Ordering::SeqCst), 10);
    drop(servers);
    *script.delay.lock().expect("nobody panicked") = PATIENCE * 2;
    let late = ServerConfig { start_timeout: Duration::from_millis(200), ..nowhere("late") };
    let servers = Servers::start_by(&env(), vec![late], Arc::new(Fake(script))).await;
    assert_eq!(servers.status()["late"], Status::Connecting);
    assert!(servers.problems()[0].problem.contains("MCP_TIMEOUT"), "{:?}", servers.problems());
}

#[tokio::test]
async fn a_server_that_is_not_ready_is_tried_again_and_its_tools_arrive_in_the_session() {
    let script = Arc::new(Script::default());
    script.failures.store(2, Ordering::SeqCst);
    *script.tools.lock().expect("nobody panicked") = vec![listed("b"), listed("a")];
    let servers = Servers::start_by(&env(), vec![nowhere("slow")], Arc::new(Fake(Arc::clone(&script)))).await;
    let session = Arc::new(session(&servers, &["mcp__slow"]));
    let (before, told) = (names(&session), Arc::clone(&session));
    servers.on_tools(move |tools| told.add_remote(tools));
    until("the server", || names(&session).len() == before.len() + 2).await;
    assert_eq!(names(&session)[before.len()..], ["mcp__slow__a", "mcp__slow__b"]);
    let result = call(&session, "mcp__slow__a", r#"{"n":"7"}"#).await;
    assert_eq!(result.content.to_text(), r#"a {"n":7}"#, "numbers as strings are numbers when they leave");
}

#[tokio::test]
async fn a_changed_list_appends_and_a_lost_connection_is_made_again() {
    let script = Arc::new(Script::default());
    *script.tools.lock().expect("nobody panicked") = vec![listed("m")];
    let servers = Servers::start_by(&env(), vec![nowhere("hub")], Arc::new(Fake(Arc::clone(&script)))).await;
    let session = Arc::new(session(&servers, &["mcp__hub"]));
    let (before, told) = (session.pool().definitions(), Arc::clone(&session));
    servers.on_tools(move |tools| told.add_remote(tools));
    *script.tools.lock().expect("nobody panicked") = vec![listed("a"), listed("m")];
    script.heard.lock().expect("nobody panicked").as_ref().expect("it is connected").tools_changed();
    until("the new tool", || session.pool().find("mcp__hub__a").is_ok()).await;
    let after = session.pool().definitions();
    assert_eq!(after[..before.len()], before[..], "what was sent stays as it was");
    script.lost.notify_one();
    until("the reconnect", || script.connected.load(Ordering::SeqCst) == 2).await;
    assert!(!call(&session, "mcp__hub__m", "{}").await.is_error);
    assert_eq!(session.pool().definitions(), after);
}

#[tokio::test]
async fn a_refusal_a_bad_schema_and_a_stopped_server_are_told_and_nothing_hangs() {
    let script = Arc::new(Script::default());
    let wrong =
        json!({"name": "wrong", "inputSchema": {"type": "object", "properties": {"p": {"type": "no type"}}}});
    let bare = json!({"name": "bare", "inputSchema": {}});
    let choice = json!({"name": "choice", "inputSchema": {"type": "object", "anyOf": [{"properties": {"x": {"type": "integer"}}}]}});
    *script.tools.lock().expect("nobody panicked") = vec![listed("fail"), wrong, bare, choice];
    let servers = Servers::start_by(&env(), vec![nowhere("hub")], Arc::new(Fake(script))).await;
    let session = session(&servers, &["mcp__hub"]);
    let problems = servers.problems();
    assert!(problems.len() == 1 && problems[0].problem.contains("`wrong` is left out"), "{problems:?}");
    let refused = call(&session, "mcp__hub__fail", "{}").await;
    assert!(refused.is_error && refused.content.to_text().contains("refused the call: no"), "{refused:?}");
    assert_eq!(
        call(&session, "mcp__hub__choice", r#"{"x":"3"}"#).await.content.to_text(),
        r#"choice {"x":3}"#
    );
    assert!(!call(&session, "mcp__hub__bare", "{}").await.is_error);
    servers.stop();
    let stopped = call(&session, "mcp__hub__bare", "{}").await;
    assert!(stopped.is_error && stopped.content.to_text().contains("stopped"), "{stopped:?}");
}

/// openaidy#436, slicc#2010: results without a bound.
#[tokio::test]
async fn a_large_result_is_stored_and_shown_as_a_preview() {
    let script = Arc::new(Script::default());
    *script.tools.lock().expect("nobody panicked") = vec![listed("large")];
    let servers = Servers::start_by(&env(), vec![nowhere("hub")], Arc::new(Fake(script))).await;
    let session = session(&servers, &["mcp__hub"]);
    let result = call(&session, "mcp__hub__large", "{}").await;
    assert!(!result.is_error && result.content.chars() < 20_000, "{} characters", result.content.chars());
}

#[tokio::test]
async fn hints_open_concurrency_and_nothing_else_and_metadata_is_heeded() {
    let script = Arc::new(Script::default());
    let hinted = |name: &str, hints: Value, meta: Value| {
        let mut tool = listed(name);
        tool["annotations"] = hints;
        tool["_meta"] = meta;
        tool
    };
    *script.tools.lock().expect("nobody panicked") = vec![
        hinted("reads", json!({"readOnlyHint": true}), json!({"anthropic/alwaysLoad": true})),
        hinted(
            "writes",
            json!({"destructiveHint": false}),
            json!({"anthropic/requiresUserInteraction": "true"}),
        ),
        hinted(
            "person",
            Value::Null,
            json!({"anthropic/requiresUserInteraction": true, "anthropic/maxResultSizeChars": 9_000_000}),
        ),
    ];
    let servers = Servers::start_by(&env(), vec![nowhere("hub")], Arc::new(Fake(script))).await;
    let tools = servers.tools();
    let form =
        |name: &str| tools.iter().find(|tool| tool.form().name.ends_with(name)).expect("it is there").form();
    assert!(form("reads").always_load && !form("writes").always_load);
    assert!(form("person").needs_person && !form("writes").needs_person, "only the boolean counts");
    assert_eq!(form("person").max_result, toolwright::contract::ResultLimit::Chars(500_000));
    let flags = |name: &str| {
        let tool = tools.iter().find(|tool| tool.form().name.ends_with(name)).expect("it is there");
        let schema = tool.input_schema(&toolwright::contract::SessionFacts::default());
        let input = toolwright::message::RawInput::new("{}");
        tool.parse(&input, toolwright::contract::Origin::Model, &schema).expect("it fits").call.flags()
    };
    assert!(flags("reads").concurrency_safe && !flags("reads").read_only);
    assert!(!flags("writes").concurrency_safe && !flags("writes").destructive && flags("person").destructive);
    let session = session(&servers, &[]);
    assert!(call(&session, "mcp__hub__reads", "{}").await.is_error, "nobody allowed it");
    assert!(session.pool().find("mcp__hub__person").is_err(), "there is no person");
}
