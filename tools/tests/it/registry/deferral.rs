//! Deferred tools: announced, found, loaded, called; and refused before that.

use std::sync::Arc;

use serde_json::Value;
use toolwright::event::{Event, Recorder, Refusal};
use toolwright::message::{Block, Message, ToolResult, ToolUse, Turn};
use toolwright::permission::{Behavior, Source};
use toolwright::query::{Budget, Model, ModelEvent, ModelStream, Request, Scripted};
use toolwright::registry::{Backend, Deferral, LoadMode};
use toolwright::session::Session;
use toolwright_tools::catalogue;

use crate::catalogue::{BY_ITSELF, DEFERRED, IN_EVERY_SESSION, kept_with};

use super::{remote, session, with_remote};

fn call(name: &str, input: &str) -> Turn {
    Turn::new(vec![ToolUse::new(format!("call_{name}"), name, input)])
}

async fn result(session: &Session, name: &str, input: &str) -> ToolResult {
    session.run_turn(call(name, input)).await.results.remove(0)
}

fn issues() -> Vec<Arc<dyn toolwright::contract::ErasedTool>> {
    vec![
        remote("mcp__hub__create_issue", "Opens a new issue in a repository."),
        remote("mcp__hub__list_pulls", "Lists pull requests."),
        remote("mcp__hub__send_message", "Sends a message to a channel."),
    ]
}

/// A model that keeps what it was asked.
struct Asked {
    script: Scripted,
    requests: std::sync::Mutex<Vec<Request>>,
}

impl Asked {
    fn new(answers: Vec<Vec<ModelEvent>>) -> Asked {
        Asked { script: Scripted::new(answers), requests: std::sync::Mutex::default() }
    }

    fn requests(&self) -> Vec<Request> {
        self.requests.lock().expect("nobody panicked").clone()
    }
}

impl Model for Asked {
    fn respond(&self, request: Request) -> ModelStream {
        self.requests.lock().expect("nobody panicked").push(request.clone());
        self.script.respond(request)
    }
}

fn names(request: &Request) -> Vec<String> {
    let name = |tool: &Arc<str>| serde_json::from_str::<Value>(tool).expect("it is JSON")["name"].clone();
    request.tools.iter().map(|tool| name(tool).as_str().expect("it is text").to_owned()).collect()
}

fn notes(request: &Request) -> Vec<String> {
    let is_note = |message: &&Message| message.is_meta;
    let text = |message: &Message| match &message.content[..] {
        [Block::Text(text)] => text.clone(),
        other => panic!("{other:?}"),
    };
    request.messages.iter().filter(is_note).map(text).collect()
}

