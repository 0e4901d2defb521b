//! Seeds: the same one gives the same bytes, others give other schedules, and a session that cannot end says who waits.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tokio::sync::{Mutex, oneshot};
use toolwright::env::label_hash;
use toolwright::message::{ToolUse, Turn};
use toolwright::prelude::*;
use toolwright::registry::Catalogue;
use toolwright::session::Session;
use toolwright_sim::engine::{Simulation, Stuck};

use super::world::{Draw, Fate, Script, run};

fn busy() -> Script {
    let asks = |ms| Fate {
        asks: true,
        person: "allow",
        person_ms: 10,
        racer: "allow",
        racer_ms: 10,
        ..Fate::safe(ms)
    };
    Script::new(vec![vec![
        Fate::safe(10),
        asks(10),
        Fate::alone(0),
        asks(20),
        Fate::safe(10),
        Fate::safe(10),
    ]])
}

#[test]
fn the_same_seed_gives_the_same_bytes_in_any_order_of_seeds() {
    let script = |seed| Draw::new(seed).script();
    let first: Vec<String> = (0..200).map(|seed| run(&script(seed), Some(seed)).lines()).collect();
    let mut order: Vec<u64> = (0..200).collect();
    let mut draw = Draw::new(7);
    for place in (1..order.len()).rev() {
        order.swap(place, draw.count(place + 1));
    }
    for seed in order {
        let again = run(&script(seed), Some(seed)).lines();
        assert_eq!(again, first[usize::try_from(seed).expect("small")], "seed {seed}");
    }
}

#[test]
fn other_seeds_give_other_schedules_of_the_same_session() {
    let runs: Vec<_> = (0..200).map(|seed| run(&busy(), Some(seed))).collect();
    let schedules: BTreeSet<_> = runs.iter().map(|ran| ran.picks.clone()).collect();
    assert!(schedules.len() > 190, "{} schedules of 200 seeds", schedules.len());
    let traces: BTreeSet<_> = runs.iter().map(|ran| ran.lines()).collect();
    assert!(traces.len() > 100, "{} traces of 200 seeds", traces.len());
}

#[test]
fn without_a_seed_every_choice_is_the_first() {
    assert!(run(&busy(), None).picks.iter().all(|&picked| picked == 0));
}

/// The digests of these seeds, as lines; this process runs as another one is told to.
const ASKED: &str = "TOOLWRIGHT_DIGESTS_OF";
/// How many seeds are compared between processes; 20,000 takes some minutes.
const COMPARED: &str = "TOOLWRIGHT_DIGESTS";

fn shuffled(seeds: u64) -> Vec<u64> {
    let mut order: Vec<u64> = (0..seeds).collect();
    let mut draw = Draw::new(seeds);
    for place in (1..order.len()).rev() {
        order.swap(place, draw.count(place + 1));
    }
    order
}

fn digest(seed: u64) -> u64 {
    label_hash(&run(&Draw::new(seed).script(), Some(seed)).lines())
}

/// Does nothing unless another process asks for it.
#[test]
fn digests_for_another_process() {
    let Ok(seeds) = std::env::var(ASKED) else { return };
    for seed in shuffled(seeds.parse().expect("it was written by the other process")) {
        println!("digest {seed} {:016x}", digest(seed));
    }
}

#[test]
fn another_process_with_another_environment_folder_zone_and_order_gives_the_same_digests() {
    let seeds: u64 = std::env::var(COMPARED).map_or(150, |text| text.parse().expect("it is a number"));
    let program = std::env::current_exe().expect("a test knows its program");
    let mut other = std::process::Command::new(program);
    other.args(["--exact", "seeds::digests_for_another_process", "--nocapture", "--test-threads=1"]);
    other.env_clear().env(ASKED, seeds.to_string()).env("TZ", "Pacific/Auckland").current_dir("/");
    let output = other.output().expect("this program runs twice");
    let text = String::from_utf8_lossy(&output.stdout);
    let line = |line: &str| {
        let (seed, digest) = line.split_once("digest ")?.1.split_once(' ')?;
        Some((seed.parse::<u64>().ok()?, digest.to_owned()))
    };
    let theirs: BTreeMap<u64, String> = text.lines().filter_map(line).collect();
    assert_eq!(theirs.len() as u64, seeds, "{text}");
    let ours = (0..seeds).map(|seed| (seed, format!("{:016x}", digest(seed))));
    let different: Vec<u64> =
        ours.filter(|(seed, ours)| theirs[seed] != *ours).map(|(seed, _)| seed).collect();
    println!("{} of {seeds} digests differ", different.len());
    assert_eq!(different, [0_u64; 0]);
}

/// Waits for a word that never comes.
#[tool(concurrency_safe, read_only, state = Mutex<Option<oneshot::Receiver<()>>>)]
struct Wait {}

impl Tool for Wait {
    type Output = String;

    fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
        Effects::none()
    }

    async fn call(&self, cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        let word = cx.state().lock().await.take().expect("it is called once");
        word.await?;
        Ok("it came".to_owned())
    }
}

#[test]
fn a_session_that_cannot_end_is_reported_with_the_names_of_those_who_wait() {
    for seed in 0..50 {
        let (_kept, word) = oneshot::channel();
        let mut catalogue = Catalogue::new();
        catalogue.add_with::<Wait>(Mutex::new(Some(word)));
        let simulation = Simulation::new(Some(seed));
        let session = Arc::new(Session::builder(simulation.env(), catalogue).build());
        let turn = Turn::new(vec![ToolUse::new("a", "Absent", "{}"), ToolUse::new("b", "Wait", "{}")]);
        let ended = simulation.run(async move { session.run_turn(turn).await });
        let Err(Stuck::Deadlock(waits)) = ended else { panic!("seed {seed}: {ended:?}") };
        let said = waits.to_string();
        assert_eq!(said, "root#0 for call#1 since 0.000 s; call#1 since 0.000 s after a change of the line");
    }
}
