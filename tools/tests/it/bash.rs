//! Bash runs commands, bounds them, and leaves nothing behind.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolwright::contract::{CallContext, Context, Cx};
use toolwright::env::{Env, Tick};
use toolwright::event::{Event, EventSink};
use toolwright::message::{ToolUse, Turn};
use toolwright::permission::Mode;
use toolwright::prelude::Tool;
use toolwright::session::{Session as Toolwright, SiblingPolicy};
use toolwright_tools::shell::{Bash, ShellState};

use crate::processes::{dies, lives, starts};
use crate::session::{Session, parse};

async fn run(session: &Session, command: &str) -> Result<String, String> {
    session.text::<Bash>(json!({"command": command})).await
}

#[tokio::test]
async fn both_streams_come_in_order_of_arrival() {
    let session = Session::new();
    let text = run(&session, "echo a; echo b >&2; echo 'c d'").await;
    assert_eq!(text.as_deref(), Ok("a\nb\nc d"));
    assert_eq!(run(&session, "true").await.as_deref(), Ok("(no output)"));
    assert_eq!(run(&session, "echo \"it's\" $((1 + 1)) $#").await.as_deref(), Ok("it's 2 0"));
    assert_eq!(run(&session, "printf 'a\\377b'").await.as_deref(), Ok("a\u{FFFD}b"));
}

#[tokio::test]
async fn failures_tell_their_code_and_output() {
    let session = Session::new();
    assert_eq!(run(&session, "echo out; exit 3").await, Err("Exit code 3\nout".to_owned()));
    assert_eq!(run(&session, "kill -9 $$").await, Err("Exit code 137".to_owned()));
    assert!(run(&session, "echo 'unclosed").await.is_err_and(|text| text.starts_with("Exit code ")));
    let long = run(&session, "seq 1 20000; exit 2").await.expect_err("it failed");
    assert!(long.len() < 11_000 && long.contains("characters left out") && long.ends_with("20000"));
}

#[tokio::test]
async fn an_answer_is_no_failure() {
    let session = Session::new();
    session.put("a", "text\n");
    let text = run(&session, "grep nothing a").await;
    assert_eq!(text.as_deref(), Ok("(exit code 1: nothing matches)"));
    assert!(run(&session, "grep nothing missing").await.is_err(), "exit code 2 is a failure");
    assert!(run(&session, "false").await.is_err());
    let reply = session.reply::<Bash>(json!({"command": "diff a /dev/null"})).await.expect("they differ");
    let json = serde_json::to_value(reply.data).expect("data serialises");
    assert_eq!(json["returnCodeInterpretation"], "the files differ");
    assert_eq!(json["interrupted"], false);
}

#[tokio::test]
async fn nobody_is_asked() {
    let session = Session::new();
    assert_eq!(run(&session, "cat; echo $PAGER $GIT_TERMINAL_PROMPT").await.as_deref(), Ok("cat 0"));
}

/// The terminal that a person sits at is none of a command's: it belongs to sessions, and each command begins its own.
#[tokio::test]
async fn a_command_begins_a_session_without_a_terminal() {
    let session = Session::new();
    let own =
        "read -r _ _ _ _ group id terminal _ < /proc/$$/stat; echo $((group - $$)) $((id - $$)) $terminal";
    assert_eq!(run(&session, own).await.as_deref(), Ok("0 0 0"));
    let refused = run(&session, "echo a question > /dev/tty").await.expect_err("there is no terminal");
    assert!(refused.contains("/dev/tty: No such device or address"), "{refused}");
}

#[tokio::test]
async fn the_directory_carries_over_within_the_session() {
    let session = Session::new();
    session.put("sub/x", "");
    let go =
        async |command: &str| session.reply::<Bash>(json!({"command": command})).await.expect("it works");
    assert!(go("cd sub").await.context_change.is_some());
    assert!(
        go("cd sub && true; exit 0").await.context_change.is_none(),
        "a shell that exits does not say where it is"
    );
    assert!(go("(cd sub)").await.context_change.is_none());
    let outside = go("cd /").await;
    assert!(outside.context_change.is_none());
    assert!(outside.data.stderr.contains("shell cwd was reset to"), "{}", outside.data.stderr);
    let data = go("pwd() { echo fake; }; set -o noclobber; cd sub").await;
    assert!(data.context_change.is_some(), "the command cannot stand in the way");
}

