//! Pairs calls with their results and makes turns of messages.

use super::collect::{Message, Session, Sidechain};
use super::outcome::{outcome, words};
use crate::import::timing::{CallTimes, think_ms, time_calls};
use crate::transcript::{
    Call, DeniedBy, FileCounts, Header, Outcome, RepairKind, Repairs, Source, Transcript, Turn, VERSION,
};

pub(super) fn assemble(mut session: Session, format: &str, repairs: &mut Repairs) -> Transcript {
    session.end(repairs);
    let counts = counts(&session, repairs);
    let mut turns = Vec::new();
    let mut prompts_used = 0;
    for message in std::mem::take(&mut session.messages) {
        if message.uses.is_empty() {
            continue;
        }
        let prompt = session.prompts[prompts_used..message.prompts].join("\n\n");
        prompts_used = message.prompts;
        turns.push(turn(message, Some(prompt).filter(|prompt| !prompt.is_empty()), &mut session, repairs));
    }
    let header = Header {
        version: VERSION,
        source: Source { format: format.to_owned(), ..session.source },
        cwd: session.cwd,
        counts,
    };
    Transcript { header, turns }
}

fn turn(message: Message, prompt: Option<String>, session: &mut Session, repairs: &mut Repairs) -> Turn {
    let think_ms = think_ms(message.line, message.input_at, message.at, repairs);
    let mut calls = Vec::with_capacity(message.uses.len());
    let mut times = Vec::with_capacity(message.uses.len());
    for used in message.uses {
        let result = session.results.remove(&used.id);
        let ended = result.as_ref().and_then(|result| result.at);
        times.push(CallTimes { line: used.line, arrived: used.at, ended });
        let outcome = match result {
            Some(result) => denied(outcome(result.answer, repairs), session.told.denied.get(&used.id)),
            None => {
                let detail = format!("call `{}` has no result", used.id);
                repairs.note(Some(used.line), RepairKind::UnansweredCall, detail);
                Outcome::Unanswered
            }
        };
        calls.push(Call {
            id: used.id,
            name: used.name,
            input: used.input,
            arrived_ms: None,
            service_ms: None,
            ended_ms: None,
            outcome,
            allowed: None,
        });
    }
    time_calls(&mut calls, &times, repairs);
    let text = message.texts.join("\n\n");
    Turn {
        id: message.id,
        model: message.model,
        mode: message.mode,
        prompt,
        text: Some(text).filter(|text| !text.is_empty()),
        think_ms,
        calls,
    }
}

/// The outcome of a call that the program says was denied, though its words do not show it.
fn denied(outcome: Outcome, by: Option<&DeniedBy>) -> Outcome {
    match (outcome, by) {
        (Outcome::Answered { content, is_error: true }, Some(by)) => {
            Outcome::Denied { by: *by, text: words(&content) }
        }
        (outcome, _) => outcome,
    }
}

/// Counts what the file holds, sub-agents included, and notes what has no counterpart.
fn counts(session: &Session, repairs: &mut Repairs) -> FileCounts {
    let Sidechain { lines, first_line, turns, calls } = &session.sidechain;
    if *lines > 0 {
        let detail = format!(
            "{lines} lines of sub-agents, from here on, were kept out of the turns ({} messages with {} calls)",
            turns.len(),
            calls.len()
        );
        repairs.note(*first_line, RepairKind::Sidechain, detail);
    }
    let mut results_without_call = 0;
    for (id, result) in &session.results {
        if session.calls.contains(id) || calls.contains(id) {
            continue;
        }
        results_without_call += 1;
        let whose = if result.is_sidechain { "a result of a sub-agent" } else { "a result" };
        let detail = format!("{whose} is of call `{id}`, which the file does not have; left out");
        repairs.note(Some(result.answer.line), RepairKind::OrphanResult, detail);
    }
    FileCounts {
        sidechain_turns: turns.len(),
        sidechain_calls: calls.len(),
        calls_without_result: session
            .calls
            .union(calls)
            .filter(|id| !session.results.contains_key(*id))
            .count(),
        results_without_call,
    }
}
