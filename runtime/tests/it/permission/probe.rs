//! Tools that may ask side by side, and sessions of them.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use toolwright::env::{Cancellation, Env};
use toolwright::event::{Event, Recorder};
use toolwright::message::{RawInput, ToolUse, Turn};
use toolwright::permission::{Answer, Prompter, Question};
use toolwright::prelude::*;
use toolwright::registry::Catalogue;
use toolwright::session::{ChildBuilder, Session, SessionBuilder};
use toolwright::settings::MemoryFiles;

use super::world::context;

/// Runs one simple command, beside others.
#[tool(name = "Bash", concurrency_safe)]
pub(super) struct Probe {
    /// The command.
    command: String,
    /// Whether the agent may see the command.
    hidden: Option<bool>,
}

impl Tool for Probe {
    type Output = String;

    fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
        let words = self.command.split_whitespace().map(str::to_owned).collect();
        Effects::one(Effect::Command { text: self.command.clone(), words, read_only: false })
    }

    fn classifier_input(&self) -> Option<String> {
        (self.hidden != Some(true)).then(|| self.command.clone())
    }

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok(format!("ran {}", self.command))
    }
}

/// Changes a text in a way that it works out beforehand.
#[tool]
pub(super) struct Stream {
    /// What to do.
    text: String,
    /// What it comes to: nobody but this process may say so.
    #[tool(internal)]
    worked_out: Option<String>,
}

impl Tool for Stream {
    type Output = String;

    fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
        Effects::one(Effect::Name(self.text.clone()))
    }

    async fn validate_input(&self, _cx: &Cx<'_, Self>) -> Result<(), InvalidInput> {
        // Only what the tool itself gives may be this.
        if self.text.starts_with("own") { Err(InvalidInput::new("it is the tool's own")) } else { Ok(()) }
    }

    async fn check_permissions(&self, _cx: &Cx<'_, Self>) -> Opinion {
        let input = |value: Value| Opinion::AllowWith(RawInput::from_value(&value));
        match self.text.as_str() {
            "plain" => input(serde_json::json!({"text": "own plain", "worked_out": "done"})),
            "closed" => input(serde_json::json!({"text": "own closed"})),
            "broken" => input(serde_json::json!({"texts": 1})),
            "again" => input(serde_json::json!({"text": "again", "worked_out": "again"})),
            _other => Opinion::Pass,
        }
    }

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok(format!("{} {:?}", self.text, self.worked_out))
    }
}

/// A session of these tools, with its events.
pub(super) struct Probes {
    pub(super) session: Session,
    recorder: Arc<Recorder>,
}

/// What became of a turn.
pub(super) struct Answered {
    pub(super) texts: Vec<String>,
    pub(super) events: Vec<Event>,
}

impl Probes {
    pub(super) fn new(build: impl FnOnce(SessionBuilder, &Env) -> SessionBuilder) -> Probes {
        let recorder = Arc::new(Recorder::default());
        let env = Env::tokio().expect("tests run on tokio").with_sink(recorder.clone());
        let mut catalogue = Catalogue::new();
        catalogue.add::<Probe>().add::<Stream>();
        let builder = Session::builder(env.clone(), catalogue).context(context(super::world::MODES[0]));
        Probes { session: build(builder.files(MemoryFiles::default()), &env).build(), recorder }
    }

    /// A sub-agent's session within, whose events are in the same stream.
    pub(super) fn child(&self, build: impl FnOnce(ChildBuilder) -> ChildBuilder) -> Probes {
        let child = self.session.child("a1", "reviewer", Cancellation::new());
        Probes { session: build(child).build(), recorder: Arc::clone(&self.recorder) }
    }

    /// Runs commands in one turn, side by side.
    pub(super) async fn run(&self, commands: &[&str]) -> Answered {
        let input = |command: &str| serde_json::json!({"command": command});
        self.turn(commands.iter().map(|command| ("Bash", input(command))).collect()).await
    }

    pub(super) async fn turn(&self, calls: Vec<(&str, Value)>) -> Answered {
        drop(self.recorder.take());
        let call = |(at, (tool, input)): (usize, (&str, Value))| {
            ToolUse::new(format!("c{at}"), tool, input.to_string())
        };
        let outcome =
            self.session.run_turn(Turn::new(calls.into_iter().enumerate().map(call).collect())).await;
        let texts = outcome.results.into_iter().map(|result| result.content.to_text()).collect();
        Answered { texts, events: self.recorder.take().into_iter().map(|stamped| stamped.event).collect() }
    }
}

impl Answered {
    /// Who decided, in the order of the decisions.
    pub(super) fn by(&self) -> Vec<&str> {
        let decided = self.events.iter().filter_map(|event| match event {
            Event::Decided(decided) => Some(decided.by.as_str()),
            _other => None,
        });
        decided.collect()
    }

    /// How many bodies began.
    pub(super) fn ran(&self) -> usize {
        self.events.iter().filter(|event| matches!(event, Event::Started { .. })).count()
    }

    pub(super) fn count(&self, is: impl Fn(&Event) -> bool) -> usize {
        self.events.iter().filter(|event| is(event)).count()
    }

    /// Who was asked, a question each.
    pub(super) fn racers(&self) -> Vec<Vec<String>> {
        let asked = self.events.iter().filter_map(|event| match event {
            Event::Asked { racers, .. } => Some(racers.clone()),
            _other => None,
        });
        asked.collect()
    }
}

/// A person who answers each command after some seconds as a table says, and no other at all.
#[derive(Clone)]
pub(super) struct Dialogs {
    env: Env,
    answers: Arc<Vec<(&'static str, u64, Answer)>>,
    pub(super) shown: Arc<Mutex<Vec<Question>>>,
    pub(super) withdrawn: Arc<Mutex<Vec<String>>>,
}

impl Dialogs {
    pub(super) fn new(env: &Env, answers: Vec<(&'static str, u64, Answer)>) -> Dialogs {
        Dialogs {
            env: env.clone(),
            answers: Arc::new(answers),
            shown: Arc::default(),
            withdrawn: Arc::default(),
        }
    }

    pub(super) fn shown(&self) -> Vec<Question> {
        self.shown.lock().expect("nothing panics while it is held").clone()
    }

    pub(super) fn withdrawn(&self) -> Vec<String> {
        self.withdrawn.lock().expect("nothing panics while it is held").clone()
    }
}

struct Withdrawal<'a>(&'a Dialogs, String);

impl Drop for Withdrawal<'_> {
    fn drop(&mut self) {
        self.0.withdrawn.lock().expect("nothing panics while it is held").push(std::mem::take(&mut self.1));
    }
}

#[async_trait]
impl Prompter for Dialogs {
    async fn ask(&self, question: &Question) -> Option<Answer> {
        self.shown.lock().expect("nothing panics while it is held").push(question.clone());
        let withdrawal = Withdrawal(self, question.input.as_str().to_owned());
        let found = self.answers.iter().find(|(part, ..)| question.input.as_str().contains(part));
        let Some((_, secs, answer)) = found else { std::future::pending().await };
        self.env.sleep(Duration::from_secs(*secs)).await;
        std::mem::forget(withdrawal);
        Some(answer.clone())
    }
}

pub(super) fn yes() -> Answer {
    Answer::Allow { input: None }
}
