//! What the six steps of a call cost: a session with ever more around the call, and the least that the same steps cost
//! when they are written by hand for one kind of tool. `all of it` has one hook before and one after, ten rules and 45
//! tools, and is to cost at most 2.5 times `by hand, a task each`, at one call a turn and at ten.
//!
//! By hand there is, for each call, on the same executor:
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
//! for the tool, spans. On a busy machine instructions say more than times: `valgrind --tool=callgrind` on this program.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use serde_json::Value;
use tokio::runtime::Runtime;
use toolwright::env::Env;
use toolwright::hooks::{Hook, HookCall, HookError, HookStage, PostToolUse, PreToolUse};
use toolwright::message::{ToolResult, ToolUse, Turn};
use toolwright::permission::{Behavior, Source};
use toolwright::prelude::*;
use toolwright::registry::Catalogue;
use toolwright::session::Session;

/// How many calls a turn has.
const SIZES: [u64; 2] = [1, 10];
const INPUT: &str = r#"{"text":"hello","times":2}"#;

macro_rules! tools {
    ($($name:ident),* $(,)?) => {
        $(
            /// Says a text so many times.
            #[tool(read_only, concurrency_safe)]
            struct $name {
                /// What to say.
                text: String,
                /// How often.
                times: u64,
            }

            impl Tool for $name {
                type Output = String;

                fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
                    Effects::one(Effect::Name(self.text.clone()))
                }

                async fn validate_input(&self, _cx: &Cx<'_, Self>) -> Result<(), InvalidInput> {
                    if self.times > 9 { Err(InvalidInput::new("too often")) } else { Ok(()) }
                }

                async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
                    Ok(black_box(self.text.clone()))
                }
            }
        )*

        fn many() -> Catalogue {
            let mut catalogue = Catalogue::new();
            $(catalogue.add::<$name>();)*
            catalogue
        }

        const NAMES: &[&str] = &[$(stringify!($name)),*];
    };
}

tools!(
    T01, T02, T03, T04, T05, T06, T07, T08, T09, T10, T11, T12, T13, T14, T15, T16, T17, T18, T19, T20, T21,
    T22, T23, T24, T25, T26, T27, T28, T29, T30, T31, T32, T33, T34, T35, T36, T37, T38, T39, T40, T41, T42,
    T43, T44, T45
);

/// The tool that is called.
const CALLED: &str = "T23";

/// Ten rules; the last one allows the call.
const RULES: [(Behavior, &str); 10] = [
    (Behavior::Deny, "T01(bad)"),
    (Behavior::Deny, "T23(bad)"),
    (Behavior::Deny, "T23(worse)"),
    (Behavior::Ask, "T02(odd)"),
    (Behavior::Ask, "T23(odd)"),
    (Behavior::Allow, "T03"),
    (Behavior::Allow, "T04(x)"),
    (Behavior::Allow, "T05(y)"),
    (Behavior::Allow, "T23(other)"),
    (Behavior::Allow, "T23(hello)"),
];

