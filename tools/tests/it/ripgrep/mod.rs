//! Grep and Glob find what ripgrep finds, on made trees and on the sources of this machine's crates.

mod oracle;
mod registry;
mod tree;

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;
use toolwright::contract::{CallContext, Cx, IntoReply, Tool};
use toolwright::env::Env;
use toolwright_tools::files::glob::{Glob, GlobOutput};
use toolwright_tools::files::grep::{Grep, GrepOutput};

use crate::session::parse;
use oracle::{Asked, Compared};
use tree::Chance;

/// Whether ripgrep is here. Where everything has to be checked, it must be.
fn has_ripgrep() -> bool {
    let is_here = Command::new("rg").arg("--version").output().is_ok_and(|output| output.status.success());
    if !is_here {
        assert!(std::env::var_os("CI").is_none(), "there is no `rg`: install ripgrep");
        eprintln!("skipped: there is no `rg`");
    }
    is_here
}

fn context(folder: &Path) -> CallContext {
    CallContext::for_test(Env::tokio().expect("tests run on tokio"), folder)
}

async fn grep(folder: &Path, input: &Value) -> GrepOutput {
    let (call, context) = (parse::<Grep>(input.clone()), context(folder));
    let cx = Cx::for_test(&context, &());
    call.validate_input(&cx).await.unwrap_or_else(|invalid| panic!("{input}: {invalid:?}"));
    call.call(&cx).await.unwrap_or_else(|error| panic!("{input}: {error}")).into_reply().data
}

async fn glob(folder: &Path, input: &Value) -> GlobOutput {
    let (call, context) = (parse::<Glob>(input.clone()), context(folder));
    let found = call.call(&Cx::for_test(&context, &())).await;
    found.unwrap_or_else(|error| panic!("{input}: {error}"))
}

/// A tree of its own for each seed, and where it stands; it goes with the folder.
fn made_tree(seed: u64) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let root = folder.path().canonicalize().expect("it exists");
    tree::make(&root, &mut Chance::new(seed));
    (folder, root)
}

/// How many trees are made.
const TREES: u64 = 12;

#[tokio::test]
async fn grep_finds_what_ripgrep_finds_on_made_trees() {
    if !has_ripgrep() {
        return;
    }
    let mut compared = Compared::default();
    for seed in 0..TREES {
        let (_folder, root) = made_tree(seed);
        let mut chance = Chance::new(seed + 1_000);
        for asked in Asked::all(&mut chance) {
            let found = grep(&root, &asked.input()).await;
            compared.grep(&root, &asked, &found, &format!("tree {seed}"));
        }
    }
    compared.tell("made trees");
    assert!(compared.lines > 1_000, "something was compared");
}

#[tokio::test]
async fn glob_finds_what_ripgrep_lists_on_made_trees() {
    if !has_ripgrep() {
        return;
    }
    let mut compared = Compared::default();
    for seed in 0..TREES {
        let (_folder, root) = made_tree(seed);
        for pattern in tree::GLOBS {
            let found = glob(&root, &serde_json::json!({"pattern": pattern})).await;
            compared.glob(&root, pattern, &found, &format!("tree {seed}"));
        }
    }
    compared.tell("made trees");
    assert!(compared.files > 400, "something was compared");
}