#[tokio::test]
async fn the_directory_carries_over_from_a_command_that_failed() {
    let folder = Session::new();
    folder.put("sub/x", "");
    let env = Env::tokio().expect("inside a runtime");
    let session = Toolwright::builder(env, toolwright_tools::catalogue())
        .context(Context::new(folder.path("")))
        .mode(Mode::BypassPermissions)
        .siblings(SiblingPolicy::None)
        .build();
    let call = |id: &str, command: &str| ToolUse::new(id, "Bash", json!({"command": command}).to_string());
    let turn = Turn::new(vec![
        call("a", "cd sub; false"),
        call("b", "pwd"),
        call("c", "cd ..; true"),
        call("d", "ls"),
    ]);
    let said: Vec<String> =
        session.run_turn(turn).await.results.iter().map(|result| result.content.to_text()).collect();
    assert_eq!(said[0], "Exit code 1");
    assert!(said[1].ends_with("/sub"), "{said:?}");
    assert_eq!(said[3], "sub", "and back to the root");
}

#[tokio::test]
async fn a_command_that_runs_too_long_is_stopped_with_all_it_started() {
    let session = Session::new();
    let began = Instant::now();
    let command = "echo begun; sleep 71.25 & sleep 71.25";
    let error = session
        .text::<Bash>(json!({"command": command, "timeout": 300}))
        .await
        .expect_err("it takes too long");
    assert!(error.starts_with("Exit code 143\nbegun\n") && error.contains("300 ms"), "{error}");
    assert!(began.elapsed() < Duration::from_secs(20));
    assert!(dies("sleep 71.25").await);
}

#[tokio::test]
async fn one_that_does_not_want_to_end_is_killed() {
    let session = Session::new();
    let command = "trap '' TERM; echo begun; while true; do /bin/sleep 0.317; done";
    let error = session
        .text::<Bash>(json!({"command": command, "timeout": 200}))
        .await
        .expect_err("it takes too long");
    assert!(error.contains("begun"), "{error}");
    assert!(dies("sleep 0.317").await);
}

#[tokio::test]
async fn a_call_that_is_dropped_leaves_nothing_behind() {
    let session = Session::new();
    let call = parse::<Bash>(json!({"command": "(sleep 72.25 & sleep 72.25) & sleep 72.25"}));
    let state = ShellState::default();
    let cx = Cx::for_test(session.cx(), &state);
    {
        let mut running = std::pin::pin!(call.call(&cx));
        tokio::select! {
            _ended = &mut running => panic!("it runs for long"),
            () = starts("sleep 72.25") => {}
        }
    }
    assert!(dies("sleep 72.25").await, "the whole group is gone");
}

#[tokio::test]
async fn output_without_end_is_bounded_and_does_not_stop_the_clock() {
    let session = Session::new();
    let began = Instant::now();
    let error = session
        .text::<Bash>(json!({"command": "yes 73.25", "timeout": 700}))
        .await
        .expect_err("it never ends");
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    assert!(error.len() < 11_000, "{} bytes", error.len());
    assert!(dies("yes 73.25").await);
    let reply =
        session.reply::<Bash>(json!({"command": "head -c 9000000 /dev/zero | tr '\\0' x; echo end"})).await;
    let data = reply.expect("it ends").data;
    assert!(
        data.stdout.len() < 4 * 1024 * 1024 + 1_000 && data.stdout.contains("bytes of output dropped here")
    );
    assert!(data.stdout.ends_with("end\n"));
}

