//! Formats that are recognised, so that a person is told what a file is, and that nobody reads yet.

use super::format::{Particulars, Reader};

pub(super) const OPEN_HANDS: Particulars = Particulars {
    word: "open-hands",
    title: "OpenHands event log",
    tells: |value| {
        value.kind().is_empty() && value.has("kind") && value.has("source") && value.has("timestamp")
    },
    reader: Reader::Nobody,
};

pub(super) const PI: Particulars = Particulars {
    word: "pi",
    title: "Pi session",
    tells: |value| value.kind() == "session" && value.has("version"),
    reader: Reader::Nobody,
};