/// Has nothing to say, at one stage.
struct Silent(&'static [HookStage]);

#[async_trait]
impl Hook for Silent {
    fn name(&self) -> &str {
        "silent"
    }

    fn stages(&self) -> &[HookStage] {
        self.0
    }

    async fn pre_tool_use(&self, _call: &HookCall) -> Result<PreToolUse, HookError> {
        Ok(PreToolUse::default())
    }

    async fn post_tool_use(&self, _call: &HookCall, _output: &Value) -> Result<PostToolUse, HookError> {
        Ok(PostToolUse::default())
    }
}

/// What is around the call.
#[derive(Clone, Copy)]
struct Around {
    tools: bool,
    rules: bool,
    before: bool,
    after: bool,
}

fn session(env: &Env, around: Around) -> Session {
    let mut one = Catalogue::new();
    one.add::<T23>();
    let mut builder = Session::builder(env.clone(), if around.tools { many() } else { one });
    if around.rules {
        for (behavior, rule) in RULES {
            builder = builder.rule(behavior, Source::Session, rule);
        }
    } else {
        builder = builder.rule(Behavior::Allow, Source::Session, CALLED);
    }
    if around.before {
        builder = builder.hook(Silent(&[HookStage::PreToolUse]));
    }
    if around.after {
        builder = builder.hook(Silent(&[HookStage::PostToolUse]));
    }
    builder.build()
}

/// The calls of a turn, as the model's message is read.
fn calls(ids: &[Arc<str>]) -> Vec<ToolUse> {
    ids.iter().map(|id| ToolUse::new(Arc::clone(id), CALLED, INPUT)).collect()
}

fn good(results: &[ToolResult]) -> usize {
    results.iter().filter(|result| !result.is_error).count()
}

async fn through_session(session: &Session, ids: &[Arc<str>]) -> usize {
    good(&session.run_turn(Turn::new(calls(ids))).await.results)
}

/// The same six steps by hand, from the same blocks to the same results; see the head of this file.
mod by_hand {
    use super::{BTreeMap, NAMES, RULES, ToolResult, ToolUse, Value, async_trait, black_box};
    use serde::Deserialize;
    use toolwright::message::Content;
    use toolwright::permission::Behavior;

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

    pub(super) struct World {
        tools: BTreeMap<String, Parse>,
        rules: Vec<Rule>,
        before: Vec<Box<dyn Hook>>,
        after: Vec<Box<dyn Hook>>,
        listener: Option<Listener>,
    }

    impl World {
        pub(super) fn new() -> World {
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

        pub(super) async fn run(&self, tool_use: ToolUse) -> ToolResult {
            let (content, is_error) = match self.steps(&tool_use).await {
                Ok(content) => (content, false),
                Err(content) => (content, true),
            };
            ToolResult { tool_use_id: tool_use.id, content: Content::Text(content), is_error }
        }
    }
}

async fn by_hand_inline(world: &by_hand::World, ids: &[Arc<str>]) -> usize {
    let mut results = Vec::with_capacity(ids.len());
    for call in calls(ids) {
        results.push(world.run(call).await);
    }
    good(&results)
}

/// Each call in a task of its own, and each result through a slot.
async fn by_hand_spawned(world: &Arc<by_hand::World>, ids: &[Arc<str>]) -> usize {
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

fn pipeline_overhead(criterion: &mut Criterion) {
    let runtime: Runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime builds");
    let env = runtime.block_on(async { Env::tokio() }).expect("inside a runtime");
    let none = Around { tools: false, rules: false, before: false, after: false };
    let steps = [
        ("one tool", none),
        ("45 tools", Around { tools: true, ..none }),
        ("ten rules", Around { rules: true, ..none }),
        ("a hook before", Around { before: true, ..none }),
        ("a hook after", Around { after: true, ..none }),
        ("all of it", Around { tools: true, rules: true, before: true, after: true }),
    ];
    let world = Arc::new(by_hand::World::new());
    let mut group = criterion.benchmark_group("pipeline_overhead");
    for size in SIZES {
        let ids: Vec<Arc<str>> = (0..size).map(|index| Arc::from(format!("toolu_{index:04}"))).collect();
        let all = ids.len();
        group.throughput(Throughput::Elements(size));
        group.bench_function(BenchmarkId::new("by hand", size), |bencher| {
            bencher.iter(|| assert_eq!(runtime.block_on(by_hand_inline(&world, &ids)), all));
        });
        group.bench_function(BenchmarkId::new("by hand, a task each", size), |bencher| {
            bencher.iter(|| assert_eq!(runtime.block_on(by_hand_spawned(&world, &ids)), all));
        });
        for (name, around) in steps {
            let session = session(&env, around);
            group.bench_function(BenchmarkId::new(name, size), |bencher| {
                bencher.iter(|| assert_eq!(runtime.block_on(through_session(&session, &ids)), all));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, pipeline_overhead);
criterion_main!(benches);
