//! One line of a session and the blocks of its message, taken as loosely as can be.
//!
//! Every field is raw until it is asked for, so that a field of an unexpected shape costs only itself, and
//! the large ones that nobody asks for are skimmed, not parsed.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::import::object::{Object, items};

/// A field as recorded; `null` counts as absent.
type Raw<'a> = Option<&'a RawValue>;

/// One line.
pub(super) struct Line<'a> {
    /// Its number in the file, from 1.
    pub(super) number: usize,
    whose: Whose,
    fields: LineFields<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LineFields<'a> {
    #[serde(borrow, rename = "type")]
    kind: Raw<'a>,
    uuid: Raw<'a>,
    session_id: Raw<'a>,
    cwd: Raw<'a>,
    version: Raw<'a>,
    timestamp: Raw<'a>,
    permission_mode: Raw<'a>,
    is_sidechain: Raw<'a>,
    is_meta: Raw<'a>,
    is_compact_summary: Raw<'a>,
    tool_denial_kind: Raw<'a>,
    tool_use_result: Raw<'a>,
    message: Raw<'a>,
    data: Raw<'a>,
    // What `stream-json` has for some of these, and more.
    #[serde(rename = "session_id")]
    stream_session: Raw<'a>,
    #[serde(rename = "parent_tool_use_id")]
    stream_parent: Raw<'a>,
    #[serde(rename = "tool_use_result")]
    stream_result: Raw<'a>,
    #[serde(rename = "claude_code_version")]
    stream_version: Raw<'a>,
    is_synthetic: Raw<'a>,
    subtype: Raw<'a>,
    event: Raw<'a>,
    #[serde(rename = "tool_use_id")]
    denied_call: Raw<'a>,
    #[serde(rename = "decision_reason_type")]
    denied_by: Raw<'a>,
    #[serde(rename = "permission_denials")]
    denials: Raw<'a>,
}

/// Whose file it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whose {
    /// A session's; lines of sub-agents stand beside it.
    Session,
    /// A sub-agent's own, all of whose lines are marked as a sub-agent's.
    SubAgent,
}

/// Whose line it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Speaker {
    /// The model.
    Assistant,
    /// The user, or the results of tools.
    User,
    /// The program itself; its lines are no part of the conversation.
    Program,
}

impl<'a> Line<'a> {
    pub(super) fn parse(number: usize, text: &'a str, whose: Whose) -> Result<Line<'a>, serde_json::Error> {
        Ok(Line { number, whose, fields: serde_json::from_str(text)? })
    }

    /// Whose line it is; by the role of its message when it has no type.
    pub(super) fn speaker(&self) -> Speaker {
        let role = || self.message().and_then(|message| text(message.role));
        match text(self.fields.kind).or_else(role).as_deref() {
            Some("assistant") => Speaker::Assistant,
            Some("user") => Speaker::User,
            _ => Speaker::Program,
        }
    }

    /// The message, if the line has one that is an object.
    pub(super) fn message(&self) -> Option<Message<'a>> {
        self.fields.message.and_then(object)
    }

    pub(super) fn is_sidechain(&self) -> bool {
        let is_marked = is_true(self.fields.is_sidechain) || text(self.fields.stream_parent).is_some();
        is_marked && self.whose == Whose::Session
    }

    /// What kind of line it is.
    pub(super) fn kind(&self) -> Option<String> {
        text(self.fields.kind)
    }

    /// What kind of its kind it is.
    pub(super) fn subtype(&self) -> Option<String> {
        text(self.fields.subtype)
    }

    /// What a line of progress tells.
    pub(super) fn data(&self) -> Option<Object<'a>> {
        Object::parse(self.fields.data?.get())
    }

    /// The event of a message that streams.
    pub(super) fn event(&self) -> Option<Object<'a>> {
        Object::parse(self.fields.event?.get())
    }

    /// The call that a line says was denied, and why.
    pub(super) fn denied(&self) -> Option<(String, String)> {
        Some((text(self.fields.denied_call)?, text(self.fields.denied_by).unwrap_or_default()))
    }

    /// The calls that the last line says were denied.
    pub(super) fn denials(&self) -> Vec<String> {
        let list = self.fields.denials.and_then(|raw| items(raw.get())).unwrap_or_default();
        list.into_iter().filter_map(Object::parse).filter_map(|denied| denied.word("tool_use_id")).collect()
    }

    /// Whether the program wrote it in the user's name: reminders, the text of a skill, a summary.
    pub(super) fn is_written_by_program(&self) -> bool {
        [self.fields.is_meta, self.fields.is_compact_summary, self.fields.is_synthetic]
            .into_iter()
            .any(is_true)
    }

    pub(super) fn uuid(&self) -> Option<String> {
        text(self.fields.uuid)
    }

    pub(super) fn session_id(&self) -> Option<String> {
        text(self.fields.session_id).or_else(|| text(self.fields.stream_session))
    }

    pub(super) fn cwd(&self) -> Option<String> {
        text(self.fields.cwd)
    }

    pub(super) fn version(&self) -> Option<String> {
        text(self.fields.version).or_else(|| text(self.fields.stream_version))
    }

    pub(super) fn timestamp(&self) -> Option<String> {
        text(self.fields.timestamp)
    }

    pub(super) fn permission_mode(&self) -> Option<String> {
        text(self.fields.permission_mode)
    }

    pub(super) fn denial_kind(&self) -> Option<String> {
        text(self.fields.tool_denial_kind)
    }

    /// What the program kept of the result beside the message, if that is a text (it is for errors).
    pub(super) fn result_text(&self) -> Option<String> {
        text(self.fields.tool_use_result).or_else(|| text(self.fields.stream_result))
    }
}

