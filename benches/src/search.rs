//! What is searched in the benches of searches, and the programs that are searched with.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// Where cargo keeps the sources of crates.
#[must_use]
pub fn registry() -> Option<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(Path::new(&std::env::var_os("HOME")?).join(".cargo")))?;
    let mut registries = std::fs::read_dir(home.join("registry/src")).ok()?.flatten();
    registries.next()?.path().canonicalize().ok()
}

/// ripgrep in a folder, where it is installed.
#[must_use]
pub fn ripgrep(folder: &Path, arguments: &[&str]) -> Option<Command> {
    let mut command = Command::new("rg");
    command.arg("--no-config").args(arguments).current_dir(folder);
    is_there("rg").then_some(command)
}

/// The program `toolwright` with a call in a folder, where it is built beside this bench.
#[must_use]
pub fn toolwright_call(folder: &Path, tool: &str, input: &Value) -> Option<Command> {
    let bench = std::env::current_exe().ok()?;
    let program = bench.parent()?.parent()?.join("toolwright");
    let mut command = Command::new(&program);
    command.args(["call", tool, &input.to_string(), "--mode", "bypassPermissions"]).current_dir(folder);
    program.exists().then_some(command)
}

fn is_there(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// Runs a program to its end.
///
/// # Panics
/// When it cannot be started.
pub fn run(command: &mut Command) {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().expect("it is there");
}
