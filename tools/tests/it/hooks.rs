//! Real hooks: shell scripts, a Python script and a server on the loopback; also those that hang, crash, flood and fork.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use toolwright::contract::Context;
use toolwright::env::Env;
use toolwright::event::{Event, Recorder};
use toolwright::hooks::HookLayer;
use toolwright::message::{ToolResult, ToolUse, Turn};
use toolwright::permission::{Behavior, Profile, Source};
use toolwright::session::Session;
use toolwright_tools::hooks::{OUTPUT_BYTES_MAX, RealHooks};

struct World {
    session: Arc<Session>,
    recorder: Arc<Recorder>,
    folder: TempDir,
}

/// A session in a folder of its own in which Bash may do anything that no hook stops.
fn world_with(settings: &Value, folder: TempDir, profile: Profile, fails_closed: bool) -> World {
    let recorder = Arc::new(Recorder::default());
    let env = Env::tokio().expect("tests run in a runtime").with_sink(Arc::clone(&recorder) as _);
    let (layer, problems) = HookLayer::from_settings(Source::UserSettings, settings);
    assert_eq!(problems, []);
    let session = Session::builder(env, toolwright_tools::catalogue())
        .context(Context::new(folder.path().canonicalize().expect("the folder is there")))
        .profile(profile)
        .rule(Behavior::Allow, Source::Session, "Bash")
        .hooks_configured([layer])
        .hook_transport(RealHooks::new())
        .hooks_fail_closed(fails_closed)
        .build();
    World { session: Arc::new(session), recorder, folder }
}

fn world(hooks: Value) -> World {
    world_with(&json!({ "hooks": hooks }), folder(), Profile::Current, false)
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder can be made")
}

fn pre(handler: Value) -> Value {
    json!({"PreToolUse": [{"matcher": "Bash", "hooks": [handler]}]})
}

fn shell(command: &str) -> Value {
    json!({"type": "command", "command": command})
}

impl World {
    async fn bash(&self, command: &str) -> ToolResult {
        let call = ToolUse::new("a", "Bash", json!({ "command": command }).to_string());
        self.session.run_turn(Turn::new(vec![call])).await.results.remove(0)
    }

    fn notices(&self) -> Vec<String> {
        let notice = |event: Event| match event {
            Event::HookNotice { text, .. } => Some(text),
            _other => None,
        };
        self.recorder.events().into_iter().filter_map(|stamped| notice(stamped.event)).collect()
    }

    fn file(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.folder.path().join(name)).ok()
    }
}

fn text(result: &ToolResult) -> String {
    result.content.to_text()
}

#[tokio::test]
async fn a_shell_script_reads_the_call_on_its_input_and_blocks_with_exit_code_2() {
    let script = r#"input=$(cat); case $input in *forbidden*) echo "no: $PWD" >&2; exit 2;; esac"#;
    let world = world(pre(shell(script)));
    assert_eq!(text(&world.bash("echo fine").await).trim(), "fine");
    let refused = world.bash("echo forbidden").await;
    let place = world.session.context().cwd.display().to_string();
    assert!(refused.is_error && text(&refused).contains(&format!("no: {place}")), "{refused:?}");
}

#[tokio::test]
async fn exit_code_1_and_a_missing_program_let_the_call_run_with_a_notice() {
    for (handler, notice) in [
        (shell("echo oops >&2; exit 1"), "it exited with 1: oops"),
        (shell("no-such-program-here"), "it cannot be started"),
        (json!({"type": "command", "command": "/no/such/program", "args": []}), "it cannot be started"),
        (shell("kill -SEGV $$"), "it exited with 139"),
        (shell("kill -KILL $$"), "it exited with 137"),
        (json!({"type": "command", "command": "exit 0", "shell": "powershell"}), "it cannot be started"),
    ] {
        if handler["shell"] == "powershell" && std::process::Command::new("pwsh").arg("-v").output().is_ok() {
            continue;
        }
        let open = world(pre(handler.clone()));
        assert_eq!(text(&open.bash("echo ran").await).trim(), "ran", "{handler}");
        assert!(open.notices().iter().any(|text| text.contains(notice)), "{handler}: {:?}", open.notices());
        let settings = json!({"hooks": pre(handler.clone())});
        let closed = world_with(&settings, folder(), Profile::V2_1_88, true);
        assert!(closed.bash("echo ran").await.is_error, "{handler}");
    }
}

