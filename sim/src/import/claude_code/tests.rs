//! The oddities of recorded sessions, each in a made-up file of a few lines.

use super::read;
use crate::transcript::{Call, Content, DeniedBy, Input, Outcome, RepairKind, Repairs, Transcript};

type Kinds = Vec<(Option<usize>, RepairKind)>;

fn session(lines: &[String]) -> (Transcript, Kinds) {
    let mut repairs = Repairs::default();
    let transcript =
        read(lines.join("\n").as_bytes(), "claude-code", &mut repairs).expect("a line can be read");
    (transcript, repairs.finish().into_iter().map(|repair| (repair.line, repair.kind)).collect())
}

/// A line, a number of milliseconds after the session began.
fn line(at_ms: u64, rest: &str) -> String {
    let (minutes, seconds, ms) = (at_ms / 60_000, at_ms / 1_000 % 60, at_ms % 1_000);
    format!(
        r#"{{"sessionId":"s1","version":"2.1.0","cwd":"/w","timestamp":"2026-01-01T00:{minutes:02}:{seconds:02}.{ms:03}Z",{rest}}}"#
    )
}

fn says(at_ms: u64, message: &str, blocks: &str) -> String {
    let rest = format!(
        r#""type":"assistant","uuid":"u{at_ms}","message":{{"id":"{message}","model":"m","role":"assistant","content":{blocks}}}"#
    );
    line(at_ms, &rest)
}

