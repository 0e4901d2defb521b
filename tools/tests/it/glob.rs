//! Glob finds what the pattern names, newest first, and stays within its limits.

use std::os::unix::fs::symlink;
use std::time::{Duration, SystemTime};

use serde_json::json;
use toolwright::contract::{Cx, ToolForm};
use toolwright::env::Cause;
use toolwright_tools::files::glob::Glob;

use crate::session::Session;

fn put_at(session: &Session, name: &str, age_s: u64) {
    let path = session.put(name, "");
    let file = std::fs::File::options().write(true).open(path).expect("it can be opened");
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000 - age_s);
    file.set_modified(time).expect("times can be set");
}

async fn found(session: &Session, pattern: &str) -> Vec<String> {
    session.reply::<Glob>(json!({"pattern": pattern})).await.expect("it can be searched").data.filenames
}

#[tokio::test]
async fn the_newest_come_first_and_ties_go_by_path() {
    let session = Session::new();
    for (name, age_s) in [("old.rs", 30), ("b.rs", 10), ("a.rs", 10), ("src/new.rs", 1)] {
        put_at(&session, name, age_s);
    }
    assert_eq!(found(&session, "**/*.rs").await, ["src/new.rs", "a.rs", "b.rs", "old.rs"]);
    assert_eq!(found(&session, "*.rs").await, ["a.rs", "b.rs", "old.rs"], "`*` stays in one folder");
    assert_eq!(found(&session, "src/*.rs").await, ["src/new.rs"]);
    assert_eq!(found(&session, "./src/new.rs").await, ["src/new.rs"]);
    assert_eq!(found(&session, "{a,b}.rs").await, ["a.rs", "b.rs"]);
    let absolute = session.path("src/*.rs");
    assert_eq!(found(&session, &absolute.to_string_lossy()).await, ["src/new.rs"]);
    let reply =
        session.reply::<Glob>(json!({"pattern": "*.rs", "path": "src"})).await.expect("it can be searched");
    assert_eq!(reply.data.filenames, ["src/new.rs"]);
}

#[tokio::test]
async fn dot_files_are_found_only_when_named_and_git_never() {
    let session = Session::new();
    for name in [".github/ci.yml", ".env", ".git/config", "a.yml"] {
        put_at(&session, name, 0);
    }
    assert_eq!(found(&session, "**/*").await, ["a.yml"]);
    assert_eq!(found(&session, "**/.*/*").await, [".github/ci.yml"]);
    assert_eq!(found(&session, ".github/*.yml").await, [".github/ci.yml"]);
    assert_eq!(found(&session, ".e*").await, [".env"]);
}

#[tokio::test]
async fn links_make_no_circles() {
    let session = Session::new();
    put_at(&session, "a/file", 0);
    symlink("..", session.path("a/up")).expect("links can be made");
    symlink("loop", session.path("a/loop")).expect("links can be made");
    symlink("file", session.path("a/also")).expect("links can be made");
    let mut names = found(&session, "**/*").await;
    names.sort_unstable();
    assert_eq!(names, ["a/also", "a/file", "a/loop"]);
}

#[tokio::test]
async fn more_than_fit_are_counted() {
    let session = Session::new();
    for number in 0..103 {
        put_at(&session, &format!("f{number:03}"), number);
    }
    let reply = session.reply::<Glob>(json!({"pattern": "f*"})).await.expect("it can be searched");
    let json = serde_json::to_value(&reply.data).expect("data serialises");
    assert_eq!(
        (&json["numFiles"], &json["totalMatches"], &json["truncated"]),
        (&json!(100), &json!(103), &json!(true))
    );
    assert_eq!(reply.data.filenames[0], "f000");
    let text = crate::session::content::<Glob>(&reply.data);
    assert!(text.ends_with("(the newest 100 of 103 files; narrow the pattern to see others)"), "{text}");
}

#[tokio::test]
async fn bad_patterns_and_missing_folders_are_errors() {
    let session = Session::new();
    session.put("file", "");
    for pattern in ["", "a[", "{a", "*/../x", "src/"] {
        assert!(session.validate::<Glob>(json!({"pattern": pattern})).await.is_err(), "{pattern}");
    }
    session.put("source/file", "");
    for (path, reason) in
        [("sourec", "did you mean `source`"), ("file", "it is no folder; give the one that it is in")]
    {
        let error =
            session.text::<Glob>(json!({"pattern": "*", "path": path})).await.expect_err("no such folder");
        assert!(error.contains(reason), "{error}");
    }
    let text = session.text::<Glob>(json!({"pattern": "sourec/*"})).await.expect("it matches nothing");
    assert!(text.starts_with("no files found\n(") && text.contains("did you mean `source`"), "{text}");
    let text = session.text::<Glob>(json!({"pattern": "file/*"})).await.expect("it matches nothing");
    assert!(text.starts_with("no files found"), "{text}");
    let text = session.text::<Glob>(json!({"pattern": "*.none"})).await;
    assert_eq!(text.as_deref(), Ok("no files found"));
}

#[tokio::test]
async fn the_examples_find_something() {
    let session = Session::new();
    for name in ["src/a.rs", "web/x/a.spec.ts", ".github/workflows/ci.yml"] {
        session.put(name, "");
    }
    let examples = &Glob::form().examples;
    assert!(examples.len() >= 3);
    for example in examples.iter() {
        let input = serde_json::from_str(example).expect("examples are JSON");
        let data = session.reply::<Glob>(input).await.expect("it can be searched").data;
        assert_eq!(data.num_files, 1, "{example}");
    }
}

#[tokio::test]
async fn a_cancelled_search_ends() {
    let session = Session::new();
    session.put("a/b", "");
    Cx::<Glob>::for_test(session.cx(), &()).cancellation().cancel(Cause::Aborted);
    let data = session.reply::<Glob>(json!({"pattern": "**/*"})).await.expect("it can be searched").data;
    assert!(data.truncated && !data.count_is_complete);
}
