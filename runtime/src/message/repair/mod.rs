//! Makes a conversation that was loaded one that models take. Nothing is mended in silence.
//!
//! What models take: the user begins; each message of calls has right behind it one message that begins with a result
//! for each of its calls, in their order; results stand nowhere else; identifiers are used once; nothing is empty.

mod pair;
mod rebuild;

use std::fmt;

use super::{CallId, Message};

/// One thing that was wrong, and what was done about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// What kind of thing it was.
    pub kind: RepairKind,
    /// The call it is about, where it is about one.
    pub call: Option<CallId>,
    /// What was wrong and what was done, in words.
    pub detail: String,
}

/// The kinds of things that are mended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum RepairKind {
    /// A call without an identifier got one that is made up.
    MissingId,
    /// A call with the identifier of another got one that is made up.
    ReusedId,
    /// The same call stood there twice; the first was kept.
    DuplicateCall,
    /// A call without a result got one that says so.
    MissingResult,
    /// A second result of the same call; the first was kept.
    DuplicateResult,
    /// A result without a call; it was left out.
    OrphanResult,
    /// A result that was not where it belongs, right behind its call and in the order of the calls; it was moved.
    MovedResult,
    /// Messages of the same side that followed each other were made one.
    MergedMessages,
    /// A block that its side cannot say, such as a call in a user's message; it was left out.
    MisplacedBlock,
    /// A text or a message that says nothing; it was left out.
    Empty,
    /// A call that was cut off before it was whole; it was left out.
    CutOff,
    /// The model spoke first; a message that says so was put before.
    MissingBeginning,
}

/// A conversation that models take, and what was mended for it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Repaired {
    /// The conversation.
    pub messages: Vec<Message>,
    /// What was mended, each thing once.
    pub repairs: Vec<Repair>,
}

/// Makes a conversation one that models take. One that they take already stays as it is, and what is mended once needs
/// no mending again.
#[must_use]
pub fn repair(messages: Vec<Message>) -> Repaired {
    let mut repairs = Vec::new();
    let paired = pair::pair(&messages, &mut repairs);
    let messages = rebuild::rebuild(messages, paired, &mut repairs);
    Repaired { messages, repairs }
}

impl Repair {
    fn of(kind: RepairKind, call: &CallId, detail: impl Into<String>) -> Repair {
        Repair { kind, call: Some(call.clone()), detail: detail.into() }
    }

    fn general(kind: RepairKind, detail: impl Into<String>) -> Repair {
        Repair { kind, call: None, detail: detail.into() }
    }
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.detail)
    }
}
