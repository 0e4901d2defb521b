//! A link that is put in the way between a decision and the body: nothing outside is read or written.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use serde_json::{Value, json};
use toolwright::contract::Context;
use toolwright::env::Env;
use toolwright::message::{ToolUse, Turn};
use toolwright::permission::{Answer, Behavior, Prompter, Question, Source};
use toolwright::session::Session;

type Swap = Box<dyn FnOnce() + Send>;

/// A person who takes a while: what is armed happens between the judgement and the yes.
#[derive(Clone, Default)]
struct Slow(Arc<Mutex<Option<Swap>>>);

#[async_trait]
impl Prompter for Slow {
    async fn ask(&self, _question: &Question) -> Option<Answer> {
        if let Some(swap) = self.0.lock().expect("nothing panics while it is held").take() {
            swap();
        }
        Some(Answer::Allow { input: None })
    }
}

/// A project, and beside it a folder with a secret.
struct Place {
    root: tempfile::TempDir,
    person: Slow,
    session: Session,
}

impl Place {
    fn new() -> Place {
        let root = tempfile::tempdir().expect("a temporary folder can be made");
        let at = root.path().canonicalize().expect("it exists");
        for folder in ["p/d", "out"] {
            std::fs::create_dir_all(at.join(folder)).expect("folders can be made");
        }
        for (name, text) in
            [("p/a", "mine"), ("p/d/a", "mine"), ("out/a", "SECRET"), ("out/secret", "SECRET")]
        {
            std::fs::write(at.join(name), text).expect("files can be written");
        }
        symlink("a", at.join("p/link")).expect("links can be made");
        let person = Slow::default();
        let env = Env::tokio().expect("tests run on tokio");
        let catalogue = toolwright_tools::catalogue();
        let mut builder = Session::builder(env, catalogue).prompter(person.clone());
        for rule in ["Read", "Glob", "Grep", "Write", "Edit"] {
            builder = builder.rule(Behavior::Ask, Source::UserSettings, rule);
        }
        let session = builder.context(Context::new(at.join("p"))).build();
        Place { root, person, session }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.root.path().canonicalize().expect("it exists").join(name)
    }

    /// Puts a link in the place of something, while the person thinks about the next question.
    fn swap(&self, name: &str, target: &Path) {
        let (at, target, aside) = (self.at(name), target.to_owned(), self.at("aside"));
        *self.person.0.lock().expect("nothing panics while it is held") = Some(Box::new(move || {
            std::fs::rename(&at, aside).expect("it can be put aside");
            symlink(target, at).expect("links can be made");
        }));
    }

    async fn call(&self, tool: &str, input: Value) -> (bool, String) {
        let turn = Turn::new(vec![ToolUse::new("call", tool, input.to_string())]);
        let result = self.session.run_turn(turn).await.results.pop().expect("each call has a result");
        (result.is_error, result.content.to_text())
    }

    /// Everything that is outside, by name and content.
    fn outside(&self) -> Vec<(String, String)> {
        let entries = std::fs::read_dir(self.at("out")).expect("it exists");
        let mut found: Vec<_> = entries
            .map(|entry| {
                let path = entry.expect("it can be listed").path();
                (path.display().to_string(), std::fs::read_to_string(path).expect("it is a text"))
            })
            .collect();
        found.sort();
        found
    }
}

#[tokio::test]
async fn nothing_is_read_through_a_link_that_was_put_there_after_the_decision() {
    for (tool, input, swapped, target) in [
        ("Read", json!({"file_path": "a"}), "p/a", "out/secret"),
        ("Read", json!({"file_path": "d/a"}), "p/d", "out"),
        ("Read", json!({"file_path": "d/a"}), "p/d/a", "out/secret"),
        ("Glob", json!({"pattern": "*", "path": "d"}), "p/d", "out"),
        ("Glob", json!({"pattern": "d/*"}), "p/d", "out"),
        ("Grep", json!({"pattern": ".", "path": "d"}), "p/d", "out"),
        ("Grep", json!({"pattern": ".", "path": "d/a"}), "p/d", "out"),
        ("Grep", json!({"pattern": ".", "path": "d/a"}), "p/d/a", "out/secret"),
    ] {
        let place = Place::new();
        place.swap(swapped, &place.at(target));
        let (is_error, text) = place.call(tool, input.clone()).await;
        assert!(is_error && text.contains("leads elsewhere than when"), "{tool} {input}: {text}");
        assert!(!text.contains("SECRET") && !text.contains("secret"), "{text}");
    }
}

#[tokio::test]
async fn nothing_is_written_through_a_link_that_was_put_there_after_the_decision() {
    for (tool, input, reads, swapped, target) in [
        ("Write", json!({"file_path": "d/new", "content": "x"}), None, "p/d", "out"),
        ("Write", json!({"file_path": "d/e/f/new", "content": "x"}), None, "p/d", "out"),
        ("Write", json!({"file_path": "d/a", "content": "x"}), Some("d/a"), "p/d", "out"),
        ("Write", json!({"file_path": "a", "content": "x"}), Some("a"), "p/a", "out/secret"),
        (
            "Edit",
            json!({"file_path": "a", "old_string": "mine", "new_string": "x"}),
            Some("a"),
            "p/a",
            "out/a",
        ),
        (
            "Edit",
            json!({"file_path": "d/a", "old_string": "mine", "new_string": "x"}),
            Some("d/a"),
            "p/d",
            "out",
        ),
        ("Edit", json!({"file_path": "d/new", "old_string": "", "new_string": "x"}), None, "p/d", "out"),
    ] {
        let place = Place::new();
        if let Some(path) = reads {
            let (is_error, text) = place.call("Read", json!({"file_path": path})).await;
            assert!(!is_error, "{text}");
        }
        let before = place.outside();
        place.swap(swapped, &place.at(target));
        let (is_error, text) = place.call(tool, input.clone()).await;
        assert!(is_error && text.contains("leads elsewhere than when"), "{tool} {input}: {text}");
        assert_eq!(place.outside(), before, "{tool} {input}");
    }
}

#[tokio::test]
async fn a_link_that_was_there_is_followed_to_where_it_led_then() {
    let place = Place::new();
    assert!(place.call("Read", json!({"file_path": "link"})).await.1.contains("mine"));
    place.swap("p/link", &place.at("out/secret"));
    let (is_error, text) = place.call("Read", json!({"file_path": "link", "limit": 9})).await;
    assert!(!is_error && text.contains("mine") && !text.contains("SECRET"), "{text}");
}

#[tokio::test]
async fn what_a_call_was_not_decided_about_is_not_opened() {
    let place = Place::new();
    // Swapped and judged anew: now the link is seen, and a person is asked about what is outside.
    place.swap("p/a", &place.at("out/secret"));
    assert!(place.call("Read", json!({"file_path": "a"})).await.0);
    let (is_error, text) = place.call("Read", json!({"file_path": "a"})).await;
    assert!(!is_error && text.contains("SECRET"), "the person was asked about the link itself: {text}");
}
