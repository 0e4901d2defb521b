//! A tool and a hook that do what their input says, and a log of who did what.

#![expect(clippy::disallowed_methods, reason = "tests stand outside the runtime, on real threads")]

use std::cell::RefCell;
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use serde::{Serialize, Serializer};
use serde_json::Value;
use toolwright::env::{Env, panic_message};
use toolwright::event::{Event, Recorder, Stamped};
use toolwright::hooks::{Hook, HookCall, HookError, HookStage, PostToolUse, PreDecision, PreToolUse};
use toolwright::message::{Message, RawInput, ToolResult, ToolUse, Turn};
use toolwright::permission::{Behavior, Source};
use toolwright::prelude::*;
use toolwright::registry::Catalogue;
use toolwright::session::{Session, SessionBuilder};

/// Who did what, in order.
#[derive(Debug, Default)]
pub(crate) struct Log(Mutex<Vec<String>>);

impl Log {
    pub(crate) fn add(&self, entry: impl Into<String>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(entry.into());
    }

    pub(crate) fn all(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What was done for one call.
    pub(crate) fn of(&self, call: &str) -> Vec<String> {
        let mine = |entry: &String| entry.strip_suffix(call).map(|step| step.trim_end().to_owned());
        self.all().iter().filter_map(mine).collect()
    }
}

/// Does what it is told, in words that its steps look for.
#[tool(
    concurrency_safe = |probe| !probe.does.contains("alone") && fine(&probe.does, "flags"),
    read_only,
    max_result_chars = 3_000,
    state = Arc<Log>,
)]
pub(crate) struct Probe {
    /// What it does.
    does: String,
    /// How long it takes, in milliseconds.
    ms: Option<u64>,
}

/// Panics when the words ask for a panic in this place.
fn fine(does: &str, place: &str) -> bool {
    assert!(!does.contains(&format!("panic in {place}")), "written panic in {place}");
    true
}

/// What a probe gives back.
pub(crate) struct Said(String);

impl Serialize for Said {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        fine(&self.0, "json");
        serializer.serialize_str(&self.0)
    }
}

impl Tool for Probe {
    type Output = Reply<Said>;

    fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
        fine(&self.does, "effects");
        match self.does.as_str() {
            "is denied by a rule" => Effects::one(Effect::Name("forbidden".to_owned())),
            does if does.starts_with("is careful") => Effects::one(Effect::Name("careful".to_owned())),
            does if does.starts_with("is new") => Effects::one(Effect::Name("new".to_owned())),
            _other => Effects::none(),
        }
    }

    async fn validate_input(&self, cx: &Cx<'_, Self>) -> Result<(), InvalidInput> {
        cx.state().add(format!("validate {}", cx.call_id()));
        fine(&self.does, "validate");
        if self.does == "is invalid" { Err(InvalidInput::new("say something else")) } else { Ok(()) }
    }

    async fn check_permissions(&self, cx: &Cx<'_, Self>) -> Opinion {
        cx.state().add(format!("check {}", cx.call_id()));
        fine(&self.does, "check");
        match self.does.as_str() {
            "denies itself" => Opinion::Deny("it denies itself".to_owned()),
            "asks" => Opinion::Ask("it asks".to_owned()),
            _other => Opinion::Pass,
        }
    }

    async fn call(&self, cx: &Cx<'_, Self>) -> Result<Reply<Said>, ToolError> {
        cx.state().add(format!("call {}", cx.call_id()));
        if let Some(ms) = self.ms {
            cx.sleep(Duration::from_millis(ms)).await;
        }
        fine(&self.does, "call");
        if self.does.contains("fails") {
            return Err(ToolError::new("it failed"));
        }
        cx.state().add(format!("done {}", cx.call_id()));
        let data = match self.does.as_str() {
            "is large" => "é".repeat(5_000),
            "tells where" => cx.cwd().display().to_string(),
            "tells its message" => cx.message_id().unwrap_or("none").to_owned(),
            other => other.to_owned(),
        };
        let reply = Reply::new(Said(data));
        Ok(match self.does.as_str() {
            "moves" | "moves alone" => reply.with_context_change(|context| context.cwd = "/moved".into()),
            "panic in the change alone" => {
                reply.with_context_change(|_context| panic!("written panic in the change"))
            }
            "speaks" => reply.with_message(Message::user("by the way")),
            _other => reply,
        })
    }

    fn result_content(data: &Said) -> Content {
        fine(&data.0, "content");
        Content::Text(data.0.clone())
    }

    fn description(&self) -> String {
        fine(&self.does, "description");
        self.does.clone()
    }

    fn user_facing_name(&self) -> std::borrow::Cow<'_, str> {
        fine(&self.does, "name");
        "Probe".into()
    }

    fn render_result(data: &Said) -> Vec<String> {
        fine(&data.0, "render");
        vec![format!("rendered {}", data.0)]
    }
}

