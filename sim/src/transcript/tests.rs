//! What is written is read back, and a broken file is read as far as it can be.

use super::*;

fn json(text: &str) -> Json {
    Json::parse(text).expect("the test's text is JSON")
}

/// Every outcome that there is.
fn outcomes() -> Vec<Outcome> {
    let answered = |content, is_error| Outcome::Answered { content, is_error };
    let block = json(r#"{"text":"a b","type":"text","n":1.0}"#);
    let mut all = vec![
        answered(Content::Text(String::new()), false),
        answered(Content::Text("two\nlines \u{2028} \"quoted\" \u{1f600}".into()), false),
        answered(Content::Text("[]".into()), true),
        answered(Content::Blocks(vec![]), false),
        answered(Content::Blocks(vec![block.clone(), json("null"), block]), true),
        Outcome::Rejected { text: "no".into(), feedback: None },
        Outcome::Rejected { text: "no".into(), feedback: Some("use the other file".into()) },
        Outcome::Cancelled { text: "a sibling failed".into() },
        Outcome::Unanswered,
    ];
    all.extend(DeniedBy::ALL.map(|by| Outcome::Denied { by, text: format!("denied by {}", by.word()) }));
    all
}

fn inputs() -> Vec<Input> {
    let texts = ["{}", r#"{ "b": 1.50, "a": [1e3, "\u0041"] }"#, "null", r#""a string""#, "[]", "-0.0"];
    let mut all: Vec<Input> = texts.into_iter().map(|text| Input::Json(json(text))).collect();
    all.extend(["", "{\"cut\": \"of", "null"].map(|text| Input::Text(text.into())));
    all
}

/// Who let it run: nobody that is told, a rule, or somebody without one.
fn allowed(number: u64, outcome: &Outcome) -> Option<Allowed> {
    let has_run = matches!(outcome, Outcome::Answered { .. });
    let rule = (number % 3 == 1).then(|| "Bash(make \"all\")".to_owned());
    let source = rule.as_ref().map(|_| "cliArg".to_owned());
    let by = if rule.is_some() { "rule" } else { "classifier" };
    (has_run && !number.is_multiple_of(3)).then(|| Allowed { by: by.to_owned(), rule, source })
}

/// Every input with every outcome and every choice of known times.
fn calls() -> Vec<Call> {
    let mut calls = Vec::new();
    for input in inputs() {
        for outcome in outcomes() {
            for known in 0..8_u64 {
                let time = |bit: u64| (known & (1 << bit) != 0).then_some(known * 100 + bit);
                calls.push(Call {
                    id: format!("call-{}", calls.len()),
                    name: format!("mcp__server__tool-{known}"),
                    input: input.clone(),
                    arrived_ms: time(0),
                    service_ms: time(1),
                    ended_ms: time(2),
                    allowed: allowed(known, &outcome),
                    outcome: outcome.clone(),
                });
            }
        }
    }
    calls
}

fn transcripts() -> Vec<Transcript> {
    let counts = FileCounts {
        sidechain_turns: 1,
        sidechain_calls: 2,
        calls_without_result: 3,
        results_without_call: 4,
    };
    let source = Source {
        format: "claude-code".into(),
        tool_version: Some("2.1.0".into()),
        session: Some("s".into()),
        started_at: Some("2026-01-01T00:00:00.000Z".into()),
    };
    let turn = |id: &str, calls: &[Call]| Turn { id: id.into(), calls: calls.to_vec(), ..Turn::default() };
    let full = Turn {
        model: Some("m".into()),
        mode: Some("plan".into()),
        prompt: Some("do\nthis".into()),
        text: Some(String::new()),
        think_ms: Some(u64::MAX),
        ..turn("full", &[])
    };
    let calls = calls();
    let (some, rest) = calls.split_at(17);
    vec![
        Transcript::default(),
        Transcript {
            header: Header { cwd: Some("/w".into()), source, counts, version: 1 },
            turns: vec![full],
        },
        Transcript { turns: vec![turn("a", some), turn("b", &[]), turn("", rest)], ..Transcript::default() },
    ]
}

#[test]
fn what_is_written_is_read_back() {
    for transcript in transcripts() {
        let text = to_text(&transcript);
        let (again, repairs) = read(text.as_bytes()).expect("what was written can be read");
        assert_eq!(repairs, []);
        assert_eq!(again, transcript);
        assert_eq!(to_text(&again), text, "the same transcript gives the same bytes");
    }
}

#[test]
fn a_file_cut_anywhere_is_read_up_to_there() {
    let transcript = &transcripts()[2];
    let text = to_text(&Transcript {
        turns: vec![Turn { calls: transcript.turns[0].calls.clone(), ..transcript.turns[0].clone() }],
        ..transcript.clone()
    });
    for cut in 1..text.len() {
        let begun = String::from_utf8_lossy(&text.as_bytes()[..cut]);
        let Ok((part, repairs)) = read(&text.as_bytes()[..cut]) else {
            assert!(!begun.contains('\n'), "only the first line may be missing as a whole");
            continue;
        };
        let whole_lines = begun.rsplit_once('\n').map_or("", |(lines, _)| lines);
        assert!(part.calls().count() >= whole_lines.matches("\"type\":\"tool_use\"").count());
        let is_complete = cut + 1 >= text.len();
        assert_eq!(repairs.iter().any(|repair| repair.kind == RepairKind::MissingEnd), !is_complete);
    }
}

#[test]
fn what_is_written_by_hand_needs_no_end_where_every_call_is_answered() {
    let lines = [
        r#"{"type":"header","version":1}"#,
        r#"{"type":"turn","id":"t"}"#,
        r#"{"type":"tool_use","turn":"t","id":"c","name":"Read","input":{}}"#,
        r#"{"type":"tool_result","id":"c","content":"first"}"#,
    ];
    let (_, repairs) = kinds(&lines.join("\n"));
    assert_eq!(repairs, []);
    let (_, repairs) = kinds(&lines[..3].join("\n"));
    assert_eq!(repairs, [(None, RepairKind::MissingEnd)], "a call without an answer");
    let by_a_program =
        lines.join("\n").replace(r#""version":1"#, r#""version":1,"source":{"format":"toolwright"}"#);
    let (_, repairs) = kinds(&by_a_program);
    assert_eq!(repairs, [(None, RepairKind::MissingEnd)], "programs write an end");
}

/// What is said of a hand-written file whose calls these are, with these lines behind them.
fn told_of(calls: &[&str], rest: &[&str]) -> Vec<String> {
    let mut lines =
        vec![r#"{"type":"header","version":1}"#.to_owned(), r#"{"type":"turn","id":"t"}"#.to_owned()];
    let call =
        |id: &&str| format!(r#"{{"type":"tool_use","turn":"t","id":"{id}","name":"Read","input":{{}}}}"#);
    lines.extend(calls.iter().map(call));
    lines.extend(rest.iter().map(|line| (*line).to_owned()));
    let (_, repairs) = read(lines.join("\n").as_bytes()).expect("the test's file can be read");
    repairs.iter().map(ToString::to_string).collect()
}

#[test]
fn a_call_without_an_answer_is_named_with_its_line() {
    let cut = "there is no `end` line, so the file may have been cut off";
    let none = "has no `tool_result` or `permission` line";
    let first = r#"{"type":"tool_result","id":"z","content":"1"}"#;
    let second = r#"{"type":"permission","id":"a","decision":"cancelled","text":""}"#;
    assert_eq!(told_of(&["z"], &[]), [format!("{cut}: call `z` in line 3 {none}")]);
    assert_eq!(
        told_of(&["z", "a", "b"], &[]),
        [format!("{cut}: call `z` in line 3 {none}, nor have 2 more")]
    );
    assert_eq!(told_of(&["z", "a"], &[first]), [format!("{cut}: call `a` in line 4 {none}")]);
    assert_eq!(told_of(&["z", "a"], &[first, second]), [""; 0]);
    assert_eq!(told_of(&["z"], &[r#"{"type":"end","turns":1,"calls":1}"#]), [""; 0], "it says it is whole");
}

#[test]
fn a_decision_that_is_none_is_told_with_those_there_are() {
    let (decisions, deniers) = ("`denied`, `rejected`, `cancelled`", "`rule`, `hook`, `classifier`, `mode`");
    let long = format!("\"{}\"", "y".repeat(100));
    let cut = format!("is `{}…`", &long[..40]);
    for (by, fault) in [
        ("", "is missing"),
        (r#","by":null"#, "is missing"),
        (r#","by":"me""#, "is `\"me\"`"),
        (r#","by":7"#, "is `7`"),
        (format!(r#","by":{long}"#).as_str(), cut.as_str()),
    ] {
        let line = format!(r#"{{"type":"permission","id":"c","decision":"denied"{by},"text":"no"}}"#);
        let taken = format!("line 4: `by` {fault}, and must be one of {deniers}; `rule` was taken");
        assert_eq!(told_of(&["c"], &[&line]), [taken], "{line}");
    }
    for (decision, fault) in [("", "is missing"), (r#""decision":"refused","#, "is `\"refused\"`")] {
        let line = format!(r#"{{"type":"permission","id":"c",{decision}"text":"no"}}"#);
        let told = told_of(&["c"], &[&line]);
        assert!(told[0].contains("call `c` in line 3 has no"), "{told:?}");
        let left =
            format!("line 4: `decision` {fault}, and must be one of {decisions}; the line was left out");
        assert_eq!(told[1..], [left], "{line}");
    }
    for word in ["rule", "hook", "classifier", "mode"] {
        let line =
            format!(r#"{{"type":"permission","id":"c","decision":"denied","by":"{word}","text":"no"}}"#);
        assert_eq!(told_of(&["c"], &[&line]), [""; 0]);
    }
}

fn kinds(text: &str) -> (Transcript, Vec<(Option<usize>, RepairKind)>) {
    let (transcript, repairs) = read(text.as_bytes()).expect("the test's file can be read");
    (transcript, repairs.into_iter().map(|repair| (repair.line, repair.kind)).collect())
}

#[test]
fn what_the_format_does_not_have_is_left_out_and_noted() {
    let (transcript, repairs) = kinds(
        r#"{"type":"header","version":1,"later":true,"source":{"format":"x","os":"y"},"counts":{}}
{"type":"weather","sky":"blue"}
{"type":"turn","id":"t","think_ms":"long"}
{"type":"tool_use","turn":"t","id":"c","name":"Read","input":{},"arrived_ms":-1}
{"type":"permission","id":"c","decision":"postponed"}
{"type":"tool_result","id":"c","content":{"odd":1}}
{"type":"end","turns":1,"calls":1}
"#,
    );
    let unknown = RepairKind::UnknownField;
    let want = [
        (Some(1), unknown),
        (Some(1), unknown),
        (Some(2), RepairKind::UnknownLine),
        (Some(3), unknown),
        (Some(4), unknown),
        (Some(5), unknown),
        (Some(6), RepairKind::KeptAsText),
    ];
    assert_eq!(repairs, want);
    let content = Content::Text(r#"{"odd":1}"#.into());
    assert_eq!(transcript.turns[0].calls[0].outcome, Outcome::Answered { content, is_error: false });
}

#[test]
fn what_has_no_counterpart_is_noted() {
    let (transcript, repairs) = kinds(
        r#"{"type":"turn","id":"t"}
{"type":"turn","id":"t","model":"other"}
{"type":"tool_use","turn":"t","id":"c","name":"Read","input":{}}
{"type":"tool_use","turn":"t","id":"c","name":"Write","input":{}}
{"type":"tool_use","turn":"u","id":"d","input":{},"input_text":"{}"}
{"type":"tool_result","id":"c","content":"first"}
{"type":"tool_result","id":"c","content":"second"}
{"type":"permission","id":"nobody","decision":"cancelled","text":""}
{"type":"tool_use","turn":"u","name":"Glob"}
{"type":"end","turns":1,"calls":1}
"#,
    );
    let want = [
        (None, RepairKind::MissingHeader),
        (Some(2), RepairKind::DuplicateTurn),
        (Some(4), RepairKind::DuplicateCall),
        (Some(5), RepairKind::MissingName),
        (Some(5), RepairKind::UnknownField),
        (Some(5), RepairKind::MissingTurn),
        (Some(7), RepairKind::DuplicateResult),
        (Some(8), RepairKind::OrphanResult),
        (Some(9), RepairKind::MissingId),
        (Some(9), RepairKind::UnknownField),
        (Some(10), RepairKind::WrongCount),
    ];
    assert_eq!(repairs, want);
    let ids: Vec<&str> = transcript.calls().map(|call| call.id.as_str()).collect();
    assert_eq!(ids, ["c", "d", "line-9"]);
}

#[test]
fn another_version_is_an_error_that_says_so() {
    for version in ["0", "2", "99999999999"] {
        let text =
            format!("\n{{\"type\":\"header\",\"version\":{version},\"new\":[]}}\n{{\"type\":\"turn\"}}");
        let error = read(text.as_bytes()).expect_err("the version is not ours");
        assert_eq!(error, ReadError::Version { line: 2, found: version.parse().expect("a number") });
        assert!(error.to_string().contains("(1 to 1)"), "{error}");
    }
}

#[test]
fn a_file_without_a_line_is_an_error() {
    assert_eq!(read(b" \n \n"), Err(ReadError::Empty));
    let unreadable = read(b"\nhello\n").expect_err("this is no JSON");
    assert!(matches!(unreadable, ReadError::Unreadable { line: 2, .. }), "{unreadable}");
}
