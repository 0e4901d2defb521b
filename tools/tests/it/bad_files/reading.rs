//! What is asked to be read and is not what it seems.

use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::json;
use toolwright::testing::parse_input;
use toolwright_tools::files::read::Read;

use super::machine::{mode, without_rights};
use super::{Says, call, check};
use crate::session::Session;

const GIGABYTE: u64 = 1 << 30;

fn sparse(session: &Session, name: &str, bytes: u64) {
    let file = std::fs::File::create(session.path(name)).expect("files can be made");
    file.set_len(bytes).expect("files can be sparse");
}

#[tokio::test]
async fn files_too_large_to_hold_are_refused_at_once_by_whatever_would_hold_them() {
    let session = Session::new();
    for name in ["huge.txt", "huge.ipynb", "huge.png", "huge.pdf"] {
        sparse(&session, name, 5 * GIGABYTE);
    }
    let too_large = Says::Refused("bytes that fit");
    check(
        &session,
        &[
            ("Read", json!({"file_path": "huge.txt"}), too_large),
            ("Read", json!({"file_path": "huge.txt", "offset": 3, "limit": 1}), too_large),
            ("Read", json!({"file_path": "huge.ipynb"}), too_large),
            ("Read", json!({"file_path": "huge.png"}), too_large),
            ("Read", json!({"file_path": "huge.pdf", "pages": "1"}), too_large),
            ("Write", json!({"file_path": "huge.txt", "content": "x"}), too_large),
            ("Edit", json!({"file_path": "huge.txt", "old_string": "a", "new_string": "b"}), too_large),
            ("Edit", json!({"file_path": "huge.txt", "old_string": "", "new_string": "b"}), too_large),
            ("Grep", json!({"pattern": "x"}), Says::Shown("no matches found")),
            ("Glob", json!({"pattern": "*.txt"}), Says::Shown("huge.txt")),
        ],
    )
    .await;
    let notebook = json!({"notebook_path": "huge.ipynb", "cell_id": "a", "new_source": "x"});
    check(&session, &[("NotebookEdit", notebook, too_large)]).await;
}

