//! A real session for one test, in which everything is allowed and tasks go on in the background.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::Value;
use toolwright::contract::Context;
use toolwright::env::Env;
use toolwright::message::{ToolUse, Turn};
use toolwright::permission::Mode;
use toolwright::session::Session;
use toolwright_tools::tasks::Tasks;
use toolwright_tools::{MONITOR, PROACTIVE, REPL, catalogue_with};

/// How long something is waited for that should come soon.
const SOON: Duration = Duration::from_secs(20);

pub(crate) struct Living {
    folder: tempfile::TempDir,
    pub(crate) session: Session,
    pub(crate) tasks: Tasks,
    calls: AtomicUsize,
}

impl Living {
    pub(crate) fn new() -> Living {
        Living::with(Tasks::new())
    }

    pub(crate) fn with(tasks: Tasks) -> Living {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let root = folder.path().canonicalize().expect("the folder exists");
        let env = Env::tokio().expect("tests run on tokio");
        let session = Session::builder(env, catalogue_with(&tasks))
            .context(Context::new(root))
            .mode(Mode::BypassPermissions)
            .feature(MONITOR)
            .feature(PROACTIVE)
            .feature(REPL)
            .build();
        Living { folder, session, tasks, calls: AtomicUsize::new(0) }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().expect("the folder exists").join(name)
    }

    /// What a call of a tool came to, as the model reads it: `Err` where it is an error.
    pub(crate) async fn call(&self, tool: &str, input: Value) -> Result<String, String> {
        let id = format!("call_{}", self.calls.fetch_add(1, Ordering::Relaxed));
        let turn = Turn::new(vec![ToolUse::new(id, tool, input.to_string())]);
        let mut results = self.session.run_turn(turn).await.results;
        let result = results.pop().expect("each call has a result");
        let text = result.content.to_text();
        if result.is_error { Err(text) } else { Ok(text) }
    }

    /// Begins a task; gives its identifier.
    pub(crate) async fn begin(&self, tool: &str, input: Value) -> String {
        let text = self.call(tool, input).await.unwrap_or_else(|error| panic!("{tool}: {error}"));
        id_in(&text)
    }

    /// Waits for the end of a task.
    pub(crate) async fn end_of(&self, id: &str) {
        let ended = tokio::time::timeout(SOON, self.tasks.end_of(id)).await;
        assert!(ended.is_ok(), "`{id}` does not end");
    }

    /// Waits until notes for the model have these words; gives all of them until then.
    pub(crate) async fn noted(&self, words: &str) -> String {
        let mut notes = String::new();
        let waiting = async {
            while !notes.contains(words) {
                self.session.ties().noted().await;
                self.session.take_notes().iter().for_each(|note| notes.push_str(&format!("{note}\n")));
            }
        };
        let came = tokio::time::timeout(SOON, waiting).await.is_ok();
        assert!(came, "no note has `{words}`: {notes}");
        notes
    }
}

/// The first identifier of a task in a text.
pub(crate) fn id_in(text: &str) -> String {
    let quoted = text.split('`').skip(1).step_by(2);
    let is_id = |word: &&str| ["bash_", "monitor_", "agent_"].iter().any(|kind| word.starts_with(kind));
    quoted.into_iter().find(is_id).unwrap_or_else(|| panic!("no identifier in: {text}")).to_owned()
}
