//! Very many commands that fork, hang, flood and hide leave no process and no open file behind.
//!
//! `TOOLWRIGHT_STRESS` says how many; a few unless it does. They run in a process of their own, whose open files nothing
//! else touches.

use std::collections::BTreeMap;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use toolwright::contract::Context;
use toolwright::env::{Cause, Env};
use toolwright::message::{ToolUse, Turn};
use toolwright::permission::Mode;
use toolwright::session::{Session, SiblingPolicy};

/// How many commands run unless the environment says otherwise.
const CALLS: usize = 40;
/// How many sessions run beside each other.
const SESSIONS: usize = 8;
/// How many calls a turn has.
const CALLS_IN_TURN: usize = 5;
/// In the process that does the work, the mark of its commands.
const WORKER: &str = "TOOLWRIGHT_STRESS_WORKER";

/// How a command comes to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// By itself.
    Own,
    /// By its timeout.
    Timeout,
}

/// What commands do. `@` is a duration that only this run sleeps.
const SHAPES: &[(End, &str)] = &[
    (End::Own, "echo plain @"),
    (End::Own, "cat notes.txt"),
    (End::Own, "grep -c one notes.txt"),
    (End::Own, "for i in 1 2 3; do (sleep @ &) ; done; echo forked"),
    (End::Own, "nohup sleep @ >/dev/null 2>&1 & echo left"),
    (End::Own, "setsid sleep @ >/dev/null 2>&1 & echo left"),
    (End::Own, "env -i setsid sh -c '(sleep @ &) & exec sleep @' </dev/null >/dev/null 2>&1 & exit 0"),
    (End::Own, "sh -c 'kill -9 $PPID; sleep @' & wait"),
    (End::Own, "(sleep 0.01; kill -STOP $BASHPID; sleep @) & exit 7"),
    (End::Own, "seq 1 20000; sleep @ >/dev/null 2>&1 &"),
    (End::Own, "exec true @"),
    (End::Timeout, "sleep 0; sleep @"),
    (End::Timeout, "yes @"),
    (End::Timeout, "exec >&- 2>&-; sleep @"),
    (End::Timeout, "setsid sleep @ & setsid -f sleep @; sleep @"),
    (End::Timeout, "env -i setsid -f sh -c 'exec 0<&- 1>&- 2>&-; (sleep @ &) ; sleep @'; sleep @"),
    (End::Timeout, "(setsid sh -c '(sleep @ &) &' &) ; cat < fifo; sleep @"),
    (End::Timeout, "nohup sleep @ & disown; while :; do /bin/sleep @ & wait; done"),
    (End::Timeout, "f() { sleep @ & f2; }; f2() { sleep @ & sleep @; }; f"),
    (End::Timeout, "trap '' TERM INT HUP; (trap '' TERM; sleep @) & sleep @; sleep @"),
];

/// The processes whose words have this mark, but for those that only wait to be heard of.
fn living(mark: &str) -> Vec<String> {
    let entries = std::fs::read_dir("/proc").expect("there are processes").flatten();
    let lines = entries.filter_map(|entry| {
        let line = std::fs::read(entry.path().join("cmdline")).ok()?;
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        line.contains(mark).then(|| format!("{} {line}", entry.file_name().to_string_lossy()))
    });
    lines.filter(|line| !line.contains("stress::worker")).collect()
}

/// The children of this process, those that have ended and were not heard of among them.
fn children() -> Vec<String> {
    let entries = std::fs::read_dir("/proc").expect("there are processes").flatten();
    let stats = entries.filter_map(|entry| std::fs::read_to_string(entry.path().join("stat")).ok());
    let own = std::process::id().to_string();
    let parent = |stat: &String| {
        stat.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(1)) == Some(own.as_str())
    };
    stats.filter(parent).collect()
}

/// The open files of this process, and what each is.
fn open_files() -> BTreeMap<String, String> {
    let entries = std::fs::read_dir("/proc/self/fd").expect("there are files").flatten();
    let named = entries.filter_map(|entry| {
        let target = std::fs::read_link(entry.path()).ok()?.display().to_string();
        Some((entry.file_name().to_string_lossy().into_owned(), target))
    });
    // The list itself is open while it is read.
    named.filter(|(_, target)| !target.starts_with("/proc/")).collect()
}

