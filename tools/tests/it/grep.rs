//! Grep finds what is in files, shows it as it was asked to, and stays within its limits.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use toolwright::contract::{Context, Cx, Tool, ToolForm};
use toolwright::env::{Cause, Env};
use toolwright::message::{ToolUse, Turn};
use toolwright::permission::{Behavior, Source};
use toolwright::registry::Catalogue;
use toolwright_tools::files::glob::Glob;
use toolwright_tools::files::grep::{Grep, GrepOutput};

use crate::session::{Session, is_root, make_pipe};

async fn text(session: &Session, input: Value) -> String {
    session.text::<Grep>(input).await.expect("it can be searched")
}

async fn data(session: &Session, input: Value) -> GrepOutput {
    session.reply::<Grep>(input).await.expect("it can be searched").data
}

fn content(pattern: &str) -> Value {
    json!({"pattern": pattern, "output_mode": "content"})
}

/// The input with more fields.
fn with(mut input: Value, more: Value) -> Value {
    let more = more.as_object().cloned().unwrap_or_default();
    input.as_object_mut().expect("inputs are objects").extend(more);
    input
}

#[tokio::test]
async fn files_come_newest_first_and_ties_go_by_path() {
    let session = Session::new();
    for (name, age_s) in [("old", 30), ("b", 10), ("a", 10), ("d/new", 1), ("none", 0)] {
        let path = session.put(name, if name == "none" { "y" } else { "x" });
        let file = std::fs::File::options().write(true).open(path).expect("it can be opened");
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000 - age_s);
        file.set_modified(time).expect("times can be set");
    }
    assert_eq!(text(&session, json!({"pattern": "x"})).await, "d/new\na\nb\nold");
    let page = json!({"pattern": "x", "head_limit": 2, "offset": 1});
    assert_eq!(
        text(&session, page).await,
        "a\nb\n(files 2 to 3 of 4; there are more: go on with `offset` 3, or narrow the search)"
    );
}

#[tokio::test]
async fn lines_come_by_path_with_their_numbers() {
    let session = Session::new();
    session.put("b.rs", "one\ntwo x\n");
    session.put("a-b/c", "x\r\n");
    session.put("a/c", "1\n2\n3\nx x\n5\n6\nx\n");
    assert_eq!(text(&session, content("x")).await, "a/c:4:x x\na/c:7:x\na-b/c:1:x\nb.rs:2:two x");
    let input = with(content("x"), json!({"-n": false, "glob": "*.rs"}));
    assert_eq!(text(&session, input).await, "b.rs:two x");
    let input = with(content("x"), json!({"-o": true, "path": "a"}));
    assert_eq!(text(&session, input).await, "a/c:4:x\na/c:4:x\na/c:7:x");
    let input = with(content("x"), json!({"-C": 1, "-A": 0, "glob": "a/c b.rs"}));
    assert_eq!(
        text(&session, input).await,
        "a/c-3-3\na/c:4:x x\n--\na/c-6-6\na/c:7:x\n--\nb.rs-1-one\nb.rs:2:two x"
    );
    let input = with(content("x"), json!({"path": "a/c", "context": 1}));
    assert_eq!(text(&session, input).await, "3-3\n4:x x\n5-5\n6-6\n7:x", "one file has no name");
    let input = with(content("x"), json!({"head_limit": 1, "offset": 1}));
    assert_eq!(
        text(&session, input).await,
        "a/c:7:x\n(lines 2 to 2; there are more: go on with `offset` 2, or narrow the search)"
    );
    let input = with(content("x"), json!({"offset": 9}));
    assert_eq!(text(&session, input).await, "(nothing is left after `offset` 9: there are 4 lines)");
}

#[tokio::test]
async fn counts_come_by_path_with_their_sum() {
    let session = Session::new();
    session.put("a", "x x\nx\n");
    session.put("b", "X\n");
    let input = json!({"pattern": "x", "output_mode": "count"});
    assert_eq!(text(&session, input.clone()).await, "a:2\n(2 matches in all)");
    assert_eq!(text(&session, with(input, json!({"-i": true}))).await, "a:2\nb:1\n(3 matches in all)");
}

#[tokio::test]
async fn a_match_goes_over_lines_only_when_it_may() {
    let session = Session::new();
    session.put("a", "fn a(\n  x,\n) {}\nb\n");
    let input = with(content("a\\(.*\\) \\{"), json!({"multiline": true}));
    assert_eq!(text(&session, input).await, "a:1:fn a(\na:2:  x,\na:3:) {}");
    assert_eq!(text(&session, content("a\\(.*\\) \\{")).await, "no matches found");
    let input = with(content("x,.*b"), json!({"multiline": true, "-o": true}));
    assert_eq!(text(&session, input).await, "a:2:x,\na:3:) {}\na:4:b");
}

