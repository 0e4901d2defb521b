//! What any file, hostile ones included, comes to; and the recordings beside the project, when they are
//! there.

use std::collections::BTreeMap;
use std::path::Path;

use super::*;

#[path = "../../../runtime/tests/it/shared.rs"]
mod shared;

use shared::shared;

fn counts(imported: &Imported) -> BTreeMap<&'static str, usize> {
    let transcript = &imported.transcript;
    let file = transcript.header.counts;
    BTreeMap::from([
        ("turns", transcript.turns.len()),
        ("calls", transcript.calls().count()),
        ("max_calls_in_a_turn", transcript.turns.iter().map(|turn| turn.calls.len()).max().unwrap_or(0)),
        ("sidechain_turns", file.sidechain_turns),
        ("sidechain_calls", file.sidechain_calls),
        ("error_results", transcript.calls().filter(|call| call.outcome.is_error()).count()),
        ("calls_without_result", file.calls_without_result),
        ("results_without_call", file.results_without_call),
        ("glued_lines", imported.repaired(RepairKind::GluedLine)),
        ("unreadable_lines", imported.repaired(RepairKind::UnreadableLine)),
    ])
}

#[test]
fn recordings_have_the_counts_that_were_taken_of_them() {
    let Some(folder) = shared("data/transcripts/claude-code") else { return };
    let table = std::fs::read_to_string(folder.join("EXPECTED.tsv")).expect("the table is text");
    let mut rows = table.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t'));
    let names: Vec<&str> = rows.next().expect("the table has a header").skip(1).collect();
    let mut files = 0;
    for mut row in rows {
        let file = row.next().expect("a row begins with a file");
        let imported = read_path(&folder.join(file)).expect("a recording can be read");
        let counts = counts(&imported);
        for (name, want) in names.iter().zip(row) {
            assert_eq!(counts[name].to_string(), want, "{file}: {name}");
        }
        files += 1;
    }
    let present = std::fs::read_dir(&folder).expect("the folder can be listed").count() - 1;
    assert_eq!(files, present, "the table has every file");
}

#[test]
fn recordings_survive_our_own_format() {
    let Some(folder) = shared("data/transcripts/claude-code") else { return };
    for entry in std::fs::read_dir(&folder).expect("the folder can be listed") {
        let path = entry.expect("the folder can be listed").path();
        if path.extension().is_some_and(|extension| extension == "jsonl") {
            let imported = read_path(&path).expect("a recording can be read");
            let text = crate::transcript::to_text(&imported.transcript);
            let again = read_bytes("copy", text.as_bytes()).expect("what was written can be read");
            assert_eq!(again.format, Format::Toolwright);
            assert_eq!(again.repairs, []);
            assert_eq!(again.transcript, imported.transcript, "{}", path.display());
        }
    }
}

#[test]
#[ignore = "measures speed; run it in release"]
fn recordings_are_read_fast() {
    let Some(folder) = shared("data/transcripts/claude-code") else { return };
    let mut all = Vec::new();
    for entry in std::fs::read_dir(&folder).expect("the folder can be listed") {
        let path = entry.expect("the folder can be listed").path();
        if path.extension().is_some_and(|extension| extension == "jsonl") {
            all.extend(std::fs::read(&path).expect("a recording can be read"));
        }
    }
    let size_mb = all.len() as f64 / 1e6;
    for copies in [1, 10, 20] {
        let text = all.repeat(copies);
        let begin = std::time::Instant::now();
        let imported = read_bytes("all", &text).expect("recordings can be read");
        let seconds = begin.elapsed().as_secs_f64();
        let (turns, repairs) = (imported.transcript.turns.len(), imported.repairs.len());
        let speed = size_mb * copies as f64 / seconds;
        eprintln!("{copies} x {size_mb:.1} MB: {speed:.0} MB/s ({turns} turns, {repairs} repairs)");
    }
}

fn fails(bytes: &[u8]) -> ImportError {
    match read_bytes("file", bytes) {
        Err(error) => {
            assert!(error.to_string().contains("`file`"), "{error}");
            error
        }
        Ok(imported) => panic!("{imported:?}"),
    }
}

#[test]
fn a_file_with_nothing_in_it_is_empty() {
    for bytes in [&b""[..], b" \n\r\n\t", b"\xef\xbb\xbf", b"\xef\xbb\xbf\n"] {
        assert!(matches!(fails(bytes), ImportError::Empty { .. }), "{bytes:?}");
    }
}

#[test]
fn what_is_no_file_is_said() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    assert!(matches!(read_path(folder), Err(ImportError::Directory { .. })));
    assert!(matches!(read_path(&folder.join("no-such-file")), Err(ImportError::Missing { .. })));
}

