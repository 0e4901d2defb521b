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
use crate::transcript::{RepairKind, Repairs, Transcript, lines};

/// Reads a session file; the line and the reason when there is nothing to read. Lines that cannot be read are in the
/// repairs.
pub(super) fn read_session(bytes: &[u8], repairs: &mut Repairs) -> Result<Transcript, (usize, String)> {
    read(bytes, "claude-code", repairs)
}

/// The same of what a program printed while the session ran.
pub(super) fn read_stream(bytes: &[u8], repairs: &mut Repairs) -> Result<Transcript, (usize, String)> {
    read(bytes, "stream-json", repairs)
}

fn read(bytes: &[u8], format: &str, repairs: &mut Repairs) -> Result<Transcript, (usize, String)> {
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
