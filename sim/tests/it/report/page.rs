//! The page, as a browser shows it.

use super::super::cli::Folder;
use super::HOSTILE;
use super::browser::{open, written};

const SESSION: &str = include_str!("../../../examples/session.twt.jsonl");

#[test]
fn each_call_has_a_lane_with_its_batch_its_hooks_its_question_and_its_end() {
    let folder = Folder::new("page-lanes");
    let page = written(&folder, &["replay"]);
    let Some(opened) = open(&folder, &page, "") else { return };
    let calls: Vec<String> = opened.rows().iter().map(|row| row.call.to_owned()).collect();
    let recorded = SESSION.lines().filter(|line| line.contains(r#""type":"tool_use""#)).count();
    assert_eq!(calls.len(), recorded);
    let asked = opened.row("c10");
    assert_eq!((asked.tool, asked.stretches("question"), asked.stretches("hook")), ("Bash", 1, 1));
    assert!(asked.stretches("line") > 0 && asked.stretches("body") == 0, "it waited, and never ran");
    assert!(asked.markup.contains("class=\"cross denied\"") && asked.markup.contains("data-batch=\"4\""));
    let failed = opened.row("c05");
    assert!(
        failed.markup.contains("ph body error")
            && failed.markup.contains("aria-label=\"Bash(cargo test water), batch 1, error\"")
    );
    assert!(opened.dom.contains("Turn 3") && opened.dom.contains("5 calls in 4 batches"));
}

#[test]
fn the_address_chooses_the_step_the_tool_and_the_call() {
    let folder = Folder::new("page-address");
    let page = written(&folder, &["replay"]);
    let Some(opened) = open(&folder, &page, "step=12&tool=Bash&tool=Edit&call=c09&axis=turn") else { return };
    assert!(opened.rows().iter().all(|row| matches!(row.tool, "Bash" | "Edit")));
    assert_eq!(opened.rows().len(), 7, "six commands and an edit");
    assert!(opened.part("count").starts_with(" for=\"step\">12 / "), "{}", opened.part("count"));
    assert!(opened.row("c09").markup.contains("aria-selected=\"true\""));
    assert!(opened.row("c09").markup.contains("not yet"), "at step 12 the third turn has not begun");
    assert!(opened.dom.contains("aria-pressed=\"true\" data-tool=\"Bash\""));
    assert!(opened.dom.contains("aria-pressed=\"false\" data-tool=\"Read\""));
    let detail = opened.part("detail");
    assert!(!detail.starts_with(" hidden"), "the chosen call is shown");
    for piece in [
        "Bash(cargo test)",
        "\"command\": \"cargo test\"",
        "Decision",
        "by person",
        "test result: ok. 14 passed",
    ] {
        assert!(opened.dom.contains(piece), "{piece}");
    }
    for nonsense in
        ["step=-3&call=absent&tool=absent", "step=99999999999999999999", "zoom=1-0&axis=none", "%E0%A4&&=&x"]
    {
        let opened = open(&folder, &page, nonsense).expect("there was a browser");
        assert_eq!(opened.rows().len(), 17, "`{nonsense}` hides nothing");
    }
}

#[test]
fn the_slider_shows_the_run_at_each_event() {
    let folder = Folder::new("page-steps");
    let page = written(&folder, &["replay"]);
    let Some(before) = open(&folder, &page, "step=0") else { return };
    assert!(before.rows().iter().all(|row| row.markup.contains(">not yet")));
    let after = open(&folder, &page, "").expect("there was a browser");
    assert!(
        after.rows().iter().all(|row| !row.markup.contains(">not yet") && !row.markup.contains(" future"))
    );
    let events = after.part("count").split(['/', '<']).nth(1).map(str::trim).map(str::to_owned);
    let events: usize = events.and_then(|number| number.parse().ok()).expect("the events are counted");
    let lines =
        super::super::cli::out(&super::super::cli::toolwright(&["replay", "--events"])).lines().count();
    assert_eq!(events, lines, "as many steps as events");
    let started = super::super::cli::out(&super::super::cli::toolwright(&["replay", "--events"]))
        .lines()
        .position(|line| line.contains(r#""event":"started","call":"c05""#))
        .expect("the call begins");
    let at = open(&folder, &page, &format!("step={}", started + 1)).expect("there was a browser");
    assert!(at.row("c05").markup.contains("state body") && at.row("c05").markup.contains("class=\"cursor\""));
    assert!(at.row("c06").markup.contains(">not yet"));
    assert!(at.part("said").contains("Bash(cargo test water)") && at.part("said").contains("begins"));
}

#[test]
fn two_runs_stand_side_by_side_and_show_where_they_part() {
    let folder = Folder::new("page-two");
    let file = folder.put("s.twt.jsonl", SESSION);
    let page = written(&folder, &["diff", &file, "--strategy", "random", "--seed", "1", "--seed", "2"]);
    let Some(opened) = open(&folder, &page, "call=c01&step=9") else { return };
    assert!(opened.rows().iter().all(|row| row.lanes().len() == 2), "a lane for each run");
    assert!(opened.dom.contains("seed 1") && opened.dom.contains("seed 2"));
    assert!(opened.dom.contains("where the two runs part"), "the parting is marked");
    assert_eq!(opened.part("said").matches("<p>").count(), 2, "an event of each");
    assert!(!opened.dom.contains("breaks an invariant"), "neither broke anything");
}

#[test]
fn nothing_in_a_recording_is_obeyed_or_hides() {
    let folder = Folder::new("page-hostile");
    let file = folder.put("h.twt.jsonl", HOSTILE);
    let page = written(&folder, &["replay", &file, "--siblings", "any"]);
    for fragment in
        ["", "call=h1", "call=h2", "call=h3", "tool=%3Cscript%3E", "find=%3Cimg%20src=x%20onerror=boom()%3E"]
    {
        let Some(opened) = open(&folder, &page, fragment) else { return };
        for markup in ["<img", "<svg/", "<iframe", "onerror=\"", "<script>alert", "<b>bold</b>"] {
            assert!(!opened.dom.contains(markup), "`{markup}` with #{fragment}");
        }
        assert!(!opened.dom.contains("<title>obeyed"), "no script of a recording ran");
        for hidden in ['\u{2028}', '\u{202e}', '\u{200b}', '\u{7}'] {
            assert!(!opened.dom.contains(hidden), "{:?} is written out, with #{fragment}", hidden);
        }
    }
    let opened = open(&folder, &page, "call=h1").expect("there was a browser");
    assert!(opened.dom.contains("&lt;/script&gt;&lt;img src=x"), "and all of it is shown");
    assert!(opened.dom.contains(r"\u{202e}") && opened.dom.contains(r"\u{2028}"));
}

#[test]
fn five_thousand_calls_are_drawn_at_once_and_only_those_in_sight() {
    let folder = Folder::new("page-many");
    let mut text =
        String::from(r#"{"type":"header","version":1,"source":{"format":"toolwright"},"cwd":"/w"}"#);
    for turn in 0..500 {
        text += &format!("\n{{\"type\":\"turn\",\"id\":\"t{turn}\",\"think_ms\":900}}");
        for call in 0..10 {
            let id = turn * 10 + call;
            text += &format!(
                "\n{{\"type\":\"tool_use\",\"turn\":\"t{turn}\",\"id\":\"n{id}\",\"name\":\"Read\",\"input\":{{\"file_path\":\"/w/{id}\"}}}}"
            );
        }
        for call in 0..10 {
            let id = turn * 10 + call;
            text += &format!(
                "\n{{\"type\":\"tool_result\",\"id\":\"n{id}\",\"content\":\"x\",\"service_ms\":{}}}",
                id % 97
            );
        }
    }
    let file = folder.put("many.twt.jsonl", text);
    let page = written(&folder, &["replay", &file]);
    let began = std::time::Instant::now();
    let Some(opened) = open(&folder, &page, "call=n4321") else { return };
    assert!(began.elapsed().as_secs() < 60, "the browser was done after {:?}", began.elapsed());
    assert!(opened.part("amount").contains("5,000 calls"), "{}", opened.part("amount"));
    assert!(opened.row("n4321").markup.contains("aria-selected=\"true\""), "the chosen call is in sight");
    assert!(opened.rows().len() < 100, "{} rows are drawn", opened.rows().len());
}
