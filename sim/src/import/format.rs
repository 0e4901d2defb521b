//! The formats that are recognised.

use std::fmt;
use std::str::FromStr;

/// A format of recorded sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Format {
    /// This project's own transcripts (`*.twt.jsonl`).
    Toolwright,
    /// The session files of Claude Code.
    ClaudeCode,
    /// The rollout files of Codex.
    Codex,
    /// The session files of the Gemini CLI.
    Gemini,
    /// The trajectories of SWE-agent.
    SweAgent,
    /// The logs of Inspect.
    Inspect,
    /// The events of OpenHands.
    OpenHands,
    /// The session files of Pi.
    Pi,
    /// Requests and answers of the Messages API: JSON, event streams, or recorded from HTTP.
    Messages,
    /// Requests and answers of chat completions or the Responses API, likewise.
    ChatCompletions,
    /// What `--output-format stream-json` and the agent SDK print.
    StreamJson,
}

impl Format {
    /// Every format, in the order of declaration.
    pub const ALL: [Format; 11] = [
        Format::Toolwright,
        Format::ClaudeCode,
        Format::Codex,
        Format::Gemini,
        Format::SweAgent,
        Format::Inspect,
        Format::OpenHands,
        Format::Pi,
        Format::Messages,
        Format::ChatCompletions,
        Format::StreamJson,
    ];

    /// Whether files of this format can be read, rather than only recognised.
    pub fn is_read(self) -> bool {
        match self {
            Format::Toolwright
            | Format::ClaudeCode
            | Format::Codex
            | Format::Gemini
            | Format::SweAgent
            | Format::Inspect
            | Format::Messages
            | Format::ChatCompletions
            | Format::StreamJson => true,
            Format::OpenHands | Format::Pi => false,
        }
    }

    /// The word for it on the command line and in transcripts.
    pub fn word(self) -> &'static str {
        match self {
            Format::Toolwright => "toolwright",
            Format::ClaudeCode => "claude-code",
            Format::Codex => "codex",
            Format::Gemini => "gemini",
            Format::SweAgent => "swe-agent",
            Format::Inspect => "inspect",
            Format::OpenHands => "open-hands",
            Format::Pi => "pi",
            Format::Messages => "messages",
            Format::ChatCompletions => "chat-completions",
            Format::StreamJson => "stream-json",
        }
    }
}

/// A word that names no format that is read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no format that is read; give one of {READ}")]
pub struct UnknownFormat(String);

/// The words of the formats that are read.
pub(super) const READ: &str =
    "toolwright, claude-code, stream-json, messages, chat-completions, codex, gemini, swe-agent, inspect";

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(word: &str) -> Result<Format, UnknownFormat> {
        let known = Format::ALL.into_iter().find(|format| format.is_read() && format.word() == word);
        known.ok_or_else(|| UnknownFormat(word.to_owned()))
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Toolwright => "Toolwright transcript",
            Format::ClaudeCode => "Claude Code session",
            Format::Codex => "Codex rollout",
            Format::Gemini => "Gemini CLI session",
            Format::SweAgent => "SWE-agent trajectory",
            Format::Inspect => "Inspect log",
            Format::OpenHands => "OpenHands event log",
            Format::Pi => "Pi session",
            Format::Messages => "Messages API log",
            Format::ChatCompletions => "chat-completions log",
            Format::StreamJson => "stream-json output",
        })
    }
}
