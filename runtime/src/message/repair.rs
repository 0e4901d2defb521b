//! What was mended in a message or a conversation. Nothing is mended in silence.

use std::fmt;

use super::CallId;

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
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.detail)
    }
}
