//! Manifests: versions in step, metadata whole, crates that only point one way, features with their words.

use super::Tree;

/// Crates from the bottom up: each may depend on those before it.
const ORDER: &[&str] = &["macros", "runtime", "tools", "sim", "benches"];
/// Their packages.
const PACKAGES: &[&str] =
    &["toolwright-macros", "toolwright", "toolwright-tools", "toolwright-sim", "toolwright-benches"];
/// What each crate's manifest has.
const METADATA: &[&str] = &[
    "description = ",
    "version.workspace = true",
    "edition.workspace = true",
    "rust-version.workspace = true",
    "license.workspace = true",
];
/// What it has besides, when it is for others.
const PUBLISHED: &[&str] =
    &["readme.workspace = true", "keywords.workspace = true", "categories.workspace = true"];

/// Crates that lack a line of their metadata, or whose version is their own.
pub(super) fn metadata(tree: &Tree) -> Vec<String> {
    let mut found = Vec::new();
    for (name, text) in tree.crates() {
        let published = if text.contains("publish = false") { &[] } else { PUBLISHED };
        let missing = METADATA.iter().chain(published).filter(|line| !has_line(text, line));
        found.extend(missing.map(|line| format!("{name}: no line `{line}`")));
    }
    found
}

fn has_line(text: &str, start: &str) -> bool {
    text.lines().any(|line| line.starts_with(start))
}

/// Versions of our packages that are not the workspace's.
pub(super) fn versions(tree: &Tree) -> Vec<String> {
    let root = tree.text("Cargo.toml").unwrap_or_default();
    let own = root.lines().find_map(|line| line.strip_prefix("version = "));
    let Some(own) = own else { return vec!["Cargo.toml: the workspace has no version".to_owned()] };
    let mut found = Vec::new();
    for line in root.lines().filter(|line| line.starts_with("toolwright")) {
        if !line.contains(&format!("version = {own}")) {
            found.push(format!("Cargo.toml: `{line}` is not of version {own}"));
        }
    }
    // Its lock has one entry a package; ours have no source.
    let lock = tree.text("Cargo.lock").unwrap_or_default();
    for entry in lock.split("[[package]]").filter(|entry| entry.contains("name = \"toolwright")) {
        if !entry.contains(&format!("version = {own}")) {
            found.push(format!("Cargo.lock:{} is not of version {own}", entry.replace('\n', " ")));
        }
    }
    found
}

/// Crates that depend on one above them.
pub(super) fn direction(tree: &Tree) -> Vec<String> {
    let mut found = Vec::new();
    for (place, folder) in ORDER.iter().enumerate() {
        let name = format!("{folder}/Cargo.toml");
        let text = tree.text(&name).unwrap_or_default();
        let depends = text.lines().filter_map(|line| line.split([' ', '.', '=']).next());
        let upward = depends.filter(|word| PACKAGES[place + 1..].contains(word));
        found.extend(upward.map(|above| format!("{name}: it depends on `{above}`, which is above it")));
    }
    found
}

/// Features that nobody says anything about: in the manifest above their line, and in the docs of the crate.
pub(super) fn features(tree: &Tree) -> Vec<String> {
    let mut found = Vec::new();
    for (name, text) in tree.crates() {
        let docs = tree.text(&name.replace("Cargo.toml", "src/lib.rs")).unwrap_or_default();
        let mut is_said = false;
        for line in text
            .lines()
            .skip_while(|line| *line != "[features]")
            .skip(1)
            .take_while(|line| !line.starts_with('['))
        {
            if let Some((feature, _)) = line.split_once(" = ")
                && feature != "default"
            {
                if !is_said {
                    found.push(format!("{name}: no comment above the feature `{feature}`"));
                }
                if !docs.lines().any(|line| line.starts_with("//!") && line.contains(&format!("`{feature}`")))
                {
                    found.push(format!(
                        "{name}: the docs of the crate do not tell of the feature `{feature}`"
                    ));
                }
            }
            is_said = line.starts_with('#');
        }
    }
    found
}