#[tokio::test]
async fn files_of_the_system_are_read_where_they_end_and_refused_where_they_do_not() {
    if !Path::new("/proc/self/status").exists() {
        eprintln!("skipped: there is no /proc");
        return;
    }
    let session = Session::new();
    symlink("/proc/self/mem", session.path("memory")).expect("links can be made");
    check(
        &session,
        &[
            ("Read", json!({"file_path": "/proc/self/status"}), Says::Shown("Name:")),
            ("Read", json!({"file_path": "/proc/self/mem"}), Says::Refused("cannot be read")),
            ("Read", json!({"file_path": "memory"}), Says::Refused("cannot be read")),
            ("Read", json!({"file_path": "/dev/zero"}), Says::Refused("is a device")),
            ("Read", json!({"file_path": "/dev/stdin"}), Says::Refused("")),
            ("Grep", json!({"pattern": "Name", "path": "/proc/self/mem"}), Says::Shown("could not be read")),
            ("Grep", json!({"pattern": "x", "path": "/dev/full"}), Says::Refused("is a device")),
            ("Glob", json!({"pattern": "statu*", "path": "/proc/self"}), Says::Shown("/proc/self/status")),
            (
                "Edit",
                json!({"file_path": "/dev/null", "old_string": "", "new_string": "x"}),
                Says::Refused("device"),
            ),
            (
                "Write",
                json!({"file_path": "/proc/self/none", "content": "x"}),
                Says::Refused("none` cannot be written"),
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn bytes_that_are_no_text_are_told_apart_by_what_to_do() {
    let session = Session::new();
    session.put("nul", b"text\0text\n");
    session.put("latin1", b"one\ncaf\xE9\n");
    session.put("half", [0xFF, 0xFE, b'a', 0, b'b']);
    session.put("lone", [0xFE, 0xFF, 0xD8, 0x00]);
    session.put("mark", [0xEF, 0xBB, 0xBF]);
    session.put("cut", [b"ok\n".as_slice(), &[0xF0, 0x9F, 0xA6]].concat());
    session.put("bare", "a\rb\rc");
    for tool in ["Read", "Edit"] {
        let input = |name: &str| match tool {
            "Read" => json!({"file_path": name}),
            _edit => json!({"file_path": name, "old_string": "a", "new_string": "b"}),
        };
        check(
            &session,
            &[
                (tool, input("nul"), Says::Refused("it is a binary file: look at it with `file`")),
                (
                    tool,
                    input("latin1"),
                    Says::Refused("the byte at offset 7 does not fit): convert it with `iconv`"),
                ),
                (tool, input("half"), Says::Refused("begins like UTF-16 but is not")),
                (tool, input("lone"), Says::Refused("begins like UTF-16 but is not")),
                (tool, input("cut"), Says::Refused("the byte at offset 3")),
            ],
        )
        .await;
    }
    check(
        &session,
        &[
            ("Read", json!({"file_path": "mark"}), Says::Shown("exists and is empty")),
            ("Read", json!({"file_path": "bare"}), Says::Shown("a\rb\rc")),
        ],
    )
    .await;
}

#[tokio::test]
async fn paths_as_careless_models_write_them_are_refused_with_the_one_that_was_meant() {
    let session = Session::new();
    session.put("src/main.rs", "fn main() {}\n");
    session.put("new\nline", "x\n");
    let long_name = "x".repeat(300);
    let long_path = "folder/".repeat(1_000);
    check(
        &session,
        &[
            ("Read", json!({"file_path": "src/main.rs "}), Says::Refused("did you mean `main.rs`")),
            ("Read", json!({"file_path": "src/Main.rs"}), Says::Refused("did you mean `main.rs`")),
            ("Read", json!({"file_path": "src/main.rs/"}), Says::Shown("fn main")),
            ("Read", json!({"file_path": "src/../src/./main.rs", "limit": 9}), Says::Shown("fn main")),
            ("Read", json!({"file_path": "new\nline"}), Says::Shown("x")),
            ("Read", json!({"file_path": ""}), Says::Refused("is a folder")),
            ("Read", json!({"file_path": "src"}), Says::Refused("list it with Glob")),
            ("Read", json!({"file_path": "~/no such file of anybody"}), Says::Refused("does not exist")),
            ("Read", json!({"file_path": long_name}), Says::Refused("name")),
            ("Read", json!({"file_path": long_path}), Says::Refused("")),
            ("Write", json!({"file_path": long_name, "content": ""}), Says::Refused("choose a shorter one")),
            ("Write", json!({"file_path": "", "content": ""}), Says::Refused("is a folder")),
            ("Write", json!({"file_path": "src/", "content": ""}), Says::Refused("is a folder")),
            ("Glob", json!({"pattern": "*", "path": "src/main.rs"}), Says::Refused("cannot be searched")),
            (
                "Grep",
                json!({"pattern": "fn", "path": "src/main.rs "}),
                Says::Refused("did you mean `main.rs`"),
            ),
        ],
    )
    .await;
}

#[test]
fn numbers_that_make_no_sense_are_refused_by_the_schema_or_with_the_end() {
    for (input, part) in [
        (r#"{"file_path":"a","offset":-1}"#, "offset"),
        (r#"{"file_path":"a","limit":1.5}"#, "limit"),
        (r#"{"file_path":"a","offset":"first"}"#, "offset"),
        (r#"{"file_path":["a"]}"#, "file_path"),
        (r#"{"path":"a"}"#, "file_path"),
    ] {
        let refused = parse_input::<Read>(input, &()).map(drop).expect_err("it makes no sense").to_string();
        assert!(refused.contains(part), "{input}: {refused}");
    }
}

#[tokio::test]
async fn parts_beyond_the_end_are_refused_and_huge_parts_are_what_there_is() {
    let session = Session::new();
    session.put("a", "one\ntwo");
    session.put("empty", "");
    check(
        &session,
        &[
            (
                "Read",
                json!({"file_path": "a", "offset": 3}),
                Says::Refused("which has 2 lines: give a smaller one"),
            ),
            ("Read", json!({"file_path": "a", "offset": u64::MAX}), Says::Refused("past the end")),
            ("Read", json!({"file_path": "a", "limit": 0}), Says::Refused("would show nothing")),
            ("Read", json!({"file_path": "a", "offset": 0, "limit": u64::MAX}), Says::Shown("     2\ttwo")),
            ("Read", json!({"file_path": "a", "offset": 2, "limit": u64::MAX}), Says::Shown("     2\ttwo")),
            ("Read", json!({"file_path": "empty", "offset": 9}), Says::Shown("exists and is empty")),
        ],
    )
    .await;
}

#[test]
fn what_may_not_be_read_is_said_to_be_so() {
    without_rights(async {
        let session = Session::new();
        mode(&session.path(""), 0o777);
        mode(&session.put("secret", "word\n"), 0o000);
        session.put("closed/word", "word\n");
        session.put("open/word", "word\n");
        mode(&session.path("closed"), 0o000);
        check(
            &session,
            &[
                ("Read", json!({"file_path": "secret"}), Says::Refused("cannot be read: Permission denied")),
                ("Read", json!({"file_path": "closed/word"}), Says::Refused("Permission denied")),
                (
                    "Grep",
                    json!({"pattern": "word"}),
                    Says::Shown("open/word\n(2 files or folders could not be read)"),
                ),
                ("Grep", json!({"pattern": "word", "path": "secret"}), Says::Refused("Permission denied")),
                (
                    "Glob",
                    json!({"pattern": "**/word"}),
                    Says::Shown("open/word\n(1 folders could not be read)"),
                ),
                ("Glob", json!({"pattern": "*", "path": "closed"}), Says::Refused("Permission denied")),
                (
                    "Edit",
                    json!({"file_path": "secret", "old_string": "w", "new_string": "x"}),
                    Says::Refused(""),
                ),
            ],
        )
        .await;
        mode(&session.path("closed"), 0o700);
    });
}

#[tokio::test]
async fn a_name_that_is_no_text_can_be_listed() {
    let session = Session::new();
    let name = std::ffi::OsStr::from_bytes(b"caf\xE9.txt");
    std::fs::write(session.path("").join(name), "word\n").expect("names are bytes");
    let listed = call(&session, "Glob", json!({"pattern": "*.txt"})).await;
    assert_eq!(listed.as_deref(), Ok("caf\u{FFFD}.txt"));
    assert_eq!(call(&session, "Grep", json!({"pattern": "word"})).await.as_deref(), Ok("caf\u{FFFD}.txt"));
}
