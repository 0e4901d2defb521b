//! The README's session of five tools and more: run on real files, with its timeline as the README shows it.

use std::path::Path;

use super::super::cli::{out, said, toolwright};
use super::program::Place;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate is in the workspace")
}

/// The lanes of a timeline without their times: batch, call, outcome.
fn lanes(timeline: &str) -> Vec<String> {
    let lanes = timeline.lines().filter_map(|line| {
        let (call, rest) = line.split_once('▕')?;
        let (_bar, ended) = rest.split_once('▏')?;
        let ended = ended.split_whitespace().filter(|word| *word != "s" && word.parse::<f64>().is_err());
        Some(format!("{} {}", call.trim_end(), ended.collect::<Vec<_>>().join(" ")))
    });
    lanes.collect()
}

#[test]
fn glob_and_grep_run_side_by_side_and_read_agent_skill_and_write_one_after_another() {
    let place = Place::new("five");
    for file in [".claude/skills/report/SKILL.md", "beans.md", "tomatoes.md"] {
        let text = std::fs::read_to_string(root().join("sim/examples/garden").join(file));
        place.put(&format!("work/{file}"), &text.expect("the example has it"));
    }
    let script = format!("script:{}", root().join("sim/examples/five_tools.twt.jsonl").display());
    let record = place.recording().display().to_string();
    let more = ["--model", &script, "--record", &record, "--trust", "--allow", "Edit(report.md)"];
    let output = place.bare(&more).output().expect("it was built");
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert_eq!(out(&output), "I look around.\nThe report is in report.md.\n");

    let recorded = place.recorded();
    recorded.assert_whole();
    let results = recorded.results();
    for (call, words) in [
        ("c1", "beans.md"),
        ("c2", "water: two litres a day"),
        ("c3", "Tomatoes"),
        ("c4", "Every second day."),
        ("c5", "the skill `report` begins"),
        ("c6", "report.md"),
    ] {
        let (content, is_error) = &results[call];
        assert!(!is_error && content.to_string().contains(words), "{call}: {content}");
    }
    assert_eq!(recorded.0.last().expect("it has lines")["counts"]["sidechain_calls"], 1, "the agent read");
    let report = std::fs::read_to_string(place.path("work/report.md")).expect("it was written");
    assert_eq!(report.lines().count(), 2);

    let (counts, replayed) = place.replayed();
    assert_eq!((&counts["max_side_by_side"], &counts["batches"]), (&2.into(), &5.into()));
    assert_eq!(replayed, results);
    let shown = lanes(&out(&toolwright(&["replay", &record])));
    let readme = std::fs::read_to_string(root().join("README.md")).expect("there is a README");
    let section = readme.split("## Five tools and more").nth(1).and_then(|rest| rest.split("\n## ").next());
    assert_eq!(lanes(section.expect("the README has the section")), shown);
}
