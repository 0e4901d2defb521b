//! The same on the sources of the crates that this machine has.

use std::path::{Path, PathBuf};

use super::oracle::{Asked, Compared};
use super::{glob, grep, has_ripgrep};

/// Where cargo keeps sources of crates; nothing where it has none.
fn registry() -> Option<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(Path::new(&std::env::var_os("HOME")?).join(".cargo")))?;
    let registries = std::fs::read_dir(home.join("registry/src")).ok();
    let mut folders: Vec<PathBuf> = registries?.flatten().map(|entry| entry.path()).collect();
    folders.sort_unstable();
    if folders.is_empty() {
        return None;
    }
    folders.swap_remove(0).canonicalize().ok()
}

fn asked(pattern: &'static str, mode: &'static str) -> Asked {
    Asked {
        pattern,
        mode,
        any_case: false,
        multiline: false,
        only_matching: false,
        before: 0,
        after: 0,
        globs: &[],
        file_type: None,
    }
}

#[tokio::test]
async fn grep_finds_what_ripgrep_finds_in_the_sources_of_crates() {
    let (true, Some(root)) = (has_ripgrep(), registry()) else {
        eprintln!("skipped: there are no sources of crates, or no ripgrep");
        return;
    };
    let mut compared = Compared::default();
    for asked in [
        Asked { before: 2, after: 1, ..asked("unsafe impl", "content") },
        Asked { any_case: true, ..asked("deprecated", "count") },
        Asked { globs: &["lib.rs"], ..asked("fn main", "files_with_matches") },
        Asked { globs: &["*.toml"], ..asked("^name = \"[a-c]", "content") },
        Asked {
            multiline: true,
            globs: &["**/tests/*.rs"],
            ..asked("#\\[test\\]\\n\\s*fn \\w+_panics", "content")
        },
        Asked { only_matching: true, globs: &["**/src/lib.rs"], ..asked("\\bpub fn \\w+", "content") },
        Asked { file_type: Some("md"), ..asked("Öffnen|grün|naïve|\\p{Greek}", "content") },
    ] {
        let found = grep(&root, &asked.input()).await;
        compared.grep(&root, &asked, &found, "the sources of crates");
    }
    compared.tell("the sources of crates");
}

/// Every so many crates are looked at.
const CRATES_STEP: usize = 8;

#[tokio::test]
async fn glob_finds_what_ripgrep_lists_in_the_sources_of_crates() {
    let (true, Some(root)) = (has_ripgrep(), registry()) else {
        eprintln!("skipped: there are no sources of crates, or no ripgrep");
        return;
    };
    let mut compared = Compared::default();
    for pattern in ["**/*.rs", "**/tests/**/*", "*/Cargo.toml", "**/.github/**"] {
        let found = glob(&root, &serde_json::json!({"pattern": pattern})).await;
        compared.glob(&root, pattern, &found, "the sources of crates");
    }
    let entries = std::fs::read_dir(&root).expect("it was listed");
    let mut crates: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    crates.sort_unstable();
    for folder in crates.iter().step_by(CRATES_STEP).filter(|folder| folder.is_dir()) {
        let found = glob(folder, &serde_json::json!({"pattern": "**/*"})).await;
        compared.glob(folder, "**/*", &found, &folder.display().to_string());
    }
    compared.tell("the sources of crates");
}