#[tokio::test]
async fn an_interpreter_that_exits_with_2_itself_blocks_and_the_person_sees_why() {
    let world = world(pre(shell("bash --no-such-option")));
    let refused = world.bash("echo ran").await;
    assert!(refused.is_error && text(&refused).contains("no-such-option"), "{refused:?}");
    assert!(
        world.notices().iter().any(|text| text.starts_with("hook error") && text.contains("no-such-option"))
    );
}

#[tokio::test]
async fn arguments_are_given_as_they_are_and_placeholders_are_filled_in() {
    let handler = json!({"type": "command", "command": "printf",
        "args": ["{\"systemMessage\":\"%s\"}", "$HOME `x` ${CLAUDE_PROJECT_DIR}"]});
    let world = world(pre(handler));
    world.bash("true").await;
    let wanted = format!("$HOME `x` {}", world.session.context().root.display());
    assert_eq!(world.notices(), [wanted]);
}

#[tokio::test]
async fn a_hook_has_no_terminal_and_its_environment_names_the_project() {
    let world = world(pre(shell(r#"[ -t 0 ] || [ -t 1 ] || [ -t 2 ] || echo "$CLAUDE_PROJECT_DIR" > seen"#)));
    world.bash("true").await;
    assert_eq!(world.file("seen"), Some(format!("{}\n", world.session.context().root.display())));
    let own = self::world(pre(shell(
        "read -r _ _ _ _ _ id terminal _ < /proc/$$/stat; echo $((id - $$)) $terminal > seen",
    )));
    own.bash("true").await;
    assert_eq!(own.file("seen").as_deref(), Some("0 0\n"), "nor has its session one");
}

#[tokio::test]
async fn a_python_script_rewrites_the_input() {
    if std::process::Command::new("python3").arg("--version").output().is_err() {
        assert!(std::env::var_os("CI").is_none(), "python3 is there where changes are judged");
        eprintln!("skipped: there is no python3");
        return;
    }
    let folder = folder();
    let script = "import json, sys\n\
        call = json.load(sys.stdin)\n\
        call['tool_input']['command'] = call['tool_input']['command'].replace('world', 'hooks')\n\
        json.dump({'hookSpecificOutput': {'hookEventName': 'PreToolUse', 'updatedInput': call['tool_input'],\n\
            'additionalContext': 'rewritten by ' + call['hook_event_name']}}, sys.stdout)\n";
    std::fs::write(folder.path().join("hook.py"), script).expect("the script can be written");
    let settings = json!({"hooks": pre(shell("python3 \"$CLAUDE_PROJECT_DIR\"/hook.py"))});
    let world = world_with(&settings, folder, Profile::V2_1_88, false);
    let call = ToolUse::new("a", "Bash", json!({"command": "echo hello world"}).to_string());
    let outcome = world.session.run_turn(Turn::new(vec![call])).await;
    assert_eq!(text(&outcome.results[0]).trim(), "hello hooks");
    assert!(format!("{:?}", outcome.new_messages).contains("rewritten by PreToolUse"));
}

#[tokio::test]
async fn a_condition_on_commands_looks_at_each_of_them() {
    for (condition, command, wanted) in [
        ("Bash(git push *)", "git push origin", true),
        ("Bash(git push *)", "git status", false),
        ("Bash(git push *)", "true && git push origin", true),
        ("Bash(git push *)", "FOO=1 git push origin", true),
        ("Bash(git push *)", "echo $(git push origin)", true),
        // What is put in at the last moment may be the rest of what the rule names.
        ("Bash(git push *)", "echo $(date)", true),
        ("Bash(git push *)", "echo plain", false),
        ("Read(secret)", "echo plain", false),
        // What cannot be understood runs it.
        ("Bash(git push *)", "echo 'unclosed", true),
    ] {
        let mut handler = shell("touch ran; echo '{\"decision\":\"block\",\"reason\":\"seen\"}'");
        handler["if"] = condition.into();
        let world = world(pre(handler));
        world.bash(command).await;
        assert_eq!(world.file("ran").is_some(), wanted, "{condition}: {command}");
    }
}

/// The processes whose command line holds this word.
fn processes(word: &str) -> usize {
    let all = std::fs::read_dir("/proc").expect("there is /proc").flatten();
    let lines = all.filter_map(|process| std::fs::read(process.path().join("cmdline")).ok());
    lines.filter(|line| line.windows(word.len()).any(|part| part == word.as_bytes())).count()
}

/// Waits until none of them is left.
async fn none_left(word: &str) {
    let since = Instant::now();
    while processes(word) > 0 {
        assert!(since.elapsed() < Duration::from_secs(10), "{} processes are left", processes(word));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn nothing_that_a_hook_started_outlives_its_end_its_time_limit_or_the_call() {
    // Each has a number of seconds of its own, by which its processes are known.
    let setsid = std::process::Command::new("setsid").arg("true").output().is_ok();
    for (at, (script, ends)) in [
        ("sleep N & sleep N & exit 0", "by itself"),
        ("sleep N", "late"),
        ("sleep N & sleep N & wait", "late"),
        ("(trap '' TERM HUP INT; sleep N) & sleep N", "late"),
        ("setsid sleep N & setsid -f sleep N; exit 0", "by itself"),
        ("setsid bash -c 'setsid sleep N & sleep N' & sleep N", "late"),
        ("sleep 0.1; env -i setsid sleep N & sleep 0.3; exit 0", "by itself"),
        ("sleep 0.1; env -i setsid -f sleep N >/dev/null 2>&1; exit 0", "by itself"),
        ("sleep 0.1; env -i setsid sh -c 'setsid sleep N & sleep N' & sleep N", "late"),
        ("sleep N & sleep N", "aborted"),
    ]
    .into_iter()
    .enumerate()
    {
        if script.contains("setsid") && !setsid {
            eprintln!("skipped: there is no setsid");
            continue;
        }
        let seconds = format!("8{at:02}{}.25", std::process::id());
        let mut handler = shell(&script.replace('N', &seconds));
        handler["timeout"] = if ends == "late" { json!(0.5) } else { json!(60) };
        let world = world(pre(handler));
        if ends == "aborted" {
            let session = Arc::clone(&world.session);
            tokio::spawn(async move {
                tokio::time::sleep(Duration::from_millis(400)).await;
                session.abort();
            });
        }
        let since = Instant::now();
        let result = world.bash("echo ran").await;
        assert_eq!(result.is_error, ends == "aborted", "{script}: {result:?}");
        assert!(since.elapsed() < Duration::from_secs(20), "{script}");
        none_left(&seconds).await;
    }
}

#[tokio::test]
async fn a_flood_is_stopped_and_has_said_nothing() {
    for script in ["yes", "yes >&2", "cat /dev/zero", "yes & yes >&2", "while :; do echo '{'; done"] {
        let world = world(pre(shell(script)));
        let since = Instant::now();
        assert_eq!(text(&world.bash("echo ran").await).trim(), "ran", "{script}");
        assert!(since.elapsed() < Duration::from_secs(30), "{script}");
        let wanted = format!("more than {OUTPUT_BYTES_MAX} bytes");
        assert!(world.notices().iter().any(|text| text.contains(&wanted)), "{script}: {:?}", world.notices());
    }
}

#[tokio::test]
async fn a_hook_that_reads_nothing_of_a_large_input_hinders_nobody() {
    let world =
        world(json!({"PreToolUse": [{"hooks": [shell("exec 0<&-; echo '{}'"), shell("wc -c > length")]}]}));
    let path = world.folder.path().join("new.txt");
    let input = json!({"file_path": path.display().to_string(), "content": "x".repeat(300_000)}).to_string();
    world.session.run_turn(Turn::new(vec![ToolUse::new("a", "Write", input)])).await;
    assert_eq!(world.notices(), Vec::<String>::new());
    let length: usize =
        world.file("length").and_then(|text| text.trim().parse().ok()).expect("it is a number");
    assert!(length > 300_000, "{length}");
}

#[tokio::test]
async fn hooks_run_side_by_side() {
    let meet =
        |own: &str, other: &str| shell(&format!("touch {own}; until [ -e {other} ]; do sleep 0.01; done"));
    let world = world(json!({"PreToolUse": [{"hooks": [meet("one", "two"), meet("two", "one")]}]}));
    let met = tokio::time::timeout(Duration::from_secs(20), world.bash("echo ran")).await;
    assert_eq!(text(&met.expect("they meet")).trim(), "ran");
}

/// A server on the loopback that answers every request alike, and what it was sent.
async fn server(answer: impl Fn(&str) -> String + Send + 'static) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("the loopback is there");
    let address = format!("http://{}/hook", listener.local_addr().expect("it is bound"));
    let sent: Arc<Mutex<Vec<String>>> = Arc::default();
    let log = Arc::clone(&sent);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = Vec::new();
            let mut chunk = [0; 4096];
            while let Ok(length @ 1..) = stream.read(&mut chunk).await {
                request.extend_from_slice(&chunk[..length]);
                if is_whole(&request) {
                    break;
                }
            }
            let request = String::from_utf8_lossy(&request).into_owned();
            let answer = answer(&request);
            log.lock().unwrap_or_else(PoisonError::into_inner).push(request);
            if answer.is_empty() {
                std::future::pending::<()>().await;
            }
            drop(stream.write_all(answer.as_bytes()).await);
        }
    });
    (address, sent)
}

fn is_whole(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request);
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| {
        line.to_ascii_lowercase().strip_prefix("content-length:").and_then(|value| value.trim().parse().ok())
    });
    body.len() >= length.unwrap_or(0)
}

