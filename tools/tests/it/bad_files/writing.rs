//! What is asked to be written and cannot, or has more to it than its content.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use serde_json::{Value, json};

use super::machine::{Disk, Immutable, mode, note, noted, without_rights};
use super::{Says, call, check};
use crate::session::{Session, is_root};

const NOTEBOOK: &str = r#"{"cells": [{"cell_type": "markdown", "id": "a", "metadata": {}, "source": ["old"]}],
 "metadata": {}, "nbformat": 4, "nbformat_minor": 5}"#;

/// A change of a file that says `old` by each tool that changes files.
fn changes(text: &str, notebook: &str) -> [(&'static str, Value); 3] {
    [
        ("Write", json!({"file_path": text, "content": "new\n"})),
        ("Edit", json!({"file_path": text, "old_string": "old", "new_string": "new"})),
        ("NotebookEdit", json!({"notebook_path": notebook, "cell_id": "a", "new_source": "new"})),
    ]
}

/// A session with a text and a notebook in `folder`, which are known.
async fn known(session: &Session, folder: &str) -> [String; 2] {
    let names = [format!("{folder}/a.txt"), format!("{folder}/a.ipynb")];
    session.put(&names[0], "old\n");
    session.put(&names[1], NOTEBOOK);
    mode(&session.path(""), 0o777);
    know(session, &names).await;
    names
}

async fn know(session: &Session, names: &[String]) {
    for name in names {
        let path = json!({"file_path": name, "limit": 1});
        match name.ends_with("ipynb") {
            true => drop(
                session.reply::<toolwright_tools::files::read::Read>(path).await.expect("it can be read"),
            ),
            false => drop(call(session, "Read", path).await.expect("it can be read")),
        }
    }
}

/// What is in a folder, by name, without what tests put there.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("it exists");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("it is listed").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort_unstable();
    names
}

/// Whether nothing changed: both files as they were, and nothing beside them.
fn is_untouched(session: &Session, [text, notebook]: &[String; 2]) -> bool {
    let folder = session.path(text).parent().expect("it is in a folder").to_owned();
    session.bytes(text) == b"old\n"
        && session.bytes(notebook) == NOTEBOOK.as_bytes()
        && names(&folder) == ["a.ipynb", "a.txt"]
}

#[test]
fn a_folder_that_is_closed_keeps_its_files() {
    without_rights(async {
        let session = Session::new();
        let files = known(&session, "closed").await;
        mode(&session.path(&files[0]), 0o666);
        mode(&session.path(&files[1]), 0o666);
        mode(&session.path("closed"), 0o555);
        for (tool, input) in changes(&files[0], &files[1]) {
            check(&session, &[(tool, input, Says::Refused("look at who may write to its folder"))]).await;
        }
        let new = json!({"file_path": "closed/deep/new", "content": "x"});
        check(&session, &[("Write", new, Says::Refused("look at who may write to its folder"))]).await;
        assert!(is_untouched(&session, &files));
        mode(&session.path("closed"), 0o755);
    });
}

#[test]
fn a_file_that_may_not_be_written_is_not_replaced_though_its_folder_may() {
    without_rights(async {
        let session = Session::new();
        let files = known(&session, "open").await;
        mode(&session.path("open"), 0o777);
        // Of root where the tools run as somebody else, and closed to its owner where they do not.
        let closed = if is_root() { 0o644 } else { 0o444 };
        files.iter().for_each(|name| mode(&session.path(name), closed));
        for (tool, input) in changes(&files[0], &files[1]) {
            check(&session, &[(tool, input, Says::Refused("is read-only: make it writable"))]).await;
        }
        assert!(is_untouched(&session, &files));
    });
}

#[test]
fn an_owner_that_cannot_be_kept_is_said() {
    if !is_root() {
        eprintln!("skipped: only root has files of others");
        return;
    }
    without_rights(async {
        let session = Session::new();
        let files = known(&session, "open").await;
        mode(&session.path("open"), 0o777);
        files.iter().for_each(|name| mode(&session.path(name), 0o4666));
        for (tool, input) in changes(&files[0], &files[1]).into_iter().skip(1) {
            check(&session, &[(tool, input, Says::Shown("its owner was user 0, group 0"))]).await;
        }
        for name in &files {
            let now = session.path(name).metadata().expect("it exists");
            assert_eq!((now.uid(), now.mode() & 0o7777), (65_534, 0o666), "rights are not lent on");
        }
    });
}

