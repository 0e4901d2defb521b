//! The formats that are recognised.

use std::fmt;

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
    /// Messages or chat-completion requests and answers, bare or recorded from HTTP.
    ChatCompletions,
    /// What `--output-format stream-json` and the agent SDK print.
    StreamJson,
}

impl Format {
    /// Whether files of this format can be read, rather than only recognised.
    pub fn is_read(self) -> bool {
        match self {
            Format::Toolwright | Format::ClaudeCode => true,
            Format::Codex
            | Format::Gemini
            | Format::SweAgent
            | Format::Inspect
            | Format::OpenHands
            | Format::Pi
            | Format::ChatCompletions
            | Format::StreamJson => false,
        }
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
            Format::ChatCompletions => "chat-completions or Messages API log",
            Format::StreamJson => "stream-json output",
        })
    }
}
