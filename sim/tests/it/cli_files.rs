//! The program drives each tool for files, on real ones.

use serde_json::Value;

use super::cli::{Folder, out, said, toolwright};

const NOTEBOOK: &str = r#"{"cells": [{"cell_type": "markdown", "id": "a", "metadata": {}, "source": ["old"]}],
 "metadata": {}, "nbformat": 4, "nbformat_minor": 5}"#;

/// A page that says so, without a table of objects, which are found all the same.
const PDF: &str = "%PDF-1.4\n1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj\n\
    2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 >> endobj\n\
    3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 \
    << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >> endobj\n\
    4 0 obj << /Length 38 >> stream\nBT /F1 12 Tf 72 720 Td (Read me) Tj ET\nendstream endobj\n\
    trailer << /Root 1 0 R >>\n%%EOF\n";

fn call(folder: &Folder, calls: &[&str]) -> (Option<i32>, String) {
    let cwd = folder.0.display().to_string();
    let more = ["--cwd", &cwd, "--mode", "acceptEdits"];
    let output = toolwright(&[&["call"], calls, &more].concat());
    (output.status.code(), out(&output) + &said(&output))
}

#[test]
fn each_tool_for_files_can_be_called() {
    let folder = Folder::new("call-files");
    let reads_pdf = std::process::Command::new("pdftotext").arg("-v").output().is_ok();
    assert!(reads_pdf || std::env::var_os("CI").is_none(), "there is no `pdftotext`: install poppler-utils");
    folder.put("a.txt", "one\nold\n");
    folder.put("a.ipynb", NOTEBOOK);
    folder.put("a.pdf", PDF);
    for (calls, shown) in [
        (vec!["Read", r#"{"file_path": "a.txt"}"#], "one"),
        (vec!["Read", r#"{"file_path": "a.pdf", "pages": "1"}"#], "Read me"),
        (vec!["Glob", r#"{"pattern": "*.txt"}"#], "a.txt"),
        (vec!["Grep", r#"{"pattern": "old", "output_mode": "content", "path": "a.txt"}"#], "2:old"),
        (vec!["Write", r#"{"file_path": "new.txt", "content": "x"}"#], "created"),
        (
            vec![
                "Read",
                r#"{"file_path": "a.txt"}"#,
                "Edit",
                r#"{"file_path": "a.txt", "old_string": "old", "new_string": "new"}"#,
            ],
            "edited",
        ),
        (
            vec![
                "Read",
                r#"{"file_path": "a.ipynb"}"#,
                "NotebookEdit",
                r#"{"notebook_path": "a.ipynb", "cell_id": "a", "new_source": "new"}"#,
            ],
            "replaced cell",
        ),
    ] {
        if !reads_pdf && calls[1].contains(".pdf") {
            eprintln!("skipped: there is no `pdftotext`");
            continue;
        }
        let (code, said) = call(&folder, &calls);
        assert!(code == Some(0) && said.contains(shown), "{calls:?}: {said}");
    }
    let text = |name: &str| std::fs::read_to_string(folder.0.join(name)).expect("it is there");
    assert_eq!((text("a.txt"), text("new.txt")), ("one\nnew\n".to_owned(), "x".to_owned()));
    let value = |text: &str| serde_json::from_str::<Value>(text).expect("notebooks are JSON");
    assert_eq!(value(&text("a.ipynb")), value(&NOTEBOOK.replace("old", "new")));
}

#[test]
fn calls_in_turn_end_with_the_first_that_fails() {
    let folder = Folder::new("call-in-turn");
    let write = r#"{"file_path": "a.txt", "content": "x"}"#;
    let (code, said) = call(&folder, &["Read", r#"{"file_path": "none"}"#, "Write", write]);
    assert!(code == Some(1) && said.contains("does not exist"), "{said}");
    assert!(!folder.0.join("a.txt").exists());
    let (code, said) = call(&folder, &["Write", write, "Read"]);
    assert!(code == Some(2) && said.contains("`Read` has no input"), "{said}");
    assert!(!folder.0.join("a.txt").exists(), "nothing is called of what cannot be as a whole");
}
