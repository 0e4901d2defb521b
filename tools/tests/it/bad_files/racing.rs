//! What changes between two steps of a call.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use toolwright_tools::files::edit::Edit;
use toolwright_tools::files::glob::Glob;
use toolwright_tools::files::grep::Grep;
use toolwright_tools::files::notebook::NotebookEdit;
use toolwright_tools::files::read::Read;
use toolwright_tools::files::write::Write;

use super::call;
use crate::session::{Session, make_pipe};

/// Validates a call, lets something happen, and runs its body.
async fn between(session: &Session, tool: &str, input: &Value, happens: impl FnOnce()) -> Result<(), String> {
    macro_rules! of {
        ($($name:ident),*) => {
            match tool {
                $(stringify!($name) => {
                    session.validate::<$name>(input.clone()).await.expect("all is well so far");
                    happens();
                    session.call_only::<$name>(input.clone()).await.map(drop).map_err(|error| error.to_string())
                })*
                _other => panic!("there is no file tool `{tool}`"),
            }
        };
    }
    of!(Read, Write, Edit, NotebookEdit, Glob, Grep)
}

/// Every tool with a call of `a.txt`, `a.ipynb` or the folder `a`.
fn calls() -> Vec<(&'static str, Value, &'static str)> {
    vec![
        ("Read", json!({"file_path": "a.txt"}), "a.txt"),
        ("Write", json!({"file_path": "a.txt", "content": "new"}), "a.txt"),
        ("Edit", json!({"file_path": "a.txt", "old_string": "old", "new_string": "new"}), "a.txt"),
        ("NotebookEdit", json!({"notebook_path": "a.ipynb", "cell_id": "a", "new_source": "new"}), "a.ipynb"),
        ("Grep", json!({"pattern": "old", "path": "a.txt"}), "a.txt"),
        ("Grep", json!({"pattern": "old", "path": "a"}), "a"),
        ("Glob", json!({"pattern": "*", "path": "a"}), "a"),
    ]
}

async fn session() -> Session {
    let session = Session::new();
    session.put("a.txt", "old\n");
    session.put("a/b", "old\n");
    let cell = json!({"cell_type": "markdown", "id": "a", "metadata": {}, "source": "old"});
    session.put(
        "a.ipynb",
        json!({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).to_string(),
    );
    for name in ["a.txt", "a.ipynb"] {
        session.reply::<Read>(json!({"file_path": name, "limit": 1})).await.expect("it can be read");
    }
    session
}

fn remove(path: &Path) {
    let removed = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
    removed.expect("it is there");
}

#[tokio::test]
async fn what_goes_after_it_was_looked_at_is_missing_and_a_whole_text_is_written_all_the_same() {
    for (tool, input, name) in calls() {
        let session = session().await;
        let path = session.path(name);
        let ended = between(&session, tool, &input, || remove(&path)).await;
        if tool == "Write" {
            assert_eq!((ended, session.bytes(name)), (Ok(()), b"new".to_vec()));
        } else {
            let error = ended.expect_err(tool);
            assert!(error.contains("does not exist"), "{tool}: {error}");
            assert!(!path.exists(), "{tool}");
        }
    }
}

#[tokio::test]
async fn a_pipe_that_takes_the_place_of_what_was_looked_at_hangs_nobody() {
    for (tool, input, name) in calls() {
        let session = session().await;
        let path = session.path(name);
        let swap = || {
            remove(&path);
            make_pipe(&path);
        };
        let ended = tokio::time::timeout(super::ONE_CALL, between(&session, tool, &input, swap)).await;
        let error = ended.unwrap_or_else(|_elapsed| panic!("{tool} hangs")).expect_err(tool);
        assert!(error.contains("named pipe") || error.contains("cannot be searched"), "{tool}: {error}");
    }
}

#[tokio::test]
async fn a_change_by_somebody_else_is_never_written_over_unseen() {
    for (tool, input, name) in
        calls().into_iter().filter(|(tool, ..)| tool.contains("Edit") || *tool == "Write")
    {
        let session = session().await;
        let path = session.path(name);
        let change = || std::fs::write(&path, "old, and more by somebody else\n").expect("it can be written");
        let error = between(&session, tool, &input, change).await.expect_err(tool);
        assert!(error.contains("modified since it was read"), "{tool}: {error}");
        assert_eq!(session.bytes(name), b"old, and more by somebody else\n", "{tool}");
    }
}

/// Does something again and again on a thread of its own, while a test does its work.
async fn meanwhile<T>(again: impl Fn(usize) + Send, test: impl Future<Output = T>) -> T {
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let is_over = &is_over;
        scope.spawn(move || (0..).take_while(|_| !is_over.load(Ordering::Relaxed)).for_each(again));
        // Also when the test panics: the scope would wait for ever.
        let _over = Over(is_over);
        tokio::task::block_in_place(|| tokio::runtime::Handle::current().block_on(test))
    })
}

/// Ends what is done again and again.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn while_others_write_a_file_each_edit_is_made_whole_or_refused() {
    let session = Session::new();
    let (path, long) = (session.put("a", "0 old\n"), "x".repeat(10_000));
    let replace = |turn: usize| {
        let aside = path.with_extension("aside");
        std::fs::write(&aside, format!("{turn} old {long}\n")).expect("files can be written");
        std::fs::rename(&aside, &path).expect("it can be put in place");
    };
    let edits = async {
        let mut made = 0;
        for _turn in 0..100 {
            if call(&session, "Read", json!({"file_path": "a", "offset": 1, "limit": 1})).await.is_err() {
                continue;
            }
            let edit = json!({"file_path": "a", "old_string": "old", "new_string": "new"});
            match call(&session, "Edit", edit).await {
                Ok(_said) => made += 1,
                Err(error) => {
                    let is_known =
                        ["modified since", "changed while", "is not in the file", "does not exist"];
                    assert!(is_known.iter().any(|known| error.contains(known)), "{error}");
                }
            }
            let text = std::fs::read_to_string(&path).expect("it is there at any time");
            let is_whole = text.ends_with('\n') && (text.contains(" old") ^ text.contains(" new"));
            assert!(is_whole, "{} bytes: {:?}", text.len(), text.get(..40));
        }
        made
    };
    let made = meanwhile(replace, edits).await;
    println!("{made} of 100 edits were made");
}

#[tokio::test(flavor = "multi_thread")]
async fn searches_end_well_while_files_come_and_go() {
    let session = Session::new();
    session.put("stays/word", "word\n");
    let root = session.path("");
    let stir = |turn: usize| {
        let folder = root.join(format!("d{}", turn % 7));
        std::fs::create_dir_all(folder.join("e")).expect("folders can be made");
        std::fs::write(folder.join("e/word"), "word\n").expect("files can be written");
        if !turn.is_multiple_of(3) {
            std::fs::remove_dir_all(&folder).expect("it is there");
        }
    };
    let searches = async {
        for _turn in 0..30 {
            let found = call(&session, "Grep", json!({"pattern": "word"})).await.expect("it can be searched");
            assert!(found.contains("stays/word"), "{found}");
            let found =
                call(&session, "Glob", json!({"pattern": "**/word"})).await.expect("it can be searched");
            assert!(found.contains("stays/word"), "{found}");
        }
    };
    meanwhile(stir, searches).await;
}
