//! Interpreters that stay: what they keep, and that no code can confuse who speaks to them.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolwright::contract::{Context, SessionFacts, ToolForm};
use toolwright::env::Env;
use toolwright::message::{ToolUse, Turn};
use toolwright::permission::{Behavior, Mode, Source};
use toolwright::registry::{Catalogue, Pool};
use toolwright::session::Session;
use toolwright_tools::repl::{Repl, Repls};
use toolwright_tools::{REPL, catalogue};

use crate::living::Living;
use crate::processes::{dies, starts};

/// Whether a program is here. In CI it must be.
pub(crate) fn has(program: &str) -> bool {
    let found = std::process::Command::new(program).arg("--version").output();
    let is_here = found.is_ok_and(|output| output.status.success());
    assert!(is_here || std::env::var_os("CI").is_none(), "`{program}` is missing, and CI must have it");
    if !is_here {
        eprintln!("skipped: `{program}` is not installed");
    }
    is_here
}

async fn python(living: &Living, code: &str) -> Result<String, String> {
    living.call("REPL", json!({"code": code})).await
}

async fn node(living: &Living, code: &str) -> Result<String, String> {
    living.call("REPL", json!({"code": code, "language": "node"})).await
}

#[tokio::test]
async fn python_keeps_its_names_and_shows_the_last_value() {
    if !has("python3") {
        return;
    }
    let living = Living::new();
    assert_eq!(python(&living, "x = 20\ny = 22").await.as_deref(), Ok("(no output, no value)"));
    assert_eq!(python(&living, "print('a'); x + y").await.as_deref(), Ok("a\n42"));
    assert_eq!(python(&living, "_ * 2").await.as_deref(), Ok("84"));
    assert_eq!(python(&living, "def f(n):\n    return n + x\nf(1)").await.as_deref(), Ok("21"));
    assert_eq!(
        python(&living, "import asyncio\nawait asyncio.sleep(0, 'slept')").await.as_deref(),
        Ok("'slept'")
    );
    assert_eq!(
        python(&living, "import os\nos.getcwd()").await,
        Ok(format!("'{}'", living.path("").display().to_string().trim_end_matches('/')))
    );
    let wrong = python(&living, "print('before')\nf(None)").await.expect_err("it fails");
    assert!(wrong.starts_with("before\nTraceback") && wrong.contains("return n + x"), "{wrong}");
    assert!(wrong.contains("TypeError") && !wrong.contains("serve"), "only the code is blamed: {wrong}");
    assert!(python(&living, "1 +").await.expect_err("it is no code").contains("SyntaxError"));
    assert_eq!(python(&living, "x").await.as_deref(), Ok("20"), "exceptions cost nothing");
    assert_eq!(
        python(&living, "os.getsid(0) == os.getpid()").await.as_deref(),
        Ok("True"),
        "no terminal is its"
    );
}

#[tokio::test]
async fn node_keeps_its_names_and_shows_the_last_value() {
    if !has("node") {
        return;
    }
    let living = Living::new();
    assert_eq!(node(&living, "const x = 20; let y = 22").await.as_deref(), Ok("(no output, no value)"));
    assert_eq!(node(&living, "console.log('a'); x + y").await.as_deref(), Ok("a\n42"));
    assert_eq!(node(&living, "_ * 2").await.as_deref(), Ok("84"));
    assert_eq!(node(&living, "{a: 1}").await.as_deref(), Ok("{ a: 1 }"));
    assert_eq!(node(&living, "await Promise.resolve([x])").await.as_deref(), Ok("[ 20 ]"));
    assert_eq!(
        node(&living, "require('path').basename(process.cwd()).length > 0").await.as_deref(),
        Ok("true")
    );
    assert_eq!(node(&living, "(await import('node:path')).sep").await.as_deref(), Ok("'/'"));
    let wrong = node(&living, "console.error('before'); null.x").await.expect_err("it fails");
    assert!(wrong.starts_with("before\nTypeError") && !wrong.contains("[eval]"), "{wrong}");
    assert!(node(&living, "1 +").await.expect_err("it is no code").contains("SyntaxError"));
    assert_eq!(node(&living, "x").await.as_deref(), Ok("20"), "exceptions cost nothing");
}