#[tokio::test]
async fn ignore_files_and_version_control_are_heeded() {
    let session = Session::new();
    for name in
        [".git/x", ".hg/x", "sub/.svn/x", ".jj/x", ".env", "a.log", "build/x", "keep.log", "sub/b.tmp"]
    {
        session.put(name, "word");
    }
    session.put(".gitignore", "*.log\n!keep.log\n/build\n");
    session.put("sub/.ignore", "*.tmp\n");
    let names = |output: GrepOutput| {
        let mut names = output.filenames;
        names.sort_unstable();
        names
    };
    assert_eq!(names(data(&session, json!({"pattern": "word"})).await), [".env", "keep.log"]);
    let input = json!({"pattern": "word", "glob": "*.log"});
    assert_eq!(names(data(&session, input).await), ["a.log", "keep.log"], "`glob` wins");
    let input = json!({"pattern": "word", "path": "build"});
    assert_eq!(names(data(&session, input).await), ["build/x"], "what is named is searched");
    let input = json!({"pattern": "word", "path": ".git/x"});
    assert_eq!(names(data(&session, input).await), [".git/x"]);
}

#[tokio::test]
async fn encodings_are_read_and_binary_files_are_left() {
    let session = Session::new();
    session.put("bom", "\u{FEFF}word\n");
    session.put("latin1", b"caf\xE9 word\n");
    session.put("le", [0xFF, 0xFE, b'w', 0, b'o', 0, b'r', 0, b'd', 0]);
    session.put("be", [0xFE, 0xFF, 0, b'w', 0, b'o', 0, b'r', 0, b'd']);
    session.put("binary", b"word\n\0word\n");
    let shown = text(&session, content("word$")).await;
    assert_eq!(shown, "be:1:word\nbom:1:word\nlatin1:1:caf\u{FFFD} word\nle:1:word");
    let input = with(content("word"), json!({"path": "binary"}));
    let shown = text(&session, input).await;
    assert!(shown.contains("binary file with a zero byte at 5") && !shown.contains("1:"), "{shown}");
    assert_eq!(text(&session, json!({"pattern": "word", "path": "binary"})).await, "binary");
}

#[tokio::test]
async fn huge_lines_are_cut_and_huge_results_end() {
    let session = Session::new();
    session.put("line", format!("{}NEEDLE{}\n", "x".repeat(3_000_000), "y".repeat(3_000_000)));
    let shown = text(&session, content("NEEDLE")).await;
    assert!(shown.len() < 700 && shown.contains("xNEEDLEy") && shown.contains("bytes before]"), "{shown}");
    session.put("lines", "word and some more\n".repeat(300_000));
    let all = data(&session, with(content("word"), json!({"head_limit": 0}))).await;
    assert_eq!(all.num_lines, all.applied_limit);
    assert!(all.num_lines > Some(10_000) && all.notes[0].contains("there are more"), "{:?}", all.notes);
    let first = data(&session, content("word")).await;
    assert_eq!((first.num_lines, first.applied_limit, first.num_files), (Some(250), Some(250), 1));
}

#[tokio::test]
async fn what_is_shown_does_not_depend_on_which_thread_is_faster() {
    let session = Session::new();
    for number in 0..300 {
        session.put(&format!("d{}/f{number}", number % 7), "word\nno\nword\n".repeat(number % 5));
    }
    let input = with(content("word"), json!({"head_limit": 40, "offset": 17, "-A": 1}));
    let first = data(&session, input.clone()).await;
    for _again in 0..20 {
        assert_eq!(data(&session, input.clone()).await, first);
    }
}

#[tokio::test]
async fn links_below_the_folder_are_not_followed() {
    let (session, outside) = (Session::new(), Session::new());
    let secret = outside.put("secret", "word");
    session.put("a", "word");
    symlink(&secret, session.path("file")).expect("links can be made");
    symlink(outside.path(""), session.path("folder")).expect("links can be made");
    symlink(".", session.path("circle")).expect("links can be made");
    symlink("loop", session.path("loop")).expect("links can be made");
    assert_eq!(text(&session, json!({"pattern": "word"})).await, "a");
    let named = text(&session, json!({"pattern": "word", "path": "file"})).await;
    assert_eq!(named, "file", "one that is named is");
}

#[tokio::test]
async fn what_cannot_be_searched_is_told() {
    let session = Session::new();
    session.put("source/x", "word");
    make_pipe(&session.path("pipe"));
    make_pipe(&session.path("source/pipe"));
    let _listener = UnixListener::bind(session.path("socket")).expect("sockets can be made");
    symlink("loop", session.path("loop")).expect("links can be made");
    for (path, reason) in [
        ("sourec", "did you mean `source` in the same folder?"),
        ("source/x/y", "does not exist"),
        ("pipe", "is a named pipe"),
        ("socket", "is a socket"),
        ("/dev/zero", "is a device"),
        ("loop", "cannot be"),
    ] {
        let error = session.text::<Grep>(json!({"pattern": "x", "path": path})).await.expect_err(path);
        assert!(error.contains(reason), "{path}: {error}");
    }
    assert_eq!(text(&session, json!({"pattern": "word"})).await, "source/x", "a pipe does not hang it");
    assert_eq!(text(&session, json!({"pattern": "other"})).await, "no matches found");
    if !is_root() {
        let closed = session.put("closed", "word");
        std::fs::set_permissions(closed, PermissionsExt::from_mode(0o000)).expect("modes can be set");
        let shown = text(&session, json!({"pattern": "word"})).await;
        assert!(shown.ends_with("(1 files or folders could not be read)"), "{shown}");
    }
}

