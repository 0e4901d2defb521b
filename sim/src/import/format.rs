//! The formats that are recognised: one table. What is particular about a format is in its file.

use std::fmt;
use std::str::FromStr;

use super::detect::Sniff;
use super::object::Object;
use crate::transcript::{Repairs, Transcript};

/// The line and the reason when nothing of a file can be read.
pub(super) type Unread = (usize, String);

/// What is particular about a format.
pub(super) struct Particulars {
    /// The word for it on the command line and in transcripts.
    pub(super) word: &'static str,
    /// What a file of it is called, behind "a".
    pub(super) title: &'static str,
    /// Whether a value, or a line, is one that no other format has.
    pub(super) tells: fn(&Sniff) -> bool,
    /// Who reads it.
    pub(super) reader: Reader,
}

/// Who reads a format.
pub(super) enum Reader {
    /// The project's own form.
    Own,
    /// A log of a model's interface, whose format its messages show.
    Log,
    /// Files that are one object.
    Object(fn(&Object<'_>, &mut Repairs) -> Transcript),
    /// Files of lines.
    Lines(fn(&[u8], &mut Repairs) -> Result<Transcript, Unread>),
    /// Nobody yet: it is only recognised.
    Nobody,
}

macro_rules! formats {
    ($($(#[$doc:meta])+ $format:ident = $particulars:path;)+) => {
        /// A format of recorded sessions.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Format {
            $($(#[$doc])+ $format,)+
        }

        impl Format {
            /// Every format, in the order in which they are looked for.
            pub const ALL: &[Format] = &[$(Format::$format,)+];

            pub(super) fn particulars(self) -> &'static Particulars {
                match self {
                    $(Format::$format => &$particulars,)+
                }
            }
        }
    };
}

// The first that knows a value has it: those that ask for less stand behind.
formats! {
    /// This project's own transcripts: `toolwright` on the command line.
    Toolwright = OWN;
    /// Sessions of Pi: `pi` on the command line.
    Pi = super::unread::PI;
    /// Rollouts of Codex: `codex` on the command line.
    Codex = super::codex::FORMAT;
    /// Sessions of the Gemini CLI: `gemini` on the command line.
    Gemini = super::gemini::FORMAT;
    /// Trajectories of SWE-agent: `swe-agent` on the command line.
    SweAgent = super::swe_agent::FORMAT;
    /// Logs of Inspect: `inspect` on the command line.
    Inspect = super::inspect::FORMAT;
    /// Event logs of OpenHands: `open-hands` on the command line.
    OpenHands = super::unread::OPEN_HANDS;
    /// Logs of the Messages API: `messages` on the command line.
    Messages = super::log::MESSAGES;
    /// Logs of chat completions and the Responses API: `chat-completions` on the command line.
    ChatCompletions = super::log::CHAT_COMPLETIONS;
    /// Sessions of Claude Code: `claude-code` on the command line.
    ClaudeCode = super::claude_code::SESSION;
    /// What Claude Code prints as `stream-json`, its word on the command line.
    StreamJson = super::claude_code::STREAM;
}

const OWN: Particulars = Particulars {
    word: "toolwright",
    title: "Toolwright transcript",
    tells: |value| match value.kind() {
        "header" => value.has("version"),
        "turn" => value.has("id"),
        "tool_use" => value.has("turn"),
        _other => false,
    },
    reader: Reader::Own,
};

impl Format {
    /// The word for it on the command line and in transcripts.
    pub fn word(self) -> &'static str {
        self.particulars().word
    }

    /// Whether files of this format can be read, rather than only recognised.
    pub fn is_read(self) -> bool {
        !matches!(self.particulars().reader, Reader::Nobody)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.particulars().title)
    }
}

/// A word that names no format that is read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no format that is read; give one of {words}", words = words_read())]
pub struct UnknownFormat(String);

/// The words of the formats that are read.
pub(super) fn words_read() -> String {
    let read = Format::ALL.iter().filter(|format| format.is_read());
    read.map(|format| format.word()).collect::<Vec<_>>().join(", ")
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(word: &str) -> Result<Format, UnknownFormat> {
        let known = Format::ALL.iter().copied().find(|format| format.is_read() && format.word() == word);
        known.ok_or_else(|| UnknownFormat(word.to_owned()))
    }
}
