//! Commands that are stopped, that nobody reads, or that get what they do not want.

use std::fs::OpenOptions;
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::cli::{Folder, out, said, toolwright};

const SESSION: &str = include_str!("../../examples/session.twt.jsonl");
/// A session of tools that are all here.
const KNOWN: &str = include_str!("../../examples/late_answer.twt.jsonl");
/// More seeds than any machine runs while a test waits.
const ENDLESS: &str = "100000000";

fn started(arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_toolwright"))
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program was built for this test")
}

fn signal(name: &str, process: u32) {
    let status = Command::new("kill").args([name, &process.to_string()]).status();
    assert!(status.is_ok_and(|status| status.success()), "the process runs");
}

/// The processes that were started by this one.
fn children(process: u32) -> Vec<u32> {
    let list = format!("/proc/{process}/task/{process}/children");
    let of_main = std::fs::read_to_string(list).unwrap_or_default();
    // Threads start processes too.
    let tasks = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let of_threads = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    let all = of_threads.chain([of_main]).collect::<Vec<_>>().join(" ");
    let mut numbers: Vec<u32> = all.split_whitespace().filter_map(|number| number.parse().ok()).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// Whether a process still does something; one that ended and was not asked after does not.
fn runs(process: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with(['Z', 'X']))
}

fn until(what: &str, is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(60), "never: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn ended(mut child: Child) -> (Option<i32>, String, String) {
    let (mut out, mut said) = (String::new(), String::new());
    child.stdout.take().expect("it is piped").read_to_string(&mut out).expect("it is text");
    child.stderr.take().expect("it is piped").read_to_string(&mut said).expect("it is text");
    (child.wait().expect("it ends").code(), out, said)
}

#[test]
fn a_sweep_that_is_killed_leaves_no_process_behind() {
    let folder = Folder::new("sweep-killed");
    let file = folder.put("s.twt.jsonl", SESSION);
    for name in ["-KILL", "-TERM"] {
        let mut sweep = started(&["sweep", &file, "--seeds", ENDLESS, "--jobs", "2"]);
        until("two processes were started", || children(sweep.id()).len() == 2);
        let left = children(sweep.id());
        signal(name, sweep.id());
        sweep.wait().expect("it ends");
        until("they have ended", || left.iter().all(|process| !runs(*process)));
    }
}

#[test]
fn an_interrupted_exploration_says_what_it_has_and_ends_with_130() {
    let folder = Folder::new("explore-interrupted");
    let file = folder.put("s.twt.jsonl", SESSION);
    let explore = started(&["explore", &file, "--seeds", ENDLESS, "--json"]);
    std::thread::sleep(Duration::from_millis(1500));
    signal("-INT", explore.id());
    let (code, out, said) = ended(explore);
    assert_eq!(code, Some(130), "{said}");
    assert!(said.contains("interrupted: this is what was found until then"), "{said}");
    let found: Value = serde_json::from_str(&out).expect("the summary is whole");
    let runs = found["runs"].as_u64().expect("runs are counted");
    assert!(runs > 0, "{out}");
    assert_eq!(found["seeds"], serde_json::json!([[0, runs]]), "and says which seeds were run");
}

#[test]
fn an_interrupted_sweep_adds_up_what_its_processes_have() {
    let folder = Folder::new("sweep-interrupted");
    let file = folder.put("s.twt.jsonl", SESSION);
    let sweep = started(&["sweep", &file, "--seeds", ENDLESS, "--jobs", "2", "--json"]);
    until("two processes were started", || children(sweep.id()).len() == 2);
    std::thread::sleep(Duration::from_millis(1500));
    let left = children(sweep.id());
    signal("-INT", sweep.id());
    let (code, out, said) = ended(sweep);
    assert_eq!(code, Some(130), "{said}");
    let found: Value = serde_json::from_str(&out).expect("the summary is whole");
    let seeds = found["seeds"].as_array().expect("there are seeds");
    let counted: u64 =
        seeds.iter().map(|range| range[1].as_u64().unwrap_or(0) - range[0].as_u64().unwrap_or(0)).sum();
    assert_eq!(found["runs"].as_u64(), Some(counted), "each seed is counted once: {out}");
    assert!(counted > 0, "{out}");
    assert!(found["crashes"].as_array().is_some_and(Vec::is_empty), "being stopped is no crash: {out}");
    assert!(left.iter().all(|process| !runs(*process)));
}

