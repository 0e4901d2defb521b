//! What came of a call, by the words of its result.
//!
//! The format has no field that says it (`toolDenialKind` came with 2.1.220 and is rough), so the program's
//! own texts are looked for. Only results marked as errors are judged: a tool may well print such a text.

use crate::transcript::{Content, DeniedBy, Outcome, RepairKind, Repairs};

/// A result as recorded.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) line: usize,
    pub(super) content: Content,
    pub(super) is_error: bool,
    /// `toolDenialKind` of the line.
    pub(super) denial_kind: Option<String>,
    /// `toolUseResult` of the line, if it is a text.
    pub(super) kept_text: Option<String>,
}

/// What a row of the table goes by.
enum Sign {
    /// The text of the result begins with the first and has the second (which may be empty) after it.
    Text(&'static str, &'static str),
    /// `toolUseResult` is this text.
    Kept(&'static str),
    /// `toolDenialKind` is this word.
    Kind(&'static str),
}

#[derive(Clone, Copy)]
enum Meaning {
    Denied(DeniedBy),
    Rejected,
    Cancelled,
}

use Meaning::{Cancelled, Denied, Rejected};
use Sign::{Kept, Kind, Text};

/// The signs, the more telling first. A hook that denies with a reason of its own leaves the bare reason
/// and the kind `permission-rule`; a rule leaves its own text, so that kind alone means a hook.
const TABLE: [(Sign, Meaning); 18] = [
    (Text("Sibling tool call errored", ""), Cancelled),
    (Text("Cancelled: parallel tool call", ""), Cancelled),
    (Text("[Request interrupted by user", ""), Cancelled),
    (Text("", "tool use was cancelled"), Cancelled),
    (Text("The user doesn't want to proceed with this tool use.", ""), Rejected),
    (Text("The user doesn't want to take this action right now.", ""), Rejected),
    (Kept("User rejected tool use"), Rejected),
    (Kind("user-rejected"), Rejected),
    (Text("PreToolUse:", " hook error"), Denied(DeniedBy::Hook)),
    (Text("Permission for this action was denied by the Claude Code auto mode classifier", ""), CLASSIFIER),
    (Text("Permission for this action has been denied", ""), CLASSIFIER),
    (Kind("automode-blocked"), CLASSIFIER),
    (Text("Claude requested permissions to ", "haven't granted it yet"), Denied(DeniedBy::Mode)),
    (Text("Permission to use ", " has been denied because "), Denied(DeniedBy::Mode)),
    (Text("Permission to ", " has been denied"), Denied(DeniedBy::Rule)),
    (Text("File is in a directory that is denied by your permission settings", ""), Denied(DeniedBy::Rule)),
    (Kind("permission-rule"), Denied(DeniedBy::Hook)),
    (Kind("permission-mode"), Denied(DeniedBy::Mode)),
];

const CLASSIFIER: Meaning = Denied(DeniedBy::Classifier);

/// The words before what a person said should be done instead.
const FEEDBACK: &str = "the user said:\n";

/// A text that has a sign anywhere else than at its beginning must be this short.
const PHRASE_BYTES_MAX: usize = 200;

/// What came of the call that was answered so.
pub(super) fn outcome(answer: Answer, repairs: &mut Repairs) -> Outcome {
    let Answer { line, content, is_error, denial_kind, kept_text } = answer;
    if !is_error {
        return Outcome::Answered { content, is_error };
    }
    let text = words(&content);
    let shown = unwrapped(&text);
    let matches = |sign: &Sign| match sign {
        Text("", phrase) => shown.len() <= PHRASE_BYTES_MAX && shown.contains(phrase),
        Text(start, then) => shown.strip_prefix(start).is_some_and(|rest| rest.contains(then)),
        Kept(kept) => kept_text.as_deref() == Some(kept),
        Kind(kind) => denial_kind.as_deref() == Some(kind),
    };
    let meaning = TABLE.iter().find(|(sign, _)| matches(sign)).map(|(_, meaning)| *meaning);
    match meaning {
        Some(Denied(by)) => Outcome::Denied { by, text },
        Some(Rejected) => {
            let feedback = shown.split_once(FEEDBACK).map(|(_, said)| said.trim().to_owned());
            Outcome::Rejected { feedback: feedback.filter(|said| !said.is_empty()), text }
        }
        Some(Cancelled) => Outcome::Cancelled { text },
        None => match denial_kind {
            Some(kind) => {
                let detail = format!("the unknown `toolDenialKind` `{kind}` was taken as a rule's denial");
                repairs.note(Some(line), RepairKind::UnknownField, detail);
                Outcome::Denied { by: DeniedBy::Rule, text }
            }
            None => Outcome::Answered { content, is_error },
        },
    }
}

/// The text of a result; of blocks, those that are text.
pub(super) fn words(content: &Content) -> String {
    #[derive(serde::Deserialize)]
    struct TextBlock {
        text: String,
    }
    match content {
        Content::Text(text) => text.clone(),
        Content::Blocks(blocks) => {
            let texts = blocks.iter().filter_map(|block| serde_json::from_str(block.get()).ok());
            texts.map(|block: TextBlock| block.text).collect::<Vec<_>>().join("\n")
        }
    }
}

/// The text without the tag that marks errors of the program.
fn unwrapped(text: &str) -> &str {
    let text = text.trim();
    let inner = text.strip_prefix("<tool_use_error>").unwrap_or(text);
    inner.strip_suffix("</tool_use_error>").unwrap_or(inner)
}
