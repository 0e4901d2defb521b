//! A session with agents for one test: a folder, a parent's script, an agent's script, and everything that happened.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};
use toolwright::contract::Context;
use toolwright::env::{Env, Tick};
use toolwright::event::{Event, EventSink};
use toolwright::message::{Block, Message, ToolResult, ToolUse};
use toolwright::permission::{Answer, Prompter, Question};
use toolwright::prelude::*;
use toolwright::query::{Budget, End, Model, ModelEvent, ModelStream, Request, Scripted};
use toolwright::session::{Session, SessionBuilder};
use toolwright_tools::agents::{Agents, AgentsBuilder};
use toolwright_tools::skills::{SkillState, Skills};
use toolwright_tools::{add_agents, catalogue};

/// One answer of a model.
pub(crate) type Answered = Vec<ModelEvent>;

/// The answer that makes one call.
pub(crate) fn call(id: &str, tool: &str, input: &Value) -> Answered {
    vec![ModelEvent::call(0, ToolUse::new(id, tool, input.to_string()))]
}

/// The answer that makes several calls.
pub(crate) fn calls(calls: &[(&str, &str, Value)]) -> Answered {
    let call = |(index, (id, tool, input)): (usize, &(&str, &str, Value))| {
        ModelEvent::call(index, ToolUse::new(*id, *tool, input.to_string()))
    };
    calls.iter().enumerate().map(call).collect()
}

/// The answer that says something and makes no call.
pub(crate) fn says(text: &str) -> Answered {
    vec![ModelEvent::text(0, text)]
}

/// The input of a call that starts an agent.
pub(crate) fn task(kind: &str) -> Value {
    json!({"description": "a test", "prompt": "do it", "subagent_type": kind})
}

/// A script that keeps what it was asked.
pub(crate) struct Script {
    answers: Scripted,
    /// What it does when the script is at its end.
    forever: Option<Answered>,
    left: Mutex<usize>,
    asked: Mutex<Vec<Request>>,
}

impl Script {
    pub(crate) fn new(answers: Vec<Answered>) -> Arc<Script> {
        Script::then(answers, None)
    }

    /// A model that gives one answer again and again.
    pub(crate) fn forever(answer: Answered) -> Arc<Script> {
        Script::then(Vec::new(), Some(answer))
    }

    fn then(answers: Vec<Answered>, forever: Option<Answered>) -> Arc<Script> {
        let left = Mutex::new(answers.len());
        Arc::new(Script { answers: Scripted::new(answers), forever, left, asked: Mutex::default() })
    }

    pub(crate) fn asked(&self) -> Vec<Request> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The names of the tools that it was given first.
    pub(crate) fn tools(&self) -> Vec<String> {
        let first = self.asked().into_iter().next().expect("it was asked");
        let name = |tool: &Arc<str>| {
            let tool: Value = serde_json::from_str(tool).expect("definitions are JSON");
            tool["name"].as_str().expect("tools have names").to_owned()
        };
        first.tools.iter().map(name).collect()
    }
}

impl Model for Script {
    fn respond(&self, request: Request) -> ModelStream {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).push(request.clone());
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        match (&self.forever, *left) {
            (Some(answer), 0) => {
                let number = self.asked.lock().unwrap_or_else(PoisonError::into_inner).len();
                Box::pin(futures_util::stream::iter(renamed(answer, number).into_iter().map(Ok)))
            }
            _more => {
                *left = left.saturating_sub(1);
                self.answers.respond(request)
            }
        }
    }
}

/// The same answer, with identifiers of its own.
fn renamed(answer: &Answered, number: usize) -> Answered {
    let rename = |event: &ModelEvent| match event {
        ModelEvent::Block { index, block: Block::ToolUse(call) } => {
            let id = format!("{}_{number}", call.id);
            ModelEvent::call(*index, ToolUse::new(id, call.name.clone(), call.input.as_str()))
        }
        other => other.clone(),
    };
    answer.iter().map(rename).collect()
}

/// Keeps every event.
#[derive(Clone, Default)]
pub(crate) struct Events(Arc<Mutex<Vec<Event>>>);

impl EventSink for Events {
    fn emit(&self, event: Event, _now: &dyn Fn() -> Tick) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(event);
    }
}

impl Events {
    pub(crate) fn all(&self) -> Vec<Event> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Answers every question, and keeps it.
#[derive(Clone)]
pub(crate) struct Person(Answer, Arc<Mutex<Vec<Question>>>);

impl Person {
    pub(crate) fn yes() -> Person {
        Person(Answer::Allow { input: None }, Arc::default())
    }

