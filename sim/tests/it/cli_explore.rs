//! The commands that explore: what they print, and with which code they end.

use std::process::Command;

use serde_json::Value;

use super::cli::{Folder, out, said, toolwright};

const SESSION: &str = include_str!("../../examples/session.twt.jsonl");
/// A session of tools that are all here.
const KNOWN: &str = include_str!("../../examples/late_answer.twt.jsonl");

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn explore_says_how_many_runs_held_and_which_states_were_seen() {
    let folder = Folder::new("explore");
    let file = folder.put("s.twt.jsonl", SESSION);
    let output = toolwright(&["explore", &file, "--seeds", "5"]);
    let text = out(&output);
    assert!(output.status.success(), "{text}{}", said(&output));
    assert!(text.starts_with("5 runs, seeds 0..5\n") && text.contains("every invariant held"), "{text}");
    let output = toolwright(&["explore", &file, "--seeds", "3..5", "--strategy", "pos", "--json"]);
    let summary = json(&out(&output));
    assert_eq!((&summary["runs"], &summary["seeds"]), (&json("2"), &json("[[3,5]]")));
    let vacuous = toolwright(&["explore", &file, "--seeds", "2", "--sometimes", "a body panicked"]);
    assert_eq!(vacuous.status.code(), Some(1));
    assert!(said(&vacuous).contains("`a body panicked` was never seen"), "{}", said(&vacuous));
}

