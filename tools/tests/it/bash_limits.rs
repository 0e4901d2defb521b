//! What Bash keeps from a model, from later commands, and from itself: input, variables, and output without end.

use std::time::{Duration, Instant};

use serde_json::json;
use toolwright::contract::Context;
use toolwright::env::Env;
use toolwright::message::{ToolUse, Turn};
use toolwright::permission::Mode;
use toolwright::session::Session as Toolwright;
use toolwright_tools::tasks::{TaskLimits, Tasks};

use crate::session::Session;

/// A session whose commands need no permission.
fn session(folder: &Session) -> Toolwright {
    Toolwright::builder(Env::tokio().expect("inside a runtime"), toolwright_tools::catalogue())
        .context(Context::new(folder.path("")))
        .mode(Mode::BypassPermissions)
        .build()
}

async fn run(session: &Toolwright, command: &str) -> (bool, String) {
    let input = json!({"command": command, "timeout": 20_000}).to_string();
    let result =
        session.run_turn(Turn::new(vec![ToolUse::new("call", "Bash", input)])).await.results.remove(0);
    (result.is_error, result.content.to_text())
}

#[tokio::test]
async fn a_command_that_waits_for_input_gets_its_end_at_once() {
    let folder = Session::new();
    let (session, began) = (session(&folder), Instant::now());
    for (command, said) in [
        ("cat; echo end", "end"),
        ("read answer || echo nobody", "nobody"),
        ("bash -c 'read -p sure? answer'; echo $?", "1"),
        ("head -c 1 | wc -c", "0"),
        ("sh", "(no output)"),
        ("{ echo sure >/dev/tty; } 2>/dev/null; read -t 5 answer < /dev/tty || echo nobody", "nobody"),
    ] {
        let (failed, text) = run(&session, command).await;
        assert!(!failed && text.ends_with(said), "{command}: {text}");
    }
    assert!(began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
}

#[tokio::test]
async fn variables_and_options_do_not_reach_later_commands() {
    let folder = Session::new();
    let session = session(&folder);
    let set = "export LEAKED=1; set -o noglob; umask 777; ulimit -t 9; true";
    let (failed, text) = run(&session, set).await;
    assert!(!failed, "{text}");
    let asked = "echo \"${LEAKED-none} $(umask) $(ulimit -t) end\"; case $- in *f*) echo noglob;; esac";
    let (failed, text) = run(&session, asked).await;
    assert!(!failed && text.starts_with("none 0") && text.ends_with("unlimited end"), "{text}");
}

#[tokio::test]
async fn a_failure_shows_the_head_and_the_tail_of_its_output() {
    let folder = Session::new();
    let (failed, text) = run(&session(&folder), "echo first; seq 10000 20000; echo last; exit 3").await;
    assert!(
        failed && text.starts_with("Exit code 3\nfirst\n10000\n") && text.ends_with("last"),
        "{text:.100}"
    );
    assert!(
        text.contains("characters left out") && text.chars().count() < 11_000,
        "{}",
        text.chars().count()
    );
}

#[tokio::test]
async fn a_command_that_writes_more_than_it_may_is_stopped_and_what_it_wrote_is_kept() {
    let folder = Session::new();
    let limits = TaskLimits { output_bytes_max: 10_000_000, ..TaskLimits::default() };
    let tasks = Tasks::builder().limits(limits).build();
    let env = Env::tokio().expect("inside a runtime");
    let session = Toolwright::builder(env, toolwright_tools::catalogue_with(&tasks))
        .context(Context::new(folder.path("")))
        .mode(Mode::BypassPermissions)
        .build();
    let began = Instant::now();
    let (failed, text) = run(&session, "echo first; yes").await;
    assert!(failed && text.starts_with("Exit code 143\nfirst\ny\n"), "{text:.100}");
    assert!(text.contains("wrote more than 10000000 bytes"), "{text:.20000}");
    let place = text.split('`').nth(1).expect("the place of the whole is named");
    assert!(std::fs::metadata(place).is_ok_and(|file| file.len() > 10_000_000), "{place}");
    assert!(began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
}

#[tokio::test]
async fn of_more_than_30_000_characters_the_model_gets_the_beginning_and_all_is_on_disk() {
    let folder = Session::new();
    let session = session(&folder);
    let lines = |to: u32| (1..=to).map(|line| format!("{line}\n")).collect::<String>();
    let (failed, text) = run(&session, "seq 1 6000").await;
    assert_eq!(
        (failed, text),
        (false, lines(6_000).trim_end().to_owned()),
        "28,893 characters are sent whole"
    );
    let (failed, text) = run(&session, "seq 1 20000").await;
    assert!(!failed && text.chars().count() < 3_000 && text.contains("1\n2\n3\n"), "{text:.200}");
    let place = text.split('`').nth(1).expect("the place is named");
    let kept = std::fs::read_to_string(place).expect("it is kept");
    assert_eq!(kept, lines(20_000).trim_end());
    // And it can be read without a question.
    let (failed, text) = run(&session, &format!("tail -1 {place}")).await;
    assert_eq!((failed, text.as_str()), (false, "20000"));
}
