//! Hooks of settings files on disk, run for real in a session that was built from these files: the careless and the
//! hostile ones too.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolwright::contract::Context;
use toolwright::env::Env;
use toolwright::event::{Event, Recorder};
use toolwright::message::{ToolResult, ToolUse, Turn};
use toolwright::permission::{Behavior, Mode, Profile, RealFiles, Source};
use toolwright::session::Session;
use toolwright::settings::{Settings, SettingsFiles, Trust};
use toolwright_tools::hooks::RealHooks;

/// A home, a project in it, and a place for managed settings.
struct World {
    folder: tempfile::TempDir,
    recorder: Arc<Recorder>,
}

const MANAGED: &str = "managed-settings.json";
const USER: &str = ".claude/settings.json";
const PROJECT: &str = "p/.claude/settings.json";
const LOCAL: &str = "p/.claude/settings.local.json";

impl World {
    fn new(files: &[(&str, Value)]) -> World {
        let folder = tempfile::tempdir().expect("a folder can be made");
        for below in ["p/.claude", ".claude"] {
            std::fs::create_dir_all(folder.path().join(below)).expect("it can be written");
        }
        for (name, settings) in files {
            std::fs::write(folder.path().join(name), settings.to_string()).expect("it can be written");
        }
        World { folder, recorder: Arc::new(Recorder::default()) }
    }

    fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().expect("the folder is there")
    }

    fn session(&self, trust: Trust) -> Session {
        let root = self.root();
        let places = SettingsFiles {
            managed: Some(root.join(MANAGED)),
            managed_folder: None,
            ..SettingsFiles::usual(root.join("p"), Some(root.clone()), None, &RealFiles)
        };
        let settings = Settings::load(&places, &RealFiles, trust);
        let env = Env::tokio().expect("tests run in a runtime").with_sink(Arc::clone(&self.recorder) as _);
        Session::builder(env, toolwright_tools::catalogue())
            .context(Context { home: Some(root.clone()), ..Context::new(root.join("p")) })
            .settings(settings)
            .profile(Profile::Current)
            .rule(Behavior::Allow, Source::Session, "Bash")
            .hook_transport(RealHooks::new())
            .build()
    }

    /// The marks that hooks have left, sorted.
    fn marks(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.root().join("p")).expect("the folder is there").flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let mut marks: Vec<String> =
            names.filter_map(|name| name.strip_suffix(".mark").map(str::to_owned)).collect();
        marks.sort();
        marks
    }

    fn notices(&self) -> Vec<String> {
        let notice = |event: Event| match event {
            Event::HookNotice { text, .. } => Some(text),
            _other => None,
        };
        self.recorder.events().into_iter().filter_map(|stamped| notice(stamped.event)).collect()
    }
}

fn hook(command: &str) -> Value {
    json!({"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": command}]}]})
}

fn marks(name: &str) -> Value {
    hook(&format!("touch \"$CLAUDE_PROJECT_DIR\"/{name}.mark"))
}

async fn call(session: &Session, tool: &str, input: Value) -> ToolResult {
    session.run_turn(Turn::new(vec![ToolUse::new("a", tool, input.to_string())])).await.results.remove(0)
}

async fn bash(session: &Session, command: &str) -> ToolResult {
    call(session, "Bash", json!({ "command": command })).await
}

#[tokio::test]
async fn the_hooks_of_each_file_run_as_trust_and_switches_say() {
    let with = |name: &str, mut more: Value| {
        more["hooks"] = marks(name);
        more
    };
    let files = |managed: Value, user: Value, project: Value| {
        [
            (MANAGED, with("managed", managed)),
            (USER, with("user", user)),
            (PROJECT, with("project", project)),
            (LOCAL, with("local", json!({}))),
        ]
    };
    let (none, off) = (|| json!({}), || json!({"disableAllHooks": true}));
    let all = vec!["local", "managed", "project", "user"];
    for (files, trust, wanted) in [
        (files(none(), none(), none()), Trust::Trusted, all),
        (files(none(), none(), none()), Trust::Untrusted, vec!["local", "managed", "user"]),
        (files(none(), off(), none()), Trust::Trusted, vec!["managed"]),
        (files(off(), none(), none()), Trust::Trusted, vec![]),
        (files(none(), none(), off()), Trust::Untrusted, vec!["local", "managed", "user"]),
        (files(none(), none(), off()), Trust::Trusted, vec!["managed"]),
        (files(json!({"allowManagedHooksOnly": true}), none(), none()), Trust::Trusted, vec!["managed"]),
        (
            files(none(), json!({"allowManagedHooksOnly": true}), none()),
            Trust::Untrusted,
            vec!["local", "managed", "user"],
        ),
    ] {
        let world = World::new(&files);
        let session = world.session(trust);
        assert!(!bash(&session, "true").await.is_error, "{wanted:?}");
        assert_eq!(world.marks(), wanted, "{trust:?} {:?}", session.settings_problems());
    }
}

