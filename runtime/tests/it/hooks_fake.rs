//! Commands and requests of hooks as lines of a table, so that time is virtual and nothing runs.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use serde_json::{Value, json};
use toolwright::env::Env;
use toolwright::event::Event;
use toolwright::hooks::{
    CommandEnd, CommandHook, HookFailure, HookLayer, HookTransport, HttpHook, HttpReply,
};
use toolwright::message::ToolResult;
use toolwright::permission::{Answer, Prompter, Question, Source};
use toolwright::session::SessionBuilder;

use super::world::{World, probe};

/// What commands and requests end with, by their command line or address.
#[derive(Clone, Default)]
pub(crate) struct Fake {
    ends: Arc<BTreeMap<String, (i32, String, String)>>,
    pub(crate) ran: Arc<Mutex<Vec<CommandHook>>>,
    pub(crate) sent: Arc<Mutex<Vec<HttpHook>>>,
}

impl Fake {
    pub(crate) fn new(ends: &[(&str, i32, &str, &str)]) -> Fake {
        let ends = ends.iter().map(|(name, code, out, err)| {
            ((*name).to_owned(), (*code, (*out).to_owned(), (*err).to_owned()))
        });
        Fake { ends: Arc::new(ends.collect()), ..Fake::default() }
    }

    pub(crate) fn ran(&self) -> Vec<CommandHook> {
        self.ran.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The commands that ran, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.ran().into_iter().map(|hook| hook.command).collect();
        names.sort();
        names
    }
}

#[async_trait]
impl HookTransport for Fake {
    async fn command(&self, _env: &Env, hook: &CommandHook) -> Result<CommandEnd, HookFailure> {
        self.ran.lock().unwrap_or_else(PoisonError::into_inner).push(hook.clone());
        match hook.command.as_str() {
            "hangs" => std::future::pending().await,
            "panics" => panic!("written panic in a transport"),
            "cannot start" => Err(HookFailure::NotStarted("no such file".to_owned())),
            name => {
                let (code, stdout, stderr) = self.ends.get(name).cloned().unwrap_or_default();
                Ok(CommandEnd { code, stdout, stderr })
            }
        }
    }

    async fn request(&self, _env: &Env, hook: &HttpHook) -> Result<HttpReply, HookFailure> {
        self.sent.lock().unwrap_or_else(PoisonError::into_inner).push(hook.clone());
        let (status, body, _) =
            self.ends.get(&hook.url).cloned().unwrap_or((200, String::new(), String::new()));
        Ok(HttpReply { status: u16::try_from(status).unwrap_or(0), body })
    }

    fn variable(&self, name: &str) -> Option<String> {
        (name != "UNSET").then(|| format!("value of {name}"))
    }
}

pub(crate) fn layer(hooks: Value) -> HookLayer {
    let (layer, problems) = HookLayer::from_settings(Source::UserSettings, &json!({ "hooks": hooks }));
    assert_eq!(problems, []);
    layer
}

/// One group of commands at a moment.
pub(crate) fn at(stage: &str, commands: &[&str]) -> Value {
    let hooks: Vec<Value> =
        commands.iter().map(|command| json!({"type": "command", "command": command})).collect();
    json!({ stage: [{ "hooks": hooks }] })
}

pub(crate) fn world(
    fake: &Fake,
    hooks: Value,
    build: impl FnOnce(SessionBuilder) -> SessionBuilder,
) -> World {
    let fake = fake.clone();
    World::new(move |builder| build(builder.hooks_configured([layer(hooks)]).hook_transport(fake)))
}

/// Runs a test in virtual time.
pub(crate) fn virtually<F: Future<Output = ()>>(test: impl FnOnce() -> F) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
    runtime.expect("a runtime can be made").block_on(test());
}

pub(crate) fn notices(world: &World) -> Vec<String> {
    let notice = |event: Event| match event {
        Event::HookNotice { text, .. } => Some(text),
        _other => None,
    };
    world.events().into_iter().filter_map(|stamped| notice(stamped.event)).collect()
}

pub(crate) fn answers(world: &World) -> Vec<&'static str> {
    let answer = |event: Event| match event {
        Event::HookFinished { answer, hook, .. } if hook != "first" => Some(answer),
        _other => None,
    };
    world.events().into_iter().filter_map(|stamped| answer(stamped.event)).collect()
}

pub(crate) async fn one(world: &World, does: &str) -> ToolResult {
    world.run(vec![probe("a", does)]).await.remove(0)
}

pub(crate) fn pre(fields: Value) -> String {
    let mut specific = json!({"hookEventName": "PreToolUse"});
    specific.as_object_mut().expect("it is one").extend(fields.as_object().expect("it is one").clone());
    json!({"hookSpecificOutput": specific}).to_string()
}

pub(crate) struct Yes;

#[async_trait]
impl Prompter for Yes {
    async fn ask(&self, _question: &Question) -> Option<Answer> {
        Some(Answer::Allow { input: None })
    }
}

pub(crate) fn asked(world: &World) -> bool {
    world.count(|event| matches!(event, Event::Asked { .. })) > 0
}
