//! How many turns the simulator's own executor runs in a second: ten calls, a cap of ten, and two who race to answer
//! for each, on a pipeline without rules.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use toolwright::env::Env;
use toolwright::message::{ToolUse, Turn};
use toolwright::prelude::*;
use toolwright::registry::Catalogue;
use toolwright::session::{Session, SessionBuilder};
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

criterion_group!(benches, turns, exhaustive);
criterion_main!(benches);