/// Numbers below a limit, the same on every run (a linear congruential generator).
fn chance() -> impl FnMut(usize) -> usize {
    let mut state = 12_345_u64;
    move |limit| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % limit
    }
}

#[test]
fn what_is_no_text_is_said() {
    let mut chance = chance();
    let random: Vec<u8> = (0..100_000).map(|_| chance(256) as u8).collect();
    let utf16: Vec<u8> = "\u{feff}{\"type\":\"user\"}".encode_utf16().flat_map(u16::to_le_bytes).collect();
    for bytes in [&random[..], &utf16, b"PK\x03\x04rest", b"\x1f\x8brest", b"\xff\xfa\n{", b"a\0b"] {
        assert!(matches!(fails(bytes), ImportError::NotText { .. }));
    }
}

#[test]
fn text_that_is_no_json_is_unreadable_with_its_line() {
    let objects = r#"{"a":"#.repeat(10_000);
    let long = "x".repeat(1 << 20);
    for text in ["hello", "{\"type\":\"user\"", "{\n{\n{\n", "{'a': 1}\n", &objects, &long, "12 13"] {
        match fails(text.as_bytes()) {
            ImportError::Unreadable { line, .. } => assert_eq!(line, 1, "{:.20}", text),
            other => panic!("{:.20}: {other:?}", text),
        }
    }
}

#[test]
fn json_that_is_no_recording_is_said() {
    let deep = "[".repeat(10_000) + &"]".repeat(10_000);
    for text in [&deep, r#"{"a":1}"#, "[]", "[1]", "{\n \"a\": [\n  1\n ]\n}", "{}\n{}\nnot json"] {
        assert!(matches!(fails(text.as_bytes()), ImportError::Unknown { .. }), "{text}");
    }
}