#[test]
fn an_exhaustive_exploration_says_that_there_are_no_other_runs() {
    let folder = Folder::new("exhaustive");
    let (header, turn) = (SESSION.lines().next().expect("a header"), SESSION.lines().nth(1).expect("a turn"));
    let call = SESSION.lines().find(|line| line.contains(r#""type":"tool_use""#)).expect("a call");
    let file = folder.put("s.twt.jsonl", format!("{header}\n{turn}\n{call}\n"));
    let output = toolwright(&["explore", &file, "--exhaustive"]);
    let text = out(&output);
    assert!(output.status.success(), "{text}{}", said(&output));
    assert!(text.contains("runs, and there are no others that differ"), "{text}");
}

#[test]
fn what_cannot_be_explored_ends_with_2_and_a_reason() {
    let folder = Folder::new("explore-bad");
    let file = folder.put("s.twt.jsonl", SESSION);
    for (arguments, reason) in [
        (vec!["explore", "absent.jsonl"], "absent.jsonl"),
        (vec!["explore", &file, "--strategy", "best"], "is no strategy"),
        (vec!["explore", &file, "--seeds", "5..x"], "are no seeds"),
        (vec!["explore", &file, "--seeds", "5..3"], "are no seeds"),
        (vec!["sweep", &file, "--seeds", "0"], "are no seeds"),
        (vec!["shrink", "tws9.a", &file], "version `tws9`"),
        (vec!["why", "nonsense", &file], "is no token"),
        (vec!["replay", "--token", "tws1.00000000.00000000.r1", &file], "another recording"),
        (vec!["diff", &file, "--seed", "1"], "two seeds"),
        (vec!["sweep", &file, "--shard", "3/2"], "is no shard"),
        (vec!["merge", &file], "is not what `sweep --json` prints"),
    ] {
        let output = toolwright(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", out(&output));
        assert!(said(&output).contains(reason), "{arguments:?}: {}", said(&output));
    }
}

#[test]
fn diff_shows_the_first_choice_and_the_first_event_that_differ() {
    let folder = Folder::new("diff");
    let file = folder.put("s.twt.jsonl", SESSION);
    let same = toolwright(&["diff", &file, "--seed", "4", "--seed", "4"]);
    assert!(same.status.success(), "{}", said(&same));
    assert!(out(&same).contains("choices are the same") && out(&same).contains("events are the same"));
    let arguments = ["diff", &file, "--strategy", "random", "--seed", "1", "--seed", "2"];
    let other = toolwright(&arguments);
    assert_eq!(other.status.code(), Some(1), "{}", out(&other));
    for piece in ["choice ", "event ", "seed 1: ", "seed 2: "] {
        assert!(out(&other).contains(piece), "{}", out(&other));
    }
}

#[test]
fn a_sweep_of_shards_merges_to_the_sweep_of_all_and_to_the_exploration() {
    let folder = Folder::new("sweep");
    let file = folder.put("s.twt.jsonl", SESSION);
    let sweep = |more: &[&str]| {
        let mut arguments = vec!["sweep", &file, "--seeds", "2..9", "--json", "--jobs", "2"];
        arguments.extend(more);
        let output = toolwright(&arguments);
        assert!(output.status.success(), "{}", said(&output));
        out(&output)
    };
    let one = folder.put("1.json", sweep(&["--shard", "1/2"]));
    let two = folder.put("2.json", sweep(&["--shard", "2/2"]));
    let merged = toolwright(&["merge", &two, &one, "--json"]);
    assert!(merged.status.success(), "{}", said(&merged));
    let explored = toolwright(&["explore", &file, "--seeds", "2..9", "--json"]);
    assert_eq!(json(&out(&merged)), json(&sweep(&[])));
    assert_eq!(json(&out(&merged)), json(&out(&explored)));
    let twice = toolwright(&["merge", &one, &one]);
    assert_eq!(twice.status.code(), Some(2));
    assert!(said(&twice).contains("are in both"), "{}", said(&twice));
}

/// From finding to test, with a bug put in.
#[cfg(feature = "mutants")]
#[test]
fn a_mutant_is_found_replayed_shrunk_and_explained() {
    let folder = Folder::new("mutant");
    // A tool that nobody knows is not safe: its call stands between others that are, for one of them to overtake.
    let file = folder.put("s.twt.jsonl", SESSION.replace(r#""Grep""#, r#""Look""#));
    let bug = ["--mutant", "OvertakingReader"];
    let with_bug = |arguments: &[&str]| toolwright(&[arguments, &bug].concat());
    let explored = with_bug(&["explore", &file, "--seeds", "30", "--json"]);
    assert_eq!(explored.status.code(), Some(1), "{}", out(&explored));
    let summary = json(&out(&explored));
    let token = summary["findings"][0]["token"].as_str().expect("a finding has a token").to_owned();
    let invariant = summary["findings"][0]["invariant"].as_str().expect("and a name").to_owned();
    let replayed = with_bug(&["replay", &file, "--token", &token]);
    assert_eq!(replayed.status.code(), Some(1));
    assert!(out(&replayed).contains(&invariant), "{}", out(&replayed));
    let small = folder.0.join("small.twt.jsonl").display().to_string();
    let shrunk = with_bug(&["shrink", &token, &file, "-o", &small]);
    assert!(shrunk.status.success(), "{}", said(&shrunk));
    let text = out(&shrunk);
    assert!(text.contains("sim_test!(") && text.contains(&invariant), "{text}");
    let line = text.lines().find_map(|line| line.trim().strip_prefix("token ")).expect("it has a token");
    let again = with_bug(&["replay", &small, "--token", line]);
    assert!(out(&again).contains(&invariant), "{}", out(&again));
    let explained = with_bug(&["why", &token, &file, "--runs", "20"]);
    assert!(explained.status.success(), "{}", said(&explained));
    let text = out(&explained);
    assert!(text.contains("could not be avoided") || text.contains("whatever is chosen"), "{text}");
}

#[test]
fn a_state_that_is_none_is_refused_with_the_nearest_name() {
    let folder = Folder::new("explore-states");
    let file = folder.put("s.twt.jsonl", SESSION);
    for flag in ["--sometimes", "--never"] {
        let output = toolwright(&["explore", &file, "--seeds", "2", flag, "a body panicks"]);
        assert_eq!(output.status.code(), Some(2), "{}", out(&output));
        assert!(said(&output).contains("did you mean `a body panicked`?"), "{}", said(&output));
    }
    let output = toolwright(&["sweep", &file, "--seeds", "2", "--sometimes", "nonsense"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("there are `a rule won`"), "{}", said(&output));
}

#[test]
fn faults_are_put_in_by_their_names_and_other_names_are_refused_with_all_there_are() {
    let folder = Folder::new("explore-faults");
    let file = folder.put("s.twt.jsonl", SESSION);
    let output = toolwright(&[
        "explore",
        &file,
        "--seeds",
        "40",
        "--faults",
        "tool-panics,hook-hangs",
        "--sometimes",
        "a body panicked",
        "--sometimes",
        "a hook timed out",
    ]);
    assert!(output.status.success(), "{}{}", out(&output), said(&output));
    let output = toolwright(&["explore", &file, "--seeds", "2", "--faults", "tool-melts"]);
    assert_eq!(output.status.code(), Some(2));
    let text = said(&output);
    assert!(text.contains("`tool-melts` is no fault") && text.contains("tool-panics"), "{text}");
}

#[test]
fn the_command_that_an_exploration_prints_shows_the_failure_in_a_shell() {
    let folder = Folder::new("explore-again");
    for (shell, name) in [("sh", "it's $(a) \"name\".jsonl"), ("bash", "\u{1b}[31m it's\\ \n\u{202e}.jsonl")]
    {
        let file = folder.put(name, include_str!("../../examples/late_answer.twt.jsonl"));
        let never =
            ["--never=an answer came too late", "--settings", r#"{"permissions":{"allow":["Bash(a b)"]}}"#];
        let output = toolwright(&[&["explore", &file, "--seeds", "200", "--swarm"], &never[..]].concat());
        let told = out(&output);
        let (_, again) = told.rsplit_once("to see the first again: ").expect("it says how");
        assert_eq!(again.trim_end().lines().count(), 1);
        assert!(!again.trim_end().contains(|c: char| c.is_control() || c == '\u{202e}'), "{again:?}");
        let Ok(output) = Command::new(shell).args(["-c", again]).output() else {
            eprintln!("skipped: there is no {shell}");
            continue;
        };
        assert_eq!(output.status.code(), Some(1), "{again}{}{}", out(&output), said(&output));
        assert!(out(&output).contains("never: an answer came too late"), "{}", out(&output));
    }
}

/// What the README tells people to try.
#[test]
fn the_sample_recording_fails_is_shrunk_and_explained_by_its_token() {
    let folder = Folder::new("explore-sample");
    let file = folder.put("s.twt.jsonl", include_str!("../../examples/late_answer.twt.jsonl"));
    let never = ["--swarm", "--never", "an answer came too late"];
    let output = toolwright(&[&["explore", file.as_str(), "--seeds", "200", "--json"], &never[..]].concat());
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let summary = json(&out(&output));
    let token = summary["findings"][0]["token"].as_str().expect("a token").to_owned();
    let held = toolwright(&["replay", &file, "--token", &token]);
    assert!(held.status.success(), "nothing else is broken: {}", out(&held));
    let output = toolwright(&[&["shrink", token.as_str(), file.as_str()], &never[..]].concat());
    let text = out(&output);
    assert!(output.status.success(), "{text}{}", said(&output));
    assert!(text.contains("never: an answer came too late") && text.contains("1 call and"), "{text}");
    assert!(text.contains(r#"never = "an answer came too late""#), "{text}");
    // Nothing is written beside a recording unasked.
    assert!(text.contains("`-o FILE` writes it") && !text.contains("written to"), "{text}");
    assert_eq!(std::fs::read_dir(&folder.0).expect("the folder is there").count(), 1);
    let output = toolwright(&[&["why", token.as_str(), file.as_str(), "--runs", "20"], &never[..]].concat());
    assert!(out(&output).starts_with("never: "), "{}{}", out(&output), said(&output));
}

#[test]
fn a_shrunk_recording_is_written_where_asked_and_its_test_has_the_path_below_the_crate() {
    let folder = Folder::new("shrink-crate");
    let file = folder.put("s.twt.jsonl", include_str!("../../examples/late_answer.twt.jsonl"));
    folder.put("Cargo.toml", "[package]\n");
    let never = ["--swarm", "--never", "an answer came too late"];
    let output = toolwright(&[&["explore", file.as_str(), "--seeds", "200", "--json"], &never[..]].concat());
    let summary = json(&out(&output));
    let token = summary["findings"][0]["token"].as_str().expect("a token").to_owned();
    let small = folder.0.join("small.twt.jsonl").display().to_string();
    let output = toolwright(&[&["shrink", &token, &file, "-o", &small], &never[..]].concat());
    let text = out(&output);
    assert!(output.status.success(), "{text}{}", said(&output));
    assert!(text.contains(r#"transcript = "small.twt.jsonl""#), "{text}");
    assert!(std::fs::read_to_string(&small).expect("it was written").contains("tool_use"));
}

/// A recording of this project's form, of which a line is mistyped.
fn mistyped() -> String {
    KNOWN.replacen(r#"{"type":"tool_result""#, r#"{"type":"tool_resullt""#, 1)
}

#[test]
fn a_recording_that_had_to_be_mended_held_only_as_far_as_it_could_be_read() {
    let folder = Folder::new("mended");
    let file = folder.put("s.twt.jsonl", mistyped());
    let held = "every invariant held, of what could be read: 1 repair, see above";
    for command in [vec!["replay", &file], vec!["explore", &file, "--seeds", "3"]] {
        let output = toolwright(&command);
        let told = out(&output) + &said(&output);
        assert_eq!(output.status.code(), Some(0), "{told}");
        assert!(told.contains("`tool_resullt`") && told.contains("1 repair of the recording"), "{told}");
        assert!(told.contains("did you mean `tool_result`?"), "{told}");
        assert!(out(&output).contains(held), "{told}");
        let strict = toolwright(&[&command[..], &["--strict"]].concat());
        assert_eq!(strict.status.code(), Some(2), "{}", out(&strict));
        assert!(
            said(&strict).contains("1 repair, and with `--strict` there must be none"),
            "{}",
            said(&strict)
        );
    }
    let summary = json(&out(&toolwright(&["sweep", &file, "--seeds", "2", "--json"])));
    assert_eq!(summary["repairs"], 1);
    let clean = folder.put("clean.twt.jsonl", KNOWN);
    for command in [vec!["replay", &clean, "--strict"], vec!["explore", &clean, "--seeds", "2", "--strict"]] {
        assert!(toolwright(&command).status.success(), "{command:?}");
    }
}

#[test]
fn a_replay_tells_of_calls_with_a_good_answer_that_the_tools_of_today_do_not_take() {
    let folder = Folder::new("not-taken");
    // The parameter had another name when this was recorded.
    let renamed = SESSION.replacen(
        r#""input":{"file_path":"/work/garden/src/water.rs"}"#,
        r#""input":{"place":"x"}"#,
        1,
    );
    let file = folder.put("s.twt.jsonl", renamed);
    let told = out(&toolwright(&["replay", &file]));
    assert!(told.contains("1 call with a good answer that the tools of today do not take:"), "{told}");
    assert!(
        told.contains("c03: the recording has an answer to it, and now its input is refused: "),
        "{told}"
    );
    assert!(!out(&toolwright(&["replay"])).contains("do not take"), "the bundled one is taken");
}

#[test]
fn every_command_tells_of_calls_that_prove_nothing_here_and_a_strict_one_takes_none() {
    let folder = Folder::new("apart");
    let call = |id: &str, name: &str, parameter: &str| {
        format!(
            r#"{{"type":"tool_use","id":"{id}","name":"{name}","input":{{"{parameter}":"/w/a"}}}}
{{"type":"tool_result","id":"{id}","content":"a"}}
"#
        )
    };
    let head = "{\"type\":\"header\",\"version\":1,\"cwd\":\"/w\"}\n{\"type\":\"turn\",\"id\":\"t1\"}\n";
    let all = [head, &call("c1", "Raed", "file_path"), &call("c2", "Read", "file_pth")].concat();
    let file = folder.put("s.twt.jsonl", all);
    for command in [vec!["replay", &file], vec!["explore", &file, "--seeds", "3"]] {
        let output = toolwright(&command);
        let told = out(&output) + &said(&output);
        assert_eq!(output.status.code(), Some(0), "{told}");
        for piece in [
            "1 call of tools that are not in the catalogue: stand-ins with closed flags for `Raed` (did you mean `Read`?)",
            "1 call with a good answer that the tools of today do not take:",
            "c2: the recording has an answer to it, and now its input is refused: ",
            "2 calls without a time (`service_ms`): they take none, and overlap nothing",
        ] {
            assert!(told.contains(piece), "`{piece}` in {told}");
        }
        let strict = toolwright(&[&command[..], &["--strict"]].concat());
        assert_eq!(strict.status.code(), Some(2), "{}", out(&strict));
        let none = "1 call of a stand-in, 1 call refused now, and with `--strict` there must be none";
        assert!(said(&strict).contains(none), "{}", said(&strict));
    }
}

#[test]
fn output_that_nobody_reads_to_its_end_is_no_success() {
    let folder = Folder::new("unread");
    let file = folder.put("s.twt.jsonl", SESSION);
    let settings = folder.put("settings.json", r#"{"permissions":{"deny":["Raed(x)"]}}"#);
    for command in [vec!["replay", &file], vec!["check", "--lint", &settings]] {
        let (reader, writer) = std::io::pipe().expect("there are pipes");
        drop(reader);
        let mut program = Command::new(env!("CARGO_BIN_EXE_toolwright"));
        let ended =
            program.args(&command).stdout(writer).status().expect("the program was built for this test");
        assert_eq!(ended.code(), Some(141), "{command:?}");
    }
}