fn response(status: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}", body.len())
}

#[cfg(feature = "http")]
#[tokio::test]
async fn a_server_answers_hooks_by_json_alone() {
    let deny = json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny",
        "permissionDecisionReason": "the server says no"}});
    let (other, reached) = server(|_| response("200 OK", "{}")).await;
    let redirect = format!(
        "HTTP/1.1 307 Elsewhere\r\nlocation: {other}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
    );
    for (answer, refused, notice) in [
        (response("200 OK", &deny.to_string()), true, None),
        (response("204 No Content", ""), false, None),
        (response("200 OK", "fine by me"), false, Some("not a JSON object")),
        (response("503 Busy", &deny.to_string()), false, Some("the status 503")),
        (response("200 OK", &"x".repeat(OUTPUT_BYTES_MAX + 1)), false, Some("is longer than")),
        (redirect, false, Some("the status 307")),
        ("nonsense\r\n\r\n".to_owned(), false, Some("hook error")),
        (String::new(), false, Some("it was stopped after 500ms")),
    ] {
        let given = answer.clone();
        let (url, sent) = server(move |_| given.clone()).await;
        let mut handler = json!({"type": "http", "url": url, "headers": {"X-Home": "is $HOME", "X-No": "$PATH"},
            "allowedEnvVars": ["HOME"]});
        if answer.is_empty() {
            handler["timeout"] = json!(0.5);
        }
        let world = world(pre(handler));
        let result = world.bash("echo ran").await;
        let told = world.notices();
        assert_eq!(result.is_error, refused, "{told:?}");
        assert_eq!(
            told.iter().any(|text| notice.is_some_and(|notice| text.contains(notice))),
            notice.is_some(),
            "{told:?}"
        );
        let sent = sent.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let (head, body) = sent[0].split_once("\r\n\r\n").expect("it is a request");
        assert!(head.starts_with("POST /hook HTTP/1.1"), "{head}");
        let head = head.to_lowercase();
        let home = std::env::var("HOME").unwrap_or_default().to_lowercase();
        assert!(head.contains(&format!("x-home: is {home}")) && head.contains("x-no: \r\n"), "{head}");
        let body: Value = serde_json::from_str(body).expect("it is JSON");
        assert_eq!((&body["hook_event_name"], &body["tool_name"]), (&json!("PreToolUse"), &json!("Bash")));
    }
    assert!(reached.lock().unwrap_or_else(PoisonError::into_inner).is_empty(), "no redirection is followed");
}