#[test]
fn a_format_is_told_by_the_content() {
    let table = [
        (r#"{"timestamp":"t","type":"session_meta","payload":{"id":"x"}}"#, Format::Codex),
        ("{\n \"sessionId\": \"s\",\n \"projectHash\": \"h\",\n \"messages\": []\n}", Format::Gemini),
        (r#"{"environment":"main","trajectory":[],"history":[]}"#, Format::SweAgent),
        (r#"{"version":2,"status":"success","eval":{},"samples":[]}"#, Format::Inspect),
        (r#"{"messages":[{"role":"assistant","tool_calls":[]}]}"#, Format::ChatCompletions),
        (r#"[{"role":"tool","tool_call_id":"x"}]"#, Format::ChatCompletions),
        (r#"[{"task_id":0,"traj":[{"role":"assistant","tool_calls":null}]}]"#, Format::ChatCompletions),
        (
            r#"{"object":"response","output":[{"type":"function_call","call_id":"x"}]}"#,
            Format::ChatCompletions,
        ),
        ("data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\ndata: [DONE]\n", Format::ChatCompletions),
        (r#"[{"role":"user","content":[{"type":"tool_result"}]}]"#, Format::Messages),
        (
            "event: message_start\ndata: {\"type\":\"message_start\"}\n\nevent: content_block_start\ndata: {\"type\":\"content_block_start\",\"content_block\":{\"type\":\"text\"}}\n",
            Format::Messages,
        ),
        (r#"{"type":"system","subtype":"init","session_id":"s","tools":[]}"#, Format::StreamJson),
        (r#"{"type":"stream_event","event":{},"session_id":"s"}"#, Format::StreamJson),
    ];
    for (text, want) in table {
        let imported = read_bytes("file", text.as_bytes()).expect(text);
        assert_eq!(imported.format, want, "{text}");
        assert_eq!(imported.transcript.header.source.format, want.word());
    }
}

#[test]
fn formats_that_are_only_recognised_are_named() {
    let table = [
        (r#"{"id":"1","timestamp":"t","source":"agent","kind":"ActionEvent"}"#, Format::OpenHands),
        (r#"{"type":"session","version":3,"id":"x"}"#, Format::Pi),
    ];
    for (text, want) in table {
        assert!(matches!(fails(text.as_bytes()), ImportError::NotReadYet { format, .. } if format == want));
    }
}

#[test]
fn what_could_be_of_several_formats_is_refused_with_the_option_that_decides() {
    let both = r#"[{"role":"assistant","tool_calls":[]},{"role":"user","content":[{"type":"tool_result"}]}]"#;
    for text in [r#"{"model":"m","messages":[]}"#, r#"[{"role":"user","content":"x"}]"#, both] {
        let error = fails(text.as_bytes());
        assert!(error.to_string().contains("`--format messages` or `--format chat-completions`"), "{error}");
        for format in [Format::Messages, Format::ChatCompletions] {
            let imported = read_bytes_as("file", text.as_bytes(), Some(format)).expect("it is said");
            assert_eq!(imported.format, format);
        }
    }
}

const USER: &str =
    r#"{"type":"user","sessionId":"s","timestamp":"2026-01-01T00:00:00Z","message":{"content":"go"}}"#;
const CALL: &str = r#"{"type":"assistant","sessionId":"s","timestamp":"2026-01-01T00:00:01Z","message":{"id":"m","content":[{"type":"tool_use","id":"a","name":"Read","input":{"file_path":"/w/é"}}]}}"#;

#[test]
fn a_session_without_calls_has_no_turns() {
    for text in [USER, r#"{"type":"file-history-snapshot","messageId":"x","snapshot":{}}"#] {
        let imported = read_bytes("file", text.as_bytes()).expect("this is a session");
        assert_eq!(imported.format, Format::ClaudeCode);
        assert_eq!((imported.transcript.turns.len(), imported.repairs), (0, vec![]));
    }
}

#[test]
fn a_session_cut_anywhere_is_read_up_to_there() {
    let text = format!("{USER}\n{CALL}");
    for cut in USER.len()..text.len() {
        let imported = read_bytes("file", &text.as_bytes()[..cut]).expect("the first line can be read");
        assert_eq!(imported.transcript.turns.len(), 0);
        let unreadable = usize::from(cut > USER.len() + 1);
        assert_eq!(imported.repaired(RepairKind::UnreadableLine), unreadable, "{cut}");
    }
}

#[test]
fn a_session_printed_over_several_lines_is_read() {
    let pretty: String = [USER, CALL]
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("the line is JSON"))
        .map(|value| format!("{value:#}\n"))
        .concat();
    let imported = read_bytes("file", pretty.as_bytes()).expect("this is a session");
    assert_eq!(imported.transcript.calls().count(), 1);
    assert_eq!(imported.repaired(RepairKind::UnreadableLine), 0);
}

#[test]
fn a_hostile_line_costs_only_itself() {
    let deep = "[".repeat(100_000);
    let long = format!(r#"{{"type":"user","message":{{"content":"{}"}}}}"#, "x".repeat(1 << 20));
    let escapes = r"\ud800".repeat(200_000);
    let surrogates = format!(r#"{{"type":"progress","data":"{escapes}"}}"#);
    let objects = "{}".repeat(200_000);
    let quotes = "\"".repeat(200_001);
    for line in [&deep, &long, &surrogates, &objects, &quotes, "\0\0\0", "{\"type\":\"user\",\"type\":1}"] {
        let text = format!("{USER}\n{line}\n{CALL}\n");
        let imported = read_bytes("file", text.as_bytes()).expect("two lines can be read");
        assert_eq!(imported.transcript.calls().count(), 1, "{:.20}", line);
        let at_line = imported.repairs.iter().all(|repair| repair.line >= Some(2));
        assert!(at_line && imported.repairs.len() <= 3, "{:?}", imported.repairs);
    }
}

#[test]
fn our_own_files_are_known_and_later_versions_refused() {
    let text = crate::transcript::to_text(&crate::transcript::Transcript::default());
    let imported = read_bytes("file", text.as_bytes()).expect("this is a transcript");
    assert_eq!((imported.format, imported.repairs), (Format::Toolwright, vec![]));
    let error = fails(text.replacen("\"version\":1", "\"version\":7", 1).as_bytes());
    assert!(matches!(error, ImportError::Version { line: 1, found: 7, .. }));
}

#[test]
fn a_damaged_file_is_read_or_refused_and_what_is_read_can_be_written() {
    let answer = r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"x"}],"is_error":true}]}}"#;
    let session = format!("{USER}\n{CALL}\n{answer}\n");
    let own = read_bytes("file", session.as_bytes()).expect("this is a session").transcript;
    let own = crate::transcript::to_text(&own);
    let mut chance = chance();
    let mut read = 0;
    for round in 0..4_000 {
        let mut bytes = [&session, &own][round % 2].clone().into_bytes();
        for _ in 0..=chance(4) {
            let (from, to) = (chance(bytes.len()), chance(bytes.len()));
            let odd = br#"{}[]",:\u0d18n"#;
            match chance(4) {
                0 => bytes[from] = odd[chance(odd.len())],
                1 => drop(bytes.drain(from.min(to)..from.max(to).min(from.min(to) + 20))),
                2 => bytes.insert(from, chance(256) as u8),
                _ => bytes.extend_from_within(from.min(to)..from.max(to)),
            }
        }
        let Ok(imported) = read_bytes("file", &bytes) else { continue };
        read += 1;
        let text = crate::transcript::to_text(&imported.transcript);
        let again = read_bytes("file", text.as_bytes()).expect("what was written can be read");
        assert_eq!(again.transcript, imported.transcript, "{}", String::from_utf8_lossy(&bytes));
        assert_eq!(again.repairs, []);
    }
    assert!(read > 2_000, "most damaged files can be read in part: {read}");
}
