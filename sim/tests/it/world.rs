//! Sessions made of real tools that work in virtual time, and whose every move is written down beforehand.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::{Arc, Once};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use toolwright::env::{Env, Rng, TaskName, panic_message};
use toolwright::event::{Recorder, Stamped};
use toolwright::hooks::{Hook, HookCall, HookError, HookStage, PostToolUse, PreDecision, PreToolUse};
use toolwright::message::{Message, RawInput, ToolResult, ToolUse, Turn};
use toolwright::permission::{Answer, Prompter, Question};
use toolwright::prelude::*;
use toolwright::registry::Catalogue;
use toolwright::session::{Session, SiblingPolicy};
use toolwright_sim::engine::{Simulation, Stuck};

pub(crate) fn number(n: usize) -> NonZeroUsize {
    NonZeroUsize::new(n).expect("tests use numbers above zero")
}

pub(crate) fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// Works for a while, and ends as it is told.
#[tool(concurrency_safe = |work| work.safe, read_only = |work| !work.asks)]
pub(crate) struct Work {
    /// Whether it may run beside others.
    safe: bool,
    /// Whether a person must be asked.
    asks: bool,
    /// How long it takes.
    ms: u64,
    /// How it ends: `ok`, `fail`, `panic`, `move` to another folder, `say` something.
    end: String,
}

impl Tool for Work {
    type Output = Reply<String>;

    fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
        if self.asks { Effects::unknown("it wants to be asked about") } else { Effects::none() }
    }

    async fn validate_input(&self, _cx: &Cx<'_, Self>) -> Result<(), InvalidInput> {
        if self.end == "invalid" { Err(InvalidInput::new("this end is not one")) } else { Ok(()) }
    }

    async fn call(&self, cx: &Cx<'_, Self>) -> Result<Reply<String>, ToolError> {
        work(&self.end, self.ms, cx.call_id().as_str(), cx).await
    }
}

/// Like `Work`; its failure fells the others, and a new message stops it.
#[tool(concurrency_safe = |work| work.safe, read_only = |work| !work.asks, cancels_siblings, interrupt = cancel)]
pub(crate) struct Shell {
    /// Whether it may run beside others.
    safe: bool,
    /// Whether a person must be asked.
    asks: bool,
    /// How long it takes.
    ms: u64,
    /// How it ends.
    end: String,
}

impl Tool for Shell {
    type Output = Reply<String>;

    fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
        if self.asks { Effects::unknown("it wants to be asked about") } else { Effects::none() }
    }

    async fn call(&self, cx: &Cx<'_, Self>) -> Result<Reply<String>, ToolError> {
        work(&self.end, self.ms, cx.call_id().as_str(), cx).await
    }
}

pub(crate) async fn work<T: toolwright::contract::ToolForm>(
    end: &str,
    wait: u64,
    call: &str,
    cx: &Cx<'_, T>,
) -> Result<Reply<String>, ToolError> {
    cx.sleep(ms(wait)).await;
    let reply = Reply::new(format!("{call} in {}", cx.cwd().display()));
    match end {
        "fail" => Err(ToolError::new(format!("{call} failed"))),
        "panic" => panic!("{call} panicked"),
        "move" => {
            let to = format!("/after/{call}");
            Ok(reply.with_context_change(move |context| context.cwd = to.into()))
        }
        "say" => Ok(reply.with_message(Message::user(format!("{call} says")))),
        _ok => Ok(reply),
    }
}

/// What becomes of one call, written down beforehand.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fate {
    pub(crate) tool: &'static str,
    pub(crate) safe: bool,
    pub(crate) asks: bool,
    pub(crate) ms: u64,
    pub(crate) end: &'static str,
    /// Text in place of the input.
    pub(crate) garbled: bool,
    /// What the hook says, and how long it thinks.
    pub(crate) hook: &'static str,
    pub(crate) hook_ms: u64,
    /// What the hook that races with the person says, and how long it thinks.
    pub(crate) racer: &'static str,
    pub(crate) racer_ms: u64,
    /// What the person says, and how long they think.
    pub(crate) person: &'static str,
    pub(crate) person_ms: u64,
    pub(crate) post_ms: u64,
}

impl Fate {
    pub(crate) fn safe(ms: u64) -> Fate {
        Fate { tool: "Work", safe: true, ms, end: "ok", ..Fate::default() }
    }

    pub(crate) fn alone(ms: u64) -> Fate {
        Fate { safe: false, ..Fate::safe(ms) }
    }

    pub(crate) fn shell(ms: u64, end: &'static str) -> Fate {
        Fate { tool: "Shell", end, ..Fate::safe(ms) }
    }

