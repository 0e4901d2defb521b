//! `toolwright check`: answers, reasons and exit codes, and what is wrong with settings, drawn.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use super::cli::{Folder, out, said, toolwright};
use super::shared::shared;

/// A home with a project in it; nothing else of this machine is read.
struct World {
    folder: Folder,
}

impl World {
    fn new(name: &str) -> World {
        let folder = Folder::new(&format!("check-{name}"));
        for below in ["p/.claude", ".claude"] {
            std::fs::create_dir_all(folder.0.join(below)).expect("the folder can be written");
        }
        World { folder }
    }

    fn with(name: &str, files: &[(&str, &str)]) -> World {
        let world = World::new(name);
        for (path, text) in files {
            world.folder.put(path, text);
        }
        world
    }

    fn check(&self, arguments: &[&str]) -> Output {
        let cwd = self.folder.0.join("p").display().to_string();
        let mut program = Command::new(env!("CARGO_BIN_EXE_toolwright"));
        program.arg("check").args(arguments).args(["--cwd", &cwd]).env("HOME", &self.folder.0);
        program.env_remove("CLAUDE_CONFIG_DIR").stdin(Stdio::null());
        program.output().expect("the program was built for this test")
    }

    /// The exit code, and what `--json` prints.
    fn json(&self, arguments: &[&str]) -> (Option<i32>, Value) {
        let output = self.check(&[arguments, &["--json"]].concat());
        let line = serde_json::from_str(&out(&output)).unwrap_or_else(|_| panic!("{}", said(&output)));
        (output.status.code(), line)
    }
}

const USER: &str = ".claude/settings.json";
const PROJECT: &str = "p/.claude/settings.json";
const LOCAL: &str = "p/.claude/settings.local.json";

#[test]
fn answers_have_their_rule_their_source_their_parts_and_their_code() {
    let world = World::with(
        "answers",
        &[(
            USER,
            r#"{"permissions": {"allow": ["Bash(make *)"], "ask": ["Bash(git push *)"],
                "deny": ["Bash(rm *)", "Read(./.env)"]}}"#,
        )],
    );
    let cases = [
        ("Bash(make all)", 0, "allow", Some("Bash(make *)")),
        ("Bash(ls -l)", 0, "allow", None),
        ("Bash(git push origin main)", 1, "ask", Some("Bash(git push *)")),
        ("Bash(touch x)", 1, "ask", None),
        ("Bash(make all && rm -rf x)", 3, "deny", Some("Bash(rm *)")),
        ("Read(.env)", 3, "deny", Some("Read(./.env)")),
        ("Read(src/lib.rs)", 0, "allow", None),
        ("Edit(src/lib.rs)", 1, "ask", None),
    ];
    for (call, code, answer, rule) in cases {
        let (found, line) = world.json(&[call]);
        assert_eq!((found, line["answer"].as_str()), (Some(code), Some(answer)), "{call}: {line}");
        assert_eq!(line["rule"].as_str(), rule, "{call}: {line}");
        assert_eq!(line["source"].as_str(), rule.map(|_| "userSettings"), "{call}");
    }
    let (_, line) = world.json(&["Bash(make all && rm -rf x)"]);
    let parts: Vec<(&str, &str)> = line["effects"]
        .as_array()
        .expect("parts")
        .iter()
        .filter(|part| part["kind"] == "run")
        .filter_map(|part| Some((part["what"].as_str()?, part["answer"].as_str()?)))
        .collect();
    assert_eq!(parts, [("make all", "allow"), ("rm -rf x", "deny")]);
    let output = world.check(&["Bash(make all && rm -rf x)"]);
    let text = out(&output);
    for piece in [
        r#"deny  Bash {"command":"make all && rm -rf x"}"#,
        "  rule  `Bash(rm *)` from userSettings",
        "  - allow run `make all`  (rule `Bash(make *)` from userSettings)",
        "  - deny  run `rm -rf x`  (rule `Bash(rm *)` from userSettings)",
    ] {
        assert!(text.contains(piece), "{piece}\n{text}");
    }
}

