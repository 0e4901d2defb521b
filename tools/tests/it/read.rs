//! Read shows text, remembers it, and neither hangs nor guesses on anything else.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;

use serde_json::json;
use toolwright::contract::Tool;
use toolwright::message::Content;
use toolwright_tools::files::edit::Edit;
use toolwright_tools::files::read::{Read, ReadOutput};

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
async fn what_did_not_change_is_not_shown_twice_in_a_row() {
    let session = Session::new();
    session.put("a.txt", "one\ntwo\n");
    let input = json!({"file_path": "a.txt"});
    let whole = "     1\tone\n     2\ttwo";
    let read = async || session.text::<Read>(input.clone()).await.expect("it can be read");
    assert_eq!(read().await, whole);
    assert!(read().await.contains("has not changed since it was shown"));
    assert_eq!(read().await, whole, "whoever asks again does not have it any more");
    let part = session.text::<Read>(json!({"file_path": "a.txt", "offset": 2})).await;
    assert_eq!(part.as_deref(), Ok("     2\ttwo"), "another part is shown");
    assert_eq!(read().await, whole);
    session.put("a.txt", "one\nTWO\n");
    assert_eq!(read().await, "     1\tone\n     2\tTWO", "what changed is shown");
    let edit = json!({"file_path": "a.txt", "old_string": "one", "new_string": "1"});
    session.text::<Edit>(edit).await.expect("it was read");
    assert_eq!(read().await, "     1\t1\n     2\tTWO", "what was changed is shown");
}

/// The head and the end of a PNG file of this size, which is all that is looked at.
fn png(width: u32, height: u32) -> Vec<u8> {
    let head = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR";
    [head.as_slice(), &width.to_be_bytes(), &height.to_be_bytes(), &[8, 2, 0, 0, 0], b"IEND"].concat()
}

#[tokio::test]
async fn a_picture_is_shown_with_its_size() {
    let session = Session::new();
    session.put("a.png", png(640, 480));
    session.put("b.JPG", png(1, 1));
    let data = session.reply::<Read>(json!({"file_path": "a.png"})).await.expect("it is a picture").data;
    let Content::Blocks(blocks) = Read::result_content(&data) else { panic!("it is a picture") };
    let base64 = "iVBORw0KGgoAAAANSUhEUgAAAoAAAAHgCAIAAABJRU5E";
    assert_eq!(blocks[0]["source"], json!({"type": "base64", "media_type": "image/png", "data": base64}));
    assert_eq!(blocks[1]["text"], "(640 by 480 pixels, 33 bytes)");
    let file = json!({"base64": base64, "type": "image/png", "originalSize": 33,
        "dimensions": {"width": 640, "height": 480}});
    assert_eq!(serde_json::to_value(&data).expect("data serialises"), json!({"type": "image", "file": file}));
    let other = session.reply::<Read>(json!({"file_path": "b.JPG"})).await.expect("it is a picture").data;
    let ReadOutput::Image { file } = other else { panic!("it is a picture") };
    assert_eq!(file.media_type, "image/png", "its content tells its kind, not its name");
}

#[tokio::test]
async fn a_picture_that_no_model_takes_is_refused_with_what_to_do() {
    let session = Session::new();
    session.put("wide.png", png(8_001, 1));
    session.put("heavy.png", [png(10, 10), vec![0; 3_750_000]].concat());
    session.put("a.bmp", [b"BM".as_slice(), &[0; 60]].concat());
    session.put("text.gif", "GIF? no");
    session.put("empty.png", png(0, 0));
    session.put("cut.png", &png(10, 10)[..29]);
    session.put("cut.jpg", b"\xFF\xD8\xFF\xC0\0\x11\x08\0\x0A\0\x0A\x03\x01\x22\0\x02\x11\x01\x03\x11\x01");
    session.put("cut.webp", b"RIFF\xFF\0\0\0WEBPVP8X\x0A\0\0\0\0\0\0\0\x09\0\0\x09\0\0");
    for (name, reason) in [
        ("wide.png", "8001 by 1 pixels, more than the 8000"),
        ("heavy.png", "has 3750033 bytes, more than the 3750000"),
        ("a.bmp", "convert it to PNG first"),
        ("text.gif", "is not a PNG"),
        ("none.png", "does not exist"),
        ("empty.png", "has no pixels"),
        ("cut.png", "breaks off before its end"),
        ("cut.jpg", "breaks off before its end"),
        ("cut.webp", "breaks off before its end"),
    ] {
        let error = session.reply::<Read>(json!({"file_path": name})).await.map(drop).expect_err(name);
        assert!(error.contains(reason), "{name}: {error}");
    }
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
        ("image.png", "is not a PNG, JPEG, GIF or WebP picture"),
        ("book.pdf", "is not a PDF file"),
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