/// A hook at every stage that does what the call's input says.
pub(crate) struct Listener {
    pub(crate) log: Arc<Log>,
    pub(crate) name: &'static str,
}

impl Listener {
    fn does(call: &HookCall) -> String {
        let input: Value = serde_json::from_str(call.input.as_str()).unwrap_or_default();
        input["does"].as_str().unwrap_or_default().to_owned()
    }

    fn after(&self, word: &str, call: &HookCall) -> Result<PostToolUse, HookError> {
        self.log.add(format!("{word} {}", call.call));
        let does = Listener::does(call);
        fine(&does, &format!("the {word} hook"));
        Ok(PostToolUse { context: does.contains("note").then(|| format!("{word} note")) })
    }
}

#[async_trait]
impl Hook for Listener {
    fn name(&self) -> &str {
        self.name
    }

    fn stages(&self) -> &[HookStage] {
        &[HookStage::PreToolUse, HookStage::PostToolUse, HookStage::PostToolUseFailure]
    }

    fn timeout(&self) -> Duration {
        Duration::from_millis(50)
    }

    async fn pre_tool_use(&self, call: &HookCall) -> Result<PreToolUse, HookError> {
        self.log.add(format!("pre {}", call.call));
        let does = Listener::does(call);
        fine(&does, "the pre hook");
        let said = PreToolUse {
            context: does.contains("note").then(|| "pre note".to_owned()),
            ..PreToolUse::default()
        };
        let told = |decision| Ok(PreToolUse { decision: Some(decision), ..said.clone() });
        let rewrite = |does: &str| Ok(PreToolUse { input: Some(input(does)), ..said.clone() });
        let me = |word: &str| does.contains(&format!("{} {word}", self.name));
        if me("hangs") {
            std::future::pending::<()>().await;
        }
        match () {
            () if me("denies") => told(PreDecision::Deny("the hook denies it".to_owned())),
            () if me("asks") => told(PreDecision::Ask("the hook asks".to_owned())),
            () if me("allows") => told(PreDecision::Allow("the hook allows it".to_owned())),
            () if me("breaks") => Err(HookError("the hook is broken".to_owned())),
            () if me("makes it invalid") => rewrite("is invalid"),
            () if me("garbles it") => Ok(PreToolUse { input: Some(RawInput::new("{")), ..said }),
            () if me("has it denied") => rewrite("is denied by a rule"),
            () if me("makes it solitary") => rewrite("runs alone"),
            () if me("makes it good") => rewrite("ok"),
            () => Ok(said),
        }
    }

    async fn post_tool_use(&self, call: &HookCall, _output: &Value) -> Result<PostToolUse, HookError> {
        self.after("post", call)
    }

    async fn post_tool_use_failure(&self, call: &HookCall, _error: &str) -> Result<PostToolUse, HookError> {
        self.after("failure", call)
    }
}

pub(crate) fn input(does: &str) -> RawInput {
    RawInput::from_value(&serde_json::json!({ "does": does }))
}

pub(crate) fn probe(id: &str, does: &str) -> ToolUse {
    ToolUse::new(id, "Probe", input(does).as_str())
}

pub(crate) fn slow_probe(id: &str, does: &str, ms: u64) -> ToolUse {
    ToolUse::new(id, "Probe", serde_json::json!({ "does": does, "ms": ms }).to_string())
}

