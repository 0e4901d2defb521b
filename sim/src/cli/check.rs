//! `toolwright check`: what the gate would answer to a call, and why; or what is wrong with a settings file. Nothing
//! runs, no hook either, and nobody is asked.

use std::path::PathBuf;
use std::process::ExitCode;

use async_trait::async_trait;
use clap::Args;
use serde::Serialize;
use serde_json::{Map, Value, json};
use toolwright::contract::SessionFacts;
use toolwright::env::Env;
use toolwright::message::ToolUse;
use toolwright::nearest::{is_misspelt, nearest};
use toolwright::permission::{
    Answer, Behavior, Explained, ExplainedAnswer, ExplainedEffect, Mode, Prompter, Question, RealFiles,
    RuleProblem, RuleSet, Source,
};
use toolwright::pipeline::NotExplained;
use toolwright::registry::{Pool, UnknownTool};
use toolwright::schema::InputErrors;
use toolwright::session::Session;
use toolwright::settings::{Diagnostic, Settings, Trust};

use super::gate::{GateArguments, of_options, tell_problems};
use super::lint;
use super::output::{Fault, print};
use super::program::{ELSEWHERE, Tools};
use super::settings::{SettingsArguments, working_directory};
use toolwright::visible::visible;

/// The exit code for a question.
const ASK: u8 = 1;
/// The exit code for a denial.
const DENY: u8 = 3;

#[derive(Args)]
pub(super) struct CheckArguments {
    /// The call as a rule would name it, such as `Bash(git push)`, or the tool's name before its input
    #[arg(required_unless_present = "lint")]
    call: Option<String>,
    /// The tool's input, as JSON
    input: Option<String>,
    #[command(flatten)]
    settings: SettingsArguments,
    #[command(flatten)]
    gate: GateArguments,
    /// The working directory, whose settings are read; the current one when left out
    #[arg(long)]
    cwd: Option<PathBuf>,
    /// Let the project's own files open what they say
    #[arg(long)]
    trust: bool,
    /// Nobody is there to be asked
    #[arg(long)]
    headless: bool,
    /// Tell what is wrong with this settings file instead; may be given again
    #[arg(long, value_name = "FILE", conflicts_with_all = ["call", "input", "headless", "mode"])]
    lint: Vec<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// What is promised of `check --json`, in this order.
#[derive(Serialize)]
struct Line<'a> {
    tool: &'a str,
    input: &'a Value,
    mode: Mode,
    #[serde(flatten)]
    explained: &'a Explained,
    problems: &'a [Diagnostic],
    /// Of the rules that the command line gives.
    rule_problems: Vec<OfRule<'a>>,
}

#[derive(Serialize)]
struct OfRule<'a> {
    behavior: Behavior,
    rule: &'a str,
    reason: &'a str,
}

impl<'a> OfRule<'a> {
    fn new(problem: &'a RuleProblem) -> OfRule<'a> {
        OfRule { behavior: problem.behavior, rule: &problem.rule, reason: &problem.reason }
    }
}

pub(super) fn run(arguments: &CheckArguments, tools: &Tools) -> Result<ExitCode, Fault> {
    if !arguments.lint.is_empty() {
        return lint::run(
            &arguments.lint,
            &arguments.settings,
            arguments.cwd.as_deref(),
            arguments.json,
            tools,
        );
    }
    let cwd = working_directory(arguments.cwd.as_deref())?;
    let trust = if arguments.trust { Trust::Trusted } else { Trust::Untrusted };
    let settings = arguments.settings.usual(&cwd, trust)?;
    let (tool, input) = arguments.call(tools)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Fault::new(format!("no executor could be started: {error}")))?;
    let _entered = runtime.enter();
    let session = arguments.session(cwd, &settings, tools)?;
    let call = ToolUse::new("call_1", tool.as_str(), input.to_string());
    let explained = match runtime.block_on(session.explain(call)) {
        Ok(explained) => explained,
        Err(error) => arguments
            .denied_wholly(&tool, &session, &settings, tools)
            .ok_or_else(|| arguments.not_explained(&tool, tools, &error))?,
    };
    let problems = session.settings_problems();
    if arguments.json {
        let mode = session.context().mode;
        let rule_problems = of_options(&session, &settings).into_iter().map(OfRule::new).collect();
        let line = Line { tool: &tool, input: &input, mode, explained: &explained, problems, rule_problems };
        print(&(serde_json::to_string(&line).expect("answers serialise") + "\n"))?;
    } else {
        tell_problems(&session, &settings);
        print(&shown(&tool, &input, session.context().mode, &explained))?;
    }
    Ok(ExitCode::from(match explained.answer {
        ExplainedAnswer::Allow => 0,
        ExplainedAnswer::Ask => ASK,
        ExplainedAnswer::Deny => DENY,
    }))
}