#[tokio::test]
async fn owner_mode_and_notes_stay() {
    let session = Session::new();
    let files = known(&session, "a").await;
    let has_notes = files.iter().all(|name| note(&session.path(name), "user.source", "a camera"));
    let owner = if is_root() { Some(65_534) } else { None };
    for name in &files {
        std::os::unix::fs::chown(session.path(name), owner, owner).expect("root gives files away");
        mode(&session.path(name), 0o2751);
    }
    for (tool, input) in changes(&files[0], &files[1]).into_iter().skip(1) {
        let said = call(&session, tool, input).await.expect("it is known");
        assert!(!said.contains("could not be kept"), "{said}");
    }
    for name in &files {
        let now = session.path(name).metadata().expect("it exists");
        assert_eq!(now.mode() & 0o7777, 0o2751, "{name}");
        assert!(owner.is_none_or(|owner| (now.uid(), now.gid()) == (owner, owner)), "{name}");
        assert!(!has_notes || noted(&session.path(name), "user.source").as_deref() == Some("a camera"));
    }
}

#[tokio::test]
async fn other_names_of_a_file_keep_the_old_content_and_that_is_said() {
    let session = Session::new();
    let files = known(&session, "a").await;
    std::fs::hard_link(session.path(&files[0]), session.path("other")).expect("links can be made");
    let (tool, edit) = changes(&files[0], &files[1])[1].clone();
    check(&session, &[(tool, edit, Says::Shown("(it had 2 hard links: its other names keep"))]).await;
    assert_eq!((session.bytes(&files[0]), session.bytes("other")), (b"new\n".to_vec(), b"old\n".to_vec()));
}

#[tokio::test]
async fn an_immutable_file_is_refused_before_anybody_is_asked() {
    let session = Session::new();
    let files = known(&session, "a").await;
    for name in &files {
        let path = session.path(name);
        let Some(_immutable) = Immutable::make(&path) else { return };
        for (tool, input) in changes(&files[0], &files[1])
            .into_iter()
            .filter(|(_, input)| input.to_string().contains(name.as_str()))
        {
            check(&session, &[(tool, input, Says::Refused("is immutable: make it changeable"))]).await;
        }
    }
    assert!(is_untouched(&session, &files));
}

#[tokio::test]
async fn a_full_disk_loses_nothing() {
    let session = Session::new();
    let folder = session.path("disk");
    let Some(_disk) = Disk::mount(&folder) else { return };
    let files = known(&session, "disk").await;
    let mut large = changes(&files[0], &files[1]);
    let much = "much more than fits\n".repeat(10_000);
    for (_tool, input) in &mut large {
        let field =
            ["content", "new_string", "new_source"].into_iter().find(|field| input.get(*field).is_some());
        input[field.expect("each has one")] = json!(much);
    }
    for (tool, input) in large {
        check(&session, &[(tool, input, Says::Refused("the disk or the quota is full; make room first"))])
            .await;
    }
    let new = json!({"file_path": "disk/new", "content": much});
    check(&session, &[("Write", new, Says::Refused("is full; make room first"))]).await;
    assert!(is_untouched(&session, &files), "{:?}", names(&folder));
    for (tool, input) in changes(&files[0], &files[1]).into_iter().skip(1) {
        check(&session, &[(tool, input, Says::Shown("edited").or_notebook(tool))]).await;
    }
}

impl<'a> Says<'a> {
    /// What a notebook's change says in place of this.
    fn or_notebook(self, tool: &str) -> Says<'a> {
        if tool == "NotebookEdit" { Says::Shown("replaced cell `a`") } else { self }
    }
}

