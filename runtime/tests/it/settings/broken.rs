//! Bad input: each is told with its place, the rest counts, and what may have been denied stays closed.

use toolwright::settings::{ExtraSettings, FILE_BYTES_MAX, Severity};

use super::world::{LOCAL, MANAGED, PROJECT, USER, World, lines, rules};

/// A text, what is said of it without the name of the file, whether it closes, and how many rules are left.
type Case = (&'static str, &'static str, &'static [&'static str], bool, usize);

const CASES: &[Case] = &[
    ("nothing but an object", "{}", &[], false, 0),
    ("empty", "", &["1:1: error: the file is empty: write `{}`"], true, 0),
    ("blank", "  \n\t\n", &["1:1: error: the file is empty"], true, 0),
    ("only a comment", "// later\n", &["1:1: error: this is not JSON: it holds no JSON value"], true, 0),
    ("an array", "[]", &["1:1: error: the file must hold an object, and holds an array"], true, 0),
    ("a string", "\"x\"", &["1:1: error: the file must hold an object, and holds a string"], true, 0),
    ("cut off", "{\n  \"permissions\": {\n", &["error: this is not JSON: a `{` is not closed"], true, 0),
    ("two values", "{} {}", &["1:4: error: this is not JSON: there is text behind the end"], true, 0),
    (
        "a missing comma",
        "{\n \"a\": 1\n \"b\": 2\n}",
        &["2:8: error: this is not JSON: a comma is missing"],
        true,
        0,
    ),
    ("single quotes", "{'a': 1}", &["1:2: error: this is not JSON: write strings in `\"`"], true, 0),
    ("a bare name", "{a: 1}", &["1:2: error: this is not JSON: write names in `\"`"], true, 0),
    ("half a character", "{\"a\": \"\\ud800\"}", &["error: this is not JSON"], true, 0),
    (
        "a comment and a last comma",
        "{\n  // why\n  \"permissions\": {\"deny\": [\"Bash(rm *)\",]}\n}",
        &[
            "2:3: warning: a comment is not JSON",
            "3:40: warning: a comma before a closing bracket is not JSON",
        ],
        false,
        1,
    ),
    (
        "a tab in a string",
        "{\"permissions\": {\"deny\": [\"Bash(a\tb)\"]}}",
        &["warning: this is not strict JSON: control character"],
        false,
        1,
    ),
    (
        "a byte order mark",
        "\u{feff}{\"permissions\": {\"deny\": [1]}}",
        &[
            "1:1: warning: it begins with a byte order mark",
            "1:27: error: `permissions.deny[0]`: it must be a rule",
        ],
        true,
        0,
    ),
    (
        "names that come twice",
        "{\"permissions\": {\"deny\": [\"A\"], \"allow\": [\"B\"]},\n \"permissions\": {\"allow\": [\"C\"], \"allow\": [\"D\"]}}",
        &[
            "1:2: warning: `permissions`: the same name comes again below",
            "2:18: warning: `permissions.allow`: the same name comes again below",
        ],
        false,
        2,
    ),
    (
        "permissions that are no object",
        "{\"permissions\": [\"Bash\"]}",
        &["1:17: error: `permissions`: it must be an object, and is an array; what it denies may be lost"],
        true,
        0,
    ),
    (
        "a deny that is no array",
        "{\"permissions\": {\"deny\": \"Bash(rm *)\", \"ask\": [\"Bash(git push *)\"]}}",
        &["1:26: error: `permissions.deny`: it must be an array of rules, and is a string; what it denies"],
        true,
        1,
    ),
    (
        "a deny that is null",
        "{\"permissions\": {\"deny\": null}}",
        &["`permissions.deny`: it must be an array of rules, and is null; what it denies"],
        true,
        0,
    ),
    (
        "an entry of ask that is no string",
        "{\"permissions\": {\"ask\": [\"A\", {\"tool\": \"Bash\"}]}}",
        &[
            "1:31: error: `permissions.ask[1]`: it must be a rule in a string, and is an object; what it denies",
        ],
        true,
        1,
    ),
    (
        "an entry of allow that is no string",
        "{\"permissions\": {\"allow\": [7, \"Bash(ls)\"], \"deny\": [\"Read\"]}}",
        &["1:28: error: `permissions.allow[0]`: it must be a rule in a string, and is a number"],
        false,
        2,
    ),
    (
        "an allow that is no array",
        "{\"permissions\": {\"allow\": \"Bash\", \"deny\": [\"Read\"]}}",
        &["`permissions.allow`: it must be an array of rules, and is a string"],
        false,
        1,
    ),
    (
        "a misspelt permissions",
        "{\"permision\": {\"deny\": [\"Bash\"]}}",
        &["1:2: error: `permision`: `permision` is not known: did you mean `permissions`?; what it denies"],
        true,
        0,
    ),
    (
        "a misspelt deny",
        "{\"permissions\": {\"deney\": [\"Bash\"]}}",
        &["`permissions.deney`: `deney` is not known: did you mean `deny`?; what it denies may be lost"],
        true,
        0,
    ),
    (
        "a misspelt key that closes nothing",
        "{\"hookz\": {}, \"permissions\": {\"defualtMode\": \"plan\"}}",
        &[
            "1:2: warning: `hookz`: `hookz` is not known: did you mean `hooks`?",
            "1:31: warning: `permissions.defualtMode`: `defualtMode` is not known: did you mean `defaultMode`?",
        ],
        false,
        0,
    ),
    ("a key of another program's", "{\"theme\": \"dark\", \"_generated\": 1}", &[], false, 0),
    (
        "modes",
        "{\"permissions\": {\"defaultMode\": \"bubble\", \"disableAutoMode\": true,\n\"disableBypassPermissionsMode\": \"no\"}}",
        &[
            "1:33: error: `permissions.defaultMode`: `bubble` is for sub-agents",
            "1:62: error: `permissions.disableAutoMode`: only the value `disable` means something here; this is taken",
            "2:33: error: `permissions.disableBypassPermissionsMode`: only the value `disable` means something",
        ],
        false,
        0,
    ),
    (
        "a mode that is none",
        "{\"permissions\": {\"defaultMode\": \"yolo\"}}",
        &["1:33: error: `permissions.defaultMode`: `yolo` is not a permission mode: use default"],
        false,
        0,
    ),
    (
        "switches of managed settings elsewhere",
        "{\"allowManagedPermissionRulesOnly\": true, \"permissions\": {\"deny\": [\"A\"]}}",
        &["1:2: warning: `allowManagedPermissionRulesOnly`: only managed settings can say this"],
        false,
        1,
    ),
    (
        "variables",
        "{\"env\": {\"A\": \"1\", \"B\": 2, \"C=D\": \"x\", \"\": \"x\", \"E\": null, \"F\": \"a\\u0000b\"}}",
        &[
            "1:25: error: `env.B`: it must be a string, and is a number; write `\"2\"`",
            "`env.C=D`: `C=D` is no name of a variable",
            "`env.`: `` is no name of a variable",
            "`env.E`: it must be a string, and is null",
            "`env.F`: it contains a NUL",
        ],
        false,
        0,
    ),
    (
        "servers",
        "{\"mcpServers\": {\"a\": {\"url\": \"https://x\"}, \"b\": {}, \"c\": {\"type\": \"carrier pigeon\"},\n\
         \"d\": {\"command\": \"x\", \"args\": [1]}, \"e\": 1, \"f\": {\"type\": \"http\", \"url\": \"https://x\"}}}",
        &[
            "1:22: error: `mcpServers.a`: a server with a `url` needs a `type`: `http`, `sse` or `ws`",
            "1:49: error: `mcpServers.b`: it has no `command`",
            "1:67: error: `mcpServers.c.type`: `carrier pigeon` is no way to reach a server",
            "2:32: error: `mcpServers.d.args`: it must be a string, and is a number",
            "2:42: error: `mcpServers.e`: it must be an object, and is a number",
        ],
        false,
        0,
    ),
    (
        "a sandbox",
        "{\"sandbox\": {\"enabled\": 1, \"failIfUnavailable\": \"yes\", \"filesystem\": {\"denyRead\": \"~/.ssh\"},\n\
         \"netwrok\": {}}}",
        &[
            "1:25: error: `sandbox.enabled`: it must be a boolean, and is a number",
            "`sandbox.failIfUnavailable`: it must be a boolean, and is a string: it is taken for true",
            "`sandbox.filesystem.denyRead`: it must be an array of strings, and is a string; what it denies",
            "2:12: warning: `sandbox.netwrok`: `netwrok` is not known: did you mean `network`?",
        ],
        true,
        0,
    ),
    (
        "directories",
        "{\"permissions\": {\"additionalDirectories\": [\"../docs\", \"\", 3]}}",
        &[
            "`permissions.additionalDirectories[1]`: it names no directory",
            "`permissions.additionalDirectories[2]`: it must be a string, and is a number",
        ],
        false,
        0,
    ),
    (
        "hooks that are no object",
        "{\"hooks\": []}",
        &["`hooks`: it must be an object, and is an array"],
        false,
        0,
    ),
];

