//! `toolwright sweep`: seeds in processes of their own, so that a crash is one seed's and not the sweep's.

use std::ops::Range;
use std::process::{ExitCode, Output};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use clap::Args;

use super::children::Children;
use super::explore::{WithArguments, show};
use super::how::{SubjectArguments, parse_seeds};
use super::interrupt::{INTERRUPTED, Interrupt};
use super::output::{Fault, complain};
use super::program::Tools;
use super::progress::progress;
use crate::explore::{Crash, Subject, Summary};

/// How many seeds one process gets at the most, and at the least where there are as many.
const CHUNK: u64 = 10_000;
const CHUNK_MIN: u64 = 500;
/// How often a process is started for each that may run at one time, where there are seeds enough.
const CHUNKS_A_JOB: u64 = 16;

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

pub(super) fn run(arguments: &SweepArguments, tools: &Tools) -> Result<ExitCode, Fault> {
    // Read here too, so that what is wrong with it is said once.
    let (recording, repairs) = arguments.subject.recording_and_repairs(tools)?;
    let seeds = arguments.seeds.clone();
    let seeds = arguments.shard.map_or(seeds.clone(), |(i, n)| part(&seeds, i, n));
    let how = arguments.with.how(&arguments.subject);
    let empty = Summary { how, repairs, ..Summary::empty(recording.identity()) };
    let children = Arc::new(Children::default());
    let told = Arc::clone(&children);
    let interrupt = Interrupt::watch(move || told.stop())?;
    let summary = swept(&seeds, arguments.jobs.get(), &empty, &children)?;
    show(&summary, arguments.json)?;
    if interrupt.came() {
        complain("interrupted: this is what was found until then");
        return Ok(ExitCode::from(INTERRUPTED));
    }
    let is_missing = arguments.with.complain_of_missing(&summary);
    Ok(ExitCode::from(u8::from(!summary.is_ok() || is_missing)))
}

/// What so many processes at one time find under these seeds.
fn swept(seeds: &Range<u64>, jobs: usize, empty: &Summary, children: &Children) -> Result<Summary, Fault> {
    let chunks = chunks(seeds, jobs as u64);
    let bar = progress(seeds.end.saturating_sub(seeds.start), "runs");
    let next = AtomicUsize::new(0);
    let found = Mutex::new(empty.clone());
    let failed = Mutex::new(None);
    let is_over = || children.are_stopped() || lock(&failed).is_some();
    let work = || {
        while let Some(chunk) = chunks.get(next.fetch_add(1, Ordering::Relaxed)).filter(|_| !is_over()) {
            let explored = |seeds: &Range<u64>| children.explore(seeds);
            let swept = sweep(chunk.clone(), empty, &explored, &is_over, &mut |summary| {
                bar.inc(summary.runs);
                lock(&found).add(summary).map_err(|error| Fault::new(error.to_string()))
            });
            if let Err(fault) = swept {
                lock(&failed).get_or_insert(fault);
            }
        }
    };
    std::thread::scope(|scope| (0..jobs).for_each(|_| drop(scope.spawn(work))));
    bar.finish_and_clear();
    match failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(fault) => Err(fault),
        None => Ok(found.into_inner().unwrap_or_else(PoisonError::into_inner)),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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
    // Several for each process, so that none waits long for the last and somebody who watches sees them end.
    let fair = count.div_ceil(jobs);
    let size = fair.div_ceil(CHUNKS_A_JOB).max(CHUNK_MIN.min(fair)).clamp(1, CHUNK);
    let starts = (seeds.start..seeds.end).step_by(usize::try_from(size).expect("a chunk is small"));
    starts.map(|from| from..from.saturating_add(size).min(seeds.end)).collect()
}

/// Explores these seeds in a process of its own. Where it crashes, its halves are tried, down to the seed that does it.
fn sweep(
    seeds: Range<u64>,
    empty: &Summary,
    explore: &dyn Fn(&Range<u64>) -> Result<Output, Fault>,
    is_over: &dyn Fn() -> bool,
    add: &mut dyn FnMut(Summary) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let mut open = vec![seeds];
    while let Some(seeds) = open.pop().filter(|_| !is_over()) {
        let output = explore(&seeds)?;
        let code = output.status.code();
        let is_told = code.is_some_and(|code| code < 2 || code == i32::from(INTERRUPTED));
        if is_told && let Ok(summary) = serde_json::from_slice::<Summary>(&output.stdout) {
            // One that was told to stop has left the rest of its seeds.
            let left = seeds.start.saturating_add(summary.runs).min(seeds.end)..seeds.end;
            add(summary)?;
            open.extend((!left.is_empty()).then_some(left));
        } else if is_over() {
            return Ok(());
        } else if code == Some(2) {
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
        let explored = |seeds: &Range<u64>| Ok(process(seeds, &killers));
        let swept = sweep(0..1000, &empty, &explored, &|| false, &mut |summary| {
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
}