#[tokio::test]
async fn line_ends_of_both_kinds_a_mark_and_a_missing_last_end_stay_where_nothing_changed() {
    let session = Session::new();
    for (before, old, new, after) in [
        ("a\r\nb\nc\r\nd", "b\nc", "x\ny\nz", "a\r\nx\r\ny\r\nz\r\nd"),
        ("a\nb\r\nc\nd", "b\nc", "x\ny", "a\nx\ny\nd"),
        ("\u{FEFF}a\r\nb", "b", "c", "\u{FEFF}a\r\nc"),
        ("a\n\nb", "b", "c", "a\n\nc"),
        ("a\rb\rc", "b", "x", "a\rx\rc"),
        ("a\r\r\nb\r\n", "b", "c", "a\r\r\nc\r\n"),
    ] {
        session.put("a", before);
        know(&session, &["a".to_owned()]).await;
        let edit = json!({"file_path": "a", "old_string": old, "new_string": new});
        check(&session, &[("Edit", edit, Says::Shown("edited"))]).await;
        assert_eq!(String::from_utf8_lossy(&session.bytes("a")), after, "{before:?}");
        let undo = json!({"file_path": "a", "old_string": new, "new_string": old});
        check(&session, &[("Edit", undo, Says::Shown("edited"))]).await;
    }
}

#[tokio::test]
async fn edits_as_careless_models_make_them_are_refused_with_what_to_do() {
    let session = Session::new();
    session.put("a", "one\naaa\n}\n}\n}\ntail\n");
    know(&session, &["a".to_owned()]).await;
    let edit = |old: &str, new: &str| json!({"file_path": "a", "old_string": old, "new_string": new});
    let mut all = edit("aa", "b");
    all["replace_all"] = json!("true");
    check(
        &session,
        &[
            ("Edit", edit("one", "one"), Says::Refused("are the same: give the text as it should become")),
            ("Edit", edit("", "x"), Says::Refused("is not empty, so an empty `old_string` cannot create it")),
            ("Edit", edit("}\n}\n", "}\n"), Says::Refused("2 times (in lines 3, 4): add lines around it")),
            ("Edit", edit("aa", "b"), Says::Refused("in the file 2 times (in lines 2, 2)")),
            ("Edit", edit("     1\tone", "x"), Says::Refused("leave out the line numbers")),
            ("Edit", edit("tail\n\n", "x"), Says::Refused("is not in the file")),
            ("Edit", edit("ONE", "x"), Says::Refused("is not in the file")),
            ("Edit", edit("one\r\naaa", "1\n2"), Says::Shown("edited")),
            ("Edit", edit("2", "aaa"), Says::Shown("edited")),
        ],
    )
    .await;
    check(&session, &[("Edit", all, Says::Shown("edited `"))]).await;
    assert_eq!(session.bytes("a"), b"1\nba\n}\n}\n}\ntail\n");
}

#[tokio::test]
async fn a_text_of_one_letter_is_searched_in_no_time() {
    let session = Session::new();
    session.put("a", "a".repeat(4_000_000));
    know(&session, &["a".to_owned()]).await;
    let edit = json!({"file_path": "a", "old_string": "a".repeat(1_500_000), "new_string": "b"});
    check(&session, &[("Edit", edit, Says::Refused("2 times"))]).await;
    let edit = json!({"file_path": "a", "old_string": "a", "new_string": "b", "replace_all": true});
    check(&session, &[("Edit", edit, Says::Shown("in 4000000 places"))]).await;
}

/// `new/` is a folder's name: a file called `new` would be in the way of what comes next.
#[tokio::test]
async fn a_path_that_names_a_folder_makes_no_file() {
    let session = Session::new();
    let folder = Says::Refused("is a folder by its name: give the path of a file");
    let write = |path: &str| ("Write", json!({"file_path": path, "content": "x"}));
    let edit = |path: &str| ("Edit", json!({"file_path": path, "old_string": "", "new_string": "x"}));
    for path in ["new/", "new/.", "new/..", "a/b/"] {
        for (tool, input) in [write(path), edit(path)] {
            check(&session, &[(tool, input, folder)]).await;
        }
    }
    assert_eq!(names(&session.path("")), [""; 0]);
}