#[test]
fn each_broken_entry_is_told_with_its_place_and_the_rest_counts() {
    for (name, text, wanted, closes, rules_left) in CASES {
        let settings = World::new(&[(USER, text)]).load();
        let said = lines(&settings.diagnostics);
        println!("{name}:");
        said.iter().for_each(|line| println!("  {line}"));
        assert_eq!(said.len(), wanted.len(), "{name}: {said:#?}");
        for (line, wanted) in said.iter().zip(*wanted) {
            assert!(line.starts_with(USER) && line.contains(wanted), "{name}: {line}\nwanted {wanted}");
        }
        assert_eq!(settings.is_closed(), *closes, "{name}");
        assert_eq!(rules(&settings).len(), *rules_left, "{name}: {:?}", rules(&settings));
        for diagnostic in &settings.diagnostics {
            let place = diagnostic.place.as_ref().expect("it is in a text");
            assert!(settings.text_of(diagnostic).is_some_and(|text| text.get(place.range.clone()).is_some()));
        }
    }
}

#[test]
fn of_entries_with_one_name_each_denies_and_the_last_opens() {
    let text =
        r#"{"permissions": {"deny": ["A"], "allow": ["B"]}, "permissions": {"deny": ["C"], "allow": ["D"]}}"#;
    let settings = World::new(&[(USER, text)]).load();
    assert_eq!(rules(&settings), ["Deny A", "Deny C", "Allow D"]);
}

