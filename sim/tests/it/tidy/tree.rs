//! The files that rules look at: the project's own, or a few that a test makes up.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Endings of the files that rules look at; `run` and `peers` are the checks.
const ENDINGS: &[&str] = &[".rs", ".md", ".toml", ".json", ".jsonl", "Cargo.lock", "/run", "/peers"];

/// Texts by their path from the root, with `/` between folders.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree(BTreeMap<String, String>);

impl Tree {
    /// The project: nothing that was built, and nothing hidden but the checks.
    pub(super) fn project() -> Tree {
        let mut found = BTreeMap::new();
        let mut folders = vec![root()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).expect("the project can be read").flatten() {
                let path = entry.path();
                let name = entry.file_name().to_string_lossy().into_owned();
                if path.is_dir() {
                    if name != "target" && (!name.starts_with('.') || name == ".ci") {
                        folders.push(path);
                    }
                    continue;
                }
                let name = path.strip_prefix(root()).expect("below the root").to_string_lossy().into_owned();
                if ENDINGS.iter().any(|ending| name.ends_with(ending)) {
                    let text = std::fs::read_to_string(&path).expect("the project's files are text");
                    found.insert(name, text);
                }
            }
        }
        Tree(found)
    }

    /// A tree of these files.
    pub(super) fn of<const N: usize>(files: [(&str, &str); N]) -> Tree {
        Tree(files.map(|(name, text)| (name.to_owned(), text.to_owned())).into())
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// All files, with their texts.
    pub(super) fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, text)| (name.as_str(), text.as_str()))
    }

    /// The files of Rust. The inputs of the macros' compile-fail tests are data.
    pub(super) fn rust(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files().filter(|(name, _)| name.ends_with(".rs") && !name.starts_with("runtime/tests/ui/"))
    }

    /// The manifests of the workspace's crates. What compares the project with others is a workspace of its own.
    pub(super) fn crates(&self) -> impl Iterator<Item = (&str, &str)> {
        let own = self.files().filter(|(name, _)| name.ends_with("/Cargo.toml"));
        own.filter(|(_, text)| !text.contains("[workspace]"))
    }
}

/// Where the project is.
pub(super) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate is in the workspace").to_path_buf()
}