#[tokio::test]
async fn files_of_the_system_without_a_size_are_read() {
    let session = Session::new();
    let input = with(content("^Name:"), json!({"path": "/proc/self/status"}));
    if std::path::Path::new("/proc/self/status").exists() {
        assert!(text(&session, input).await.contains(":Name:"));
    }
}

#[tokio::test]
async fn bad_inputs_say_what_to_write() {
    let session = Session::new();
    for (input, remedy) in [
        (json!({"pattern": ""}), "is empty"),
        (json!({"pattern": "fn x() {"}), "at character 8 (`{`)"),
        (json!({"pattern": "a\\nb"}), "set `multiline` to true"),
        (json!({"pattern": "x", "glob": "{a"}), "`{a` is not a glob"),
        (json!({"pattern": "x", "type": "rs"}), "did you mean `rust`?"),
    ] {
        let invalid = session.validate::<Grep>(input.clone()).await.expect_err("it is wrong");
        assert!(invalid.message.contains(remedy), "{input}: {}", invalid.message);
    }
}

#[tokio::test]
async fn a_cancelled_search_ends() {
    let session = Session::new();
    let file = std::fs::File::create(session.path("huge")).expect("files can be made");
    file.set_len(1 << 40).expect("files can be sparse");
    Cx::<Grep>::for_test(session.cx(), &()).cancellation().cancel(Cause::Aborted);
    let shown = text(&session, json!({"pattern": "x", "path": "huge"})).await;
    assert!(shown.contains("before everything was searched"), "{shown}");
}

#[tokio::test]
async fn the_data_is_as_published_and_people_see_the_matches() {
    let session = Session::new();
    session.put("a", "let x = fix;\n");
    let data = data(&session, content("x")).await;
    assert_eq!(
        serde_json::to_value(&data).expect("data serialises"),
        json!({"mode": "content", "numFiles": 1, "filenames": [], "content": "a:1:let x = fix;", "numLines": 1})
    );
    assert_eq!(Grep::render_result(&data), ["found 1 line in 1 file", "a:1:let »x« = fi»x«;"]);
    let input = json!({"pattern": "x", "output_mode": "count"});
    let counted = self::data(&session, input).await;
    assert_eq!(Grep::render_result(&counted), ["1 match in 1 file"]);
    assert_eq!(
        serde_json::to_value(&counted).expect("data serialises"),
        json!({"mode": "count", "numFiles": 1, "filenames": [], "content": "a:1", "numMatches": 1})
    );
}

#[tokio::test]
async fn the_examples_find_something() {
    let session = Session::new();
    session.put("src/main.rs", "fn main() {\n    // TODO\n}\nstruct A {\n    id: u64,\n}\n");
    session.put("src/app.tsx", "Log.Error(x)\n");
    let examples = &Grep::form().examples;
    assert!(examples.len() >= 3);
    for example in examples.iter() {
        let input: Value = serde_json::from_str(example).expect("examples are JSON");
        let found = data(&session, input).await;
        assert_eq!(found.num_files, 1, "{example}");
    }
}

#[tokio::test]
async fn what_may_not_be_read_is_not_searched_for_either() {
    let files = Session::new();
    files.put("secret/key", "word");
    files.put("src/a", "word");
    let call = async |rule: &str, input: Value| {
        let env = Env::tokio().expect("tests run on tokio");
        let session = toolwright::session::Session::builder(env, toolwright_tools::catalogue())
            .context(Context::new(files.path("")))
            .rule(Behavior::Deny, Source::UserSettings, rule)
            .build();
        let turn = Turn::new(vec![ToolUse::new("call", "Grep", input.to_string())]);
        let result = session.run_turn(turn).await.results.pop().expect("each call has a result");
        (result.is_error, result.content.to_text())
    };
    // Nobody can be asked here, so that what has to be asked is denied.
    for (rule, input, is_denied) in [
        ("Read(./secret/key)", json!({"pattern": "word"}), true),
        ("Read(./secret/key)", json!({"pattern": "word", "glob": "!secret"}), true),
        ("Read(./secret/key)", json!({"pattern": "word", "path": "secret/key"}), true),
        ("Read(key)", json!({"pattern": "word", "path": "src"}), true),
        ("Read(./secret/key)", json!({"pattern": "word", "path": "src"}), false),
        ("Grep", json!({"pattern": "word", "path": "src"}), true),
    ] {
        let (is_error, text) = call(rule, input.clone()).await;
        assert_eq!(is_error, is_denied, "{rule} {input}: {text}");
        assert!(!text.contains("secret/key\n"), "{text}");
    }
}

#[test]
fn models_see_the_same_bytes_of_the_searches_each_time() {
    let mut catalogue = Catalogue::new();
    catalogue.add::<Glob>().add::<Grep>();
    toolwright::testing::check_golden(&catalogue, "tests/it/golden/searches.jsonl");
}