#[tokio::test]
async fn something_in_the_background_does_not_hold_the_call_up_and_ends_with_the_session() {
    let session = Session::new();
    let state = ShellState::default();
    let began = Instant::now();
    let call = parse::<Bash>(
        json!({"command": "sleep 15.75 & echo begun; (env -i setsid sleep 15.75 >/dev/null 2>&1 &)"}),
    );
    let reply = call.call(&Cx::for_test(session.cx(), &state)).await.expect("it ends at once");
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    assert_eq!(reply.data.stdout, "begun\n");
    assert!(reply.data.stderr.contains("still runs in the background"), "{}", reply.data.stderr);
    assert!(lives("sleep 15.75"), "it was meant to go on");
    drop(state);
    assert!(dies("sleep 15.75").await, "and it ends with the session");
}

#[tokio::test]
async fn inputs_that_cannot_work_are_refused() {
    let session = Session::new();
    for (input, reason) in [
        (json!({"command": " \n"}), "empty"),
        (json!({"command": "ls\0"}), "zero byte"),
        (json!({"command": "ls", "timeout": 0}), "0 ms"),
        (json!({"command": "sleep 30; ls"}), "only waits"),
        (json!({"command": "x".repeat(140_000)}), "too long"),
    ] {
        let refused = session.validate::<Bash>(input.clone()).await.expect_err(reason);
        assert!(refused.message.contains(reason), "{reason}: {}", refused.message);
    }
    let fine = json!({"command": "ls", "timeout": 9_999_999, "run_in_background": false});
    assert!(session.validate::<Bash>(fine).await.is_ok(), "larger timeouts are lowered");
    let longest = json!({"command": format!("echo {}", "x".repeat(100_000))});
    assert!(session.text::<Bash>(longest).await.is_ok());
}

#[test]
fn the_description_is_one_short_line() {
    let long = parse::<Bash>(json!({"command": format!("echo a\n  {}", "b".repeat(100))}));
    let line = long.description();
    assert!(line.starts_with("echo a bbb") && line.ends_with('…') && line.chars().count() == 61, "{line}");
}

#[derive(Default)]
struct Heard(Mutex<Vec<Value>>);

impl EventSink for Heard {
    fn emit(&self, event: Event, _now: &dyn Fn() -> Tick) {
        if let Event::Progress { data, .. } = event {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push(data);
        }
    }
}

#[tokio::test]
async fn progress_shows_the_output_so_far() {
    let heard = Arc::new(Heard::default());
    let env = Env::tokio().expect("tests run on tokio").with_sink(heard.clone());
    let context = CallContext::for_test(env, std::env::temp_dir());
    let call = parse::<Bash>(json!({"command": "for i in 1 2 3; do echo $i; sleep 0.4; done"}));
    call.call(&Cx::for_test(&context, &ShellState::default())).await.expect("it ends well");
    let heard = heard.0.lock().unwrap_or_else(PoisonError::into_inner);
    let first = heard.first().expect("it runs for longer than half a second");
    assert!(first["output"].as_str().is_some_and(|output| output.starts_with("1\n2\n")), "{first}");
    assert!(first["elapsedMs"].as_u64().is_some_and(|elapsed_ms| elapsed_ms >= 500), "{first}");
}

/// A folder that is laid out like a repository without a working copy, and whose settings run a program.
#[tokio::test]
async fn looking_with_git_runs_nothing_that_the_folder_names() {
    let session = Session::new();
    let config = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = \"touch ran #\"\n";
    session.put("HEAD", "ref: refs/heads/main\n");
    session.put("config", config);
    session.put("objects/x", "");
    session.put("refs/heads/x", "");
    for command in ["git status", "git diff", "touch made && git status --short", "git status; make"] {
        let _refused = run(&session, command).await;
        assert!(!session.path("ran").exists(), "{command}");
    }
    // An ordinary checkout's own settings do not run anything either, and it still works.
    let checkout = Session::new();
    let made = run(&checkout, "git init -q . && git config core.fsmonitor 'touch ran #'").await;
    assert_eq!(made.as_deref(), Ok("(no output)"));
    let status = run(&checkout, "git status --short --branch").await;
    assert!(status.as_ref().is_ok_and(|text| text.starts_with("## ")), "{status:?}");
    assert!(!checkout.path("ran").exists());
}
