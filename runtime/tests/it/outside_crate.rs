//! A crate outside the workspace defines a tool with one dependency line, one annotated struct, one `impl`, and one
//! registration line; with typed state, one line more.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds and runs a crate of one file, whose only dependency is this one, and gives what it prints.
fn run_crate(name: &str, source: &str) -> String {
    run_crate_with(name, source, "")
}

/// The same with more lines of dependencies.
pub(crate) fn run_crate_with(name: &str, source: &str, dependencies: &str) -> String {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("outside").join(name);
    std::fs::create_dir_all(folder.join("src")).expect("the folder for temporary files can be written");
    let manifest = format!(
        "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n[profile.dev]\ndebug = false\n\n[dependencies]\ntoolwright = {{ path = {:?} }}\n{dependencies}",
        here.display().to_string()
    );
    std::fs::write(folder.join("Cargo.toml"), manifest).expect("the manifest can be written");
    std::fs::write(folder.join("src/main.rs"), source).expect("the source can be written");
    // The workspace's lock file: the same versions, which are on this machine already.
    drop(std::fs::copy(here.join("../Cargo.lock"), folder.join("Cargo.lock")));
    let built = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--offline"])
        .current_dir(&folder)
        .env("CARGO_TARGET_DIR", folder.parent().expect("it has a parent").join("target"))
        .env_remove("RUSTFLAGS")
        .output()
        .expect("cargo runs: it runs this test");
    let said = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{said}");
    assert!(!said.contains("warning"), "{said}");
    String::from_utf8(built.stdout).expect("definitions are UTF-8")
}

fn occurrences(source: &str, part: &str) -> usize {
    source.matches(part).count()
}

#[test]
fn a_tool_takes_one_struct_one_impl_and_one_registration() {
    let source = include_str!("../outside/stateless.rs");
    assert_eq!(occurrences(source, "#[tool("), 1);
    assert_eq!(occurrences(source, "impl "), 1);
    assert_eq!(occurrences(source, "tools.add"), 1);
    assert_eq!(
        run_crate("outside-stateless", source).trim(),
        r#"{"name":"Greet","description":"Greets someone.","input_schema":{"type":"object","properties":{"name":{"type":"string","description":"Whom to greet."}},"required":["name"],"additionalProperties":false}}"#
    );
}

#[test]
fn a_tool_can_be_one_function_and_nest_types() {
    let source = include_str!("../outside/nested.rs");
    assert_eq!(occurrences(source, "impl "), 0);
    assert_eq!(
        run_crate("outside-nested", source).trim(),
        r#"{"name":"count_lines","description":"Counts lines.","input_schema":{"type":"object","properties":{"lines":{"type":"array","description":"The lines.","items":{"type":"object","description":"A stretch of lines.","properties":{"to":{"type":"integer","description":"The last line.","minimum":0},"from":{"type":"integer","description":"The first line.","minimum":0}},"required":["to"],"additionalProperties":false}}},"required":["lines"],"additionalProperties":false}}"#
    );
}

#[test]
fn a_tool_with_state_takes_one_line_more() {
    let source = include_str!("../outside/with_state.rs");
    assert_eq!(occurrences(source, "impl "), 1);
    assert_eq!(occurrences(source, "tools.add"), 1);
    let definition = run_crate("outside-with-state", source);
    assert!(definition.starts_with(r#"{"name":"LookUp","description":"Looks a word up.""#), "{definition}");
}