#[test]
fn commands_that_fork_hang_flood_and_hide_leave_no_process_and_no_file_behind() {
    let calls = std::env::var("TOOLWRIGHT_STRESS").ok().and_then(|calls| calls.parse().ok()).unwrap_or(CALLS);
    let mark = format!("86399.{}", std::process::id());
    let worker = Command::new(std::env::current_exe().expect("this is a program"))
        .args(["stress::worker", "--exact", "--nocapture", "--test-threads=1"])
        .env(WORKER, &mark)
        .env("TOOLWRIGHT_STRESS", calls.to_string())
        .output()
        .expect("this program runs");
    let said = String::from_utf8_lossy(&worker.stdout);
    println!("{said}");
    assert!(worker.status.success(), "{said}\n{}", String::from_utf8_lossy(&worker.stderr));
    assert!(said.contains(&format!("{calls} calls")), "{said}");
    assert_eq!(living(&mark), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn worker() {
    let Ok(mark) = std::env::var(WORKER) else { return };
    let calls: usize =
        std::env::var("TOOLWRIGHT_STRESS").expect("it is set").parse().expect("it is a number");
    // What is opened once and kept is there before it is counted.
    Box::pin(some(0, 1, &mark)).await;
    let (before, began) = (open_files(), Instant::now());
    let each = calls.div_ceil(SESSIONS);
    let sessions: Vec<_> = (0..SESSIONS)
        .map(|session| {
            let (from, to) = (session * each, ((session + 1) * each).min(calls));
            let mark = mark.clone();
            tokio::spawn(async move { some(from, to.saturating_sub(from), &mark).await })
        })
        .collect();
    let mut ends: BTreeMap<&'static str, usize> = BTreeMap::new();
    for session in sessions {
        for (end, count) in session.await.expect("no session panics") {
            *ends.entry(end).or_default() += count;
        }
    }
    let took = began.elapsed();
    let (mut left, mut after) = (living(&mark), open_files());
    // Calls of dropped turns are ended by tasks of their own.
    for _look in 0..200 {
        if left.is_empty() && children().is_empty() && after.len() <= before.len() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
        (left, after) = (living(&mark), open_files());
    }
    println!(
        "{} calls in {took:?}, {ends:?}; {} open files before and {} after",
        ends.values().sum::<usize>(),
        before.len(),
        after.len()
    );
    assert_eq!(left, Vec::<String>::new(), "processes are left");
    assert_eq!(children(), Vec::<String>::new(), "children are not heard of");
    assert_eq!(after.len(), before.len(), "files are left: {after:?}, before {before:?}");
    assert_eq!(ends.values().sum::<usize>(), calls, "each call has one result");
}

/// Runs some of all commands in a session: turn by turn, every third interrupted and every fifth dropped midway. Counts
/// how the calls ended.
async fn some(from: usize, count: usize, mark: &str) -> BTreeMap<&'static str, usize> {
    let folder = tempfile::tempdir().expect("a folder can be made");
    std::fs::write(folder.path().join("notes.txt"), "one\ntwo\n").expect("files can be written");
    crate::session::make_pipe(&folder.path().join("fifo"));
    let session = Session::builder(Env::tokio().expect("inside a runtime"), toolwright_tools::catalogue())
        .context(Context::new(folder.path()))
        .mode(Mode::BypassPermissions)
        .siblings(SiblingPolicy::None)
        .build();
    let session = Arc::new(session);
    let mut ends: BTreeMap<&'static str, usize> = BTreeMap::new();
    let all: Vec<usize> = (from..from + count).collect();
    for (turn, numbers) in all.chunks(CALLS_IN_TURN).enumerate() {
        let calls = numbers.iter().map(|number| call(*number, mark)).collect();
        let mut running = session.start_turn(Turn::new(calls)).await;
        if turn % 5 == 4 {
            // One result, and then nobody is interested any more.
            let first = running.next().await;
            drop(running);
            *ends.entry("dropped").or_default() += numbers.len() - usize::from(first.is_some());
            *ends.entry("ended").or_default() += usize::from(first.is_some());
            continue;
        }
        if turn % 3 == 2 {
            let interrupted = Arc::clone(&session);
            tokio::spawn(async move {
                tokio::time::sleep(Duration::from_millis(60)).await;
                interrupted.interrupt();
            });
        }
        if turn % 7 == 6 {
            running.stop(Cause::Aborted);
        }
        while let Some(result) = running.next().await {
            let text = result.content.to_text();
            let end = match text.as_str() {
                text if text.contains("longer than") => "timed out",
                text if text.contains("cancelled") => "stopped",
                _text if result.is_error => "failed",
                _text => "ended",
            };
            *ends.entry(end).or_default() += 1;
        }
        drop(running.finish());
    }
    ends
}

fn call(number: usize, mark: &str) -> ToolUse {
    let (end, command) = SHAPES[number % SHAPES.len()];
    let timeout = match end {
        End::Own => 20_000,
        End::Timeout => 150,
    };
    let input = json!({"command": command.replace('@', mark), "timeout": timeout});
    ToolUse::new(format!("call{number}"), "Bash", input.to_string())
}