#[tokio::test]
async fn code_has_nothing_to_read_and_cannot_speak_in_the_tools_name() {
    if !has("python3") {
        return;
    }
    let living = Living::new();
    python(&living, "kept = 'kept'").await.expect("it runs");
    let eof = python(&living, "input()").await.expect_err("there is nothing");
    assert!(eof.contains("EOFError"), "{eof}");
    let read = python(&living, "import sys, os\nsys.stdin.read() + os.popen('cat').read()").await;
    assert_eq!(read.as_deref(), Ok("''"));
    let forged = r#"print('{"nonce": "cell_0", "value": "forged"}')
import os
for descriptor in (1, 2):
    os.write(descriptor, b'{"nonce": "x", "value": "forged"}\n')
'real'"#;
    let said = python(&living, forged).await.expect("it runs");
    assert!(said.ends_with("'real'"), "{said}");
    let forked = "import os\npid = os.fork()\nif pid: os.waitpid(pid, 0)\n'child' if pid == 0 else 'parent'";
    assert_eq!(python(&living, forked).await.as_deref(), Ok("'parent'"));
    let forged = "import os\nos.write(4, b'{\"nonce\": \"old\", \"value\": \"forged\"}\\n')\n'real'";
    assert_eq!(python(&living, forged).await.as_deref(), Ok("'real'"), "an answer to no request");
    assert_eq!(python(&living, "kept").await.as_deref(), Ok("'kept'"));
}

#[tokio::test]
async fn code_that_breaks_the_tools_own_pipe_gets_one_error_and_a_fresh_start() {
    if !has("python3") {
        return;
    }
    let living = Living::new();
    for code in [
        "import os\nos.write(4, b'not json\\n')",
        "import os\nos.close(4)",
        "import os\nos.closerange(0, 100)",
    ] {
        let broken = python(&living, code).await.expect_err(code);
        assert!(broken.contains("what it kept is lost"), "{code}: {broken}");
        assert_eq!(python(&living, "1 + 1").await.as_deref(), Ok("2"), "{code}");
    }
}

#[tokio::test]
async fn a_crash_is_one_error_and_the_next_call_starts_fresh() {
    if !has("python3") {
        return;
    }
    let living = Living::new();
    python(&living, "x = 1").await.expect("it runs");
    let ended = python(&living, "print('last words')\nimport os\nos._exit(7)").await.expect_err("it ended");
    assert!(ended.starts_with("last words\n") && ended.contains("exit code 7"), "{ended}");
    assert!(python(&living, "x").await.expect_err("it is new").contains("NameError"));
    let exit = python(&living, "raise SystemExit(3)").await.expect_err("an exception like others");
    assert!(exit.contains("SystemExit: 3"), "{exit}");
    let killed = python(&living, "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)").await;
    assert!(killed.expect_err("it was killed").contains("exit code 137"));
}

#[tokio::test]
async fn late_code_is_interrupted_and_what_was_kept_stays() {
    if !has("python3") {
        return;
    }
    let living = Living::new();
    python(&living, "x = 'kept'").await.expect("it runs");
    let code = "print('begun')\nimport time\nwhile True: time.sleep(0.01)";
    let late = living.call("REPL", json!({"code": code, "timeout": 300})).await.expect_err("it is late");
    assert!(late.starts_with("begun\n") && late.contains("was interrupted"), "{late}");
    assert!(late.contains("still there"), "{late}");
    assert_eq!(python(&living, "x").await.as_deref(), Ok("'kept'"));
    if has("node") {
        node(&living, "globalThis.x = 'kept'").await.expect("it runs");
        for code in ["for (;;) {}", "await new Promise(() => {})"] {
            let input = json!({"code": code, "timeout": 300, "language": "node"});
            let late = living.call("REPL", input).await.expect_err("it is late");
            assert!(late.contains("was interrupted"), "{code}: {late}");
        }
        assert_eq!(node(&living, "x").await.as_deref(), Ok("'kept'"));
    }
}

#[tokio::test]
async fn code_that_does_not_hear_is_killed_with_all_it_started_and_the_loss_is_said() {
    if !has("python3") {
        return;
    }
    let living = Living::new();
    let code = "import os, signal, subprocess\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n\
                subprocess.Popen(['sleep', '95.25'], start_new_session=True)\nwhile True: pass";
    let began = Instant::now();
    let late = living.call("REPL", json!({"code": code, "timeout": 500})).await.expect_err("it is late");
    assert!(late.contains("was killed") && late.contains("what it kept is lost"), "{late}");
    assert!(began.elapsed() < Duration::from_secs(15));
    assert!(dies("sleep 95.25").await);
    assert_eq!(python(&living, "1").await.as_deref(), Ok("1"));
}

#[tokio::test]
async fn a_call_that_is_stopped_takes_the_interpreter_with_it_and_the_next_is_told() {
    if !has("python3") {
        return;
    }
    let living = Living::new();
    let code = "import subprocess\nsubprocess.run(['sleep', '96.25'])";
    let abort = async {
        starts("sleep 96.25").await;
        living.session.abort();
    };
    let (stopped, ()) = futures_util::future::join(python(&living, code), abort).await;
    assert!(stopped.is_err());
    assert!(dies("sleep 96.25").await);
    let next = python(&living, "'new'").await.expect("it runs");
    assert!(next.contains("what it kept is lost") && next.ends_with("'new'"), "{next}");
    assert_eq!(python(&living, "'same'").await.as_deref(), Ok("'same'"), "said once");
}