#[test]
fn nothing_of_the_progress_is_shown_where_nobody_watches() {
    let folder = Folder::new("progress");
    let file = folder.put("s.twt.jsonl", KNOWN);
    for command in ["explore", "sweep"] {
        let output = toolwright(&[command, &file, "--seeds", "20"]);
        assert!(output.status.success() && said(&output).is_empty(), "{}", said(&output));
    }
}

#[test]
fn the_progress_is_shown_to_whoever_watches() {
    let folder = Folder::new("progress-terminal");
    let file = folder.put("s.twt.jsonl", SESSION);
    // A terminal for standard error alone, whose output is printed.
    let watch = "import os, pty, subprocess, sys\n\
                 ours, theirs = pty.openpty()\n\
                 run = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=theirs)\n\
                 os.close(theirs)\n\
                 try:\n\
                 \x20   while (piece := os.read(ours, 4096)): sys.stdout.buffer.write(piece)\n\
                 except OSError: pass\n\
                 sys.exit(run.wait())\n";
    for command in ["explore", "sweep"] {
        let program = env!("CARGO_BIN_EXE_toolwright");
        let mut python = Command::new("python3");
        let watched = python.args(["-c", watch, program, command, &file, "--seeds", "200"]).output();
        let Ok(output) = watched else {
            eprintln!("skipped: no python3 on this machine");
            return;
        };
        assert!(output.status.success(), "{}", said(&output));
        assert!(out(&output).contains("of 200 runs"), "{command}: {}", out(&output));
    }
}

