//! `toolwright call`: one call through the whole pipeline, for real.

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use tokio::signal::unix::{SignalKind, signal};
use toolwright::env::Env;
use toolwright::event::{Event, EventSink, Recorder};
use toolwright::message::{Block, ToolUse, Turn};
use toolwright::session::{Session, TurnOutcome};
use toolwright::settings::Settings;
use toolwright_tools::hooks::RealHooks;

use super::gate::{GateArguments, tell_problems};
use super::output::{Fault, complain, print};
use super::settings::{SettingsArguments, working_directory};
use super::terminal::Terminal;

#[derive(Args)]
pub(super) struct CallArguments {
    /// The tool's name
    tool: String,
    /// Its input, as JSON
    input: String,
    #[command(flatten)]
    settings: SettingsArguments,
    #[command(flatten)]
    gate: GateArguments,
    /// The working directory; the current one when left out
    #[arg(long)]
    cwd: Option<PathBuf>,
    /// Print every step as a line of JSON, and the result block last
    #[arg(long)]
    json: bool,
}

/// The tools whose calls run a model's loop, or tell it something.
const OF_A_LOOP: &[&str] = &["Agent", "SendMessage", "Skill", "Task"];

pub(super) fn run(arguments: &CallArguments) -> Result<ExitCode, Fault> {
    if OF_A_LOOP.contains(&arguments.tool.as_str()) {
        return Err(Fault::new(format!(
            "`{}` needs a model and a conversation, which one call has not: `toolwright run PROMPT --model …` offers it",
            arguments.tool
        )));
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Fault::new(format!("no executor could be started: {error}")))?;
    let ended = runtime.block_on(call(arguments));
    // A question at the terminal cannot be taken back from the operating system.
    runtime.shutdown_background();
    ended
}

async fn call(arguments: &CallArguments) -> Result<ExitCode, Fault> {
    let recorder = Arc::new(Recorder::default());
    let env = Env::tokio().map_err(|error| Fault::new(error.to_string()))?;
    let env = env.with_sink(Arc::clone(&recorder) as Arc<dyn EventSink>);
    let cwd = working_directory(arguments.cwd.as_deref())?;
    let settings = arguments.settings.given(&cwd)?;
    let session = arguments.session(env, cwd, &settings);
    tell_problems(&session, &settings);
    let call = ToolUse::new("call_1", arguments.tool.as_str(), arguments.input.as_str());
    let outcome = until_stopped(&session, Turn::new(vec![call])).await?;
    let mut is_error = false;
    for stamped in recorder.take() {
        if arguments.json {
            print(&(serde_json::to_string(&stamped).expect("events serialise") + "\n"))?;
        } else if let Event::HookNotice { hook, stage, text, .. } = stamped.event {
            complain(&format!("{} hook `{hook}`: {text}", stage.name()));
        }
    }
    for result in outcome.results {
        is_error |= result.is_error;
        let block = Block::ToolResult(result);
        let text =
            if arguments.json { serde_json::to_string(&block) } else { serde_json::to_string_pretty(&block) };
        print(&(text.expect("results serialise") + "\n"))?;
    }
    Ok(ExitCode::from(u8::from(is_error)))
}

/// Runs the turn to its end. The signals that end a program abort it first: what it started is stopped, and the call
/// has its result.
async fn until_stopped(session: &Session, turn: Turn) -> Result<TurnOutcome, Fault> {
    let failed = |error: io::Error| Fault::new(format!("signals cannot be watched: {error}"));
    let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
    let mut hang_up = signal(SignalKind::hangup()).map_err(failed)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
    let mut running = std::pin::pin!(session.run_turn(turn));
    tokio::select! {
        outcome = &mut running => return Ok(outcome),
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
        _ = hang_up.recv() => {}
    }
    session.abort();
    // Whoever insists does not wait for a body that does not want to stop.
    tokio::select! {
        outcome = running => Ok(outcome),
        _ = interrupt.recv() => Err(Fault::new("interrupted twice: the call may still run")),
    }
}

impl CallArguments {
    fn session(&self, env: Env, cwd: PathBuf, settings: &Settings) -> Session {
        let catalogue = toolwright_tools::catalogue();
        let builder = self.gate.session(env, catalogue, cwd, &self.settings, settings);
        let builder = builder.hook_transport(RealHooks::new());
        let builder = if io::stdin().is_terminal() { builder.prompter(Terminal) } else { builder };
        builder.build()
    }
}