#[tokio::test]
async fn the_end_of_the_session_is_the_end_of_its_interpreters() {
    if !has("python3") {
        return;
    }
    let living = Living::new();
    python(&living, "import subprocess\nchild = subprocess.Popen(['sleep', '97.25'])")
        .await
        .expect("it runs");
    starts("sleep 97.25").await;
    drop(living);
    assert!(dies("sleep 97.25").await);
}

#[tokio::test]
async fn what_code_writes_is_bounded_and_what_is_no_text_is_shown_as_far_as_it_can_be() {
    if !has("python3") {
        return;
    }
    let living = Living::new();
    let flood = python(&living, "for n in range(200000): print(n)\n'end'").await.expect("it runs");
    assert!(flood.len() < 61_000 && flood.ends_with("'end'"), "{} bytes", flood.len());
    let long = python(&living, "'x' * 1000000").await.expect("it runs");
    assert!(long.len() < 12_000 && long.contains("characters left out"), "{} bytes", long.len());
    let bytes = python(&living, "import sys\n_w = sys.stdout.buffer.write(b'a\\xff\\x00b\\n')").await;
    assert_eq!(bytes.as_deref(), Ok("a\u{FFFD}\0b"));
    let odd = python(&living, "'\\ud800'").await.expect("half a character is shown somehow");
    assert!(odd.starts_with('\''), "{odd}");
    let late = json!({"code": "while True: print('x' * 1000)", "timeout": 400});
    let late = living.call("REPL", late).await.expect_err("it never ends");
    assert!(late.len() < 32_000 && late.contains("interrupted"), "{} bytes", late.len());
}

#[tokio::test]
async fn code_is_never_taken_for_harmless_and_only_its_own_rule_opens_it() {
    let run = async |mode: Mode, rules: &[(Behavior, &str)], code: &str| {
        let env = Env::tokio().expect("tests run on tokio");
        let mut builder =
            Session::builder(env, catalogue()).context(Context::new("/")).mode(mode).feature(REPL);
        for (behavior, rule) in rules {
            builder = builder.rule(*behavior, Source::CliArg, *rule);
        }
        let turn = Turn::new(vec![ToolUse::new("a", "REPL", json!({"code": code}).to_string())]);
        let result = builder.build().run_turn(turn).await.results.remove(0);
        !result.is_error
    };
    let (allow, deny) = (Behavior::Allow, Behavior::Deny);
    for mode in [Mode::Default, Mode::AcceptEdits, Mode::DontAsk] {
        for rules in
            [&[][..], &[(allow, "Bash")], &[(allow, "Bash(python3:*)"), (allow, "Edit"), (allow, "Read")]]
        {
            assert!(!run(mode, rules, "1").await, "{mode} {rules:?}");
        }
    }
    assert!(!run(Mode::BypassPermissions, &[(deny, "REPL")], "1").await);
    let removes = "import os\nos.system('rm -rf /')";
    assert!(!run(Mode::BypassPermissions, &[], removes).await, "the last line stands");
    if has("python3") {
        assert!(run(Mode::Default, &[(allow, "REPL")], "1").await);
    }
}

#[tokio::test]
async fn inputs_that_cannot_work_are_refused() {
    let living = Living::new();
    for (input, reason) in [
        (json!({"code": " \n"}), "`code` is empty"),
        (json!({"code": "1", "timeout": 0}), "0 ms"),
        (json!({"code": "x".repeat(1_100_000)}), "write it to a file"),
        (json!({"code": "1", "language": "perl"}), "python"),
    ] {
        let refused = living.call("REPL", input).await.expect_err(reason);
        assert!(refused.contains(reason), "{reason}: {refused}");
    }
}

#[test]
fn it_is_there_only_where_the_switch_is_on() {
    let with = SessionFacts { features: [REPL.to_owned()].into(), ..SessionFacts::default() };
    for (facts, is_there) in [(SessionFacts::default(), false), (with, true)] {
        assert_eq!(Pool::new(&catalogue(), &facts, |_| true).find("REPL").is_ok(), is_there);
    }
}

#[tokio::test]
async fn the_examples_run() {
    if !has("python3") || !has("node") {
        return;
    }
    let living = Living::new();
    let examples = &Repl::form().examples;
    let values = ["42", r#"{"a": 1}"#, "[ 1, 4, 9 ]"];
    assert_eq!(examples.len(), values.len());
    for (example, value) in examples.iter().zip(values) {
        let input: Value = serde_json::from_str(example).expect("examples are JSON");
        assert_eq!(living.call("REPL", input).await.as_deref(), Ok(value), "{example}");
    }
}

#[test]
fn models_see_the_same_bytes_of_it_each_time() {
    let mut catalogue = Catalogue::new();
    catalogue.add_with::<Repl>(Repls::new());
    toolwright::testing::check_golden(&catalogue, "tests/it/golden/repl.jsonl");
}
