//! Write creates, and replaces only what the agent knows; it keeps modes, links and encodings.

use std::os::unix::fs::{PermissionsExt, symlink};

use serde_json::json;
use toolwright_tools::files::read::Read;
use toolwright_tools::files::write::{Write, WriteKind};

use crate::session::{Session, make_pipe};

#[tokio::test]
async fn a_new_file_is_created_with_its_folders() {
    let session = Session::new();
    let reply =
        session.reply::<Write>(json!({"file_path": "a/b/c.txt", "content": "x\n"})).await.expect("it is new");
    assert_eq!(reply.data.kind, WriteKind::Create);
    assert_eq!(session.bytes("a/b/c.txt"), b"x\n");
    let again = session.reply::<Write>(json!({"file_path": "a/b/c.txt", "content": "y\n"})).await;
    let data = again.expect("what was written is known").data;
    let json = serde_json::to_value(&data).expect("data serialises");
    assert_eq!(json["type"], "update");
    assert_eq!(json["filePath"], json!(session.path("a/b/c.txt")));
    assert_eq!(json["originalFile"], "x\n");
    assert_eq!(json["structuredPatch"][0]["lines"], json!(["-x", "+y"]));
}

#[tokio::test]
async fn a_file_that_was_not_read_is_not_replaced() {
    let session = Session::new();
    session.put("a", "old");
    let input = json!({"file_path": "a", "content": "new"});
    let refused = session.validate::<Write>(input.clone()).await.expect_err("it was not read");
    assert!(refused.message.contains("has not been read yet"), "{}", refused.message);
    assert!(session.call_only::<Write>(input).await.is_err(), "the body checks too");
    assert_eq!(session.bytes("a"), b"old");
}

#[tokio::test]
async fn a_file_that_changed_since_is_not_replaced() {
    let session = Session::new();
    let path = session.put("a", "old");
    let input = json!({"file_path": "a", "content": "new"});
    session.text::<Read>(json!({"file_path": "a"})).await.expect("it can be read");
    let modified = std::fs::metadata(&path).and_then(|data| data.modified()).expect("times are known");
    session.put("a", "OLD");
    let file = std::fs::File::options().write(true).open(&path).expect("it can be opened");
    file.set_modified(modified).expect("times can be set");
    let refused =
        session.validate::<Write>(input.clone()).await.expect_err("it changed, though its time did not");
    assert!(refused.message.contains("modified since"), "{}", refused.message);
    session.put("a", "old");
    assert!(session.reply::<Write>(input).await.is_ok(), "only its time changed");
}

#[tokio::test]
async fn mode_and_links_stay() {
    let session = Session::new();
    let target = session.put("target.sh", "old");
    std::fs::set_permissions(&target, std::fs::Permissions::from_mode(0o750)).expect("modes can be set");
    symlink("target.sh", session.path("middle")).expect("links can be made");
    symlink("middle", session.path("link")).expect("links can be made");
    session.text::<Read>(json!({"file_path": "target.sh"})).await.expect("it can be read");
    session.text::<Write>(json!({"file_path": "link", "content": "new"})).await.expect("it is known");
    assert!(session.path("link").is_symlink() && session.path("middle").is_symlink());
    assert_eq!(session.bytes("target.sh"), b"new");
    let mode = std::fs::metadata(&target).expect("it exists").permissions().mode();
    assert_eq!(mode & 0o777, 0o750);
    symlink("elsewhere/new.txt", session.path("dangling")).expect("links can be made");
    session.text::<Write>(json!({"file_path": "dangling", "content": "x"})).await.expect("its target is new");
    assert_eq!(session.bytes("elsewhere/new.txt"), b"x");
}

#[tokio::test]
async fn the_encoding_stays() {
    let session = Session::new();
    session.put("utf16", [0xFF, 0xFE, b'a', 0]);
    session.put("bom", "\u{FEFF}a");
    for name in ["utf16", "bom"] {
        session.text::<Read>(json!({"file_path": name})).await.expect("it can be read");
        session.text::<Write>(json!({"file_path": name, "content": "b"})).await.expect("it is known");
    }
    assert_eq!(session.bytes("utf16"), [0xFF, 0xFE, b'b', 0]);
    assert_eq!(session.bytes("bom"), "\u{FEFF}b".as_bytes());
}

#[tokio::test]
async fn what_cannot_be_written_is_refused_and_nothing_is_left_behind() {
    let session = Session::new();
    session.put("folder/x", "");
    session.put("file", "");
    make_pipe(&session.path("pipe"));
    symlink("loop", session.path("loop")).expect("links can be made");
    let read_only = session.put("readonly", "x");
    session.text::<Read>(json!({"file_path": "readonly"})).await.expect("it can be read");
    std::fs::set_permissions(&read_only, std::fs::Permissions::from_mode(0o444)).expect("modes can be set");
    for (name, reason) in [
        ("folder", "is a folder"),
        ("file/below", "is a file, not a folder"),
        ("file/far/below", "is a file, not a folder"),
        ("pipe", "named pipe"),
        ("loop", "links"),
        ("readonly", "read-only"),
        ("/", "is a folder"),
    ] {
        let error = session.text::<Write>(json!({"file_path": name, "content": "y"})).await.expect_err(name);
        assert!(error.contains(reason), "{name}: {error}");
    }
    let left = std::fs::read_dir(session.path("")).expect("the folder exists");
    let left =
        left.filter_map(Result::ok).filter(|entry| entry.file_name().to_string_lossy().starts_with(".tool"));
    assert_eq!(left.count(), 0, "no temporary file stays");
}
