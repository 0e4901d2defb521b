//! `toolwright sweep`: seeds in processes of their own, so that a crash is one seed's and not the sweep's.

use std::ops::Range;
use std::process::{Command, ExitCode, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use clap::Args;

use super::explore::{WithArguments, show};
use super::how::{SubjectArguments, parse_seeds};
use super::output::Fault;
use crate::explore::{Crash, Subject, Summary};

/// How many seeds one process gets.
const CHUNK: u64 = 10_000;

#[derive(Args)]
pub(super) struct SweepArguments {
    #[command(flatten)]
    subject: SubjectArguments,
    #[command(flatten)]
    with: WithArguments,
    /// How many seeds, or which ones, as `A..B`
    #[arg(long, default_value = "100000", value_parser = parse_seeds)]
    seeds: Range<u64>,
    /// How many processes at one time
    #[arg(long, default_value = "1")]
    jobs: std::num::NonZeroUsize,
    /// Which part of the seeds, as `i/n` with `i` from 1
    #[arg(long, value_parser = parse_shard)]
    shard: Option<(u64, u64)>,
    /// Print the result as JSON, for `merge`
    #[arg(long)]
    json: bool,
}

fn parse_shard(text: &str) -> Result<(u64, u64), String> {
    let shard = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
    shard
        .filter(|(i, n)| (1..=*n).contains(i))
        .ok_or_else(|| format!("`{text}` is no shard: give `i/n`, from `1/n` to `n/n`"))
}

pub(super) fn run(arguments: &SweepArguments) -> Result<ExitCode, Fault> {
    // Read here too, so that what is wrong with it is said once.
    let identity = arguments.subject.recording()?.identity();
    let seeds = arguments.seeds.clone();
    let seeds = arguments.shard.map_or(seeds.clone(), |(i, n)| part(&seeds, i, n));
    let chunks = chunks(&seeds, arguments.jobs.get() as u64);
    let next = AtomicUsize::new(0);
    let empty = Summary::empty(identity);
    let found = Mutex::new(empty.clone());
    let failed = Mutex::new(None);
    std::thread::scope(|scope| {
        for _ in 0..arguments.jobs.get() {
            scope.spawn(|| {
                while let Some(chunk) = chunks.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let swept = sweep(chunk.clone(), &empty, &explore, &mut |summary| {
                        let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
                        found.add(summary).map_err(|error| Fault::new(error.to_string()))
                    });
                    if let Err(fault) = swept {
                        *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(fault);
                        return;
                    }
                }
            });
        }
    });
    if let Some(fault) = failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(fault);
    }
    let summary = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    show(&summary, arguments.json)?;
    let is_missing = arguments.with.complain_of_missing(&summary);
    Ok(ExitCode::from(u8::from(!summary.is_ok() || is_missing)))
}

/// The i-th of n parts that differ by one seed at the most.
fn part(seeds: &Range<u64>, i: u64, n: u64) -> Range<u64> {
    let count = u128::from(seeds.end.saturating_sub(seeds.start));
    let at = |part: u64| {
        let offset = count * u128::from(part) / u128::from(n);
        seeds.start + u64::try_from(offset).expect("a part of a u64")
    };
    at(i - 1)..at(i)
}

fn chunks(seeds: &Range<u64>, jobs: u64) -> Vec<Range<u64>> {
    let count = seeds.end.saturating_sub(seeds.start);
    let size = count.div_ceil(jobs).clamp(1, CHUNK);
    let starts = (seeds.start..seeds.end).step_by(usize::try_from(size).expect("a chunk is small"));
    starts.map(|from| from..from.saturating_add(size).min(seeds.end)).collect()
}

/// Explores these seeds in a process of its own. Where it crashes, its halves are tried, down to the seed that does it.
fn sweep(
    seeds: Range<u64>,
    empty: &Summary,
    explore: &dyn Fn(&Range<u64>) -> Result<Output, Fault>,
    add: &mut dyn FnMut(Summary) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let mut open = vec![seeds];
    while let Some(seeds) = open.pop() {
        let output = explore(&seeds)?;
        let ended = output.status.code().is_some_and(|code| code < 2);
        if ended && let Ok(summary) = serde_json::from_slice::<Summary>(&output.stdout) {
            add(summary)?;
        } else if output.status.code() == Some(2) {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(Fault::new(format!("a process of the sweep gave up: {}", said.trim())));
        } else if seeds.end - seeds.start > 1 {
            let middle = u64::midpoint(seeds.start, seeds.end);
            open.push(middle..seeds.end);
            open.push(seeds.start..middle);
        } else {
            add(crashed(seeds.start, &output, empty.clone()))?;
        }
    }
    Ok(())
}

