//! One search three ways, for the benches of searches: a tool in this process, ripgrep, and the tool as a process.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use criterion::Criterion;
use serde_json::Value;
use tokio::runtime::Runtime;
use toolwright::contract::{CallContext, Cx, Tool};
use toolwright::env::Env;
use toolwright::testing::parse_input;

/// The sources of this machine's crates, and an executor to search them on.
pub struct Searched {
    folder: PathBuf,
    runtime: Runtime,
    context: CallContext,
}

impl Searched {
    /// Says so and gives nothing where there are no sources.
    ///
    /// # Panics
    /// When no executor can be made.
    #[must_use]
    pub fn new() -> Option<Searched> {
        let Some(folder) = registry() else {
            eprintln!("skipped: cargo has no sources of crates here");
            return None;
        };
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("an executor can be made");
        let context = runtime.block_on(async {
            let env = Env::tokio().expect("there is an executor");
            CallContext::for_test(env, &folder)
        });
        Some(Searched { folder, runtime, context })
    }

    /// Measures a call of a tool beside ripgrep, each time with a name and arguments to the same end. Both have their own
    /// way to tell how much was found.
    ///
    /// # Panics
    /// When the input does not fit, the search fails, or the two do not find as much.
    pub fn compare<T: Tool<State = ()>>(
        &self,
        criterion: &mut Criterion,
        [group, tool]: [&str; 2],
        input: &Value,
        ripgreps: &[(&str, &[&str])],
        amounts: (impl Fn(&T::Output) -> u64, impl Fn(&str) -> u64),
    ) {
        let mut group = criterion.benchmark_group(group);
        group.sample_size(10);
        let search = || {
            let call: T = parse_input(&input.to_string(), &()).expect("the input fits the schema");
            let found = self.runtime.block_on(call.call(&Cx::for_test(&self.context, &())));
            found.expect("it can be searched")
        };
        group.bench_function(tool, |bencher| bencher.iter(|| black_box(search())));
        for (name, arguments) in ripgreps {
            let Some(mut command) = ripgrep(&self.folder, arguments) else { continue };
            let said = command.stdin(Stdio::null()).output().expect("it is there").stdout;
            assert_eq!(amounts.0(&search()), amounts.1(&String::from_utf8_lossy(&said)), "both find as much");
            group.bench_function(*name, |bencher| bencher.iter(|| run(&mut command)));
        }
        if let Some(mut command) = toolwright_call(&self.folder, tool, input) {
            let named = format!("toolwright call {tool}");
            group.bench_function(named, |bencher| bencher.iter(|| run(&mut command)));
        }
    }
}

/// Where cargo keeps the sources of crates.
fn registry() -> Option<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(Path::new(&std::env::var_os("HOME")?).join(".cargo")))?;
    let mut registries = std::fs::read_dir(home.join("registry/src")).ok()?.flatten();
    registries.next()?.path().canonicalize().ok()
}

/// ripgrep in a folder, where it is installed.
fn ripgrep(folder: &Path, arguments: &[&str]) -> Option<Command> {
    let mut command = Command::new("rg");
    command.arg("--no-config").args(arguments).current_dir(folder);
    is_there("rg").then_some(command)
}

/// The program `toolwright` with a call in a folder, where it is built beside this bench.
fn toolwright_call(folder: &Path, tool: &str, input: &Value) -> Option<Command> {
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
fn run(command: &mut Command) {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().expect("it is there");
}
