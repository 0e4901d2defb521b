//! Read shows text, remembers it, and neither hangs nor guesses on anything else.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;

use serde_json::json;
use toolwright_tools::files::{Read, ReadOutput};

use crate::session::{Session, is_root, make_pipe};

#[tokio::test]
async fn lines_are_numbered_and_the_file_is_remembered() {
    let session = Session::new();
    let path = session.put("a.txt", "one\ntwo\n");
    let text = session.text::<Read>(json!({"file_path": "a.txt"})).await;
    assert_eq!(text.as_deref(), Ok("     1\tone\n     2\ttwo"));
    let seen = session.cx_files(&path).expect("it was read");
    assert_eq!(&*seen.content, "one\ntwo\n");
    assert!(seen.whole && seen.modified.is_some());
}

#[tokio::test]
async fn the_data_is_as_published() {
    let session = Session::new();
    let path = session.put("a.txt", "one\ntwo\nthree\n");
    let reply = session.reply::<Read>(json!({"file_path": path, "offset": 2, "limit": 1})).await;
    let data: ReadOutput = reply.expect("it can be read").data;
    let expected = json!({"type": "text", "file":
        {"filePath": path, "content": "two", "numLines": 1, "startLine": 2, "totalLines": 3}});
    assert_eq!(serde_json::to_value(data).expect("data serialises"), expected);
}

#[tokio::test]
async fn a_part_says_where_to_go_on() {
    let session = Session::new();
    session.put("a.txt", (1..=2_500).map(|n| format!("{n}\n")).collect::<String>());
    let text = session.text::<Read>(json!({"file_path": "a.txt"})).await.expect("it can be read");
    assert!(
        text.ends_with("(lines 1 to 2000 of 2500; go on with offset 2001)"),
        "{}",
        &text[text.len() - 80..]
    );
    let text =
        session.text::<Read>(json!({"file_path": "a.txt", "offset": 2001})).await.expect("it can be read");
    assert!(text.starts_with("  2001\t2001\n") && text.ends_with("  2500\t2500"));
    let error =
        session.text::<Read>(json!({"file_path": "a.txt", "offset": 2501})).await.expect_err("no such line");
    assert!(error.contains("2500 lines"), "{error}");
    assert!(!session.cx_files(&session.path("a.txt")).expect("it was read").whole);
}

#[tokio::test]
async fn line_ends_and_encodings_are_read() {
    let session = Session::new();
    session.put("crlf", "a\r\nb\r\n");
    session.put("bom", "\u{FEFF}a\n");
    session.put("utf16le", [0xFF, 0xFE, b'a', 0, b'\n', 0, 0xFC, 0]);
    session.put("utf16be", [0xFE, 0xFF, 0, b'a', 0, b'\n', 0, 0xFC]);
    for (name, shown) in [
        ("crlf", "     1\ta\n     2\tb"),
        ("bom", "     1\ta"),
        ("utf16le", "     1\ta\n     2\tü"),
        ("utf16be", "     1\ta\n     2\tü"),
    ] {
        assert_eq!(session.text::<Read>(json!({"file_path": name})).await.as_deref(), Ok(shown), "{name}");
    }
}

#[tokio::test]
async fn an_empty_file_is_said_to_be_empty() {
    let session = Session::new();
    session.put("empty", "");
    let text = session.text::<Read>(json!({"file_path": "empty"})).await.expect("it can be read");
    assert!(text.contains("exists and is empty"), "{text}");
}

#[tokio::test]
async fn what_is_no_text_file_is_refused_without_hanging() {
    let session = Session::new();
    session.put("folder/x", "");
    session.put("binary", [0x7F, b'E', b'L', b'F', 0, 0, 1]);
    session.put("latin1", b"caf\xE9\n");
    session.put("image.png", [0x89, b'P']);
    session.put("book.pdf", "%PDF");
    session.put("notes.ipynb", "{}");
    make_pipe(&session.path("pipe"));
    let _listener = UnixListener::bind(session.path("socket")).expect("sockets can be made");
    symlink("loop", session.path("loop")).expect("links can be made");
    symlink("nowhere", session.path("dangling")).expect("links can be made");
    for (name, reason) in [
        ("folder", "is a folder"),
        ("binary", "binary"),
        ("latin1", "not UTF-8"),
        ("image.png", "images cannot be read yet"),
        ("book.pdf", "PDF files cannot be read yet"),
        ("notes.ipynb", "is not a notebook"),
        ("pipe", "named pipe"),
        ("/dev/zero", "device"),
        ("socket", "socket"),
        ("loop", "cannot be read"),
        ("dangling", "does not exist"),
        ("missing/x", "does not exist"),
        ("latin1/x", "does not exist"),
    ] {
        let error = session.text::<Read>(json!({"file_path": name})).await.expect_err(name);
        assert!(error.contains(reason), "{name}: {error}");
    }
}

#[tokio::test]
async fn a_missing_file_names_the_nearest() {
    let session = Session::new();
    session.put("src/main.rs", "");
    let error = session.text::<Read>(json!({"file_path": "src/mian.rs"})).await.expect_err("it is missing");
    assert!(error.contains("did you mean `main.rs`"), "{error}");
}

#[tokio::test]
async fn large_files_and_long_lines_are_limited() {
    let session = Session::new();
    session.put("line", vec![b'x'; 10 * 1024 * 1024]);
    let error = session.text::<Read>(json!({"file_path": "line"})).await.expect_err("it is too large");
    assert!(error.contains("`offset` and `limit`"), "{error}");
    let text =
        session.text::<Read>(json!({"file_path": "line", "limit": 1})).await.expect("a part can be read");
    assert!(text.len() < 3_000 && text.contains("more characters in this line"), "{} bytes", text.len());
    session.put("lines", "0123456789\n".repeat(100_000));
    let text =
        session.text::<Read>(json!({"file_path": "lines", "limit": 90_000})).await.expect("a part fits");
    assert!(text.contains("go on with offset"), "the bytes are limited too");
    let huge = std::fs::File::create(session.path("huge")).expect("files can be made");
    huge.set_len(17 * 1024 * 1024).expect("files can be sparse");
    let error =
        session.text::<Read>(json!({"file_path": "huge", "limit": 1})).await.expect_err("it is too large");
    assert!(error.contains("take parts of it"), "{error}");
}

#[tokio::test]
async fn links_are_followed_and_remembered_by_their_target() {
    let session = Session::new();
    let target = session.put("target", "x\n");
    symlink("target", session.path("link")).expect("links can be made");
    session.text::<Read>(json!({"file_path": "link"})).await.expect("it can be read");
    assert!(session.cx_files(&target).is_some());
}

#[tokio::test]
async fn an_unreadable_file_is_an_error() {
    let session = Session::new();
    let path = session.put("secret", "x");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o000)).expect("modes can be set");
    if is_root() {
        return;
    }
    let error = session.text::<Read>(json!({"file_path": "secret"})).await.expect_err("it is unreadable");
    assert!(error.contains("cannot be read"), "{error}");
}

#[tokio::test]
async fn inputs_that_show_nothing_are_refused() {
    let session = Session::new();
    let path = session.put("a", "x");
    assert!(session.validate::<Read>(json!({"file_path": path, "limit": 0})).await.is_err());
    assert!(session.validate::<Read>(json!({"file_path": path, "pages": "1-5"})).await.is_err());
    assert!(session.validate::<Read>(json!({"file_path": path, "pages": "", "offset": 0})).await.is_ok());
}