    pub(crate) fn questions(&self) -> Vec<Question> {
        self.1.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[toolwright::async_trait]
impl Prompter for Person {
    async fn ask(&self, question: &Question) -> Option<Answer> {
        self.1.lock().unwrap_or_else(PoisonError::into_inner).push(question.clone());
        Some(self.0.clone())
    }
}

/// Says where it is.
#[toolwright::tool(read_only, default_permission = allow, search_hint = "where am I")]
pub(crate) struct WhereAmI {}

impl Tool for WhereAmI {
    type Output = Value;

    fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
        Effects::none()
    }

    async fn call(&self, cx: &Cx<'_, Self>) -> Result<Value, ToolError> {
        let calls = cx.chain().links().iter().map(|link| link.call.as_ref().map(ToString::to_string));
        let parent = cx.chain().parent_call().map(ToString::to_string);
        Ok(json!({
            "depth": cx.chain().depth(),
            "parent": parent,
            "calls": calls.collect::<Vec<_>>(),
            "is_agent": cx.chain().agent().is_some_and(|agent| agent.starts_with("agent_")),
        }))
    }
}

/// A session with agents.
pub(crate) struct World {
    folder: tempfile::TempDir,
    pub(crate) session: Session,
    pub(crate) agents: Agents,
    pub(crate) events: Events,
    pub(crate) child: Arc<Script>,
}

/// Builds a [`World`].
pub(crate) struct Plan {
    folder: tempfile::TempDir,
    child: Arc<Script>,
    skills: Skills,
    agents: AgentsBuilder,
    has_where_am_i: bool,
}

impl Plan {
    pub(crate) fn new(child: Arc<Script>) -> Plan {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let agents = Agents::builder(Arc::clone(&child) as Arc<dyn Model>);
        Plan { folder, child, skills: Skills::default(), agents, has_where_am_i: false }
    }

    pub(crate) fn agents(mut self, with: impl FnOnce(AgentsBuilder) -> AgentsBuilder) -> Plan {
        self.agents = with(self.agents);
        self
    }

    pub(crate) fn skills(self, skills: Skills) -> Plan {
        Plan { agents: self.agents.skills(skills.clone()), skills, ..self }
    }

    /// With another script for the agents.
    pub(crate) fn script(self, answers: Vec<Answered>) -> Plan {
        let child = Script::new(answers);
        Plan { agents: Agents::builder(Arc::clone(&child) as Arc<dyn Model>), child, ..self }
    }

    /// With a tool that says where it is.
    pub(crate) fn where_am_i(self) -> Plan {
        Plan { has_where_am_i: true, ..self }
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().expect("the folder exists")
    }

    pub(crate) fn put(&self, name: &str, text: &str) -> PathBuf {
        let place = self.root().join(name);
        std::fs::create_dir_all(place.parent().expect("it is in a folder")).expect("folders can be made");
        std::fs::write(&place, text).expect("files can be written");
        place
    }

    pub(crate) fn build(self, with: impl FnOnce(SessionBuilder) -> SessionBuilder) -> World {
        let agents = self.agents.build();
        let mut tools = catalogue();
        let skills = SkillState {
            skills: self.skills,
            agents: Some(agents.clone()),
            variables: std::iter::empty().collect(),
        };
        add_agents(&mut tools, &agents, skills);
        if self.has_where_am_i {
            tools.add::<WhereAmI>();
        }
        let events = Events::default();
        let env = Env::tokio().expect("tests run on tokio").with_sink(Arc::new(events.clone()));
        let root = self.folder.path().canonicalize().expect("the folder exists");
        let builder = Session::builder(env, tools).context(Context::new(root));
        World { folder: self.folder, session: with(builder).build(), agents, events, child: self.child }
    }
}

impl World {
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().expect("the folder exists").join(name)
    }

    /// Runs the parent along its script.
    pub(crate) async fn run(&self, answers: Vec<Answered>) -> End {
        self.session.run(&Scripted::new(answers), "begin", Budget::default()).await
    }

    /// The results in the parent's conversation, with their texts.
    pub(crate) fn results(&self) -> Vec<ToolResult> {
        results(&self.session.conversation())
    }

    /// The one result of the parent: its text, and whether it is an error.
    pub(crate) fn result(&self) -> (String, bool) {
        let results = self.results();
        assert_eq!(results.len(), 1, "{results:?}");
        (results[0].content.to_text(), results[0].is_error)
    }

    /// The identifier of the only agent.
    pub(crate) fn only(&self) -> String {
        let all = self.agents.running().all();
        assert_eq!(all.len(), 1, "{all:?}");
        all[0].0.clone()
    }

    /// The results in the only agent's conversation.
    pub(crate) fn results_of_child(&self) -> Vec<ToolResult> {
        results(&self.agents.running().conversation(&self.only()).expect("it is known"))
    }
}

pub(crate) fn results(messages: &[Message]) -> Vec<ToolResult> {
    let blocks = messages.iter().flat_map(|message| &message.content);
    blocks
        .filter_map(|block| match block {
            Block::ToolResult(result) => Some(result.clone()),
            _other => None,
        })
        .collect()
}

/// Whether every call in a conversation has its result.
pub(crate) fn is_answered(messages: &[Message]) -> bool {
    let answered: Vec<_> = results(messages).into_iter().map(|result| result.tool_use_id).collect();
    messages.iter().flat_map(|message| &message.content).all(|block| match block {
        Block::ToolUse(call) => answered.contains(&call.id),
        _other => true,
    })
}
