//! How many turns the simulator's own executor runs in a second: ten calls, a cap of ten, and two who race to answer
//! for each, on a pipeline without rules; and turns of one call and of ten with all that a session has: input that is
//! checked and mended, 100 rules, a hook before and one after.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use toolwright::env::Env;
use toolwright::hooks::HookStage;
use toolwright::message::{ToolUse, Turn};
use toolwright::permission::{Behavior, RuleText, Source};
use toolwright::prelude::*;
use toolwright::registry::Catalogue;
use toolwright::session::{Session, SessionBuilder};
use toolwright_benches::in_turn::InTurn;
use toolwright_benches::pipeline::Silent;
use toolwright_benches::yes::Yes;
use toolwright_sim::engine::Simulation;
use toolwright_sim::explore::{Explore, Scene, Subject};
use toolwright_sim::replay::Conditions;
use toolwright_sim::strategy::{Dpor, Family};

const CALLS: usize = 10;

/// Works for a moment.
#[tool(concurrency_safe, read_only = |work| !work.asks)]
struct Work {
    /// Whether somebody must be asked.
    asks: bool,
}

impl Tool for Work {
    type Output = String;

    fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
        if self.asks { Effects::unknown("it wants to be asked about") } else { Effects::none() }
    }

    async fn call(&self, cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        cx.sleep(std::time::Duration::from_millis(10)).await;
        Ok("done".to_owned())
    }
}

fn builder(env: Env) -> SessionBuilder {
    let mut catalogue = Catalogue::new();
    catalogue.add::<Work>();
    Session::builder(env, catalogue).prompter(Yes).hook(Yes)
}

fn scene(calls: usize, asks: bool) -> Scene {
    let call = |index| ToolUse::new(format!("c{index}"), "Work", format!(r#"{{"asks":{asks}}}"#));
    Scene::turns("bench", [Turn::new((0..calls).map(call).collect())], builder)
}

/// Looks for a text below a folder, for a moment.
#[tool(concurrency_safe, read_only)]
struct Look {
    /// What to look for.
    text: String,
    /// Where.
    folder: String,
    /// How many places to name at the most.
    limit: Option<u32>,
    /// What to leave out.
    without: Vec<String>,
}

impl Tool for Look {
    type Output = String;

    fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
        Effects::one(Effect::Name(self.folder.clone()))
    }

    async fn call(&self, cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        cx.sleep(std::time::Duration::from_millis(10)).await;
        let Look { text, folder, limit, without } = self;
        Ok(format!("{text} is in {folder}, {limit:?} times, not counting {without:?}"))
    }
}

/// How many rules a session with everything has. The last of them allows what is called.
const RULES: usize = 100;

/// A builder of sessions with everything. What it is made of is written down once, as a program would.
fn builder_with_everything() -> impl Fn(Env) -> SessionBuilder + Send + Sync + 'static {
    let mut catalogue = Catalogue::new();
    catalogue.add::<Work>();
    catalogue.add::<Look>();
    let rule = |index: usize| {
        let behavior = [Behavior::Deny, Behavior::Ask, Behavior::Allow][index % 3];
        RuleText::new(behavior, Source::Session, format!("Look(folder{index})"))
    };
    let mut rules: Vec<RuleText> = (1..RULES).map(rule).collect();
    rules.push(RuleText::new(Behavior::Allow, Source::Session, "Look(src)"));
    move |env| {
        Session::builder(env, catalogue.clone())
            .rules(rules.clone())
            .hook(Silent(&[HookStage::PreToolUse]))
            .hook(Silent(&[HookStage::PostToolUse]))
    }
}

/// The number is a text, which has to be mended.
const LOOK: &str = r#"{"text":"needle","folder":"src","limit":"20","without":["target","vendor"]}"#;

fn scene_with_everything(calls: usize) -> Scene {
    let call = |index| ToolUse::new(format!("c{index}"), "Look", LOOK);
    Scene::turns("everything", [Turn::new((0..calls).map(call).collect())], builder_with_everything())
}

/// The least time that each of them takes, in turn: of no call, of one and of ten.
fn everything_in_turn() {
    let all = InTurn::new(ROUNDS, RUNS);
    let all = [("no call", 0), ("one call", 1), ("ten calls", CALLS)].into_iter().fold(
        all,
        |all, (name, calls)| {
            let (scene, mut seed) = (scene_with_everything(calls), 0);
            all.with(name, move || {
                seed += 1;
                scene.run(&Simulation::new(Some(seed)), &Conditions::default())
            })
        },
    );
    all.print("a simulated turn with everything");
}

/// How often each takes its turn, and how many runs it makes then.
const ROUNDS: u32 = 300;
const RUNS: u32 = 20;

fn everything(c: &mut Criterion) {
    everything_in_turn();
    let mut group = c.benchmark_group("simulated turn with everything");
    group.throughput(Throughput::Elements(1));
    for calls in [1, CALLS] {
        let scene = scene_with_everything(calls);
        let ran = scene.run(&Simulation::new(Some(1)), &Conditions::default());
        assert!(ran.ended.is_ok(), "{:?}", ran.ended);
        group.bench_function(format!("{calls} calls"), |b| {
            let mut seed = 0;
            b.iter(|| {
                seed += 1;
                black_box(scene.run(&Simulation::new(Some(seed)), &Conditions::default()))
            });
        });
    }
    group.finish();
}

fn turns(c: &mut Criterion) {
    let mut group = c.benchmark_group("simulated turn of ten calls");
    group.throughput(Throughput::Elements(1));
    for (name, asks) in [("two racers a call", true), ("nobody asked", false)] {
        let scene = scene(CALLS, asks);
        for family in [Family::Random, Family::Pos, Family::Pct(3)] {
            group.bench_function(format!("{name}, {family}"), |b| {
                let mut seed = 0;
                b.iter(|| {
                    seed += 1;
                    let simulation = Simulation::with_boxed(family.way(seed).strategy());
                    black_box(scene.run(&simulation, &Conditions::default()))
                });
            });
        }
        group.bench_function(format!("{name}, checked"), |b| {
            let mut seed = 0;
            b.iter(|| {
                seed += 1;
                black_box(Explore::new().seeds(&scene, seed..seed + 1))
            });
        });
    }
    group.finish();
}

fn exhaustive(c: &mut Criterion) {
    let mut group = c.benchmark_group("every run that differs");
    group.sample_size(10);
    for calls in [4, 8] {
        let scene = scene(calls, true);
        group.bench_function(format!("{calls} calls with two racers"), |b| {
            b.iter(|| {
                let found = Explore::new().search(&scene, Dpor::default(), &Conditions::default(), 10_000);
                assert!(found.is_complete);
                found.runs
            });
        });
    }
    group.finish();
}

criterion_group!(benches, turns, everything, exhaustive);
criterion_main!(benches);
