//! Small recordings of each format, written by hand: what is imported of them, and every repair by its kind.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use toolwright_sim::import::{Format, Imported, read_path};
use toolwright_sim::replay::{Options, replay};
use toolwright_sim::transcript::{Content, Input, Outcome};

use super::import::{counted, imported_counts};

/// The files, and the word of the counting script where it reads their shape.
pub(super) const FILES: &[(&str, Format, Option<&str>)] = &[
    ("claude.jsonl", Format::ClaudeCode, Some("claude-code")),
    ("stream.jsonl", Format::StreamJson, None),
    ("messages.json", Format::Messages, None),
    ("messages.sse", Format::Messages, None),
    ("messages.yaml", Format::Messages, Some("cassette")),
    ("chat.jsonl", Format::ChatCompletions, None),
    ("chat.sse", Format::ChatCompletions, None),
    ("chat_messages.json", Format::ChatCompletions, None),
    ("responses.jsonl", Format::ChatCompletions, None),
    ("codex.jsonl", Format::Codex, Some("codex")),
    ("gemini.json", Format::Gemini, None),
    ("swe_agent.traj", Format::SweAgent, Some("swe-agent")),
    ("swe_agent_words.traj", Format::SweAgent, None),
    ("inspect.json", Format::Inspect, Some("inspect")),
];

pub(super) fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/import").join(name)
}

/// What was imported, a line for each turn, call and repair.
fn shown(imported: &Imported) -> String {
    let mut text = String::new();
    for turn in &imported.transcript.turns {
        let (prompt, said) = (turn.prompt.as_deref(), turn.text.as_deref());
        let model = turn.model.as_deref().unwrap_or("-");
        writeln!(text, "turn {} {model} {:?} {prompt:?} {said:?}", turn.id, turn.think_ms)
            .expect("it is text");
        for call in &turn.calls {
            let input = match &call.input {
                Input::Json(json) => json.get().to_owned(),
                Input::Text(input) => format!("text {input:?}"),
            };
            let outcome = match &call.outcome {
                Outcome::Answered { content: Content::Text(said), is_error } => {
                    format!("{said:?} {is_error}")
                }
                Outcome::Answered { content: Content::Blocks(blocks), is_error } => {
                    format!("{} blocks {is_error}", blocks.len())
                }
                Outcome::Denied { by, .. } => format!("denied by {}", by.word()),
                Outcome::Rejected { .. } => "rejected".to_owned(),
                Outcome::Cancelled { .. } => "cancelled".to_owned(),
                Outcome::Unanswered => "unanswered".to_owned(),
            };
            let service = call.service_ms.map_or("-".to_owned(), |ms| ms.to_string());
            writeln!(text, "  {} {} {input} {service} = {outcome}", call.id, call.name).expect("it is text");
        }
    }
    for repair in &imported.repairs {
        writeln!(text, "{:?} {}", repair.kind, repair.count).expect("it is text");
    }
    text
}

#[test]
fn fixtures_are_imported_as_they_read() {
    let bless = std::env::var_os("TOOLWRIGHT_BLESS").is_some();
    for &(name, format, _) in FILES {
        let imported = read_path(&fixture(name)).expect("a fixture can be read");
        assert_eq!(imported.format, format, "{name}");
        let golden = fixture(&format!("{name}.imported"));
        let shown = shown(&imported);
        if bless {
            std::fs::write(&golden, &shown).expect("the folder can be written");
        }
        let want = std::fs::read_to_string(&golden).expect("there is a golden file");
        assert_eq!(shown, want, "{name}; TOOLWRIGHT_BLESS=1 writes it anew");
    }
}

#[test]
fn fixtures_have_the_counts_of_the_script_and_replay() {
    let catalogue = toolwright_tools::catalogue();
    for &(name, _, word) in FILES {
        let path = fixture(name);
        let imported = read_path(&path).expect("a fixture can be read");
        let report = replay(&imported.transcript, &catalogue, &Options::default());
        assert!(report.violations.is_empty(), "{name}: {:#?}", report.violations);
        assert_eq!(report.counts.calls, imported.transcript.calls().count(), "{name}");
        if let Some(word) = word
            && let Some(wanted) = counted(&[(word, &path)])
        {
            assert_eq!([imported_counts(&imported)], *wanted, "{name}");
        }
    }
}
