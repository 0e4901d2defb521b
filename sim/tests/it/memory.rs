//! However many seeds are explored, memory stays what it was: no run leaves anything behind.

use std::cell::Cell;
use std::process::Command;

use async_trait::async_trait;
use toolwright::env::Env;
use toolwright::message::{ToolUse, Turn};
use toolwright::permission::{Answer, Prompter, Question};
use toolwright::registry::Catalogue;
use toolwright::session::Session;
use toolwright_sim::explore::{Explore, Scene};
use toolwright_sim::faults::Fault;

use super::hooks::Rival;
use super::world::{Fate, Shell, Work, ms};

/// How many seeds are explored, unless the environment says another number; a million takes some minutes.
const SEEDS: u64 = 400;
const SEEDS_ASKED: &str = "TOOLWRIGHT_MEMORY_SEEDS";
/// Tells the process that is measured to begin.
const MEASURED: &str = "TOOLWRIGHT_MEMORY_MEASURED";
/// How many KiB more there may be at the end than after a tenth of the seeds. An allocator does not give every page
/// back, and keeps what it once needed.
const GROWTH_KIB_MAX: u64 = 4_096;
/// How many findings an exploration may keep: they are what it is for, and here there are none.
const FINDINGS_MAX: usize = 1;

/// A person who thinks for a while, and says yes.
struct Slow(Env);

#[async_trait]
impl Prompter for Slow {
    async fn ask(&self, _question: &Question) -> Option<Answer> {
        self.0.sleep(ms(3 * self.0.choose("person", 3) as u64)).await;
        Some(Answer::Allow { input: None })
    }
}

/// Two calls with two who race for each, and one alone, on a pipeline without rules; what can go wrong does at times.
fn scene() -> Scene {
    let asks = Fate { asks: true, ..Fate::safe(5) };
    let fates = [asks.clone(), asks, Fate::alone(1)];
    let call =
        |(index, fate): (usize, &Fate)| ToolUse::new(format!("c{index}"), fate.tool, fate.input(fate.safe));
    let turn = Turn::new(fates.iter().enumerate().map(call).collect());
    let mut catalogue = Catalogue::new();
    catalogue.add::<Work>().add::<Shell>();
    let scene = Scene::turns("memory", [turn], move |env: Env| {
        let own = env.clone();
        let rival = Rival(move |_question: &Question| {
            let env = own.clone();
            async move {
                env.sleep(ms(3 * env.choose("rival", 3) as u64)).await;
                Some(Answer::Allow { input: None })
            }
        });
        Session::builder(env.clone(), catalogue.clone()).hook(rival).prompter(Slow(env))
    });
    scene.faults([Fault::HookFails, Fault::HookHangs, Fault::Abort])
}

/// How much memory this process has, in KiB.
fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux tells of each process");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("it tells of memory");
    line.trim().trim_end_matches("kB").trim().parse().expect("it is a number")
}

/// Does nothing unless another process asks for it: tests beside it would be measured too.
#[test]
fn seeds_for_another_process() {
    let Ok(seeds) = std::env::var(MEASURED) else { return };
    let seeds: u64 = seeds.parse().expect("it was written by the other process");
    let (scene, done, early) = (scene(), Cell::new(0), Cell::new(0));
    let look = || {
        done.set(done.get() + 1);
        if done.get() == seeds / 10 {
            early.set(resident_kib());
        }
        false
    };
    let found = Explore::new().findings_max(FINDINGS_MAX).until(&look).seeds(&scene, 0..seeds);
    assert!(found.findings.is_empty(), "{found}");
    println!("memory {} {} {}", found.runs, early.get(), resident_kib());
}

#[test]
fn memory_stays_flat_however_many_seeds_are_explored() {
    if !cfg!(target_os = "linux") {
        eprintln!("skipped: only Linux tells how much memory a process has");
        return;
    }
    let seeds: u64 =
        std::env::var(SEEDS_ASKED).map_or(SEEDS, |text| text.parse().expect("it is a number of seeds"));
    let program = std::env::current_exe().expect("a test knows its program");
    let mut measured = Command::new(program);
    measured.args(["--exact", "memory::seeds_for_another_process", "--nocapture", "--test-threads=1"]);
    let output = measured.env(MEASURED, seeds.to_string()).output().expect("this program runs twice");
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().find_map(|line| Some(line.split_once("memory ")?.1));
    let line = line.unwrap_or_else(|| panic!("{text}{}", String::from_utf8_lossy(&output.stderr)));
    let numbers: Vec<u64> = line.split_whitespace().filter_map(|number| number.parse().ok()).collect();
    let [runs, early, late] = numbers[..] else { panic!("{line}") };
    println!("{runs} seeds: {early} KiB after a tenth of them, {late} KiB at the end");
    assert_eq!(runs, seeds);
    assert!(late <= early + GROWTH_KIB_MAX, "{early} KiB became {late} KiB");
}
