//! What must be told before the first request, and what must never be told.

use std::process::Output;

use serde_json::json;

use super::super::cli::said;
use super::program::Place;
use super::provider::{Provider, calls, says};

/// Asserts that nothing was asked and that the message says this.
fn assert_refused(output: &Output, provider: &Provider, words: &str) {
    assert_eq!(output.status.code(), Some(2), "{}", said(output));
    assert!(said(output).contains(words), "{}", said(output));
    assert_eq!(provider.asked().len(), 0, "nothing is asked that cannot be recorded");
}

#[test]
fn a_recording_that_cannot_be_written_is_told_before_the_first_request() {
    let place = Place::new("unwritable");
    let provider = Provider::new([says("msg_1", "never")]);
    let url = provider.url();
    let run = |record: &str, more: &[&str]| {
        let all = [&["--model", "m-1", "--base-url", &url, "--record", record], more].concat();
        place.bare(&all).output().expect("it was built")
    };
    assert_refused(&run("/dev/full", &["--force"]), &provider, "cannot be written");
    assert_refused(&run("/does/not/exist/x.twt.jsonl", &[]), &provider, "cannot be written");
    place.put("session.twt.jsonl", "mine");
    let record = place.recording().display().to_string();
    assert_refused(&run(&record, &[]), &provider, "`--force` overwrites it");
    assert_eq!(std::fs::read_to_string(place.recording()).expect("it is there"), "mine");
    let output = run(&record, &["--force"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    place.recorded().assert_whole();
}

#[test]
fn a_key_is_taken_from_the_variable_that_is_named_and_stands_nowhere() {
    const KEY: &str = "sk-quite-\"secret\"-0123456789";
    let place = Place::new("key");
    let provider = Provider::new([
        calls("msg_1", &[("c1", "Bash", json!({"command": "echo $MY_KEY; exit 3"}))]),
        says("msg_2", "done"),
    ]);
    let more = ["--key-variable", "MY_KEY", "--mode", "bypassPermissions"];
    let output = place.command(&provider, &more).env("MY_KEY", KEY).output().expect("it was built");
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let file = std::fs::read_to_string(place.recording()).expect("there is a recording");
    assert!(file.contains("[secret]") && !file.contains("0123456789"), "{file}");
    assert!(!said(&output).contains("0123456789"), "{}", said(&output));

    std::fs::remove_file(place.recording()).expect("it is there");
    let asked = provider.asked().len();
    let output = place.command(&provider, &more).env_remove("MY_KEY").output().expect("it was built");
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("`MY_KEY` is not set"), "{}", said(&output));
    assert_eq!(provider.asked().len(), asked);
}