#[tokio::test]
async fn a_hook_of_a_file_closes_what_the_sessions_own_rules_allow() {
    let world = World::new(&[(USER, json!({"hooks": hook("echo 'not on my machine' >&2; exit 2")}))]);
    let session = world.session(Trust::Untrusted);
    let denied = bash(&session, "touch ran.mark").await;
    assert!(denied.is_error && denied.content.to_text().contains("not on my machine"), "{denied:?}");
    session.change(|context| context.mode = Mode::BypassPermissions);
    assert!(bash(&session, "touch ran.mark").await.is_error, "in no mode does it run");
    assert_eq!(world.marks(), Vec::<String>::new());
}

#[tokio::test]
async fn hooks_that_cannot_be_read_ask_and_those_of_a_project_that_nobody_trusts_do_not_count() {
    for hooks in
        [json!([]), json!("x"), json!({"PreToolUse": {}}), json!({"preToolUse": marks("x")["PreToolUse"]})]
    {
        let settings = json!({ "hooks": hooks });
        let world = World::new(&[(USER, settings.clone())]);
        let session = world.session(Trust::Trusted);
        assert!(!session.settings_problems().is_empty(), "{hooks}");
        assert!(bash(&session, "true").await.is_error, "nobody is there to be asked: {hooks}");
        let world = World::new(&[(PROJECT, settings)]);
        assert!(!bash(&world.session(Trust::Untrusted), "true").await.is_error, "{hooks}");
    }
}

#[tokio::test]
async fn a_call_that_removes_the_working_directory_does_not_free_later_calls_of_their_hooks() {
    let guard = "grep -q forbidden && { echo 'it is forbidden' >&2; exit 2; }; exit 0";
    let world = World::new(&[(USER, json!({"hooks": hook(guard)}))]);
    let session = world.session(Trust::Trusted);
    let gone = world.root().join("p/deep/down");
    std::fs::create_dir_all(&gone).expect("it can be written");
    session.change(|context| context.cwd.clone_from(&gone));
    std::fs::remove_dir_all(world.root().join("p/deep")).expect("it was there");
    let denied = bash(&session, "echo forbidden").await;
    assert!(denied.content.to_text().contains("it is forbidden"), "{denied:?} {:?}", world.notices());
}

#[tokio::test]
async fn hooks_see_the_absolute_paths_of_what_a_call_opens() {
    let keep = "cat > \"$CLAUDE_PROJECT_DIR\"/seen.json";
    let handler = json!([{"hooks": [{"type": "command", "command": keep}]}]);
    let world = World::new(&[(USER, json!({"hooks": {"PreToolUse": handler, "PostToolUse": handler}}))]);
    let session = world.session(Trust::Trusted);
    session.change(|context| {
        context.mode = Mode::BypassPermissions;
        context.cwd.push("sub");
    });
    let root = world.root().join("p");
    std::fs::create_dir_all(root.join("sub")).expect("it can be written");
    std::fs::write(root.join("note.txt"), "one\n").expect("it can be written");
    let seen = || -> Value {
        let text = std::fs::read_to_string(root.join("seen.json")).expect("the hook has run");
        serde_json::from_str(&text).expect("it is JSON")
    };
    for (tool, input, field, path) in [
        ("Read", json!({"file_path": "../note.txt"}), "file_path", root.join("note.txt")),
        ("Read", json!({"file_path": root.join("x/../note.txt")}), "file_path", root.join("note.txt")),
        ("Glob", json!({"pattern": "*.txt", "path": ".."}), "path", root.clone()),
        ("Write", json!({"file_path": "new", "content": "new"}), "file_path", root.join("sub/new")),
    ] {
        let result = call(&session, tool, input.clone()).await;
        assert!(!result.is_error, "{tool} {input}: {result:?}");
        let seen = seen();
        assert_eq!(seen["tool_input"][field], json!(path), "{tool} {input}");
        assert_eq!(seen["hook_event_name"], "PostToolUse");
        assert_eq!(seen["tool_input"].get("content"), input.get("content"), "a text is no path");
        assert_eq!(seen["tool_input"].get("pattern"), input.get("pattern"));
    }
}

