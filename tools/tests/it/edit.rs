//! Edit changes exactly what it is told, in files the agent knows, and keeps everything else as it was.

use std::os::unix::fs::{PermissionsExt, symlink};

use serde_json::{Value, json};
use toolwright_tools::files::edit::Edit;
use toolwright_tools::files::read::Read;

use crate::session::Session;

async fn known(session: &Session, name: &str, content: impl AsRef<[u8]>) {
    session.put(name, content);
    session.text::<Read>(json!({"file_path": name})).await.expect("it can be read");
}

fn edit(name: &str, old: &str, new: &str) -> Value {
    json!({"file_path": name, "old_string": old, "new_string": new})
}

#[tokio::test]
async fn an_exact_text_is_replaced_and_its_surroundings_are_shown() {
    let session = Session::new();
    known(&session, "a", "one\ntwo\nthree\n").await;
    let reply = session.reply::<Edit>(edit("a", "two", "2")).await.expect("it is there once");
    assert_eq!(session.bytes("a"), b"one\n2\nthree\n");
    assert!(crate::session::content::<Edit>(&reply.data).ends_with("     1\tone\n     2\t2\n     3\tthree"));
    let json = serde_json::to_value(&reply.data).expect("data serialises");
    assert_eq!(json["structuredPatch"][0]["lines"], json!([" one", "-two", "+2", " three"]));
    assert_eq!(json["originalFile"], "one\ntwo\nthree\n");
    assert_eq!(json["replaceAll"], false);
    assert_eq!(json.get("snippet"), None);
    session.text::<Edit>(edit("a", "2\n", "")).await.expect("what was edited is known");
    assert_eq!(session.bytes("a"), b"one\nthree\n");
}

#[tokio::test]
async fn many_matches_need_replace_all() {
    let session = Session::new();
    known(&session, "a", "x\ny\nx\n").await;
    let error = session.text::<Edit>(edit("a", "x", "z")).await.expect_err("it is there twice");
    assert!(
        error.contains("2 times") && error.contains("1, 3") && error.contains("`replace_all`"),
        "{error}"
    );
    let mut input = edit("a", "x", "z");
    input["replace_all"] = json!(true);
    let text = session.text::<Edit>(input).await.expect("all are meant");
    assert!(text.contains("in 2 places"), "{text}");
    assert_eq!(session.bytes("a"), b"z\ny\nz\n");
}

#[tokio::test]
async fn edits_that_cannot_be_meant_are_refused_before_permission() {
    let session = Session::new();
    known(&session, "a", "text\n").await;
    session.put("unread", "text\n");
    session.put("folder/x", "");
    for (input, reason) in [
        (edit("a", "text", "text"), "are the same"),
        (edit("a", "nothing", "x"), "is not in the file"),
        (edit("a", "  text", "x"), "only in white space"),
        (edit("a", "", "x"), "is not empty"),
        (edit("unread", "text", "x"), "has not been read yet"),
        (edit("missing", "text", "x"), "does not exist"),
        (edit("folder", "text", "x"), "is a folder"),
        (edit("a/b", "text", "x"), "is a file, not a folder"),
    ] {
        let refused = session.validate::<Edit>(input.clone()).await.expect_err("it cannot be meant");
        assert!(refused.message.contains(reason), "{input}: {}", refused.message);
    }
}

#[tokio::test]
async fn a_file_that_changed_since_is_not_edited() {
    let session = Session::new();
    known(&session, "a", "old text\n").await;
    session.put("a", "new text\n");
    let error = session.text::<Edit>(edit("a", "text", "x")).await.expect_err("it changed");
    assert!(error.contains("modified since"), "{error}");
    assert!(session.call_only::<Edit>(edit("a", "text", "x")).await.is_err(), "the body checks too");
    assert_eq!(session.bytes("a"), b"new text\n");
}

#[tokio::test]
async fn an_empty_text_creates_a_file_or_fills_an_empty_one() {
    let session = Session::new();
    let text = session.text::<Edit>(edit("new/file", "", "x\n")).await.expect("it is new");
    assert!(text.starts_with("created"), "{text}");
    session.put("empty", "");
    session.text::<Edit>(edit("empty", "", "y\n")).await.expect("it is empty");
    assert_eq!((session.bytes("new/file"), session.bytes("empty")), (b"x\n".to_vec(), b"y\n".to_vec()));
}

#[tokio::test]
async fn line_ends_marks_modes_and_links_stay() {
    let session = Session::new();
    known(&session, "crlf", "\u{FEFF}a\r\nb\r\nc\n").await;
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(session.path("crlf"), mode).expect("modes can be set");
    symlink("crlf", session.path("link")).expect("links can be made");
    session.text::<Edit>(edit("link", "a\nb\n", "x\ny\nz\n")).await.expect("line ends do not matter");
    assert_eq!(session.bytes("crlf"), "\u{FEFF}x\r\ny\r\nz\r\nc\n".as_bytes());
    assert!(session.path("link").is_symlink());
    let mode = std::fs::metadata(session.path("crlf")).expect("it exists").permissions().mode();
    assert_eq!(mode & 0o777, 0o755);
}
