//! The session files of Claude Code (1.0.98 – 2.1.232 as recorded): JSON lines, of which the `user` and
//! `assistant` lines carry the conversation.
//!
//! The format is internal to that program and changes, so nothing is required of a line but that it is a
//! JSON object. One response of the model is several lines with one `message.id`; results come on later
//! lines, in the order in which the calls ended, some between the lines of the message. [`collect`] gathers
//! messages and results from the lines, [`assemble`] pairs them.
//!
//! [`collect`]: self::collect
//! [`assemble`]: self::assemble

mod assemble;
mod collect;
mod line;
mod outcome;
mod parts;
#[cfg(test)]
mod tests;
mod timing;

use std::ops::ControlFlow;

use crate::transcript::{Repair, Repairs, Transcript, lines};

/// Reads a session; lines that cannot be read are in the repairs.
pub(super) fn read(bytes: &[u8]) -> (Transcript, Vec<Repair>) {
    let mut repairs = Repairs::default();
    let mut session = collect::Session::default();
    lines::read(bytes, &mut repairs, &mut |number, text, repairs| {
        session.take(line::Line::parse(number, text)?, repairs);
        Ok(ControlFlow::Continue(()))
    });
    let transcript = assemble::assemble(session, &mut repairs);
    (transcript, repairs.finish())
}
