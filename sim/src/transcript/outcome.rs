//! Reads what came of a call from the line that tells it.

use serde_json::value::RawValue;

use super::record::{CANCELLED, DENIED, Fields, REJECTED};
use super::{Allowed, Content, DeniedBy, Json, Outcome, RepairKind, Repairs};

/// The outcome that a `tool_result` line tells.
pub(super) fn answered(fields: &mut Fields<'_>, repairs: &mut Repairs) -> Option<Outcome> {
    let raw = fields.raw("content").unwrap_or("\"\"");
    let content = content(raw, fields.line(), repairs);
    let is_error = fields.take("is_error", repairs).unwrap_or(false);
    Some(Outcome::Answered { content, is_error })
}

/// The outcome that a `permission` line tells.
pub(super) fn decided(fields: &mut Fields<'_>, repairs: &mut Repairs) -> Option<Outcome> {
    let decision = ("decision", fields.raw("decision"));
    let text = fields.take("text", repairs).unwrap_or_default();
    let by = ("by", fields.raw("by"));
    let feedback = fields.take("feedback", repairs);
    let decisions = [DENIED, REJECTED, CANCELLED];
    match fields.word(decision, &decisions, "the line was left out", repairs)? {
        DENIED => {
            let word = fields.word(by, &DeniedBy::ALL.map(DeniedBy::word), "`rule` was taken", repairs);
            let by = DeniedBy::ALL.into_iter().find(|denied| word == Some(denied.word()));
            Some(Outcome::Denied { by: by.unwrap_or(DeniedBy::Rule), text })
        }
        REJECTED => Some(Outcome::Rejected { text, feedback }),
        _cancelled => Some(Outcome::Cancelled { text }),
    }
}

/// Who let the call run, where the line says so.
pub(super) fn allowed(fields: &mut Fields<'_>, repairs: &mut Repairs) -> Option<Allowed> {
    let mut allowed = fields.object_if_there("allowed", repairs)?;
    let by: Option<String> = allowed.take("by", repairs);
    let (rule, source) = (allowed.take("rule", repairs), allowed.take("source", repairs));
    allowed.finish(repairs);
    if by.is_none() {
        let detail = "`allowed` has no `by`, which says what let the call run, and was left out";
        repairs.note(Some(fields.line()), RepairKind::UnknownField, detail);
    }
    Some(Allowed { by: by?, rule, source })
}

/// The content of a result: a text, or a list of blocks; anything else is kept as the text of its JSON.
pub(crate) fn content(raw: &str, line: usize, repairs: &mut Repairs) -> Content {
    let content = if raw.starts_with('[') {
        blocks(raw).map(Content::Blocks)
    } else {
        serde_json::from_str(raw).map(Content::Text).map_err(|error| error.to_string())
    };
    content.unwrap_or_else(|reason| {
        let detail = format!("the content of a result was kept as text: {reason}");
        repairs.note(Some(line), RepairKind::KeptAsText, detail);
        Content::Text(raw.to_owned())
    })
}

fn blocks(list: &str) -> Result<Vec<Json>, String> {
    let blocks: Vec<&RawValue> = serde_json::from_str(list).map_err(|error| error.to_string())?;
    blocks.into_iter().map(|block| Json::parse(block.get()).map_err(|error| error.to_string())).collect()
}