#[test]
fn nesting_is_bounded_and_never_a_crash() {
    for (depth, is_readable) in [(100, true), (100_000, false)] {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let value = if open == "[" { "" } else { "1" };
            let deep = format!("{{\"x\": {}{value}{}}}", open.repeat(depth), close.repeat(depth));
            let settings = World::new(&[(USER, &deep)]).load();
            assert_eq!(
                settings.is_closed(),
                !is_readable,
                "{depth} {open}: {:?}",
                lines(&settings.diagnostics)
            );
            if !is_readable {
                assert!(settings.diagnostics[0].message.contains("nested too deep"));
            }
        }
    }
}

#[test]
fn a_file_that_is_too_large_is_not_read_and_closes() {
    let size = usize::try_from(FILE_BYTES_MAX).expect("it fits");
    for (bytes, is_read) in [(size, true), (size + 1, false)] {
        let text = format!("{{}}{}", " ".repeat(bytes - 2));
        let settings = World::new(&[(USER, &text)]).load();
        assert_eq!(settings.is_closed(), !is_read, "{bytes}");
    }
    let settings = World::new(&[(USER, &" ".repeat(size + 1))]).load();
    assert!(lines(&settings.diagnostics)[0].contains("it has more than 1048576 bytes"));
}

#[test]
fn more_is_wrong_than_is_worth_saying() {
    let entries = "1,".repeat(10_000);
    let settings =
        World::new(&[(USER, &format!("{{\"permissions\": {{\"allow\": [{entries}\"Read\"]}}}}"))]).load();
    assert_eq!(settings.diagnostics.len(), 201);
    assert!(settings.diagnostics[200].message.contains("more to say"));
    assert_eq!(rules(&settings), ["Allow Read"]);
}

#[test]
fn what_is_no_file_and_what_is_no_text_closes_and_what_is_not_there_does_not() {
    let world = World::default();
    assert!(!world.load().is_closed(), "no file at all");
    world.files.put(format!("{USER}/x"), "");
    assert!(
        lines(&world.load().diagnostics)[0]
            .contains("cannot be read: it is a folder; what it denies is lost")
    );
    world.files.remove(USER);
    world.files.put(USER, [0xff, 0xfe, 0x7b, 0x00]);
    assert!(lines(&world.load().diagnostics)[0].contains("not UTF-8: byte 0"));
    assert!(world.load().is_closed());
    world.files.link(USER, USER);
    assert!(world.load().is_closed(), "a link to itself");
}

#[test]
fn what_the_command_line_names_must_be_there() {
    let settings = World::default().extra(ExtraSettings::File("/w/none.json".into())).load();
    assert!(settings.is_closed());
    assert!(lines(&settings.diagnostics)[0].starts_with("/w/none.json: error: the file cannot be read"));
    let settings = World::default().extra(ExtraSettings::Json("{\"permissions\"".into())).load();
    assert!(lines(&settings.diagnostics)[0].starts_with("--settings:1:"), "{:?}", settings.diagnostics);
    assert!(settings.is_closed());
}

#[test]
fn a_broken_file_closes_whoever_wrote_it() {
    for file in [MANAGED, LOCAL, PROJECT, USER] {
        let settings = World::new(&[(file, "{")]).load();
        assert_eq!(settings.closed_by, [file]);
        assert!(settings.diagnostics.iter().all(|diagnostic| diagnostic.severity == Severity::Error));
    }
}
