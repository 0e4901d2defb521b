//! Fewer turns, fewer calls, shorter ones.

use super::attempt::{Attempts, Failing};
use super::choices::conditions;
use crate::explore::Recording;
use crate::transcript::{Content, Outcome, Transcript};

/// The smallest recording that still fails, with the choices by which it does.
pub(super) fn shrink(attempts: &mut Attempts<'_>, recording: &Recording, failing: &mut Failing) -> Recording {
    conditions(attempts, recording, failing);
    let mut smallest = recording.clone();
    turns(attempts, &mut smallest, failing);
    calls(attempts, &mut smallest, failing);
    for shorten in [times as fn(&mut Transcript), words, around] {
        keep(attempts, &mut smallest, failing, |transcript, _failing| shorten(transcript));
    }
    smallest
}

/// Makes the change, if what comes of it still fails; says whether it does.
fn keep(
    attempts: &mut Attempts<'_>,
    smallest: &mut Recording,
    failing: &mut Failing,
    change: impl Fn(&mut Transcript, &mut Failing),
) -> bool {
    let (mut transcript, mut changed) = (smallest.transcript().clone(), failing.clone());
    change(&mut transcript, &mut changed);
    if transcript == *smallest.transcript() || attempts.are_spent() {
        return false;
    }
    let candidate = smallest.with_transcript(&transcript);
    match attempts.find(&candidate, &changed) {
        Some(found) => {
            (*smallest, *failing) = (candidate, found);
            true
        }
        None => false,
    }
}

/// Leaves out runs of turns, long ones first.
fn turns(attempts: &mut Attempts<'_>, smallest: &mut Recording, failing: &mut Failing) {
    let mut length = smallest.transcript().turns.len() / 2;
    while length > 0 && !attempts.are_spent() {
        let mut from = 0;
        while from < smallest.transcript().turns.len() && !attempts.are_spent() {
            let to = (from + length).min(smallest.transcript().turns.len());
            let is_kept = to - from < smallest.transcript().turns.len()
                && keep(attempts, smallest, failing, |transcript, failing| {
                    drop(transcript.turns.drain(from..to));
                    if let Some(abort) = &mut failing.conditions.abort
                        && abort.turn >= to
                    {
                        abort.turn -= to - from;
                    }
                });
            if !is_kept {
                from += length;
            }
        }
        length /= 2;
    }
}

/// Leaves out calls, the last ones first.
fn calls(attempts: &mut Attempts<'_>, smallest: &mut Recording, failing: &mut Failing) {
    for turn in (0..smallest.transcript().turns.len()).rev() {
        for call in (0..smallest.transcript().turns[turn].calls.len()).rev() {
            if smallest.transcript().turns[turn].calls.len() > 1 {
                keep(attempts, smallest, failing, |transcript, _failing| {
                    drop(transcript.turns[turn].calls.remove(call));
                });
            }
        }
    }
}

/// Everything takes as little time as keeps who is longer than whom.
fn times(transcript: &mut Transcript) {
    let mut known: Vec<u64> = transcript.calls().filter_map(|call| call.service_ms).collect();
    known.sort_unstable();
    known.dedup();
    for turn in &mut transcript.turns {
        turn.think_ms = None;
        for call in &mut turn.calls {
            (call.arrived_ms, call.ended_ms) = (None, None);
            call.service_ms =
                call.service_ms.and_then(|ms| known.binary_search(&ms).ok()).map(|rank| rank as u64);
        }
    }
}

/// Answers in a word.
fn words(transcript: &mut Transcript) {
    for call in transcript.turns.iter_mut().flat_map(|turn| &mut turn.calls) {
        match &mut call.outcome {
            Outcome::Answered { content, .. } => *content = Content::Text("done".to_owned()),
            Outcome::Denied { text, .. } | Outcome::Rejected { text, .. } | Outcome::Cancelled { text } => {
                "no".clone_into(text);
            }
            Outcome::Unanswered => {}
        }
    }
}

/// Nothing said beside the calls.
fn around(transcript: &mut Transcript) {
    for turn in &mut transcript.turns {
        (turn.prompt, turn.text) = (None, None);
    }
}
