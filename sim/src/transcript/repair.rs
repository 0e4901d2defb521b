//! Notes on what a reader had to mend.
//!
//! Nothing is mended in silence: each repair is counted and can be printed. The number of notes kept is
//! limited, the count is not.

use std::collections::BTreeMap;
use std::fmt;

/// Notes of one kind that are kept one by one; those after are counted in the last.
const NOTES_MAX: usize = 1_000;

/// One thing that was wrong in a file, and what was done about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Repair {
    /// The line it was on, counted from 1; of the first one when it stands for several.
    pub line: Option<usize>,
    /// What kind of thing it was.
    pub kind: RepairKind,
    /// How many such things this note stands for; nearly always 1.
    pub count: usize,
    /// What was wrong and what was done, in words.
    pub detail: String,
}

/// The kinds of things that are mended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RepairKind {
    /// Two or more JSON objects stood on one line; they were split.
    GluedLine,
    /// A line, or the rest of one, is not a JSON object that can be read; it was left out.
    UnreadableLine,
    /// The file began with a byte order mark; it was skipped.
    ByteOrderMark,
    /// A line had bytes that are not UTF-8; they became U+FFFD.
    NotUtf8,
    /// A line had half a surrogate pair; it became U+FFFD.
    LoneSurrogate,
    /// A line of the conversation, or a block in it, has a shape that says nothing; it was left out.
    UnreadableMessage,
    /// A call or turn without an id got one that is made up.
    MissingId,
    /// A call without the name of a tool got one that is made up.
    MissingName,
    /// Arguments or blocks that are JSON by sight but cannot be read were kept as text.
    KeptAsText,
    /// A second call with the same id; the first was kept.
    DuplicateCall,
    /// A second result with the same id; the first was kept.
    DuplicateResult,
    /// A second turn with the same id; its calls went to the first.
    DuplicateTurn,
    /// A call without a result; it is unanswered.
    UnansweredCall,
    /// A result without a call; it was left out.
    OrphanResult,
    /// A result that stood before its call; it was taken as the call's.
    EarlyResult,
    /// A result that stood behind the turn that followed its call; it was taken as the call's.
    LateResult,
    /// A call with the id of an earlier call; it got one that is made up.
    ReusedId,
    /// The conversation begins with the model; a message of a user was made up.
    MissingPrompt,
    /// Free text that a tool takes was put into an object, as its `input`.
    WrappedInput,
    /// A call that the model's provider ran itself; it was left out.
    ProviderCall,
    /// An answer of the model that was cut off before its end; what there is was kept.
    CutOffMessage,
    /// The conversation was compacted; the turns before and after were kept.
    Compaction,
    /// A request that repeats calls of another conversation; they were kept once.
    RepeatedHistory,
    /// A call of a turn that the file does not have; a turn was made for it.
    MissingTurn,
    /// Lines without a readable time; the times that depend on them are unknown.
    MissingTime,
    /// A time before the one it follows from; the two were taken as equal.
    BackwardTime,
    /// The file holds more than one session; they were read as one.
    SeveralSessions,
    /// Lines of sub-agents were kept out of the turns.
    Sidechain,
    /// A line of a kind that the format does not have; it was left out.
    UnknownLine,
    /// A field that the format does not have, or with a value that it cannot have; it was left out.
    UnknownField,
    /// The file has no header; one was made up.
    MissingHeader,
    /// The file has no last line that says it is complete; it may have been cut off.
    MissingEnd,
    /// The last line counts other turns or calls than there are.
    WrongCount,
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.detail)?,
            None => f.write_str(&self.detail)?,
        }
        if self.count > 1 { write!(f, " ({} times)", self.count) } else { Ok(()) }
    }
}

/// Collects repairs while a file is read.
#[derive(Debug, Default)]
pub(crate) struct Repairs {
    notes: Vec<Repair>,
    // INVARIANT: `last` is the place in `notes` of the newest note of that kind.
    kinds: BTreeMap<RepairKind, Kept>,
}

#[derive(Debug)]
struct Kept {
    notes: usize,
    last: usize,
}

impl Repairs {
    /// Notes one thing that was mended.
    pub(crate) fn note(&mut self, line: Option<usize>, kind: RepairKind, detail: impl Into<String>) {
        let next = self.notes.len();
        let kept = self.kinds.entry(kind).or_insert(Kept { notes: 0, last: next });
        if kept.notes > NOTES_MAX {
            self.notes[kept.last].count += 1;
            return;
        }
        kept.notes += 1;
        kept.last = next;
        let mut detail = detail.into();
        if kept.notes > NOTES_MAX {
            detail.insert_str(0, "notes of this kind are only counted from here on, first ");
        }
        self.notes.push(Repair { line, kind, count: 1, detail });
    }

    /// Notes one more of a thing that is told once, with the line of the first.
    pub(crate) fn tally(&mut self, line: Option<usize>, kind: RepairKind, detail: &str) {
        match self.kinds.get(&kind) {
            Some(kept) => self.notes[kept.last].count += 1,
            None => self.note(line, kind, detail),
        }
    }

    /// Adds what was noted elsewhere about the same file.
    pub(crate) fn append(&mut self, other: Repairs) {
        let shift = self.notes.len();
        self.notes.extend(other.notes);
        for (kind, theirs) in other.kinds {
            let ours = self.kinds.entry(kind).or_insert(Kept { notes: 0, last: 0 });
            *ours = Kept { notes: ours.notes + theirs.notes, last: theirs.last + shift };
        }
    }

    /// The notes, in the order of their lines.
    pub(crate) fn finish(mut self) -> Vec<Repair> {
        self.notes.sort_by_key(|repair| repair.line.unwrap_or(0));
        self.notes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_repair_is_counted_though_notes_are_limited() {
        let mut repairs = Repairs::default();
        for line in 1..=NOTES_MAX + 500 {
            repairs.note(Some(line), RepairKind::UnreadableLine, "bad");
            repairs.tally(Some(line), RepairKind::MissingTime, "no time");
        }
        let notes = repairs.finish();
        let count = |kind| notes.iter().filter(|r| r.kind == kind).map(|r| r.count).sum::<usize>();
        assert_eq!(count(RepairKind::UnreadableLine), NOTES_MAX + 500);
        assert_eq!(count(RepairKind::MissingTime), NOTES_MAX + 500);
        assert_eq!(notes.len(), NOTES_MAX + 2);
    }

    #[test]
    fn a_repair_says_its_line() {
        let repair = Repair { line: Some(12), kind: RepairKind::GluedLine, count: 1, detail: "x".into() };
        assert_eq!(repair.to_string(), "line 12: x");
    }
}
