//! Servers of the Model Context Protocol as tools of a session.

mod asking;
mod fake;
mod hostile;
mod names;
mod peers;
mod serve;

use std::path::{Path, PathBuf};
use std::time::Duration;

use toolwright::contract::Context;
use toolwright::env::Env;
use toolwright::message::{ToolResult, ToolUse, Turn};
use toolwright::permission::{Behavior, Source};
use toolwright::registry::{Catalogue, Deferral};
use toolwright::session::Session;
use toolwright_tools::mcp::client::{Reach, ServerConfig, Servers};

/// How long anything may take here.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) fn env() -> Env {
    Env::tokio().expect("tests run on tokio")
}

pub(crate) fn config(name: &str, reach: Reach) -> ServerConfig {
    ServerConfig {
        name: name.to_owned(),
        reach,
        start_timeout: PATIENCE,
        call_timeout: PATIENCE,
        always_load: false,
        output_chars_max: 100_000,
        roots: Vec::new(),
    }
}

pub(crate) fn program(name: &str, command: PathBuf, args: &[&str], cwd: &Path) -> ServerConfig {
    let reach = Reach::Stdio {
        command: command.display().to_string(),
        args: args.iter().map(|arg| (*arg).to_owned()).collect(),
        env: [("MEMORY_FILE_PATH".to_owned(), cwd.join("memory.jsonl").display().to_string())].into(),
        cwd: cwd.to_owned(),
    };
    ServerConfig { roots: vec![cwd.to_owned()], ..config(name, reach) }
}

/// A session with all tools of these servers, in which those of the servers `allowed` may run.
pub(crate) fn session(servers: &Servers, allowed: &[&str]) -> Session {
    let mut catalogue = Catalogue::new();
    servers.add_to(&mut catalogue).expect("the names are names");
    let rules = allowed.iter().map(|name| (Behavior::Allow, Source::CliArg, (*name).to_owned()));
    let mut builder =
        Session::builder(env(), catalogue).context(Context::new("/")).deferral(Deferral::standard());
    for (behavior, source, rule) in rules {
        builder = builder.rule(behavior, source, rule);
    }
    builder.build()
}

pub(crate) async fn call(session: &Session, name: &str, input: &str) -> ToolResult {
    let turn = Turn::new(vec![ToolUse::new("call", name, input)]);
    let ran = tokio::time::timeout(PATIENCE, session.run_turn(turn)).await;
    ran.unwrap_or_else(|_| panic!("`{name}` never ends")).results.remove(0)
}

pub(crate) fn names(session: &Session) -> Vec<String> {
    session.pool().tools().iter().map(|tool| tool.form().name.clone().into_owned()).collect()
}