#[tokio::test]
async fn a_hook_that_gives_back_what_it_was_shown_rewrites_nothing() {
    // Two that differ would ask, and nobody is there.
    let echo = |input: &str| {
        format!("jq -c '{{hookSpecificOutput: {{hookEventName: \"PreToolUse\", updatedInput: {input}}}}}'")
    };
    if !Path::new("/usr/bin/jq").exists() {
        eprintln!("jq is not here: skipped");
        return;
    }
    let handlers: Vec<Value> = [".tool_input", "(.tool_input + {limit: 1})"]
        .iter()
        .map(|input| json!({"type": "command", "command": echo(input)}))
        .collect();
    let world = World::new(&[(USER, json!({"hooks": {"PreToolUse": [{"hooks": handlers}]}}))]);
    let session = world.session(Trust::Trusted);
    std::fs::write(world.root().join("p/note.txt"), "one\ntwo\n").expect("it can be written");
    let read = call(&session, "Read", json!({"file_path": "note.txt"})).await;
    let text = read.content.to_text();
    assert!(!read.is_error && text.contains("one") && !text.contains("two"), "{text} {:?}", world.notices());
}

#[tokio::test]
async fn hostile_hooks_neither_hang_nor_open_anything() {
    let deny = json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny",
        "permissionDecisionReason": "no"}});
    let allow = json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}});
    for (command, is_denied, notice) in [
        ("exec 1>&-; sleep 0.1; exit 2".to_owned(), true, "exited with 2"),
        ("exec 0<&- 1>&- 2>&-; exit 2".to_owned(), true, "exited with 2"),
        ("kill -SEGV $$".to_owned(), false, "exited with 139"),
        ("kill -STOP $$".to_owned(), false, "it was stopped after"),
        ("cd /; rm -f none; exit 2".to_owned(), true, "exited with 2"),
        (format!("sleep 600 & echo '{deny}'"), true, ""),
        (format!("(setsid sleep 600 >/dev/null 2>&1 &) ; echo '{deny}'"), true, ""),
        (format!("printf '\\357\\273\\277'; echo '{deny}'"), true, ""),
        (format!("echo '{deny}'; exit 1"), true, ""),
        (format!("echo '{allow}' ; exit 2"), true, "exited with 2"),
        (format!("echo '{allow}' ; echo '{deny}'"), false, "begins as JSON and is none"),
        (format!("echo '{}'", deny.to_string().replace("PreToolUse", "Stop")), false, "the event is"),
        ("head -c 3000000 /dev/zero; exit 2".to_owned(), false, "wrote more than"),
        ("yes >&2".to_owned(), false, "wrote more than"),
        ("trap '' TERM INT HUP; while :; do :; done".to_owned(), false, "it was stopped after"),
    ] {
        let mut hooks = hook(&command);
        hooks["PreToolUse"][0]["hooks"][0]["timeout"] = json!(1);
        let world = World::new(&[(USER, json!({ "hooks": hooks }))]);
        let session = world.session(Trust::Trusted);
        let began = Instant::now();
        let result = bash(&session, "true").await;
        assert_eq!(result.is_error, is_denied, "{command}: {result:?} {:?}", world.notices());
        assert!(began.elapsed() < Duration::from_secs(10), "{command}");
        let told = world.notices().join("\n");
        assert!(told.contains(notice), "{command}: {told}");
    }
}

#[tokio::test]
async fn no_rewrite_takes_a_call_out_of_the_reach_of_what_denies_it() {
    let rewrite = |command: &str| {
        let out = json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow",
            "updatedInput": {"command": command}}});
        json!({"type": "command", "command": format!("echo '{out}'")})
    };
    for (original, rewrites, deny, ran) in [
        ("touch bad.mark", vec!["touch good.mark"], "Bash(touch bad.mark)", false),
        ("touch good.mark", vec!["touch bad.mark"], "Bash(touch bad.mark)", false),
        ("touch good.mark", vec!["rm -rf /"], "Bash(none)", false),
        ("touch good.mark", vec!["touch a.mark", "touch b.mark"], "Bash(none)", false),
        ("touch good.mark", vec!["touch a.mark", "touch a.mark "], "Bash(none)", false),
        ("touch good.mark", vec!["touch a.mark"], "Bash(none)", true),
    ] {
        let handlers: Vec<Value> = rewrites.iter().map(|command| rewrite(command)).collect();
        let hooks = json!({"PreToolUse": [{"matcher": "Bash", "hooks": handlers}]});
        let settings = json!({"hooks": hooks, "permissions": {"deny": [deny]}});
        let world = World::new(&[(USER, settings)]);
        let result = bash(&world.session(Trust::Trusted), original).await;
        assert_eq!(!result.is_error, ran, "{original} {rewrites:?}: {result:?}");
        assert_eq!(world.marks().len(), usize::from(ran), "{original} {rewrites:?}");
    }
}
