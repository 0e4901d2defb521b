//! `toolwright call`: one call through the whole pipeline, for real.

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use toolwright::contract::Context;
use toolwright::env::Env;
use toolwright::event::{Event, EventSink, Recorder};
use toolwright::message::{Block, ToolUse, Turn};
use toolwright::permission::Source;
use toolwright::session::{Session, TurnOutcome};
use toolwright::settings::Settings;
use toolwright_tools::hooks::RealHooks;
use toolwright_tools::tasks::Tasks;

use super::drive::{Signals, Wanted};
use super::gate::GateArguments;
use super::output::{Fault, complain, print};
use super::settings::{SettingsArguments, home, tell, working_directory};
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
    let tasks = Tasks::new();
    let session = arguments.session(env, cwd, settings.clone(), &tasks);
    session.settings_problems().iter().for_each(|problem| tell(problem, &settings));
    session.rule_problems().iter().filter(|problem| problem.source == Source::CliArg).for_each(|problem| {
        complain(&problem.to_string());
    });
    let call = ToolUse::new("call_1", arguments.tool.as_str(), arguments.input.as_str());
    let mut signals = Signals::new()?;
    let outcome = until_stopped(&session, Turn::new(vec![call]), &mut signals).await?;
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
    until_over(&session, &tasks, &mut signals).await;
    Ok(ExitCode::from(u8::from(is_error)))
}

/// Runs the turn to its end. The signals that end a program abort it first: what it started is stopped, and the call
/// has its result.
async fn until_stopped(session: &Session, turn: Turn, signals: &mut Signals) -> Result<TurnOutcome, Fault> {
    let mut running = std::pin::pin!(session.run_turn(turn));
    tokio::select! {
        outcome = &mut running => return Ok(outcome),
        _wanted = signals.next() => session.abort(),
    }
    // Whoever insists does not wait for a body that does not want to stop.
    loop {
        tokio::select! {
            outcome = &mut running => return Ok(outcome),
            wanted = signals.next() => if wanted == Wanted::Interrupt {
                return Err(Fault::new("interrupted twice: the call may still run"));
            }
        }
    }
}

/// Waits for what the call has left in the background, and tells what there is to tell of it. A signal ends the waiting,
/// and what still runs ends with the session.
async fn until_over(session: &Session, tasks: &Tasks, signals: &mut Signals) {
    let tell = || session.take_notes().iter().flat_map(|note| note.lines()).for_each(complain);
    'tasks: for id in tasks.running_in(session.ties()) {
        let mut end = std::pin::pin!(tasks.end_of(&id));
        loop {
            tokio::select! {
                () = &mut end => break,
                () = session.ties().noted() => tell(),
                _wanted = signals.next() => break 'tasks,
            }
        }
    }
    tell();
}

impl CallArguments {
    fn session(&self, env: Env, cwd: PathBuf, settings: Settings, tasks: &Tasks) -> Session {
        let mut builder = Session::builder(env, toolwright_tools::catalogue_with(tasks))
            .context(Context { home: home(), ..Context::new(cwd) })
            .settings(settings)
            .hook_transport(RealHooks::new())
            .profile(self.settings.profile())
            .rules(self.gate.rules());
        builder = self.gate.features(builder);
        if let Some(mode) = self.gate.mode {
            builder = builder.mode(mode);
        }
        if io::stdin().is_terminal() {
            builder = builder.prompter(Terminal);
        }
        builder.build()
    }
}
