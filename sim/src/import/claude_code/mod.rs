//! The session files of Claude Code (1.0.98 – 2.1.232 as recorded), and what its `--output-format stream-json` prints,
//! which differs in a few names and has no times: JSON lines, of which the `user` and
//! `assistant` lines carry the conversation.
//!
//! The format is internal to that program and changes, so nothing is required of a line but that it is a
//! JSON object. One response of the model is several lines with one `message.id`; results come on later
//! lines, in the order in which the calls ended, some between the lines of the message. [`collect`] gathers
//! messages and results from the lines, [`assemble`] pairs them.
//! Of what the program writes for itself, [`program`] keeps who denied a call, and what streamed but never came whole.
//!
//! [`collect`]: self::collect
//! [`assemble`]: self::assemble
//! [`program`]: self::program

mod assemble;
mod collect;
mod line;
mod outcome;
mod parts;
mod program;
#[cfg(test)]
mod tests;

use std::ops::ControlFlow;

use self::collect::Session;
use self::line::{Line, Whose};
use super::format::{Particulars, Reader, Unread};
use crate::transcript::{RepairKind, Repairs, Transcript, lines};

pub(super) const SESSION: Particulars = Particulars {
    word: "claude-code",
    title: "Claude Code session",
    tells: |line| {
        let has = |name| line.has(name);
        let kind = match line.kind() {
            "file-history-snapshot" | "file-history-delta" => has("messageId"),
            "permission-mode" => has("permissionMode"),
            "queue-operation" => has("operation"),
            "user" | "assistant" => has("message") && !has("session_id"),
            _other => false,
        };
        kind || ["sessionId", "parentUuid", "isSidechain", "leafUuid"].into_iter().any(has)
    },
    reader: Reader::Lines(|bytes, repairs| read(bytes, SESSION.word, repairs)),
};

pub(super) const STREAM: Particulars = Particulars {
    word: "stream-json",
    title: "stream-json output",
    tells: |line| match line.kind() {
        "stream_event" => line.has("event"),
        "system" | "user" | "assistant" | "result" => line.has("session_id"),
        _other => false,
    },
    reader: Reader::Lines(|bytes, repairs| read(bytes, STREAM.word, repairs)),
};

/// Reads a session file; the line and the reason when there is nothing to read. Lines that cannot be read are in the
/// repairs.
fn read(bytes: &[u8], format: &str, repairs: &mut Repairs) -> Result<Transcript, Unread> {
    let (mut session, noted) = gather(bytes, Whose::Session)?;
    if session.is_of_sub_agent() {
        let noted;
        (session, noted) = gather(bytes, Whose::SubAgent)?;
        repairs.append(noted);
        let detail = "every line is a sub-agent's; they were read as a session of its own";
        repairs.note(None, RepairKind::Sidechain, detail);
    } else {
        repairs.append(noted);
    }
    Ok(assemble::assemble(session, format, repairs))
}

fn gather(bytes: &[u8], whose: Whose) -> Result<(Session, Repairs), (usize, String)> {
    let mut repairs = Repairs::default();
    let mut session = Session::default();
    let tally = lines::read(bytes, &mut repairs, &mut |number, text, repairs| {
        session.take(Line::parse(number, text, whose)?, repairs);
        Ok(ControlFlow::Continue(()))
    });
    match tally.first_problem {
        Some(problem) if tally.objects == 0 => Err(problem),
        Some(_) | None => Ok((session, repairs)),
    }
}