    pub(crate) fn input(&self, safe: bool) -> String {
        if self.garbled {
            return r#"{"safe": tr"#.to_owned();
        }
        let Fate { asks, ms, end, .. } = self;
        format!(r#"{{"safe":{safe},"asks":{asks},"ms":{ms},"end":"{end}"}}"#)
    }

    fn rewritten(&self) -> RawInput {
        RawInput::new(self.input(!self.safe))
    }
}

/// A whole session: its turns, and what comes from outside.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    pub(crate) turns: Vec<Vec<Fate>>,
    pub(crate) siblings: SiblingPolicy,
    pub(crate) cap: usize,
    /// When the session is aborted or interrupted, from its beginning.
    pub(crate) abort_ms: Option<u64>,
    pub(crate) interrupt_ms: Option<u64>,
}

impl Script {
    pub(crate) fn new(turns: Vec<Vec<Fate>>) -> Script {
        Script { turns, siblings: SiblingPolicy::None, cap: 10, abort_ms: None, interrupt_ms: None }
    }

    fn fates(&self) -> Arc<BTreeMap<String, Fate>> {
        let calls = self.turns.iter().enumerate().flat_map(|(turn, calls)| {
            calls.iter().enumerate().map(move |(index, fate)| (id(turn, index), fate.clone()))
        });
        Arc::new(calls.collect())
    }
}

pub(crate) fn id(turn: usize, index: usize) -> String {
    format!("t{turn}c{index}")
}

/// What a run came to.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) events: Vec<Stamped>,
    /// Per turn, the results and the texts of new messages.
    pub(crate) outcomes: Result<Vec<(Vec<ToolResult>, usize)>, Stuck>,
    pub(crate) picks: Vec<usize>,
}

impl Ran {
    pub(crate) fn lines(&self) -> String {
        let line = |event| serde_json::to_string(event).expect("events serialise") + "\n";
        self.events.iter().map(line).collect()
    }

    /// The results of all turns, as text with a mark for errors.
    pub(crate) fn results(&self) -> Vec<String> {
        let outcomes = self.outcomes.as_ref().expect("the session ends");
        let shown = |result: &ToolResult| {
            format!("{}{}", if result.is_error { "! " } else { "" }, result.content.to_text())
        };
        outcomes.iter().flat_map(|(results, _)| results.iter().map(shown)).collect()
    }
}

/// Runs a script under a seed.
pub(crate) fn run(script: &Script, seed: Option<u64>) -> Ran {
    run_in(script, seed, |env| env)
}

/// Runs a script in an environment that `adjust` has adjusted.
pub(crate) fn run_in(script: &Script, seed: Option<u64>, adjust: impl Fn(Env) -> Env) -> Ran {
    silence_written_panics();
    let simulation = Simulation::new(seed);
    let recorder = Arc::new(Recorder::default());
    let env = adjust(simulation.env().with_sink(Arc::clone(&recorder) as _));
    let mut catalogue = Catalogue::new();
    catalogue.add::<Work>().add::<Shell>();
    let fates = script.fates();
    let session = Session::builder(env.clone(), catalogue)
        .siblings(script.siblings)
        .cap(number(script.cap))
        .hook(Scripted { env: env.clone(), fates: Arc::clone(&fates) })
        .prompter(Person { env: env.clone(), fates })
        .build();
    let script = script.clone();
    let outcomes = simulation.run(drive(env, Arc::new(session), script));
    let picks = simulation.choices().iter().map(|choice| choice.picked).collect();
    Ran { events: recorder.take(), outcomes, picks }
}

/// Panics that a script asks for are not worth their backtraces.
pub(crate) fn silence_written_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !panic_message(info.payload()).ends_with(" panicked") {
                usual(info);
            }
        }));
    });
}

async fn drive(env: Env, session: Arc<Session>, script: Script) -> Vec<(Vec<ToolResult>, usize)> {
    let stops = [(script.abort_ms, true), (script.interrupt_ms, false)];
    for (index, (after, aborts)) in stops.into_iter().enumerate() {
        let Some(after) = after else { continue };
        let (env_, session) = (env.clone(), Arc::clone(&session));
        let stop = async move {
            env_.sleep(ms(after)).await;
            if aborts { session.abort() } else { session.interrupt() }
        };
        drop(env.spawn(TaskName { kind: "stop", index }, stop));
    }
    let mut outcomes = Vec::new();
    for (turn, fates) in script.turns.iter().enumerate() {
        let calls = fates.iter().enumerate();
        let calls =
            calls.map(|(index, fate)| ToolUse::new(id(turn, index), fate.tool, fate.input(fate.safe)));
        let outcome = session.run_turn(Turn::new(calls.collect())).await;
        outcomes.push((outcome.results, outcome.new_messages.len()));
    }
    outcomes
}

pub(crate) struct Scripted {
    pub(crate) env: Env,
    pub(crate) fates: Arc<BTreeMap<String, Fate>>,
}

#[async_trait]
impl Hook for Scripted {
    fn name(&self) -> &str {
        "scripted"
    }

