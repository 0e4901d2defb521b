//! The least that the six steps of a call cost, written by hand for one kind of tool, from the same blocks to the same
//! results as through a session. For each call, on the same executor:
//!
//! - the name looked up in a map of 45 tools, and the input parsed by the same derived parser into a boxed call;
//! - the call's own look at its input, and its body, each a boxed future behind a `dyn` call;
//! - a hook before and a hook after behind `dyn`, each with a boxed future; the one after is given the output as a value;
//! - ten rules, all of them compared, deny and ask before allow, and a decision with the rule it comes from, told to
//!   whoever listens, which nobody does;
//! - the output made the text of a result with the identifier of its call;
//! - a task of its own, a slot that takes one result, and results taken in the order of the calls.
//!
//! Not by hand, since it is no step but what a session is for: time limits, cancellation at every wait, panics told apart,
//! the tool's own word on permission, the killswitch, modes, paths, rewriting and judging again, places in line, a context
//! for the tool, spans.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::Value;
use toolwright::message::{Content, ToolResult, ToolUse};
use toolwright::permission::Behavior;

use super::{NAMES, RULES, calls, good};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Input {
    text: String,
    times: u64,
}

#[async_trait]
trait Call: Send + Sync {
    async fn validate(&self) -> Result<(), String>;
    fn word(&self) -> &str;
    async fn call(self: Box<Self>) -> Result<String, String>;
}

#[async_trait]
impl Call for Input {
    async fn validate(&self) -> Result<(), String> {
        if self.times > 9 { Err("too often".to_owned()) } else { Ok(()) }
    }

    fn word(&self) -> &str {
        &self.text
    }

    async fn call(self: Box<Self>) -> Result<String, String> {
        Ok(black_box(self.text.clone()))
    }
}

type Parse = fn(&str) -> Result<Box<dyn Call>, String>;

fn parse(input: &str) -> Result<Box<dyn Call>, String> {
    let input: Input = serde_json::from_str(input).map_err(|error| error.to_string())?;
    Ok(Box::new(input))
}

#[async_trait]
trait Hook: Send + Sync {
    async fn before(&self, call: &ToolUse) -> Result<(), String>;
    async fn after(&self, call: &ToolUse, output: &Value);
}

struct Silent;

#[async_trait]
impl Hook for Silent {
    async fn before(&self, call: &ToolUse) -> Result<(), String> {
        black_box(call);
        Ok(())
    }

    async fn after(&self, call: &ToolUse, output: &Value) {
        black_box((call, output));
    }
}

struct Rule {
    behavior: Behavior,
    tool: String,
    word: Option<String>,
}

/// What was decided, and the rule that says so.
struct Decision<'a> {
    is_allowed: bool,
    rule: Option<&'a Rule>,
}

type Listener = Box<dyn Fn(&ToolUse, &Decision<'_>) + Send + Sync>;

/// The tools, the rules and the hooks.
pub struct World {
    tools: BTreeMap<String, Parse>,
    rules: Vec<Rule>,
    before: Vec<Box<dyn Hook>>,
    after: Vec<Box<dyn Hook>>,
    listener: Option<Listener>,
}

impl World {
    /// 45 tools, ten rules, one hook before and one after.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "no world is the usual one")]
    pub fn new() -> World {
        let rule = |(behavior, text): &(Behavior, &str)| {
            let (tool, word) = text.split_once('(').unwrap_or((text, ""));
            let word = word.strip_suffix(')').map(str::to_owned);
            Rule { behavior: *behavior, tool: tool.to_owned(), word }
        };
        World {
            tools: NAMES.iter().map(|name| ((*name).to_owned(), parse as Parse)).collect(),
            rules: RULES.iter().map(rule).collect(),
            before: vec![Box::new(Silent)],
            after: vec![Box::new(Silent)],
            listener: None,
        }
    }

    fn decide(&self, tool: &str, word: &str) -> Decision<'_> {
        let matches =
            |rule: &&Rule| rule.tool == tool && rule.word.as_deref().is_none_or(|wanted| wanted == word);
        let mut decision = Decision { is_allowed: false, rule: None };
        for rule in self.rules.iter().filter(matches) {
            match rule.behavior {
                Behavior::Deny | Behavior::Ask => {
                    return Decision { is_allowed: false, rule: Some(rule) };
                }
                Behavior::Allow => decision = Decision { is_allowed: true, rule: Some(rule) },
            }
        }
        decision
    }

    async fn steps(&self, tool_use: &ToolUse) -> Result<String, String> {
        let parse = self.tools.get(&tool_use.name).ok_or("no such tool")?;
        let call = parse(tool_use.input.as_str())?;
        call.validate().await?;
        for hook in &self.before {
            hook.before(tool_use).await?;
        }
        let decision = self.decide(&tool_use.name, call.word());
        if let Some(listener) = &self.listener {
            listener(tool_use, &decision);
        }
        if !decision.is_allowed {
            return Err(decision.rule.map_or("denied", |rule| &rule.tool).to_owned());
        }
        let output = call.call().await?;
        let seen = Value::String(output.clone());
        for hook in &self.after {
            hook.after(tool_use, &seen).await;
        }
        Ok(output)
    }

    async fn run(&self, tool_use: ToolUse) -> ToolResult {
        let (content, is_error) = match self.steps(&tool_use).await {
            Ok(content) => (content, false),
            Err(content) => (content, true),
        };
        ToolResult { tool_use_id: tool_use.id, content: Content::Text(content), is_error }
    }
}

/// The calls one after another; gives how many went well.
pub async fn inline(world: &World, ids: &[Arc<str>]) -> usize {
    let mut results = Vec::with_capacity(ids.len());
    for call in calls(ids) {
        results.push(world.run(call).await);
    }
    good(&results)
}

/// Each call in a task of its own, and each result through a slot; gives how many went well.
///
/// # Panics
/// When a task does.
pub async fn spawned(world: &Arc<World>, ids: &[Arc<str>]) -> usize {
    let slots: Arc<Mutex<Vec<Option<ToolResult>>>> = Arc::new(Mutex::new(vec![None; ids.len()]));
    let spawn = |(index, call): (usize, ToolUse)| {
        let (world, slots) = (Arc::clone(world), Arc::clone(&slots));
        tokio::spawn(async move {
            let result = world.run(call).await;
            slots.lock().expect("nobody panics")[index].get_or_insert(result);
        })
    };
    let tasks: Vec<_> = calls(ids).into_iter().enumerate().map(spawn).collect();
    let mut results = Vec::with_capacity(ids.len());
    for (index, task) in tasks.into_iter().enumerate() {
        task.await.expect("nobody panics");
        results.extend(slots.lock().expect("nobody panics")[index].take());
    }
    good(&results)
}