#[test]
fn mode_profile_person_and_flags_have_their_say() {
    let world = World::with("modes", &[(USER, r#"{"permissions": {"deny": ["Bash(x *)"]}}"#)]);
    let code = |arguments: &[&str]| world.check(arguments).status.code();
    assert_eq!(code(&["Bash(touch a)", "--mode", "bypassPermissions"]), Some(0));
    assert_eq!(code(&["Bash(touch a)", "--mode", "dontAsk"]), Some(3));
    assert_eq!(code(&["Bash(touch a)", "--headless"]), Some(3), "nobody is there to answer");
    assert_eq!(code(&["Bash(rm -rf /)", "--mode", "bypassPermissions"]), Some(3), "the killswitch");
    assert_eq!(code(&["Bash(rm -rf /)", "--allow", "Bash"]), Some(1), "a person each time");
    assert_eq!(code(&["Bash(x y)", "--allow", "Bash(x *)"]), Some(0), "by source");
    assert_eq!(code(&["Bash(x y)", "--allow", "Bash(x *)", "--profile", "current"]), Some(3), "deny first");
    assert_eq!(code(&["Bash(ls)", "--deny", "Bash"]), Some(3), "the tool is not there at all");
    let hook = r#"{"hooks": {"PermissionRequest": [{"hooks": [{"type": "command", "command": "true"}]}]}}"#;
    let asked = World::with("asked", &[(USER, hook)]).check(&["Bash(touch a)", "--headless"]);
    assert_eq!(asked.status.code(), Some(1), "a hook might answer");
    let (_, line) = world.json(&["Bash(ls)", "--deny", "Bash"]);
    assert_eq!((line["rule"].as_str(), line["source"].as_str()), (Some("Bash"), Some("cliArg")));
    assert_eq!(code(&["Bash", r#"{"command": "ls"}"#]), Some(0), "a whole input");
    let inline = r#"{"permissions": {"defaultMode": "bypassPermissions"}}"#;
    assert_eq!(code(&["Bash(touch a)", "--settings", inline]), Some(0));
    let off = r#"{"permissions": {"disableBypassPermissionsMode": "disable"}}"#;
    assert_eq!(code(&["Bash(touch a)", "--settings", inline, "--settings", off]), Some(1));
}

#[test]
fn a_projects_files_open_only_with_trust_and_close_always() {
    let text = r#"{"permissions": {"allow": ["Bash(make *)"], "deny": ["Bash(ls *)"]}}"#;
    let world = World::with("trust", &[(PROJECT, text)]);
    let code = |arguments: &[&str]| world.check(arguments).status.code();
    assert_eq!((code(&["Bash(make a)"]), code(&["Bash(make a)", "--trust"])), (Some(1), Some(0)));
    assert_eq!((code(&["Bash(ls x)"]), code(&["Bash(ls x)", "--trust"])), (Some(3), Some(3)));
    let output = world.check(&["Bash(make a)"]);
    assert!(
        said(&output)
            .contains("note: `permissions.allow[0]`: it does not count, since the project is not trusted")
    );
    let world = World::with("local", &[(LOCAL, text)]);
    assert_eq!(world.check(&["Bash(make a)"]).status.code(), Some(0), "a local file is the person's own");
}

#[test]
fn a_broken_entry_is_drawn_with_its_line_and_the_rest_counts() {
    let text = "{\n  \"permissions\": {\n    \"deny\": [\"Bash(rm *)\", 7],\n    \"allow\": [\"Bash(make *)\"]\n  }\n}\n";
    let world = World::with("drawn", &[(USER, text)]);
    let output = world.check(&["Bash(make all)"]);
    let told = said(&output);
    assert_eq!(output.status.code(), Some(1), "what is denied may be lost: {told}");
    for piece in [
        "error: it must be a rule in a string, and is a number",
        "settings.json:3:28",
        "3 |     \"deny\": [\"Bash(rm *)\", 7],",
        "^ permissions.deny[1]",
    ] {
        assert!(told.contains(piece), "{piece}\n{told}");
    }
    assert!(!told.contains('\u{1b}'), "no colours where nobody looks");
    assert_eq!(world.check(&["Bash(rm x)"]).status.code(), Some(3), "the rest counts");
}

#[test]
fn bad_usage_ends_with_2_and_a_message() {
    let world = World::new("usage");
    for (arguments, piece) in [
        (&[][..], "required"),
        (&["Bash"], "is no call"),
        (&["Bash(ls"], "is no call"),
        (&["Nope(x)"], "Nope"),
        (&["Bash", "{"], "not JSON"),
        (&["Bash", "{\"cmd\": 1}"], "does not fit"),
        (&["Bash(ls)", "--mode", "yolo"], "yolo"),
        (&["Bash(ls)", "--profile", "v9"], "v9"),
        (&["Bash(ls)", "--settings", "/does/not/exist.json"], "/does/not/exist.json"),
        (&["--lint", "/does/not/exist.json"], "/does/not/exist.json"),
    ] {
        let output = world.check(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", said(&output));
        assert!(said(&output).contains(piece), "{arguments:?}: {}", said(&output));
    }
}

#[test]
fn json_in_the_brackets_is_never_answered_as_one_text() {
    let world = World::new("brackets");
    for content in [
        r#"{"file_path":"a.txt"}"#,
        r#" { "file_path" : "a.txt", "limit": 3 } "#,
        "{}",
        r#"{"file_path":"a.txt",}"#,
        r#"{"file_path":"a.txt""#,
    ] {
        let output = world.check(&[&format!("Read({content})")]);
        let told = said(&output);
        assert_eq!((output.status.code(), out(&output)), (Some(2), String::new()), "{content}: {told}");
        assert!(told.contains(&format!("`toolwright check Read '{content}'`")), "{content}: {told}");
    }
    assert_eq!(
        world.check(&["Read", r#"{"file_path":"a.txt"}"#]).status.code(),
        Some(0),
        "the form it names"
    );
    // Braces that begin no object are a text like another.
    for (call, code) in [("Bash({ ls; })", 0), ("Bash({ touch a; })", 1), ("Read({a}.txt)", 0)] {
        let output = world.check(&[call]);
        assert_eq!(output.status.code(), Some(code), "{call}: {}", said(&output));
    }
    let unknown = said(&world.check(&[r#"Raed({"file_path":"a.txt"})"#]));
    assert!(unknown.contains("there is no tool `Raed`"), "{unknown}");
}

#[test]
fn text_of_others_does_not_reach_the_terminal_as_it_is() {
    let world = World::with(
        "escape",
        &[(USER, "{\"permissions\": {\"deny\": [\"Ba\u{202e}sh(\u{7f}x\"]}, \"\u{9b}2J\": 1}")],
    );
    let output = world.check(&["Bash(echo \u{1b}[2J)"]);
    for text in [out(&output), said(&output)] {
        assert!(!text.contains(['\u{1b}', '\u{9b}', '\u{202e}', '\u{7f}']), "{text:?}");
    }
}

#[test]
fn lint_tells_what_is_wrong_with_files_and_with_rules_at_their_places() {
    let world = World::with(
        "lint",
        &[
            (USER, "{\n  \"permissions\": {\n    \"deny\": [\"Bash(git push *)\", \"Reed(x)\"]\n  }\n}"),
            (
                PROJECT,
                "{\n  \"permissions\": {\"allow\": [\"Bash(git *)\", \"Bash(a\", \"Bash(python:*)\"]},\n  \"hook\": {}\n}",
            ),
            ("fine.json", "{\"permissions\": {\"deny\": [\"Bash(rm *)\"]}}"),
        ],
    );
    let path = |name: &str| world.folder.0.join(name).display().to_string();
    let (user, project, fine) = (path(USER), path(PROJECT), path("fine.json"));
    let output = world.check(&["--lint", &user, "--lint", &project]);
    let text = out(&output);
    println!("{text}");
    assert_eq!(output.status.code(), Some(1), "{text}{}", said(&output));
    for piece in [
        "`hook` is not known: did you mean `hooks`?",
        "the deny rule `Bash(git push *)`",
        "the deny rule `Reed(x)`",
        "the allow rule `Bash(a`",
        "3 |     \"deny\": [\"Bash(git push *)\", \"Reed(x)\"]",
        "5 rules (3 from projectSettings, 2 from userSettings)",
    ] {
        assert!(text.contains(piece), "{piece}\n{text}");
    }
    let output = world.check(&["--lint", &fine]);
    assert_eq!((output.status.code(), out(&output).lines().count()), (Some(0), 1), "{}", out(&output));
    let output = world.check(&["--lint", &user, "--json"]);
    let line: Value = serde_json::from_str(&out(&output)).expect("JSON");
    assert_eq!((line["rules"].as_u64(), line["closed"].as_bool()), (Some(2), Some(false)));
    assert!(
        line["problems"]
            .as_array()
            .is_some_and(|problems| problems.iter().all(|problem| problem["place"]["line"] == 3))
    );
}

#[test]
fn of_very_many_problems_the_first_are_drawn_and_the_rest_counted() {
    let rules: Vec<String> = (0..300).map(|n| format!("Nosuch{n}x(a)")).collect();
    let text = serde_json::json!({"permissions": {"deny": rules}}).to_string();
    let world = World::with("many", &[(USER, &text)]);
    let path = world.folder.0.join(USER).display().to_string();
    let shown = out(&world.check(&["--lint", &path]));
    assert_eq!(shown.matches("there is no tool").count(), 200);
    assert!(shown.contains("and 100 problems more"), "{shown}");
    assert!(shown.contains("300 notes"), "{shown}");
    let (_, told) = world.json(&["--lint", &path]);
    assert_eq!(told["problems"].as_array().map(Vec::len), Some(300));
}

#[test]
fn a_rule_about_a_tool_that_may_be_elsewhere_is_told_and_is_no_fault() {
    let world = World::with("elsewhere", &[(USER, r#"{"permissions": {"deny": ["Book(Rome)"]}}"#)]);
    let path = world.folder.0.join(USER).display().to_string();
    let output = world.check(&["--lint", &path]);
    assert_eq!(output.status.code(), Some(0), "{}", out(&output));
    for piece in
        ["note: ", "there is no tool `Book` here", "help: ", "`toolwright_sim::cli::main_with`", "a server"]
    {
        assert!(out(&output).contains(piece), "{piece}\n{}", out(&output));
    }
    let near = World::with("near", &[(USER, r#"{"permissions": {"deny": ["Bahs(rm *)"]}}"#)]);
    let output = near.check(&["--lint", &near.folder.0.join(USER).display().to_string()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        out(&output).contains("did you mean `Bash`?") && !out(&output).contains("main_with"),
        "{}",
        out(&output)
    );
    let unknown = world.check(&["Book(Rome)"]);
    assert_eq!(unknown.status.code(), Some(2), "nothing can be said of it");
    assert!(said(&unknown).contains("`toolwright_sim::cli::main_with`"), "{}", said(&unknown));
}

#[test]
fn a_rule_that_allows_nothing_is_told_by_lint_check_and_call_alike_and_once() {
    let rules = r#"{"permissions": {"allow": ["Raed(a.txt)", "Edit(a/**)"]}}"#;
    let world = World::with("idle", &[(USER, rules), ("p/a.txt", "a\n")]);
    let reason = "there is no tool `Raed` here, so it allows nothing here; did you mean `Read`?";
    let path = world.folder.0.join(USER).display().to_string();
    let linted = world.check(&["--lint", &path]);
    assert_eq!(
        (linted.status.code(), out(&linted).matches(reason).count()),
        (Some(1), 1),
        "{}",
        out(&linted)
    );
    assert!(!out(&linted).contains("main_with"), "{}", out(&linted));
    let none = World::with("idle-none", &[("p/a.txt", "a\n")]);
    for (world, more) in [
        (&world, &[][..]),
        (&none, &["--settings", rules]),
        (&none, &["--allow", "Raed(a.txt)"]),
        (&none, &["--settings", rules, "--allow", "Raed(a.txt)"]),
    ] {
        let checked = world.check(&[&["Read(a.txt)"], more].concat());
        let told = said(&checked);
        assert_eq!((checked.status.code(), told.matches(reason).count()), (Some(0), 1), "{more:?}: {told}");
        assert!(!told.contains("error"), "{more:?}: {told}");
    }
    let mut call = Command::new(env!("CARGO_BIN_EXE_toolwright"));
    let file = world.folder.0.join("p/a.txt").display().to_string();
    call.args(["call", "Read", &serde_json::json!({"file_path": file}).to_string(), "--settings", &path]);
    call.args(["--cwd", &world.folder.0.join("p").display().to_string()]).env("HOME", &none.folder.0);
    let called = call.env_remove("CLAUDE_CONFIG_DIR").stdin(Stdio::null()).output().expect("it was built");
    assert_eq!(
        (called.status.code(), said(&called).matches(reason).count()),
        (Some(0), 1),
        "{}",
        said(&called)
    );
}

#[test]
fn a_near_miss_is_told_with_the_name_that_is_meant_alone() {
    let world = World::new("near-miss");
    for call in [&["Raed(x)"][..], &["Raed", "{}"]] {
        let told = said(&world.check(call));
        assert!(told.trim_end().ends_with("did you mean `Read`?"), "{told}");
    }
    assert!(said(&world.check(&["Centrifuge(x)"])).contains("a program of one's own"));
}

#[test]
fn every_recorded_settings_file_is_linted() {
    let Some(folder) = shared("data/settings") else { return };
    let entries = std::fs::read_dir(folder).expect("the folder can be listed");
    let world = World::new("recorded");
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        let output = world.check(&["--lint", &path.display().to_string()]);
        let text = out(&output);
        println!("{}:\n{text}", path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default());
        assert!(matches!(output.status.code(), Some(0 | 1)), "{}", said(&output));
        assert!(text.contains(" 0 errors") || text.contains("no error"), "{text}");
    }
}

#[test]
fn a_replay_judges_a_recording_under_settings() {
    let folder = Folder::new("replay-settings");
    let settings =
        folder.put("deny.json", r#"{"permissions": {"deny": ["Read"], "defaultMode": "dontAsk"}}"#);
    let replay = |more: &[&str]| {
        let output = toolwright(&[&["replay", "--json"], more].concat());
        let line: Value = serde_json::from_str(&out(&output)).unwrap_or_else(|_| panic!("{}", said(&output)));
        line
    };
    let (plain, strict) = (replay(&[]), replay(&["--settings", &settings]));
    assert!(strict["started"].as_u64() < plain["started"].as_u64(), "{plain}\n{strict}");
    assert_eq!(replay(&["--settings", &settings]), strict, "the same bytes each time");
    let current = replay(&["--profile", "current"]);
    assert_eq!(current["calls"], plain["calls"]);
    let broken = folder.put("broken.json", "{");
    let output = toolwright(&["replay", "--settings", &broken]);
    assert!(said(&output).contains("broken.json:1:1: error: this is not JSON"), "{}", said(&output));
    assert_eq!(output.status.code(), Some(2), "nothing is replayed under a part of them");
    assert_eq!(toolwright(&["replay", "--settings", "/does/not/exist.json"]).status.code(), Some(2));
}

#[test]
fn the_hooks_that_a_call_would_meet_are_named_and_not_run() {
    let hooks = r#"{"hooks": {
        "PreToolUse": [
            {"matcher": "Bash", "hooks": [{"type": "command", "command": "touch ran", "if": "Bash(git *)"}]},
            {"matcher": "Edit", "hooks": [{"type": "command", "command": "touch edits"}]}],
        "PermissionRequest": [{"hooks": [{"type": "command", "command": "touch asked"}]}],
        "PostToolUse": [{"hooks": [{"type": "command", "command": "touch after"}]}]}}"#;
    let world = World::with("hooks", &[(PROJECT, hooks)]);
    for (more, call, wanted) in [
        (&["--trust"][..], "Bash(git push)", &["PreToolUse touch ran", "PermissionRequest touch asked"][..]),
        (&["--trust"], "Bash(make)", &["PermissionRequest touch asked"]),
        (&[], "Bash(git push)", &[]),
    ] {
        let arguments = [more, &[call]].concat();
        let (_, line) = world.json(&arguments);
        assert_eq!(line["hooks"], serde_json::json!(wanted), "{call}");
        let shown = out(&world.check(&arguments));
        for hook in wanted {
            assert!(shown.contains(&format!("hook  {hook} was not run, and may change this")), "{shown}");
        }
        assert_eq!(shown.matches("was not run").count(), wanted.len(), "{shown}");
    }
    assert!(!world.folder.0.join("p/ran").exists());
}

#[test]
fn lint_tells_in_the_order_in_which_files_are_read() {
    // A mistake of each kind that is looked for at another time, from the last line to the first.
    let text = "{\n \"hook\": {},\n \"permissions\": {\n  \"deny\": [\"Bash(a\"],\n  \"allow\": [\"Raed(x)\"]\n },\n \"permission\": {}\n}";
    let world = World::with("order", &[(USER, text)]);
    let path = world.folder.0.join(USER).display().to_string();
    let (_, told) = world.json(&["--lint", &path]);
    let problems = told["problems"].as_array().expect("there are problems");
    let lines: Vec<u64> = problems.iter().filter_map(|problem| problem["place"]["line"].as_u64()).collect();
    assert_eq!(lines, [2, 4, 5, 7], "{told}");
}

#[test]
fn problems_of_rules_on_the_command_line_are_in_its_json_too() {
    let world = World::new("of-options");
    let (_, told) = world.json(&["Read(a.txt)", "--allow", "Raed(a.txt)", "--deny", "Bash(a"]);
    let told = told["rule_problems"].as_array().expect("there are problems");
    let found = |behavior: &str, rule: &str| {
        told.iter().any(|problem| {
            (&problem["behavior"], &problem["rule"]) == (&behavior.into(), &rule.into())
                && problem["reason"]
                    .as_str()
                    .is_some_and(|reason| reason.contains(rule.split('(').next().unwrap_or(rule)))
        })
    };
    assert!(found("allow", "Raed(a.txt)") && found("deny", "Bash(a") && told.len() == 2, "{told:?}");
    let (_, told) = world.json(&["Read(a.txt)"]);
    assert_eq!(told["rule_problems"], serde_json::json!([]));
}
