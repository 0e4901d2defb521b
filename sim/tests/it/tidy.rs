//! The house rules that a compiler does not know: lengths, headers, words, and tables in step with the code.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use toolwright::contract::SessionFacts;
use toolwright::query::Scripted;
use toolwright::registry::Pool;
use toolwright_tools::agents::Agents;
use toolwright_tools::skills::SkillState;
use toolwright_tools::{MONITOR, PROACTIVE, REPL, add_agents, add_tool_search};

/// How many lines a file may have without its tests.
const FILE_LINES_MAX: usize = 500;
/// How many lines a function may have.
const FUNCTION_LINES_MAX: usize = 70;
/// Files that may be longer. The list only shrinks.
const LONGER_FILES: &[&str] = &[];
/// Functions that may be longer, as `file:function`. The list only shrinks.
const LONGER_FUNCTIONS: &[&str] = &[];

struct Source {
    /// The path from the project's root.
    name: String,
    text: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate is in the workspace").to_path_buf()
}

/// The project's files with one of these endings; nothing that was built, and nothing hidden but the checks.
fn files(endings: &[&str]) -> Vec<Source> {
    let mut found = Vec::new();
    let mut folders = vec![root()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("the project can be read").flatten() {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            if path.is_dir() {
                if name != "target" && (!name.starts_with('.') || name == ".ci") {
                    folders.push(path);
                }
            } else if endings.iter().any(|ending| name.ends_with(ending)) {
                let name = path.strip_prefix(root()).expect("below the root").to_string_lossy().into_owned();
                let text = std::fs::read_to_string(&path).expect("the project's files are text");
                found.push(Source { name, text });
            }
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

fn rust_files() -> Vec<Source> {
    // The inputs of the macro's compile-fail tests are data.
    files(&[".rs"]).into_iter().filter(|file| !file.name.starts_with("runtime/tests/ui/")).collect()
}

/// The lines of a file before its tests.
fn without_tests(text: &str) -> impl Iterator<Item = &str> {
    text.lines().take_while(|line| *line != "#[cfg(test)]")
}

fn assert_none(what: &str, found: &[String]) {
    assert!(found.is_empty(), "{what}:\n{}", found.join("\n"));
}

#[test]
fn every_file_says_at_its_top_what_it_is_for() {
    let silent = rust_files().into_iter().filter(|file| !file.text.starts_with("//! "));
    assert_none("files without `//!` at their top", &silent.map(|file| file.name).collect::<Vec<_>>());
}

#[test]
fn no_file_is_too_long() {
    let long = rust_files().into_iter().filter_map(|file| {
        let lines = without_tests(&file.text).count();
        let is_excused = LONGER_FILES.contains(&file.name.as_str());
        (lines > FILE_LINES_MAX && !is_excused).then(|| format!("{}: {lines} lines", file.name))
    });
    assert_none("files over the limit", &long.collect::<Vec<_>>());
}

#[test]
fn no_function_is_too_long() {
    let mut long = Vec::new();
    for file in rust_files() {
        let mut open: Option<(usize, usize, String)> = None;
        for (number, line) in file.text.lines().enumerate() {
            let indent = line.len() - line.trim_start().len();
            if let Some((start, depth, name)) = &open {
                if indent == *depth && line.trim_end() == format!("{}}}", " ".repeat(*depth)) {
                    let lines = number - start + 1;
                    let place = format!("{}:{name}", file.name);
                    if lines > FUNCTION_LINES_MAX && !LONGER_FUNCTIONS.contains(&place.as_str()) {
                        long.push(format!("{place}: {lines} lines"));
                    }
                    open = None;
                }
            } else if let Some(name) = function_name(line)
                && !line.trim_end().ends_with('}')
                && !line.trim_end().ends_with(';')
            {
                open = Some((number, indent, name.to_owned()));
            }
        }
    }
    assert_none("functions over the limit", &long);
}

/// The name of the function that begins on this line.
fn function_name(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let words = ["pub(crate) ", "pub(super) ", "pub ", "const ", "async ", "unsafe "];
    let mut rest = line;
    while let Some(shorter) = words.iter().find_map(|word| rest.strip_prefix(word)) {
        rest = shorter;
    }
    rest.strip_prefix("fn ")?.split(['(', '<']).next()
}

#[test]
fn lints_are_expected_with_a_reason_and_never_allowed() {
    let allowed = format!("#[{}(", "allow");
    let inner = format!("#![{}(", "allow");
    // What the macro writes into a user's crate cannot know which lints are on there, so an expectation would fail.
    let ours = rust_files().into_iter().filter(|file| file.name != "macros/src/expand.rs");
    let found = ours.flat_map(|file| {
        let lines =
            file.text.lines().enumerate().map(|(number, line)| (number, line.to_owned())).collect::<Vec<_>>();
        let is_bad = |line: &str| line.contains(&allowed) || line.contains(&inner);
        lines
            .into_iter()
            .filter(move |(_, line)| is_bad(line))
            .map(move |(number, _)| format!("{}:{}", file.name, number + 1))
            .collect::<Vec<_>>()
    });
    assert_none("lints allowed", &found.collect::<Vec<_>>());
}

#[test]
fn no_text_names_a_registrys_host_or_a_place_on_somebodys_machine() {
    let words = [format!("crates{}io", '.'), format!("/{}/main", "work"), format!("/{}/", "root")];
    let found = files(&[".rs", ".md", ".toml", "run", ".json", ".jsonl"]).into_iter().flat_map(|file| {
        let hits = words
            .iter()
            .filter(|word| file.text.contains(*word))
            .map(|word| format!("{}: {word}", file.name));
        hits.collect::<Vec<_>>()
    });
    assert_none("words that do not belong here", &found.collect::<Vec<_>>());
}

#[test]
fn no_source_file_is_forgotten() {
    let sources: Vec<Source> = rust_files().into_iter().filter(|file| file.name.contains("/src/")).collect();
    let names: BTreeSet<&str> = sources.iter().map(|file| file.name.as_str()).collect();
    let forgotten = names.iter().filter(|name| !is_declared(name, &sources));
    assert_none(
        "files that no module declares",
        &forgotten.map(|name| (*name).to_owned()).collect::<Vec<_>>(),
    );
}

/// Whether the module above declares this file. The macro crate's tests are of one kind with its sources.
fn is_declared(name: &str, sources: &[Source]) -> bool {
    let path = Path::new(name);
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let folder = path.parent().unwrap_or(Path::new(""));
    let (module, home) = match stem {
        "lib" | "main" => return true,
        "mod" => (
            folder.file_name().and_then(|name| name.to_str()).unwrap_or_default(),
            folder.parent().unwrap_or(Path::new("")),
        ),
        other => (other, folder),
    };
    let candidates =
        [home.join("mod.rs"), home.join("lib.rs"), home.join("main.rs"), home.with_extension("rs")];
    let declares = |text: &str| {
        ["mod ", "pub mod ", "pub(crate) mod "]
            .iter()
            .any(|start| text.lines().any(|line| line.trim() == format!("{start}{module};")))
    };
    sources.iter().any(|file| {
        candidates.iter().any(|candidate| candidate == Path::new(&file.name)) && declares(&file.text)
    })
}

#[test]
fn only_the_permission_room_makes_permits_and_only_one_place_uses_them() {
    let makes = format!("Permit{}new(", "::");
    let uses = format!(".call({}, ", "permit");
    let found = rust_files().into_iter().filter_map(|file| {
        let is_gate = file.name.starts_with("runtime/src/permission/");
        let is_call = file.name == "runtime/src/pipeline/call.rs";
        let wrong = (file.text.contains(&makes) && !is_gate) || (file.text.contains(&uses) && !is_call);
        wrong.then_some(file.name)
    });
    assert_none("permits outside their rooms", &found.collect::<Vec<_>>());
}

#[test]
fn every_crate_takes_its_version_from_the_workspace() {
    // A workspace is its own root, and what compares the project with others is one.
    let own = files(&["Cargo.toml"]).into_iter().filter(|file| !file.text.contains("[workspace]"));
    let own = own.filter(|file| file.name != "Cargo.toml");
    let apart = own.filter(|file| !file.text.contains("version.workspace = true"));
    assert_none("versions out of step", &apart.map(|file| file.name).collect::<Vec<_>>());
}

#[test]
fn the_readmes_tool_table_is_the_catalogue() {
    let mut catalogue = toolwright_tools::catalogue();
    let agents = Agents::builder(Arc::new(Scripted::default())).build();
    add_agents(&mut catalogue, &agents, SkillState::default());
    add_tool_search(&mut catalogue);
    let features = [MONITOR, PROACTIVE, REPL].map(str::to_owned).into();
    let pool = Pool::new(&catalogue, &SessionFacts { has_person: true, features }, |_| true);
    let listed: BTreeSet<String> =
        pool.tools().iter().map(|tool| tool.form().name.clone().into_owned()).collect();
    let readme = std::fs::read_to_string(root().join("README.md")).expect("there is a README");
    let table = readme.split("| tool | does |").nth(1).expect("the README has a table of tools");
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let shown: BTreeSet<String> =
        rows.filter_map(|row| row.split('|').nth(1)).map(|cell| cell.trim().to_owned()).collect();
    assert_eq!(shown, listed);
}
