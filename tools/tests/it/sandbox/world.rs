//! A repository that commands work in, and beside it what they must not touch.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use serde_json::json;
use toolwright::contract::Context;
use toolwright::env::Env;
use toolwright::message::{ToolUse, Turn};
use toolwright::permission::{Answer, Prompter, Question};
use toolwright::registry::Catalogue;
use toolwright::session::{Session, SessionBuilder};
use toolwright::settings::{SandboxSettings, Settings};
use toolwright_tools::shell::sandbox::Backend;
use toolwright_tools::shell::{Bash, ShellState};

/// What is in the files that no command changes.
pub(super) const KEPT: &str = "kept\n";

/// Who confines here. Where nobody does, tests say so and pass, but where changes are judged.
pub(super) fn backends() -> Vec<Backend> {
    let (found, reasons) = Backend::all();
    let names: Vec<String> = found.iter().map(ToString::to_string).collect();
    println!("confined by {}; not by others: {}", names.join(" and "), reasons.join("; "));
    let is_judged = std::env::var_os("CI").is_some();
    assert!(!is_judged || matches!(found.first(), Some(Backend::Bubblewrap(_))), "{reasons:?}");
    found
}

/// A person who says yes to everything and counts.
#[derive(Clone, Default)]
pub(super) struct Yes(Arc<AtomicUsize>);

impl Yes {
    pub(super) fn asked(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl Prompter for Yes {
    async fn ask(&self, _question: &Question) -> Option<Answer> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Some(Answer::Allow { input: None })
    }
}

/// A repository, `repo`, with some files; and beside it the folder `outside`.
pub(super) struct World {
    folder: tempfile::TempDir,
    pub(super) person: Yes,
}

impl World {
    pub(super) fn new() -> World {
        let world =
            World { folder: tempfile::tempdir().expect("a folder can be made"), person: Yes::default() };
        for name in [
            "repo/.git/config",
            "repo/.git/HEAD",
            "repo/.git/hooks/pre-commit",
            "repo/.claude/settings.json",
            "repo/.claude/worktrees/w/a",
            "repo/.envrc",
            "repo/src/a.txt",
            "repo/src/vendor/.git/config",
            "repo/secret.txt",
            "outside/kept",
            "outside/folder/kept",
        ] {
            world.put(name, KEPT);
        }
        world
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().expect("it exists").join(name)
    }

    pub(super) fn put(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("it is in a folder")).expect("folders can be made");
        std::fs::write(path, text).expect("files can be written");
    }

    pub(super) fn text(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.path(name)).ok()
    }

    /// A session in a folder, confined by somebody, with the person there.
    pub(super) fn builder(&self, root: &Path, state: &ShellState, said: SandboxSettings) -> SessionBuilder {
        let mut catalogue = Catalogue::new();
        catalogue.add_with::<Bash>(state.clone());
        #[cfg(feature = "repl")]
        catalogue
            .add_with::<toolwright_tools::repl::Repl>(toolwright_tools::repl::Repls::beside(state.clone()));
        let sandbox = SandboxSettings { enabled: Some(true), ..said };
        Session::builder(Env::tokio().expect("inside a runtime"), catalogue)
            .context(Context::new(root))
            .settings(Settings { sandbox, ..Settings::default() })
            .prompter(self.person.clone())
    }

    /// A session in the repository, with nothing else said.
    pub(super) fn session(&self, backend: &Backend) -> Session {
        let state = ShellState::confined_by(Ok(backend.clone()));
        self.builder(&self.path("repo"), &state, SandboxSettings::default()).build()
    }
}

/// What a command comes to: whether it failed, and what the model reads.
pub(super) async fn run(session: &Session, command: &str) -> (bool, String) {
    call(session, json!({"command": command, "timeout": 20_000})).await
}

pub(super) async fn call(session: &Session, input: serde_json::Value) -> (bool, String) {
    call_tool(session, "Bash", input).await
}

pub(super) async fn call_tool(session: &Session, tool: &str, input: serde_json::Value) -> (bool, String) {
    let turn = Turn::new(vec![ToolUse::new("call", tool, input.to_string())]);
    let result = session.run_turn(turn).await.results.remove(0);
    (result.is_error, result.content.to_text())
}