/// The same command line, for `explore`.
fn explore(seeds: &Range<u64>) -> Result<Output, Fault> {
    let failed = |error: std::io::Error| Fault::new(format!("no process for the sweep: {error}"));
    let program = std::env::current_exe().map_err(failed)?;
    let mut command = Command::new(program);
    command.arg("explore").args(passed_on(std::env::args_os().skip(2)));
    command.arg("--json").arg("--seeds").arg(format!("{}..{}", seeds.start, seeds.end));
    command.stdin(Stdio::null()).output().map_err(failed)
}

/// What `sweep` was called with, without what is its own.
fn passed_on(arguments: impl Iterator<Item = std::ffi::OsString>) -> Vec<std::ffi::OsString> {
    const OWN: [&str; 4] = ["--seeds", "--jobs", "--shard", "--sometimes"];
    let mut arguments = arguments;
    let mut passed = Vec::new();
    while let Some(argument) = arguments.next() {
        let text = argument.to_string_lossy();
        if OWN.contains(&text.as_ref()) {
            drop(arguments.next());
        } else if text != "--json" && !OWN.iter().any(|own| text.starts_with(&format!("{own}="))) {
            passed.push(argument);
        }
    }
    passed
}

/// The crash of one seed, added to a summary of nothing.
fn crashed(seed: u64, output: &Output, mut summary: Summary) -> Summary {
    let said = String::from_utf8_lossy(&output.stderr);
    let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let how = format!("{}; {last}", output.status);
    summary.seeds = vec![(seed, seed + 1)];
    summary.crashes.push(Crash { seed, how });
    summary
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    use super::*;
    use crate::explore::Identity;

    /// A process that is killed at these seeds, and tells of all others that they are fine.
    fn process(seeds: &Range<u64>, killers: &[u64]) -> Output {
        let is_killed = killers.iter().any(|seed| seeds.contains(seed));
        let summary = Summary {
            seeds: vec![(seeds.start, seeds.end)],
            runs: seeds.end - seeds.start,
            ..Summary::empty(Identity::of("t", "c"))
        };
        let stdout =
            if is_killed { Vec::new() } else { serde_json::to_vec(&summary).expect("it serialises") };
        Output { status: ExitStatus::from_raw(if is_killed { 9 } else { 0 }), stdout, stderr: Vec::new() }
    }

    #[test]
    fn a_crash_is_told_of_its_seed_and_every_other_seed_is_counted_once() {
        let killers = [3, 500, 999];
        let empty = Summary::empty(Identity::of("t", "c"));
        let mut found = empty.clone();
        let swept = sweep(0..1000, &empty, &|seeds| Ok(process(seeds, &killers)), &mut |summary| {
            found.add(summary).map_err(|error| Fault::new(error.to_string()))
        });
        swept.expect("nothing else fails");
        assert_eq!(found.crashes.iter().map(|crash| crash.seed).collect::<Vec<_>>(), killers);
        assert!(found.crashes[0].how.contains("signal: 9"), "{:?}", found.crashes);
        assert_eq!((found.runs, found.seeds), (997, vec![(0, 1000)]));
    }

    #[test]
    fn shards_are_apart_and_whole() {
        for (count, n) in [(100, 7), (3, 5), (0, 2), (1, 1)] {
            let parts: Vec<Range<u64>> = (1..=n).map(|i| part(&(10..10 + count), i, n)).collect();
            assert_eq!(parts[0].start, 10);
            assert_eq!(parts[parts.len() - 1].end, 10 + count);
            assert!(parts.windows(2).all(|two| two[0].end == two[1].start));
        }
    }

    #[test]
    fn what_is_the_sweeps_own_is_not_passed_on() {
        let given =
            ["f", "--seeds", "5", "--swarm", "--jobs=2", "--json", "--mode", "plan", "--shard", "1/2"];
        let passed = passed_on(given.into_iter().map(Into::into));
        assert_eq!(passed, ["f", "--swarm", "--mode", "plan"]);
    }
}