/// A session with its log and its events.
pub(crate) struct World {
    pub(crate) session: Arc<Session>,
    pub(crate) log: Arc<Log>,
    recorder: Arc<Recorder>,
}

impl World {
    pub(crate) fn new(build: impl FnOnce(SessionBuilder) -> SessionBuilder) -> World {
        let (log, recorder) = (Arc::new(Log::default()), Arc::new(Recorder::default()));
        let env = Env::tokio().expect("tests run in a runtime").with_sink(Arc::clone(&recorder) as _);
        let mut catalogue = Catalogue::new();
        catalogue.add_with::<Probe>(Arc::clone(&log));
        let builder = Session::builder(env, catalogue)
            .rule(Behavior::Deny, Source::Session, "Probe(forbidden)")
            .hook(Listener { log: Arc::clone(&log), name: "first" });
        World { session: Arc::new(build(builder).build()), log, recorder }
    }

    pub(crate) fn plain() -> World {
        World::new(|builder| builder)
    }

    pub(crate) fn events(&self) -> Vec<Stamped> {
        self.recorder.events()
    }

    pub(crate) fn count(&self, is: impl Fn(&Event) -> bool) -> usize {
        self.events().iter().filter(|stamped| is(&stamped.event)).count()
    }

    pub(crate) async fn run(&self, calls: Vec<ToolUse>) -> Vec<ToolResult> {
        let ids: Vec<_> = calls.iter().map(|call| call.id.clone()).collect();
        let results = self.session.run_turn(Turn::new(calls)).await.results;
        let got: Vec<_> = results.iter().map(|result| result.tool_use_id.clone()).collect();
        assert_eq!(got, ids, "one result a call, in the order of the calls");
        results
    }
}

pub(crate) fn text(result: &ToolResult) -> String {
    result.content.to_text()
}

/// How long a test may take before it counts as hanging.
const PATIENCE: Duration = Duration::from_secs(60);

/// Runs a test on one thread, and on several.
pub(crate) fn on_each_runtime<F: Future<Output = ()>>(test: impl Fn() -> F) {
    prepare();
    let one = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let several = tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_all().build();
    for runtime in [one, several] {
        let runtime = runtime.expect("a runtime can be made");
        let patient = async { tokio::time::timeout(PATIENCE, test()).await };
        runtime.block_on(patient).expect("the test ends");
    }
}

/// The names of the spans that are made while a test runs, all of it on this thread; and what events say, behind their
/// level.
pub(crate) fn spans_of<F: Future<Output = ()>>(test: impl FnOnce() -> F) -> Vec<String> {
    prepare();
    SPANS.take();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime can be made").block_on(test());
    SPANS.take()
}

thread_local! {
    static SPANS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// Keeps the names of spans on the thread that makes them. One subscriber for all tests: a span that is first met on a
/// thread without one would be off for every thread.
struct Spans;

impl tracing::Subscriber for Spans {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        metadata.target().starts_with("toolwright")
    }

    fn new_span(&self, span: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        SPANS.with_borrow_mut(|names| names.push(span.metadata().name().to_owned()));
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _span: &tracing::span::Id, _values: &tracing::span::Record<'_>) {}
    fn record_follows_from(&self, _span: &tracing::span::Id, _follows: &tracing::span::Id) {}
    fn event(&self, event: &tracing::Event<'_>) {
        let mut said = Logged(format!("{}:", event.metadata().level()));
        event.record(&mut said);
        SPANS.with_borrow_mut(|names| names.push(said.0));
    }
    fn enter(&self, _span: &tracing::span::Id) {}
    fn exit(&self, _span: &tracing::span::Id) {}
}

/// What an event says.
struct Logged(String);

impl tracing::field::Visit for Logged {
    fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
        if field.name() == "message" {
            self.0 += &format!(" {value:?}");
        }
    }
}

/// What all tests share: someone who listens to spans, and silence about panics that a test asked for.
fn prepare() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        tracing::subscriber::set_global_default(Spans).expect("no other test sets one");
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !panic_message(info.payload()).starts_with("written panic") {
                usual(info);
            }
        }));
    });
}