/// A message of the API.
#[derive(Deserialize)]
pub(super) struct Message<'a> {
    #[serde(borrow)]
    id: Raw<'a>,
    model: Raw<'a>,
    role: Raw<'a>,
    content: Raw<'a>,
}

/// What a message holds.
pub(super) enum Body<'a> {
    /// A text by itself.
    Text(String),
    /// Blocks; those that are no objects are `None`.
    Blocks(Vec<Option<Block<'a>>>),
    /// Neither.
    Odd,
}

impl<'a> Message<'a> {
    pub(super) fn id(&self) -> Option<String> {
        text(self.id)
    }

    pub(super) fn model(&self) -> Option<String> {
        text(self.model)
    }

    pub(super) fn body(&self) -> Body<'a> {
        let Some(content) = self.content else { return Body::Blocks(Vec::new()) };
        if let Some(text) = text(Some(content)) {
            return Body::Text(text);
        }
        match serde_json::from_str::<Vec<&RawValue>>(content.get()) {
            Ok(blocks) => Body::Blocks(blocks.into_iter().map(object).collect()),
            Err(_) => Body::Odd,
        }
    }
}

/// A content block.
#[derive(Deserialize)]
pub(super) struct Block<'a> {
    #[serde(borrow, rename = "type")]
    kind: Raw<'a>,
    text: Raw<'a>,
    id: Raw<'a>,
    name: Raw<'a>,
    tool_use_id: Raw<'a>,
    is_error: Raw<'a>,
    #[serde(default, deserialize_with = "present")]
    input: Raw<'a>,
    #[serde(default, deserialize_with = "present")]
    content: Raw<'a>,
}

/// A content block, by its type.
pub(super) enum Part<'b> {
    Text(String),
    ToolUse(&'b Block<'b>),
    ToolResult(&'b Block<'b>),
    /// Thinking, images, what servers run: no part of a replay.
    Other,
}

impl Block<'_> {
    pub(super) fn part(&self) -> Part<'_> {
        match text(self.kind).as_deref() {
            Some("text") => Part::Text(text(self.text).unwrap_or_default()),
            Some("tool_use") => Part::ToolUse(self),
            Some("tool_result") => Part::ToolResult(self),
            _ => Part::Other,
        }
    }

    pub(super) fn id(&self) -> Option<String> {
        text(self.id)
    }

    pub(super) fn name(&self) -> Option<String> {
        text(self.name)
    }

    pub(super) fn tool_use_id(&self) -> Option<String> {
        text(self.tool_use_id)
    }

    pub(super) fn is_error(&self) -> bool {
        is_true(self.is_error)
    }

    /// The arguments as recorded; a `null` is one.
    pub(super) fn input(&self) -> Option<&str> {
        self.input.map(RawValue::get)
    }

    /// The content of a result as recorded.
    pub(super) fn content(&self) -> Option<&str> {
        self.content.map(RawValue::get)
    }
}

/// Keeps a `null` that is there apart from a field that is not.
fn present<'de: 'a, 'a, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Raw<'a>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

/// A field that is a text and not empty.
fn text(raw: Raw<'_>) -> Option<String> {
    let raw = raw?.get();
    if !raw.starts_with('"') {
        return None;
    }
    serde_json::from_str(raw).ok()
}

fn is_true(raw: Raw<'_>) -> bool {
    raw.is_some_and(|raw| raw.get() == "true")
}

/// A field that is an object; a list would do for `serde`, by position.
fn object<'a, T: Deserialize<'a>>(raw: &'a RawValue) -> Option<T> {
    let raw = raw.get();
    if raw.starts_with('{') { serde_json::from_str(raw).ok() } else { None }
}