impl CheckArguments {
    /// The tool's name and its input.
    fn call(&self, tools: &Tools) -> Result<(String, Value), Fault> {
        let call = self.call.as_deref().unwrap_or_default();
        if let Some(input) = &self.input {
            let parsed = serde_json::from_str::<Value>(input);
            let input = parsed.map_err(|error| Fault::new(format!("the input is not JSON: {error}")))?;
            return Ok((call.to_owned(), input));
        }
        let parts = call.split_once('(').and_then(|(name, rest)| Some((name, rest.strip_suffix(')')?)));
        let Some((name, content)) = parts else {
            let message =
                format!("`{call}` is no call: write `Tool(content)`, or the tool's name and its input");
            return Err(Fault::new(message));
        };
        Ok((name.to_owned(), filled(&everything(&self.gate, tools), name, content)?))
    }

    fn session(&self, cwd: PathBuf, settings: &Settings, tools: &Tools) -> Result<Session, Fault> {
        let env = Env::tokio().map_err(|error| Fault::new(error.to_string()))?;
        let builder = self.gate.session(env, tools.catalogue(), cwd, &self.settings, settings);
        let builder = if self.headless { builder } else { builder.prompter(Nobody) };
        Ok(builder.build())
    }

    /// Why nothing can be said of a call.
    fn not_explained(&self, tool: &str, tools: &Tools, error: &NotExplained) -> Fault {
        match everything(&self.gate, tools).find(tool) {
            Ok(_) => Fault::new(error.to_string()),
            Err(error) => unknown(&error),
        }
    }

    /// The answer to a call of a tool that rules take out of the pool, so that no call of it gets as far as the gate.
    fn denied_wholly(
        &self,
        tool: &str,
        session: &Session,
        settings: &Settings,
        tools: &Tools,
    ) -> Option<Explained> {
        let all = everything(&self.gate, tools);
        let pooled = all.find(tool).ok().filter(|_| session.pool().find(tool).is_err())?;
        let rules = settings.rules.iter().map(|rule| rule.rule.clone()).chain(self.gate.rules());
        let denial = rules.into_iter().find(|rule| {
            let (set, _) = RuleSet::new([rule.clone()], &session.context(), &RealFiles);
            set.denies_wholly(pooled.form(), self.settings.profile())
        });
        Some(Explained {
            answer: ExplainedAnswer::Deny,
            by: "rule".to_owned(),
            rule: denial.as_ref().map(|rule| rule.text.clone()),
            source: denial.as_ref().map(|rule| rule.source),
            reason: "a rule denies the tool whatever its input, so the model does not see it".to_owned(),
            effects: Vec::new(),
            unknown: None,
            hooks: Vec::new(),
        })
    }
}

/// Every tool there is with the feature switches that are on.
fn everything(gate: &GateArguments, tools: &Tools) -> Pool {
    let facts = SessionFacts { has_person: true, features: gate.feature_names() };
    Pool::new(&tools.catalogue(), &facts, |_| true)
}