#[test]
fn summaries_are_added_only_where_that_means_something() {
    let folder = Folder::new("merge-refused");
    let file = folder.put("s.twt.jsonl", SESSION);
    let few: String = SESSION.lines().take(3).map(|line| format!("{line}\n")).collect();
    let short = folder.put("short.twt.jsonl", few);
    let summary = |name: &str, arguments: &[&str]| folder.put(name, out(&toolwright(arguments)));
    let random = summary("random", &["sweep", &file, "--seeds", "0..5", "--strategy", "random", "--json"]);
    let pos = summary("pos", &["sweep", &file, "--seeds", "5..9", "--strategy", "pos", "--json"]);
    let swarm =
        summary("swarm", &["sweep", &file, "--seeds", "5..9", "--strategy", "random", "--swarm", "--json"]);
    let whole = summary("whole", &["explore", &short, "--exhaustive", "--json"]);
    for (arguments, reason) in [
        (["merge", random.as_str(), pos.as_str()], "different ways (`random` and `pos`)"),
        (["merge", &random, &swarm], "different ways (`random` and `random, swarm`)"),
        (["merge", &whole, &whole], "count twice"),
        (["merge", &random, "/dev/zero"], "`/dev/zero` is no file"),
        (["merge", &random, "/"], "`/` is no file"),
    ] {
        let output = toolwright(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", out(&output));
        assert!(said(&output).contains(reason), "{arguments:?}: {}", said(&output));
    }
    let more = summary("more", &["sweep", &file, "--seeds", "5..9", "--strategy", "random", "--json"]);
    assert!(out(&toolwright(&["merge", &random, &more])).starts_with("9 runs, seeds 0..9\n"));
}

#[test]
fn nothing_is_run_under_settings_that_are_broken() {
    let folder = Folder::new("broken-settings");
    let file = folder.put("s.twt.jsonl", SESSION);
    let broken = folder.put("settings.json", "{\"permissions\": {\"deny\": [\"Bash(rm:*)\"");
    for arguments in [
        vec!["replay", &file, "--settings", &broken],
        vec!["explore", &file, "--seeds", "2", "--settings", &broken],
        vec!["sweep", &file, "--seeds", "2", "--settings", &broken],
        vec!["diff", &file, "--seed", "1", "--seed", "2", "--settings", "{\"permissions\": 5}"],
    ] {
        let output = toolwright(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", out(&output));
        assert!(out(&output).is_empty() && said(&output).contains("the settings have"), "{}", said(&output));
    }
}

#[test]
fn what_cannot_be_written_is_an_error_and_a_reader_who_has_gone_is_none() {
    let folder = Folder::new("full");
    let file = folder.put("s.twt.jsonl", KNOWN);
    for arguments in [
        vec!["help"],
        vec!["--help"],
        vec!["--version"],
        vec!["replay", "--help"],
        vec!["replay"],
        vec!["tools"],
        vec!["explore", &file, "--seeds", "2"],
        vec!["import", &file],
        vec!["check", "Bash(ls)"],
    ] {
        let full = OpenOptions::new().write(true).open("/dev/full").expect("there is one");
        let mut command = Command::new(env!("CARGO_BIN_EXE_toolwright"));
        let output = command.args(&arguments).stdin(Stdio::null()).stdout(full).output().expect("it runs");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", said(&output));
        assert!(said(&output).contains("No space left"), "{arguments:?}: {}", said(&output));
        let mut child = started(&arguments);
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("it ends");
        assert!(said(&output).is_empty(), "{arguments:?}: {}", said(&output));
    }
}

#[test]
fn an_import_overwrites_only_what_it_is_told_to_and_writes_on_devices() {
    let folder = Folder::new("import-force");
    let file = folder.put("s.twt.jsonl", SESSION);
    let target = folder.put("old.jsonl", "old");
    let kept = toolwright(&["import", &file, "-o", &target]);
    assert_eq!(kept.status.code(), Some(2));
    assert!(said(&kept).contains("is there already: `--force` overwrites it"), "{}", said(&kept));
    assert_eq!(std::fs::read_to_string(&target).expect("it is there"), "old");
    assert!(toolwright(&["import", &file, "-o", &target, "--force"]).status.success());
    assert_eq!(std::fs::read_to_string(&target).expect("it is there"), out(&toolwright(&["import", &file])));
    let entries = std::fs::read_dir(&folder.0).expect("the folder is there").count();
    assert_eq!(entries, 2, "nothing is left beside them");
    assert!(toolwright(&["import", &file, "-o", "/dev/null"]).status.success());
    let full = toolwright(&["import", &file, "-o", "/dev/full"]);
    assert_eq!(full.status.code(), Some(2));
    assert!(said(&full).contains("`/dev/full` cannot be written: No space left"), "{}", said(&full));
}

#[test]
fn a_format_that_a_recording_is_not_of_is_an_error_that_names_what_it_is() {
    let folder = Folder::new("import-format");
    let file = folder.put("s.twt.jsonl", SESSION);
    for (wrong, reason) in [
        ("codex", "it looks like a Toolwright transcript; leave `--format` out, or give `toolwright`"),
        ("claude-code", "toolwright"),
        ("messages", "toolwright"),
        ("nonsense", "`nonsense` is no format that is read; give one of toolwright, codex"),
    ] {
        let output = toolwright(&["import", &file, "--format", wrong]);
        assert_eq!(output.status.code(), Some(2), "{wrong}: {}", out(&output));
        assert!(said(&output).contains(reason) && out(&output).is_empty(), "{wrong}: {}", said(&output));
    }
    assert!(toolwright(&["import", &file, "--format", "toolwright"]).status.success());
}
