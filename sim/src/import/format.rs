//! The formats that are recognised, and who reads each: a new one is a row here, a reader, and a line in `detect.rs`.

use std::fmt;
use std::str::FromStr;

use super::object::Object;
use super::{claude_code, codex, gemini, inspect, swe_agent};
use crate::transcript::{Repairs, Transcript};

/// The line and the reason when nothing of a file can be read.
type Unread = (usize, String);

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
    ($($format:ident, $word:literal, $shown:literal, $reader:expr;)*) => {
        /// A format of recorded sessions.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Format {
            $(#[doc = concat!($shown, ": `", $word, "` on the command line.")] $format,)*
        }

        impl Format {
            /// Every format, in the order of declaration.
            pub const ALL: &[Format] = &[$(Format::$format,)*];

            /// The word for it on the command line and in transcripts.
            pub fn word(self) -> &'static str {
                match self {
                    $(Format::$format => $word,)*
                }
            }

            pub(super) fn reader(self) -> Reader {
                match self {
                    $(Format::$format => $reader,)*
                }
            }
        }

        impl fmt::Display for Format {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self {
                    $(Format::$format => $shown,)*
                })
            }
        }
    };
}

formats! {
    Toolwright, "toolwright", "Toolwright transcript", Reader::Own;
    ClaudeCode, "claude-code", "Claude Code session", Reader::Lines(claude_code::read_session);
    StreamJson, "stream-json", "stream-json output", Reader::Lines(claude_code::read_stream);
    Messages, "messages", "Messages API log", Reader::Log;
    ChatCompletions, "chat-completions", "chat-completions log", Reader::Log;
    Codex, "codex", "Codex rollout", Reader::Lines(codex::read);
    Gemini, "gemini", "Gemini CLI session", Reader::Object(gemini::read);
    SweAgent, "swe-agent", "SWE-agent trajectory", Reader::Object(swe_agent::read);
    Inspect, "inspect", "Inspect log", Reader::Object(inspect::read);
    OpenHands, "open-hands", "OpenHands event log", Reader::Nobody;
    Pi, "pi", "Pi session", Reader::Nobody;
}

impl Format {
    /// Whether files of this format can be read, rather than only recognised.
    pub fn is_read(self) -> bool {
        !matches!(self.reader(), Reader::Nobody)
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
