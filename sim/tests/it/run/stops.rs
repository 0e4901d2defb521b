//! Ctrl-C, once and twice, at whatever the run is at.

use serde_json::{Value, json};

use super::program::{Place, told, until_there};
use super::provider::{Provider, begin, calls, gate, says, text};

/// A command that says that it runs, and then runs for ever.
fn endless() -> Value {
    json!({"command": "touch began && tail -f /dev/null"})
}

fn task() -> Value {
    json!({"description": "wait", "prompt": "wait"})
}

#[test]
fn an_interrupt_cancels_what_may_be_and_the_model_is_not_asked_again() {
    let place = Place::new("cancel");
    let after = json!({"command": "touch never"});
    let provider = Provider::new([calls("msg_1", &[("c1", "Bash", endless()), ("c2", "Bash", after)])]);
    let started = place.start(&provider, &["--mode", "bypassPermissions"]);
    until_there(&place.path("work/began"));
    started.interrupt();
    let (code, said) = started.end();
    assert_eq!(code, Some(1), "{said}");
    assert!(!place.path("work/never").exists(), "no other call starts");
    assert_eq!(provider.asked().len(), 1);
    let recorded = place.recorded();
    recorded.assert_whole();
    assert!(recorded.results().values().all(|(_content, is_error)| *is_error), "{:?}", recorded.results());
    let (content, _) = &recorded.results()["c1"];
    assert!(content.to_string().contains("the user interrupted"), "there was no new message: {content}");
    assert_eq!(place.replayed().1, recorded.results());
}

#[test]
fn an_interrupt_lets_a_call_finish_that_may_not_be_cancelled() {
    let place = Place::new("block");
    let (open, wait) = gate();
    let slow = vec![begin("msg_2"), wait, text(0, "worth the wait"), super::provider::end("end_turn")];
    let provider = Provider::new([calls("msg_1", &[("c1", "Agent", task())]), slow]);
    let mut started = place.start(&provider, &[]);
    until_asked(&provider, 2);
    started.interrupt();
    started.until_said("interrupted: what runs may finish");
    open.send(()).expect("the provider waits");
    let (code, said) = started.end();
    assert_eq!(code, Some(1), "{said}");
    assert_eq!(provider.asked().len(), 2, "the model is not asked again");
    let recorded = place.recorded();
    recorded.assert_whole();
    let (content, is_error) = &recorded.results()["c1"];
    assert!(!is_error && content.to_string().contains("worth the wait"), "{content}");
    assert_eq!(place.replayed().1, recorded.results());
}

#[test]
fn a_second_interrupt_stops_what_would_have_finished() {
    let place = Place::new("abort");
    let (_never_opened, wait) = gate();
    let provider = Provider::new([calls("msg_1", &[("c1", "Agent", task())]), vec![begin("msg_2"), wait]]);
    let mut started = place.start(&provider, &[]);
    until_asked(&provider, 2);
    started.interrupt();
    started.until_said("interrupted: what runs may finish");
    started.interrupt();
    let (code, said) = started.end();
    assert_eq!(code, Some(1), "{said}");
    let recorded = place.recorded();
    recorded.assert_whole();
    assert!(recorded.results()["c1"].1);
    assert_eq!(place.replayed().1, recorded.results());
}

#[test]
fn an_interrupt_while_the_model_only_speaks_ends_the_run_and_keeps_what_was_done() {
    let place = Place::new("speaks");
    place.put("work/a.txt", "alpha\n");
    let (_never_opened, wait) = gate();
    let read = calls("msg_1", &[("c1", "Read", json!({"file_path": "a.txt"}))]);
    let provider = Provider::new([read, vec![begin("msg_2"), text(0, "Let me think"), wait]]);
    let started = place.start(&provider, &[]);
    until_asked(&provider, 2);
    started.interrupt();
    let (code, said) = started.end();
    assert_eq!(code, Some(1), "{said}");
    let recorded = place.recorded();
    recorded.assert_whole();
    assert_eq!(recorded.results(), told(&provider));
    assert_eq!(place.replayed().1, recorded.results());
}

#[test]
fn calls_that_began_before_their_message_broke_off_are_in_the_recording() {
    let place = Place::new("broken");
    place.put("work/a.txt", "alpha\n");
    let (open, wait) = gate();
    let read = json!({"file_path": "a.txt"});
    let first = calls("msg_1", &[("c1", "Read", read.clone())]);
    let broken = vec![
        begin("msg_2"),
        text(0, "I go on"),
        super::provider::call(1, "c2", "Bash", &endless()),
        super::provider::call(2, "c3", "Read", &read),
        wait,
    ];
    let provider = Provider::new([first, broken, says("msg_3", "never")]);
    let started = place.start(&provider, &["--mode", "bypassPermissions"]);
    until_there(&place.path("work/began"));
    open.send(()).expect("the provider waits");
    let (code, said) = started.end();
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("no whole answer"), "{said}");
    let recorded = place.recorded();
    recorded.assert_whole();
    let results = recorded.results();
    assert!(results["c2"].1 && results["c3"].1, "{results:?}");
    assert_eq!(place.replayed().1, results);
}

#[test]
fn what_cannot_be_shown_is_said_and_makes_the_run_fail() {
    let place = Place::new("full");
    let provider = Provider::new([says("msg_1", "hello")]);
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("there is one");
    let output = place.command(&provider, &[]).stdout(full).output().expect("it was built");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("could not all be written: No space left"), "{said}");
    place.recorded().assert_whole();
}

/// Waits until the provider has been asked so often.
fn until_asked(provider: &Provider, times: usize) {
    let began = std::time::Instant::now();
    while provider.asked().len() < times {
        assert!(began.elapsed() < std::time::Duration::from_secs(60), "it never asked");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}