    fn stages(&self) -> &[HookStage] {
        use HookStage::{PermissionRequest, PostToolUse, PostToolUseFailure, PreToolUse};
        &[PreToolUse, PermissionRequest, PostToolUse, PostToolUseFailure]
    }

    async fn pre_tool_use(&self, call: &HookCall) -> Result<PreToolUse, HookError> {
        let fate = &self.fates[call.call.as_str()];
        self.env.sleep(ms(fate.hook_ms)).await;
        let said = PreToolUse { context: Some(format!("{} was seen", call.call)), ..PreToolUse::default() };
        let decision = |decision| Ok(PreToolUse { decision: Some(decision), ..said.clone() });
        match fate.hook {
            "deny" => decision(PreDecision::Deny("the hook says no".to_owned())),
            "ask" => decision(PreDecision::Ask("the hook wants to know".to_owned())),
            "allow" => decision(PreDecision::Allow("the hook says yes".to_owned())),
            "rewrite" => Ok(PreToolUse { input: Some(fate.rewritten()), ..said }),
            "fail" => Err(HookError("the hook failed".to_owned())),
            "panic" => panic!("the hook panicked"),
            _silent => Ok(said),
        }
    }

    async fn permission_request(&self, question: &Question) -> Result<Option<Answer>, HookError> {
        let fate = &self.fates[question.call.as_str()];
        self.env.sleep(ms(fate.racer_ms)).await;
        Ok(answer(fate, fate.racer))
    }

    async fn post_tool_use(&self, call: &HookCall, _output: &Value) -> Result<PostToolUse, HookError> {
        self.env.sleep(ms(self.fates[call.call.as_str()].post_ms)).await;
        Ok(PostToolUse::default())
    }

    async fn post_tool_use_failure(&self, call: &HookCall, _error: &str) -> Result<PostToolUse, HookError> {
        self.env.sleep(ms(self.fates[call.call.as_str()].post_ms)).await;
        Err(HookError("after the call it is too late to fail".to_owned()))
    }
}

pub(crate) struct Person {
    pub(crate) env: Env,
    pub(crate) fates: Arc<BTreeMap<String, Fate>>,
}

#[async_trait]
impl Prompter for Person {
    async fn ask(&self, question: &Question) -> Option<Answer> {
        let fate = &self.fates[question.call.as_str()];
        self.env.sleep(ms(fate.person_ms)).await;
        answer(fate, fate.person)
    }
}

fn answer(fate: &Fate, said: &str) -> Option<Answer> {
    match said {
        "allow" => Some(Answer::Allow { input: None }),
        "deny" => Some(Answer::Deny { message: None }),
        "rewrite" => Some(Answer::Allow { input: Some(fate.rewritten()) }),
        "panic" => panic!("whoever was asked panicked"),
        _silent => None,
    }
}

/// Draws numbers and picks for scripts.
pub(crate) struct Draw(pub(crate) Rng);

impl Draw {
    pub(crate) fn new(seed: u64) -> Draw {
        Draw(Rng::new(seed))
    }

    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.0.below(n)
    }

    pub(crate) fn count(&mut self, n: usize) -> usize {
        usize::try_from(self.below(n as u64)).expect("small")
    }

    pub(crate) fn one_of(&mut self, options: &[&'static str]) -> &'static str {
        options[self.count(options.len())]
    }

    /// Any fate at all.
    pub(crate) fn fate(&mut self) -> Fate {
        Fate {
            tool: self.one_of(&["Work", "Work", "Work", "Work", "Shell", "Shell", "Shell", "Unknown"]),
            safe: self.below(4) > 0,
            asks: self.below(3) == 0,
            ms: self.below(5) * 10,
            end: self.one_of(&["ok", "ok", "ok", "fail", "panic", "move", "say", "invalid"]),
            garbled: self.below(20) == 0,
            hook: self.one_of(&[
                "", "", "", "", "", "", "", "rewrite", "rewrite", "deny", "ask", "allow", "fail", "panic",
            ]),
            hook_ms: self.below(3) * 10,
            racer: self.one_of(&["", "", "allow", "deny", "rewrite", "panic"]),
            racer_ms: self.below(3) * 10,
            person: self.one_of(&["", "allow", "allow", "allow", "deny", "rewrite", "panic"]),
            person_ms: self.below(3) * 10,
            post_ms: self.below(3) * 10,
        }
    }

    /// Any session at all: one to three turns of up to eight calls.
    pub(crate) fn script(&mut self) -> Script {
        let turns = (0..=self.below(3)).map(|_| (0..self.below(9)).map(|_| self.fate()).collect()).collect();
        Script {
            turns,
            siblings: [SiblingPolicy::None, SiblingPolicy::Marked, SiblingPolicy::Any][self.count(3)],
            cap: self.count(4) + 1,
            abort_ms: (self.below(4) == 0).then(|| self.below(12) * 10),
            interrupt_ms: (self.below(4) == 0).then(|| self.below(12) * 10),
        }
    }
}
