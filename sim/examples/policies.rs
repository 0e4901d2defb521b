//! One mixed turn under four policies, in virtual time: how long it takes, and how often two calls that touch the same
//! file, one of them to change it, were not in the order the model asked for.
//!
//! `cargo run --release -p toolwright-sim --example policies` prints the table that the README quotes.
//!
//! The bodies are the same everywhere. The first three policies are written here, as the libraries beside us have them;
//! the fourth is a session of ours, with nothing told to it but the flags of the tools.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use toolwright::env::{TaskName, Tick};
use toolwright::prelude::*;
use toolwright_sim::engine::Simulation;

/// A call: what it touches, whether it changes it, and how long it takes.
struct Step {
    file: &'static str,
    changes: bool,
    ms: u64,
}

const fn look(file: &'static str, ms: u64) -> Step {
    Step { file, changes: false, ms }
}

const fn change(file: &'static str, ms: u64) -> Step {
    Step { file, changes: true, ms }
}

/// A turn as agents make them: look around, change, look again.
const TURN: [Step; 12] = [
    look("a.rs", 20),
    look("b.rs", 30),
    look("c.rs", 120),
    change("a.rs", 40),
    look("a.rs", 20),
    look("c.rs", 90),
    change("b.rs", 40),
    change("a.rs", 60),
    look("a.rs", 20),
    look("b.rs", 20),
    look("c.rs", 150),
    look("d.rs", 30),
];

/// When a call ran, and what it saw: how often its file had been changed.
#[derive(Clone, Copy)]
struct Ran {
    from: Tick,
    to: Tick,
    seen: u32,
}

/// The files, and what ran.
#[derive(Default)]
struct Files {
    changes: BTreeMap<&'static str, u32>,
    ran: BTreeMap<usize, Ran>,
}

type World = Arc<Mutex<Files>>;

fn lock(world: &Mutex<Files>) -> MutexGuard<'_, Files> {
    world.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What each call does: it looks as it begins, and has changed something when it ends.
async fn body(env: &Env, world: &Mutex<Files>, index: usize) {
    let Step { file, changes, ms } = TURN[index];
    let from = env.now();
    let seen = lock(world).changes.get(file).copied().unwrap_or(0);
    env.sleep(Duration::from_millis(ms)).await;
    let mut files = lock(world);
    if changes {
        files.changes.insert(file, seen + 1);
    }
    files.ran.insert(index, Ran { from, to: env.now(), seen });
}

/// Looks at a file.
#[tool(state = World, read_only, concurrency_safe)]
struct Look {
    /// Which step of the turn it is.
    index: usize,
}

/// Changes a file.
#[tool(state = World)]
struct Change {
    /// Which step of the turn it is.
    index: usize,
}

macro_rules! works {
    ($($tool:ty),*) => {$(
        impl Tool for $tool {
            type Output = &'static str;

            fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
                Effects::none()
            }

            async fn call(&self, cx: &Cx<'_, Self>) -> Result<&'static str, ToolError> {
                body(cx.env(), cx.state(), self.index).await;
                Ok("done")
            }
        }
    )*};
}

works!(Look, Change);

async fn one_by_one(env: Env, world: World) {
    for index in 0..TURN.len() {
        body(&env, &world, index).await;
    }
}

/// All of these at once, each in a task of its own.
async fn together(env: &Env, world: &World, indices: impl Iterator<Item = usize>) {
    let mut tasks = Vec::new();
    for index in indices {
        let (own, world) = (env.clone(), Arc::clone(world));
        tasks.push(
            env.spawn(TaskName { kind: "call", index }, async move { body(&own, &world, index).await }),
        );
    }
    for task in tasks {
        task.await;
    }
}

async fn all_at_once(env: Env, world: World) {
    together(&env, &world, 0..TURN.len()).await;
}

async fn reads_first(env: Env, world: World) {
    together(&env, &world, (0..TURN.len()).filter(|index| !TURN[*index].changes)).await;
    for index in (0..TURN.len()).filter(|index| TURN[*index].changes) {
        body(&env, &world, index).await;
    }
}

async fn ours(env: Env, world: World) {
    let mut tools = Catalogue::new();
    tools.add_with::<Look>(Arc::clone(&world)).add_with::<Change>(world);
    let session = Session::builder(env, tools)
        .context(Context::new("/"))
        .rule(Behavior::Allow, Source::Session, "Change")
        .build();
    let call = |(index, step): (usize, &Step)| {
        let name = if step.changes { "Change" } else { "Look" };
        ToolUse::new(format!("call_{index}"), name, format!(r#"{{"index":{index}}}"#))
    };
    let results = session.run_turn(Turn::new(TURN.iter().enumerate().map(call).collect())).await.results;
    assert!(results.iter().all(|result| !result.is_error), "{results:?}");
}

/// What a policy comes to.
struct Outcome {
    /// Its name.
    policy: &'static str,
    /// From the first call's beginning to the last one's end.
    makespan: Duration,
    /// Pairs of calls out of order.
    out_of_order: usize,
    /// Calls that saw another file than they would have seen one by one.
    wrong: usize,
}

fn main() {
    println!(
        "| one mixed turn, in virtual time | makespan | pairs out of order | calls that saw another state |"
    );
    println!("|---|---:|---:|---:|");
    for Outcome { policy, makespan, out_of_order, wrong } in outcomes() {
        println!("| {policy} | {} ms | {out_of_order} | {wrong} |", makespan.as_millis());
    }
}

/// The turn under each policy.
fn outcomes() -> [Outcome; 4] {
    [
        outcome("one by one", one_by_one),
        outcome("all at once (rmcp, swiftide)", all_at_once),
        outcome("reads first (adk-rust's `Auto`)", reads_first),
        outcome("in order, side by side where it is safe (toolwright)", ours),
    ]
}

fn outcome<W>(policy: &'static str, run: fn(Env, World) -> W) -> Outcome
where
    W: Future<Output = ()> + Send + 'static,
{
    let simulation = Simulation::new(None);
    let world = World::default();
    simulation.run(run(simulation.env(), Arc::clone(&world))).expect("nothing waits for ever");
    let ran: Vec<Ran> = lock(&world).ran.values().copied().collect();
    assert_eq!(ran.len(), TURN.len(), "each call ran once");
    let begin = ran.iter().map(|ran| ran.from).min().expect("calls ran");
    let end = ran.iter().map(|ran| ran.to).max().expect("calls ran");
    let conflict = |a: usize, b: usize| TURN[a].file == TURN[b].file && (TURN[a].changes || TURN[b].changes);
    let pairs = (0..TURN.len()).flat_map(|b| (0..b).map(move |a| (a, b))).filter(|(a, b)| conflict(*a, *b));
    let before = |index: usize| {
        let changed = (0..index).filter(|a| TURN[*a].changes && TURN[*a].file == TURN[index].file);
        u32::try_from(changed.count()).unwrap_or(u32::MAX)
    };
    Outcome {
        policy,
        makespan: end.since(begin),
        out_of_order: pairs.filter(|(a, b)| ran[*b].from < ran[*a].to).count(),
        wrong: (0..TURN.len()).filter(|index| ran[*index].seen != before(*index)).count(),
    }
}