fn calls(at_ms: u64, message: &str, id: &str) -> String {
    says(
        at_ms,
        message,
        &format!(r#"[{{"type":"tool_use","id":"{id}","name":"Bash","input":{{"command":"{id}"}}}}]"#),
    )
}

fn types(at_ms: u64, text: &str) -> String {
    line(at_ms, &format!(r#""type":"user","message":{{"role":"user","content":"{text}"}}"#))
}

fn answers(at_ms: u64, id: &str, rest: &str) -> String {
    let block = format!(r#"{{"type":"tool_result","tool_use_id":"{id}",{rest}}}"#);
    line(at_ms, &format!(r#""type":"user","message":{{"role":"user","content":[{block}]}}"#))
}

fn ok(at_ms: u64, id: &str) -> String {
    answers(at_ms, id, &format!(r#""content":"did {id}""#))
}

fn ids(transcript: &Transcript) -> Vec<Vec<&str>> {
    transcript.turns.iter().map(|turn| turn.calls.iter().map(|call| call.id.as_str()).collect()).collect()
}

fn times(call: &Call) -> [Option<u64>; 3] {
    [call.arrived_ms, call.service_ms, call.ended_ms]
}

#[test]
fn a_response_over_several_lines_is_one_turn() {
    let (transcript, repairs) = session(&[
        types(0, "go"),
        says(1_000, "m1", r#"[{"type":"thinking","thinking":"","signature":"x"}]"#),
        says(1_200, "m1", r#"[{"type":"text","text":"I will"}]"#),
        calls(1_500, "m1", "a"),
        ok(1_900, "a"),
        calls(2_000, "m1", "b"),
        calls(2_100, "m1", "c"),
        ok(2_700, "c"),
        ok(2_900, "b"),
        types(3_000, "and then"),
        types(3_500, "this"),
        says(4_000, "m2", r#"[{"type":"text","text":"done"}]"#),
        types(5_000, "more"),
        calls(6_000, "m3", "d"),
        ok(6_001, "d"),
    ]);
    assert_eq!(repairs, []);
    assert_eq!(ids(&transcript), [vec!["a", "b", "c"], vec!["d"]]);
    let [first, second] = transcript.turns.as_slice() else { panic!("two turns") };
    assert_eq!(first.think_ms, Some(1_000));
    assert_eq!((first.prompt.as_deref(), first.text.as_deref()), (Some("go"), Some("I will")));
    assert_eq!(times(&first.calls[0]), [Some(0), Some(400), Some(400)]);
    assert_eq!(times(&first.calls[1]), [Some(500), Some(900), Some(1_400)]);
    assert_eq!(times(&first.calls[2]), [Some(600), Some(600), Some(1_200)]);
    assert_eq!(second.prompt.as_deref(), Some("and then\n\nthis\n\nmore"));
    assert_eq!(second.think_ms, Some(1_000));
    let source = &transcript.header.source;
    assert_eq!(source.started_at.as_deref(), Some("2026-01-01T00:00:00.000Z"));
    assert_eq!((source.format.as_str(), source.tool_version.as_deref()), ("claude-code", Some("2.1.0")));
}

#[test]
fn waiting_for_calls_before_is_no_service_time() {
    let (transcript, _) = session(&[
        calls(0, "m", "a"),
        calls(100, "m", "b"),
        calls(200, "m", "c"),
        ok(1_000, "a"),
        ok(1_050, "b"),
        ok(1_050, "c"),
    ]);
    let service: Vec<_> = transcript.calls().map(|call| call.service_ms).collect();
    assert_eq!(service, [Some(1_000), Some(50), Some(0)]);
}

#[test]
fn the_mode_in_force_is_the_last_one_told() {
    let (transcript, _) = session(&[
        line(0, r#""type":"user","permissionMode":"plan","message":{"role":"user","content":"x"}"#),
        calls(1, "m1", "a"),
        r#"{"type":"permission-mode","permissionMode":"auto","sessionId":"s1"}"#.to_owned(),
        calls(2, "m1", "b"),
        calls(3, "m2", "c"),
    ]);
    let modes: Vec<_> = transcript.turns.iter().map(|turn| turn.mode.as_deref()).collect();
    assert_eq!(modes, [Some("plan"), Some("auto")]);
}

#[test]
fn what_is_twice_counts_once_and_what_has_no_counterpart_is_counted() {
    let (transcript, repairs) = session(&[
        calls(0, "m1", "a"),
        ok(1, "a"),
        answers(2, "a", r#""content":"again""#),
        calls(3, "m2", "a"),
        calls(4, "m3", "b"),
        ok(5, "nobody"),
        answers(6, "nobody", r#""content":"again""#),
    ]);
    assert_eq!(ids(&transcript), [["a"], ["b"]]);
    assert_eq!(transcript.turns[1].calls[0].outcome, Outcome::Unanswered);
    let want = [
        (Some(3), RepairKind::DuplicateResult),
        (Some(4), RepairKind::DuplicateCall),
        (Some(5), RepairKind::UnansweredCall),
        (Some(6), RepairKind::OrphanResult),
        (Some(7), RepairKind::DuplicateResult),
    ];
    assert_eq!(repairs, want);
    let counts = transcript.header.counts;
    assert_eq!((counts.calls_without_result, counts.results_without_call), (1, 1));
}

#[test]
fn sub_agents_are_counted_and_kept_out() {
    let side = |text: String| text.replacen('{', r#"{"isSidechain":true,"#, 1);
    let (transcript, repairs) = session(&[
        types(0, "go"),
        calls(1, "m1", "task"),
        side(types(2, "do the part")),
        side(calls(3, "s1", "x")),
        side(ok(4, "x")),
        side(calls(5, "s1", "y")),
        side(says(6, "s2", r#"[{"type":"text","text":"hm"}]"#)),
        ok(7, "task"),
        calls(8, "m2", "b"),
        ok(9, "b"),
    ]);
    assert_eq!(ids(&transcript), [["task"], ["b"]]);
    assert_eq!(transcript.turns[1].think_ms, Some(1));
    assert_eq!(transcript.turns[1].prompt, None);
    assert_eq!(repairs, [(Some(3), RepairKind::Sidechain)]);
    let counts = transcript.header.counts;
    assert_eq!((counts.sidechain_turns, counts.sidechain_calls), (1, 2));
    assert_eq!((counts.calls_without_result, counts.results_without_call), (1, 0));
}

#[test]
fn what_the_program_writes_is_no_prompt() {
    let (transcript, repairs) = session(&[
        line(0, r#""type":"user","isMeta":true,"message":{"role":"user","content":"Caveat"}"#),
        line(0, r#""type":"user","isCompactSummary":true,"message":{"role":"user","content":"So far"}"#),
        line(0, r#""type":"system","subtype":"compact_boundary","parentUuid":null,"content":"Compacted""#),
        line(
            0,
            r#""type":"user","message":{"role":"user","content":[{"type":"text","text":"[Request interrupted by user]"}]}"#,
        ),
        line(
            0,
            r#""type":"assistant","isApiErrorMessage":true,"message":{"id":"e","model":"<synthetic>","content":[{"type":"text","text":"API Error"}]}"#,
        ),
        line(
            0,
            r#""type":"user","message":{"role":"user","content":[{"type":"image","source":{}},{"type":"text","text":"look"}]}"#,
        ),
        calls(1, "m", "a"),
        line(
            2,
            r#""type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":""},{"type":"text","text":"not so"}]}"#,
        ),
        calls(3, "m2", "b"),
        ok(4, "b"),
    ]);
    assert_eq!(repairs, [(Some(3), RepairKind::Compaction)]);
    let prompts: Vec<_> = transcript.turns.iter().map(|turn| turn.prompt.as_deref()).collect();
    assert_eq!(prompts, [Some("look"), Some("not so")]);
}

#[test]
fn the_words_of_a_result_say_what_came_of_the_call() {
    let denied = |by| move |text: String| Outcome::Denied { by, text };
    let rejected = |text: String| Outcome::Rejected { text, feedback: None };
    let cancelled = |text: String| Outcome::Cancelled { text };
    let answered = |text: String| Outcome::Answered { content: Content::Text(text), is_error: true };
    type Make = Box<dyn Fn(String) -> Outcome>;
    let table: Vec<(&str, &str, Make)> = vec![
        ("", "Exit code 1", Box::new(answered)),
        ("", "<tool_use_error>Blocked: sleep 30</tool_use_error>", Box::new(answered)),
        ("", "<tool_use_error>Sibling tool call errored</tool_use_error>", Box::new(cancelled)),
        (
            "",
            "<tool_use_error>Cancelled: parallel tool call Bash(make) errored</tool_use_error>",
            Box::new(cancelled),
        ),
        ("", "[Request interrupted by user for tool use]", Box::new(cancelled)),
        ("", "The tool use was cancelled", Box::new(cancelled)),
        ("", "The user doesn't want to proceed with this tool use. STOP", Box::new(rejected)),
        ("", "The user doesn't want to take this action right now. STOP", Box::new(rejected)),
        (r#""toolUseResult":"User rejected tool use","#, "No.", Box::new(rejected)),
        (r#""toolDenialKind":"user-rejected","#, "No.", Box::new(rejected)),
        ("", "Permission to use Bash with command rm x has been denied.", Box::new(denied(DeniedBy::Rule))),
        ("", "PreToolUse:Bash hook error: [guard.sh]: no", Box::new(denied(DeniedBy::Hook))),
        (r#""toolDenialKind":"permission-rule","#, "Use Read", Box::new(denied(DeniedBy::Hook))),
        (
            r#""toolDenialKind":"permission-rule","#,
            "Permission to use Bash has been denied.",
            Box::new(denied(DeniedBy::Rule)),
        ),
        (
            "",
            "Permission for this action was denied by the Claude Code auto mode classifier. Reason: x",
            Box::new(denied(DeniedBy::Classifier)),
        ),
        (r#""toolDenialKind":"automode-blocked","#, "No.", Box::new(denied(DeniedBy::Classifier))),
        (
            "",
            "Claude requested permissions to write to /w/a, but you haven't granted it yet.",
            Box::new(denied(DeniedBy::Mode)),
        ),
        (r#""toolDenialKind":"moon-phase","#, "No.", Box::new(denied(DeniedBy::Rule))),
    ];
    for (fields, text, make) in table {
        for is_error in [true, false] {
            let result = answers(1, "a", &format!(r#""content":"{text}","is_error":{is_error}"#));
            let (transcript, _) =
                session(&[calls(0, "m", "a"), result.replacen('{', &format!("{{{fields}"), 1)]);
            let outcome = &transcript.turns[0].calls[0].outcome;
            if is_error {
                assert_eq!(*outcome, make(text.to_owned()), "{fields} {text}");
            } else {
                let content = Content::Text(text.to_owned());
                assert_eq!(*outcome, Outcome::Answered { content, is_error }, "{text}");
            }
        }
    }
}

#[test]
fn a_rejection_has_what_the_person_said() {
    let text = r"The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nUse tabs";
    let content = format!(r#""content":[{{"type":"text","text":"{text}"}}],"is_error":true"#);
    let (transcript, _) = session(&[calls(0, "m", "a"), answers(1, "a", &content)]);
    match &transcript.turns[0].calls[0].outcome {
        Outcome::Rejected { feedback, .. } => assert_eq!(feedback.as_deref(), Some("Use tabs")),
        other => panic!("{other:?}"),
    }
}

#[test]
fn arguments_are_kept_byte_for_byte_and_what_is_missing_is_made_up() {
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    let (transcript, repairs) = session(&[
        says(
            0,
            "m",
            r#"[{"type":"tool_use","id":"a","name":"T","input":{ "b" : 1.0, "a":"\u00e9" }},{"type":"tool_use","id":"b","name":"T","input":null},{"type":"tool_use","id":"c","name":"T","input":"x"}]"#,
        ),
        says(1, "m", r#"[{"type":"tool_use","input":{}},7]"#),
        says(2, "m", &format!(r#"[{{"type":"tool_use","id":"d","name":"T","input":{deep}}}]"#)),
        says(3, "m", r#"[{"type":"tool_use","id":"e","name":"T","input":{"a":"\ud800x"}}]"#),
    ]);
    let inputs: Vec<&str> = transcript
        .calls()
        .map(|call| match &call.input {
            Input::Json(json) => json.get(),
            Input::Text(text) => text,
        })
        .collect();
    let first = r#"{ "b" : 1.0, "a":"\u00e9" }"#;
    assert_eq!(inputs, [first, "null", r#""x""#, "{}", &deep, r#"{"a":"\ufffdx"}"#]);
    assert_eq!(ids(&transcript), [["a", "b", "c", "line-2-block-0", "d", "e"]]);
    assert_eq!(transcript.turns[0].calls[3].name, "unnamed");
    let mended: Kinds = repairs.into_iter().filter(|(_, kind)| *kind != RepairKind::UnansweredCall).collect();
    let want = [
        (Some(2), RepairKind::UnreadableMessage),
        (Some(2), RepairKind::MissingId),
        (Some(2), RepairKind::MissingName),
        (Some(3), RepairKind::KeptAsText),
        (Some(4), RepairKind::LoneSurrogate),
    ];
    assert_eq!(mended, want);
}

#[test]
fn times_that_are_missing_or_run_backwards_are_said() {
    let untimed = |text: String| text.replace("2026-01-01T", "yesterday ");
    let (transcript, repairs) = session(&[
        types(1_000, "go"),
        calls(500, "m1", "a"),
        ok(400, "a"),
        untimed(calls(2_000, "m2", "b")),
        untimed(ok(2_500, "b")),
        calls(3_000, "m3", "c"),
        untimed(ok(3_100, "c")),
    ]);
    let times: Vec<_> = transcript.calls().map(times).collect();
    assert_eq!(times, [[Some(0), Some(0), Some(0)], [None; 3], [Some(0), None, None]]);
    let think: Vec<_> = transcript.turns.iter().map(|turn| turn.think_ms).collect();
    assert_eq!(think, [Some(0), None, None]);
    let back = RepairKind::BackwardTime;
    assert_eq!(repairs, [(Some(2), back), (Some(2), back), (Some(4), RepairKind::MissingTime)]);
}

#[test]
fn lines_of_odd_shapes_are_noted_and_cost_only_themselves() {
    let (transcript, repairs) = session(&[
        "\u{feff}".to_owned() + &types(0, "go") + "\r",
        says(1, "m0", r#""all text""#) + "\r",
        line(2, r#""type":"assistant""#),
        line(3, r#""type":"user","message":{"content":12}"#),
        line(
            4,
            r#""message":{"role":"assistant","id":"m1","content":[{"type":"tool_use","id":"a","name":"T"}]}"#,
        ),
        calls(5, "m2", "b") + r#"{"type":"summary","summary":"}{\"type\"","leafUuid":"x"}"#,
        ok(6, "a").replace("\"s1\"", "\"s2\""),
        "{\"type\":\"user\",".to_owned(),
        line(7, r#""type":"weather","message":"sunny","isSidechain":"maybe","uuid":[1]"#),
        line(
            8,
            r#""type":"user","toolUseResult":[1],"message":{"content":[{"type":"tool_result","tool_use_id":"b"}]}"#,
        ),
        "[]".to_owned(),
    ]);
    assert_eq!(ids(&transcript), [["a"], ["b"]]);
    let want = [
        (Some(1), RepairKind::ByteOrderMark),
        (Some(3), RepairKind::UnreadableMessage),
        (Some(4), RepairKind::UnreadableMessage),
        (Some(6), RepairKind::GluedLine),
        (Some(7), RepairKind::SeveralSessions),
        (Some(8), RepairKind::UnreadableLine),
        (Some(9), RepairKind::UnknownLine),
        (Some(11), RepairKind::UnreadableLine),
    ];
    assert_eq!(repairs, want);
    let nothing = Outcome::Answered { content: Content::Text(String::new()), is_error: false };
    assert_eq!(transcript.turns[1].calls[0].outcome, nothing);
}

#[test]
fn the_file_of_a_sub_agent_alone_is_a_session_of_its_own() {
    let aside = |line: String| line.replacen('{', "{\"isSidechain\":true,", 1);
    let own = [types(0, "count"), calls(1_000, "m1", "a"), ok(1_500, "a")];
    let (transcript, repairs) = session(&own.clone().map(aside));
    let (alone, _) = session(&own);
    assert_eq!(transcript, alone);
    assert_eq!(repairs, [(None, RepairKind::Sidechain)]);
}