#[cfg(feature = "http")]
#[tokio::test]
async fn a_server_that_is_not_there_has_said_nothing() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("the loopback is there");
    let gone = format!("http://{}/", listener.local_addr().expect("it is bound"));
    drop(listener);
    for url in [gone.as_str(), "not an address", "ftp://127.0.0.1/"] {
        let world = world(pre(json!({"type": "http", "url": url})));
        assert_eq!(text(&world.bash("echo ran").await).trim(), "ran", "{url}");
        assert!(
            world.notices().iter().any(|text| text.starts_with("hook error")),
            "{url}: {:?}",
            world.notices()
        );
    }
}

#[tokio::test]
async fn files_are_seen_by_hooks_with_matchers_as_the_profile_reads_them() {
    for (matcher, old, new) in
        [("Edit|Write", true, true), ("Edit,Write", false, true), ("Wri.e", true, true)]
    {
        for (profile, wanted) in [(Profile::V2_1_88, old), (Profile::Current, new)] {
            let folder = folder();
            let settings =
                json!({"hooks": {"PreToolUse": [{"matcher": matcher, "hooks": [shell("touch ran")]}]}});
            let path = folder.path().join("new.txt");
            let world = world_with(&settings, folder, profile, false);
            let input = json!({"file_path": path.display().to_string(), "content": "x"}).to_string();
            world.session.run_turn(Turn::new(vec![ToolUse::new("a", "Write", input)])).await;
            assert_eq!(world.file("ran").is_some(), wanted, "{matcher} {profile:?}");
        }
    }
}