/// What cannot be judged, since its tool is not here; it may be elsewhere, unless its name is one here misspelt.
fn unknown(error: &UnknownTool) -> Fault {
    let near = nearest(&error.name, error.nearest.iter().map(String::as_str));
    match near.filter(|near| is_misspelt(&error.name, near)) {
        Some(_named_already) => Fault::new(error.to_string()),
        None => Fault::new(format!("{error}; {ELSEWHERE}")),
    }
}

/// An input of a tool whose first required text is this. Its other required texts are placeholders, and what else is
/// required is as in the smallest input: effects hang on the first.
fn filled(pool: &Pool, name: &str, content: &str) -> Result<Value, Fault> {
    let tool = pool.find(name).map_err(|error| unknown(&error))?;
    if looks_whole(content) {
        let program = super::program::name();
        return Err(Fault::new(format!(
            "the JSON in the brackets would be the text that `{name}` is used on, and looks like its whole input: \
             write the input behind the name, as in `{program} check {name} '{content}'`"
        )));
    }
    let schema: Value = serde_json::from_str(tool.schema().text()).expect("schemas are JSON");
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    let smallest = InputErrors::new(Vec::new(), &schema).example;
    let mut input: Map<String, Value> = serde_json::from_str(&smallest).unwrap_or_default();
    let is_text = |field: &str| {
        let schema = schema.get("properties").and_then(|all| all.get(field));
        schema.is_some_and(|schema| schema["type"] == "string" && schema.get("enum").is_none())
    };
    let mut is_placed = false;
    for field in required.filter_map(Value::as_str).filter(|field| is_text(field)) {
        let text = if is_placed { format!("({field})") } else { content.to_owned() };
        input.insert(field.to_owned(), json!(text));
        is_placed = true;
    }
    if is_placed {
        return Ok(Value::Object(input));
    }
    Err(Fault::new(format!("`{name}` has no field that this could be: write its input as JSON")))
}

/// Whether content begins as an object in JSON does, sound or broken. An answer about it as one text would be an answer
/// to another call than the one that is meant.
fn looks_whole(content: &str) -> bool {
    let inner = content.trim_start().strip_prefix('{').map(str::trim_start);
    inner.is_some_and(|inner| inner.starts_with(['"', '}']))
}

fn shown(tool: &str, input: &Value, mode: Mode, explained: &Explained) -> String {
    let Explained { answer, by, rule, source, reason, effects, unknown, hooks } = explained;
    let mut lines = vec![
        format!("{answer}  {} {}", visible(tool), visible(&input.to_string())),
        format!("  by    {} in the mode {mode}", visible(by)),
    ];
    lines.extend(rule_line(rule.as_deref(), *source).map(|rule| format!("  rule  {rule}")));
    lines.push(format!("  why   {}", visible(reason)));
    lines.extend(unknown.as_ref().map(|_| "  what it would do cannot be told".to_owned()));
    lines.extend(effects.iter().map(effect_line));
    lines.extend(
        hooks.iter().map(|hook| format!("  hook  {} was not run, and may change this", visible(hook))),
    );
    lines.join("\n") + "\n"
}

fn effect_line(effect: &ExplainedEffect) -> String {
    let ExplainedEffect { kind, what, answer, by, rule, source, reason } = effect;
    let because = rule_line(rule.as_deref(), *source)
        .map_or_else(|| format!("{}: {}", visible(by), visible(reason)), |rule| format!("rule {rule}"));
    format!("  - {answer:<5} {kind} `{}`  ({because})", visible(what))
}

fn rule_line(rule: Option<&str>, source: Option<Source>) -> Option<String> {
    let from = source.map(|source| format!(" from {source}")).unwrap_or_default();
    rule.map(|rule| format!("`{}`{from}", visible(rule)))
}

/// A person who would be asked, and never is: nothing runs.
struct Nobody;

#[async_trait]
impl Prompter for Nobody {
    async fn ask(&self, _question: &Question) -> Option<Answer> {
        None
    }
}
