//! The same on the sources of the crates that this machine has.

use std::path::{Path, PathBuf};

use super::oracle::{Asked, Compared};
use super::{glob, grep, has_ripgrep};

/// Set to `all`, it has the searches go through all crates at once, which takes most of a minute.
const ASKED: &str = "TOOLWRIGHT_CRATES";

/// Every so many crates are searched, each by itself, where nobody asks for more.
const CRATES_STEP: usize = 16;

/// The folders to search; nothing where cargo keeps no sources of crates.
fn roots() -> Option<Vec<PathBuf>> {
    let root = registry()?;
    if std::env::var_os(ASKED).is_some_and(|value| value == "all") {
        return Some(vec![root]);
    }
    let entries = std::fs::read_dir(&root).ok()?;
    let mut crates: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    crates.retain(|path| path.is_dir());
    crates.sort_unstable();
    Some(crates.into_iter().step_by(CRATES_STEP).collect())
}

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
    let (true, Some(roots)) = (has_ripgrep(), roots()) else {
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
        for root in &roots {
            let found = grep(root, &asked.input()).await;
            compared.grep(root, &asked, &found, &root.display().to_string());
        }
    }
    compared.tell("the sources of crates");
}

#[tokio::test]
async fn glob_finds_what_ripgrep_lists_in_the_sources_of_crates() {
    let (true, Some(roots)) = (has_ripgrep(), roots()) else {
        eprintln!("skipped: there are no sources of crates, or no ripgrep");
        return;
    };
    let mut compared = Compared::default();
    for pattern in ["**/*", "**/*.rs", "**/tests/**/*", "*/Cargo.toml", "**/.github/**"] {
        for root in &roots {
            let found = glob(root, &serde_json::json!({"pattern": pattern})).await;
            compared.glob(root, pattern, &found, &root.display().to_string());
        }
    }
    compared.tell("the sources of crates");
}
