//! A replacement by `sed -i` that a person was shown is what is written, to the byte.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use async_trait::async_trait;
use serde_json::{Value, json};
use toolwright::contract::Context;
use toolwright::env::Env;
use toolwright::message::{RawInput, ToolUse, Turn};
use toolwright::permission::{Answer, Prompter, Question};
use toolwright::session::Session as Toolwright;
use toolwright_tools::shell::SedEdit;

use crate::session::Session;

fn preview(folder: &Session, command: &str) -> Option<SedEdit> {
    SedEdit::preview(command, &Context::new(folder.path("")).for_effects())
}

#[tokio::test]
async fn what_is_shown_is_what_sed_would_write() {
    let texts: &[&[u8]] = &[
        b"one two\none\n",
        b"no end\none",
        b"",
        b"one\r\ntwo\r\n",
        "ünö one\n".as_bytes(),
        b"\xEF\xBB\xBFone\n",
    ];
    for (at, text) in texts.iter().enumerate() {
        for command in [
            "sed -i s/one/1/ f",
            "sed -i 's/one/[&]/g' ./f",
            "sed -i -E 's/(o)(n)/\\2\\1/' f",
            "sed --in-place -r 's#o+|e#x\\n#2g' f",
            "sed -i -e 's/$/ end/I' f",
        ] {
            let (shown, real) = (Session::new(), Session::new());
            shown.put("f", text);
            real.put("f", text);
            let edit = preview(&shown, command).unwrap_or_else(|| panic!("{command} of text {at}"));
            assert_eq!(shown.bytes("f"), *text, "it is only shown");
            let run =
                std::process::Command::new("sh").args(["-c", command]).current_dir(real.path("")).status();
            assert!(run.expect("sed runs").success(), "{command}");
            // The mark of an encoding is not part of the text.
            let bytes = real.bytes("f");
            let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes);
            assert_eq!(edit.new_content.as_bytes(), bytes, "{command} of text {at}");
        }
    }
}

#[tokio::test]
async fn what_does_more_than_one_replacement_in_one_file_is_not_shown() {
    let folder = Session::new();
    for name in ["f", "g"] {
        folder.put(name, "one\n");
    }
    folder.put("binary", b"one\0");
    std::os::unix::fs::symlink("f", folder.path("link")).expect("links can be made");
    crate::session::make_pipe(&folder.path("pipe"));
    for command in [
        "sed s/one/1/ f",
        "sed -i s/one/1/ f g",
        "sed -i s/one/1/ f && rm g",
        "sed -i s/one/1/ f > g",
        "sed -i 's/one/1/w g' f",
        "sed -i 's/one/touch g/e' f",
        "sed -i -n s/one/1/p f",
        "sed -i.bak s/one/1/ f",
        "sed -i 1d f",
        "sed -i s/one/1/ absent",
        "sed -i s/one/1/ binary",
        "sed -i s/one/1/ link",
        "sed -i s/one/1/ pipe",
        "sed -i s/one/1/ $(ls)",
        "sed -i 's/one/1' f",
    ] {
        assert_eq!(preview(&folder, command), None, "{command}");
    }
}

/// A person whose dialog shows the edit and allows it; what they see and do meanwhile is said by a function.
struct Shown<F>(PathBuf, Mutex<Option<SedEdit>>, F);

#[async_trait]
impl<F: Fn(&Path, &mut SedEdit) + Send + Sync + 'static> Prompter for Shown<F> {
    async fn ask(&self, question: &Question) -> Option<Answer> {
        let mut input: Value = serde_json::from_str(question.input.as_str()).ok()?;
        let command = input["command"].as_str()?.to_owned();
        let mut edit = SedEdit::preview(&command, &Context::new(&self.0).for_effects())?;
        (self.2)(&self.0, &mut edit);
        input["_simulatedSedEdit"] = serde_json::to_value(&edit).ok()?;
        *self.1.lock().ok()? = Some(edit);
        Some(Answer::Allow { input: Some(RawInput::from_value(&input)) })
    }
}

async fn asked(
    folder: &Session,
    dialog: impl Fn(&Path, &mut SedEdit) + Send + Sync + 'static,
    input: Value,
) -> (bool, String) {
    let root = folder.path("");
    let session = Toolwright::builder(Env::tokio().expect("inside a runtime"), toolwright_tools::catalogue())
        .context(Context::new(&root))
        .prompter(Shown(root, Mutex::default(), dialog))
        .build();
    let turn = Turn::new(vec![ToolUse::new("call", "Bash", input.to_string())]);
    let result = session.run_turn(turn).await.results.remove(0);
    (result.is_error, result.content.to_text())
}

fn command() -> Value {
    json!({"command": "sed -i s/one/two/ f"})
}

#[tokio::test]
async fn an_edit_that_a_person_approved_writes_exactly_what_was_shown() {
    let folder = Session::new();
    folder.put("f", "one\r\nöne\n");
    let shown =
        |_root: &Path, edit: &mut SedEdit| edit.new_content.push_str("and what only the dialog knows");
    assert_eq!(asked(&folder, shown, command()).await, (false, "(no output)".to_owned()));
    assert_eq!(folder.bytes("f"), "two\r\nöne\nand what only the dialog knows".as_bytes());
}

#[tokio::test]
async fn an_edit_of_a_file_that_changed_since_it_was_shown_writes_nothing() {
    let folder = Session::new();
    folder.put("f", "one\n");
    let changes = |root: &Path, _edit: &mut SedEdit| {
        std::fs::write(root.join("f"), "other\n").expect("it can be written")
    };
    let (failed, text) = asked(&folder, changes, command()).await;
    assert!(failed && text.contains("has changed since the edit was shown"), "{text}");
    assert_eq!(folder.bytes("f"), b"other\n");
}

#[tokio::test]
async fn an_edit_for_another_file_than_the_commands_writes_nothing() {
    let folder = Session::new();
    folder.put("f", "one\n");
    folder.put("g", "one\n");
    let other = |root: &Path, edit: &mut SedEdit| edit.file_path = root.join("g");
    let (failed, text) = asked(&folder, other, command()).await;
    assert!(failed && text.contains("is not what the command replaces text in"), "{text}");
    assert_eq!((folder.bytes("f"), folder.bytes("g")), (b"one\n".to_vec(), b"one\n".to_vec()));
}

#[tokio::test]
async fn a_model_cannot_send_an_edit() {
    let folder = Session::new();
    let path = folder.put("f", "one\n");
    let edit = json!({"filePath": path, "oldContent": "one\n", "newContent": "evil\n"});
    let (failed, text) = asked(
        &folder,
        |_root, _edit| (),
        json!({"command": "sed -i s/one/two/ f", "_simulatedSedEdit": edit}),
    )
    .await;
    assert!(failed && text.contains("_simulatedSedEdit"), "{text}");
    assert_eq!(folder.bytes("f"), b"one\n");
}
