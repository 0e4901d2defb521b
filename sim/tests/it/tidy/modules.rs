//! Forgotten files: source files that no crate reaches, however well they read.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use super::Tree;

/// Files of Rust that no module tree and no test reaches.
pub(super) fn forgotten(tree: &Tree) -> Vec<String> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<String> =
        tree.rust().map(|(name, _)| name).filter(|name| is_root(tree, name)).map(str::to_owned).collect();
    while let Some(name) = open.pop() {
        let Some(text) = tree.text(&name) else { continue };
        if reached.insert(name.clone()) {
            open.extend(named_by(&name, text));
        }
    }
    let forgotten = tree.rust().map(|(name, _)| name).filter(|name| !reached.contains(*name));
    forgotten.map(|name| format!("{name}: no module declares it")).collect()
}

/// Whether cargo begins a crate with this file.
fn is_root(tree: &Tree, name: &str) -> bool {
    let parts: Vec<&str> = name.split('/').collect();
    match parts.as_slice() {
        [.., "src", "lib.rs" | "main.rs"]
        | [.., "src", "bin", _]
        | [.., "src", "bin", _, "main.rs"]
        | [_, "examples", _]
        | [_, "tests", _] => true,
        [_, "tests", "it", "main.rs"] => true,
        ["benches", "benches", file] => {
            let declared = format!("name = \"{}\"", file.trim_end_matches(".rs"));
            tree.text("benches/Cargo.toml").is_some_and(|manifest| manifest.contains(&declared))
        }
        _ => false,
    }
}

/// The files that a file makes part of its crate, some of which may not be there.
fn named_by(name: &str, text: &str) -> Vec<String> {
    let path = Path::new(name);
    let folder = path.parent().unwrap_or(Path::new(""));
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let below = match stem {
        "mod" | "lib" | "main" => folder.to_path_buf(),
        // A crate of one file has its modules beside it.
        _ if is_flat(name) => folder.to_path_buf(),
        _ => folder.join(stem),
    };
    let mut named = Vec::new();
    let mut said_where: Option<&str> = None;
    for line in text.lines().map(str::trim) {
        if let Some(path) = line.strip_prefix("#[path = \"").and_then(|rest| rest.strip_suffix("\"]")) {
            said_where = Some(path);
        } else if let Some(module) = declared(line) {
            match said_where.take() {
                Some(path) => named.push(joined(folder, path)),
                None => named.extend([
                    joined(&below, &format!("{module}.rs")),
                    joined(&below, &format!("{module}/mod.rs")),
                ]),
            }
        }
        // What a test reads and builds elsewhere.
        let read = line.split("include_str!(\"").skip(1).filter_map(|rest| rest.split('"').next());
        named.extend(read.filter(|path| path.ends_with(".rs")).map(|path| joined(folder, path)));
    }
    named
}

/// Sources that read what their package does not have. Only docs that are tested may: a package has none of its tests run.
pub(super) fn outside(tree: &Tree) -> Vec<String> {
    let mut found = Vec::new();
    for (name, text) in tree.rust().filter(|(name, _)| name.split('/').nth(1) == Some("src")) {
        let (package, folder) = (name.split('/').next().unwrap_or_default(), Path::new(name).parent());
        let own = format!("{package}/");
        let is_for_tests = name.ends_with("/tests.rs") || package == "benches";
        let mut before = "";
        for line in text.lines().take_while(|line| *line != "#[cfg(test)]").filter(|_| !is_for_tests) {
            let mut calls = ["include_str!(\"", "include_bytes!(\"", "#[path = \""].iter();
            let read =
                calls.find_map(|call| line.split_once(call)).and_then(|(_, rest)| rest.split('"').next());
            let is_away =
                read.is_some_and(|path| !joined(folder.unwrap_or(Path::new("")), path).starts_with(&own));
            if is_away && before != "#[cfg(doctest)]" {
                found.push(format!("{name}: `{}` is not in its package", read.unwrap_or_default()));
            }
            before = line;
        }
    }
    found
}

fn is_flat(name: &str) -> bool {
    ["/examples/", "/benches/", "/src/bin/"].iter().any(|folder| name.contains(folder))
}

/// The module that a line declares in another file.
fn declared(line: &str) -> Option<&str> {
    let words = ["pub(crate) ", "pub(super) ", "pub "];
    let rest = words.iter().find_map(|word| line.strip_prefix(word)).unwrap_or(line);
    rest.strip_prefix("mod ")?.strip_suffix(';')
}

/// A path from the root, without `..`.
fn joined(folder: &Path, path: &str) -> String {
    let mut joined = PathBuf::new();
    for part in folder.join(path).components() {
        match part {
            Component::ParentDir => {
                joined.pop();
            }
            other => joined.push(other),
        }
    }
    joined.to_string_lossy().into_owned()
}