/// cc#60052.
#[tokio::test]
async fn a_tool_that_was_never_loaded_is_refused_in_words_that_say_how_to_load_it() {
    let recorder = Arc::new(Recorder::default());
    let env = toolwright::env::Env::tokio().expect("tests run on tokio");
    let env = env.with_sink(Arc::clone(&recorder) as Arc<dyn toolwright::event::EventSink>);
    let session = Session::builder(env, with_remote(&issues()))
        .deferral(Deferral::default())
        .rule(Behavior::Allow, Source::CliArg, "mcp__hub")
        .build();
    let refused = result(&session, "mcp__hub__create_issue", r#"{"count":1}"#).await;
    let text = refused.content.to_text();
    assert!(
        refused.is_error && text.contains("ToolSearch") && text.contains("select:mcp__hub__create_issue"),
        "{text}"
    );
    let events = recorder.take();
    let steps: Vec<&Refusal> = events
        .iter()
        .filter_map(|stamped| match &stamped.event {
            Event::Refused { step, .. } => Some(step),
            _other => None,
        })
        .collect();
    assert_eq!(steps, [&Refusal::NotLoaded]);
    assert!(!events.iter().any(|stamped| matches!(stamped.event, Event::Started { .. } | Event::Decided(_))));
}

/// hermes-agent#84772.
#[tokio::test]
async fn a_tool_that_a_search_has_found_can_be_called_in_the_next_turn() {
    let session = session(with_remote(&issues())).build();
    let found = result(&session, "ToolSearch", r#"{"query":"open an issue"}"#).await;
    assert!(!found.is_error && found.content.to_text().contains("mcp__hub__create_issue"), "{found:?}");
    let answer = result(&session, "mcp__hub__create_issue", r#"{"count":1}"#).await;
    assert!(!answer.is_error, "{answer:?}");
    let other = result(&session, "mcp__hub__list_pulls", "{}").await;
    assert!(other.is_error, "it was not found: {other:?}");
}

/// cc#34974: a search must not lose the properties.
#[tokio::test]
async fn a_search_gives_the_whole_schema() {
    let session = session(with_remote(&issues())).build();
    let found = result(&session, "ToolSearch", r#"{"query":"select:mcp__hub__create_issue"}"#).await;
    let text = found.content.to_text();
    let definition =
        session.pool().find("mcp__hub__create_issue").expect("it is there").definition().to_string();
    let line = text.lines().find(|line| line.starts_with('{')).expect("there is a definition");
    assert_eq!(line, definition);
    let definition: Value = serde_json::from_str(line).expect("it is JSON");
    assert_eq!(definition["input_schema"]["properties"]["names"]["items"]["type"], "string", "{definition}");
}

#[tokio::test]
async fn names_are_announced_once_and_definitions_are_sent_behind_the_others_when_loaded() {
    let session = session(with_remote(&issues())).build();
    let model = Asked::new(vec![
        vec![ModelEvent::call(
            0,
            ToolUse::new("c1", "ToolSearch", r#"{"query":"select:mcp__hub__send_message"}"#),
        )],
        vec![ModelEvent::call(0, ToolUse::new("c2", "ToolSearch", r#"{"query":"+issue"}"#))],
        vec![ModelEvent::text(0, "done")],
    ]);
    session.run(&model, "go", Budget::default()).await;
    let requests = model.requests();
    let own = ["Bash", "Edit", "Glob", "Grep", "Read", "ToolSearch", "Write"].map(str::to_owned);
    assert_eq!(names(&requests[0]), own);
    assert_eq!(names(&requests[1]), [&own[..], &["mcp__hub__send_message".to_owned()]].concat());
    let both = ["mcp__hub__send_message", "mcp__hub__create_issue"].map(str::to_owned);
    assert_eq!(names(&requests[2]), [&own[..], &both].concat(), "in the order they were loaded");
    for (shorter, longer) in requests.iter().zip(&requests[1..]) {
        assert_eq!(shorter.tools, longer.tools[..shorter.tools.len()], "what was sent stays as it was");
        assert_eq!(shorter.messages[..], longer.messages[..shorter.messages.len()]);
    }
    let told: Vec<String> = notes(&requests[2]);
    assert_eq!(told.len(), 1, "{told:?}");
    let names: Vec<&str> = told[0].lines().filter(|line| line.starts_with("mcp__")).collect();
    assert_eq!(names, ["mcp__hub__create_issue", "mcp__hub__list_pulls", "mcp__hub__send_message"]);
}

/// changelog 2.1.122, 2.1.224.
#[tokio::test]
async fn a_server_that_connects_late_is_announced_and_can_be_searched() {
    let session = session(with_remote(&issues())).build();
    let model = Asked::new(vec![vec![ModelEvent::text(0, "one")], vec![ModelEvent::text(0, "two")]]);
    session.run(&model, "first", Budget::default()).await;
    session.add_remote(&[remote("mcp__hub__zip_files", "Packs files.")]);
    session.run(&model, "second", Budget::default()).await;
    let requests = model.requests();
    let told = notes(&requests[1]);
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[1].contains("mcp__hub__zip_files") && !told[1].contains("list_pulls"), "{told:?}");
    assert_eq!(requests[0].tools, requests[1].tools, "what was sent stays as it was");
    let found = result(&session, "ToolSearch", r#"{"query":"pack files"}"#).await;
    assert!(found.content.to_text().contains("mcp__hub__zip_files"), "{found:?}");
    assert!(!result(&session, "mcp__hub__zip_files", "{}").await.is_error);
}

/// changelog 2.1.76: after a compaction arrays and numbers were rejected, since the schemas were gone.
#[tokio::test]
async fn what_is_loaded_survives_a_compaction_and_the_rest_is_announced_again() {
    let session = session(with_remote(&issues())).build();
    let model = Asked::new(vec![
        vec![ModelEvent::call(
            0,
            ToolUse::new("c1", "ToolSearch", r#"{"query":"select:mcp__hub__send_message"}"#),
        )],
        vec![ModelEvent::text(0, "done")],
        vec![ModelEvent::text(0, "after")],
    ]);
    session.run(&model, "go", Budget::default()).await;
    let repairs = session.compact(vec![Message::user("what was said, in short")]).await;
    assert!(repairs.is_empty(), "{repairs:?}");
    session.run(&model, "on", Budget::default()).await;
    let request = model.requests().pop().expect("it was asked");
    assert!(names(&request).contains(&"mcp__hub__send_message".to_owned()), "{:?}", names(&request));
    let told = notes(&request);
    assert!(
        told.len() == 1 && told[0].contains("list_pulls") && !told[0].contains("send_message"),
        "{told:?}"
    );
    let answer = result(&session, "mcp__hub__send_message", r#"{"count":"3","names":"[\"a\"]"}"#).await;
    assert!(
        !answer.is_error && answer.content.to_text().contains(r#"{"count":3,"names":["a"]}"#),
        "{answer:?}"
    );
}

/// sub2api#5942: never a deferred tool without a tool that finds it.
#[tokio::test]
async fn nothing_is_deferred_where_there_is_no_search() {
    let mut without = catalogue();
    for tool in issues() {
        without.add_remote(tool).expect("the name is one");
    }
    let denied = session(with_remote(&issues())).rule(Behavior::Deny, Source::CliArg, "ToolSearch");
    let own = kept_with(&[BY_ITSELF, IN_EVERY_SESSION]);
    for backend in [Backend::Native, Backend::Emulated] {
        let deferral = Deferral { backend, ..Deferral::default() };
        let absent = session(without.clone()).deferral(deferral).build();
        let denied = session(with_remote(&issues()))
            .rule(Behavior::Deny, Source::CliArg, "ToolSearch")
            .deferral(deferral)
            .build();
        for session in [absent, denied] {
            let sent = session.pool().definitions();
            assert_eq!(sent.len(), own.len() + issues().len());
            assert!(sent.iter().all(|tool| !tool.contains("defer_loading")), "{sent:?}");
            assert!(!result(&session, "mcp__hub__list_pulls", "{}").await.is_error);
        }
    }
    drop(denied);
}

#[tokio::test]
async fn the_native_back_end_sends_every_definition_once_and_marks_the_deferred() {
    let deferral = Deferral { backend: Backend::Native, ..Deferral::default() };
    let session = session(with_remote(&issues())).deferral(deferral).build();
    let before = session.pool().definitions();
    let marked: Vec<bool> = before
        .iter()
        .map(|tool| serde_json::from_str::<Value>(tool).expect("it is JSON")["defer_loading"] == true)
        .collect();
    let mut own = kept_with(&[BY_ITSELF, IN_EVERY_SESSION]);
    own.push("ToolSearch".to_owned());
    own.sort();
    let deferred = kept_with(&[DEFERRED]);
    let own: Vec<bool> = own.iter().map(|name| deferred.contains(name)).collect();
    assert!(own.contains(&true) && own.contains(&false), "{own:?}");
    assert_eq!(marked, [&own[..], &[true, true, true]].concat());
    let found = result(&session, "ToolSearch", r#"{"query":"select:mcp__hub__send_message"}"#).await;
    let block = serde_json::to_value(&found.content).expect("it is JSON");
    assert_eq!(block, serde_json::json!([{"type": "tool_reference", "tool_name": "mcp__hub__send_message"}]));
    assert_eq!(session.pool().definitions(), before, "the list does not change");
    assert!(!result(&session, "mcp__hub__send_message", "{}").await.is_error);
    assert!(result(&session, "mcp__hub__list_pulls", "{}").await.is_error);
}

#[tokio::test]
async fn the_mode_auto_defers_only_what_fills_its_part_of_the_window() {
    for (window_tokens, percent, is_deferred) in
        [(200_000, 10, false), (1_000, 10, true), (1_000, 100, false)]
    {
        let deferral = Deferral { mode: LoadMode::Auto(percent), window_tokens, ..Deferral::default() };
        let session = session(with_remote(&issues())).deferral(deferral).build();
        assert_eq!(session.pool().is_deferred("mcp__hub__list_pulls"), is_deferred, "{deferral:?}");
        session.add_remote(&[remote("mcp__hub__more", &"long ".repeat(2_000))]);
        assert_eq!(session.pool().is_deferred("mcp__hub__list_pulls"), is_deferred, "it is decided once");
    }
    let words = [
        ("true", Some(LoadMode::Deferred)),
        ("auto", Some(LoadMode::Auto(10))),
        ("auto:25", Some(LoadMode::Auto(25))),
        ("FALSE", Some(LoadMode::Standard)),
        ("auto:101", None),
        ("auto:-1", None),
        ("maybe", None),
    ];
    for (word, mode) in words {
        assert_eq!(LoadMode::parse(word), mode, "{word}");
    }
}

#[tokio::test]
async fn what_is_always_loaded_is_never_deferred() {
    let mut catalogue = with_remote(&issues());
    let schema = serde_json::json!({"type": "object"});
    let tool =
        toolwright_tools::described::DescribedTool::new("mcp__hub__now", "Now.", schema, |_, _| async {
            Ok(toolwright::message::Content::from("now"))
        });
    let tool = tool.expect("the schema is one").with_form(|form| form.always_load = true);
    catalogue.add_remote(Arc::new(tool)).expect("the name is one");
    let session = session(catalogue).build();
    let pool = session.pool();
    let deferred: Vec<&str> = pool
        .tools()
        .iter()
        .map(|tool| tool.form().name.as_ref())
        .filter(|name| pool.is_deferred(name))
        .collect();
    let mut expected = kept_with(&[BY_ITSELF, IN_EVERY_SESSION, DEFERRED]);
    let remote = ["mcp__hub__create_issue", "mcp__hub__list_pulls", "mcp__hub__send_message"];
    expected.extend(remote.map(str::to_owned));
    assert_eq!(deferred, expected);
    assert!(!result(&session, "mcp__hub__now", "{}").await.is_error);
}

/// theia#17254 wants it for each agent: what one has loaded, another has not heard of.
#[tokio::test]
async fn an_agent_loads_for_itself() {
    let parent = session(with_remote(&issues())).loaded(["mcp__hub__send_message"]).build();
    assert!(!result(&parent, "mcp__hub__send_message", "{}").await.is_error);
    let child = |keep: fn(&str) -> bool| {
        let builder = parent.child("a1", "helper", toolwright::env::Cancellation::new());
        builder.keep(move |form| keep(&form.name)).build()
    };
    let same = child(|_| true);
    assert!(result(&same, "mcp__hub__send_message", "{}").await.is_error);
    let found = result(&same, "ToolSearch", r#"{"query":"pull"}"#).await;
    assert!(found.content.to_text().contains("list_pulls"), "{found:?}");
    assert!(!result(&same, "mcp__hub__list_pulls", "{}").await.is_error);
    assert!(result(&parent, "mcp__hub__list_pulls", "{}").await.is_error);
    let without = child(|name| name != "ToolSearch");
    assert!(!result(&without, "mcp__hub__create_issue", "{}").await.is_error, "nothing is deferred there");
}
