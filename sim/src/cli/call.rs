//! `toolwright call`: one call through the whole pipeline, for real, or several one after another.

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use toolwright::env::{Env, Tick};
use toolwright::event::{Event, EventSink, Recorder};
use toolwright::message::{Block, ToolUse, Turn};
use toolwright::session::{Session, TurnOutcome};
use toolwright::settings::Settings;
use toolwright_tools::hooks::RealHooks;
use toolwright_tools::tasks::Tasks;

use super::drive::{Signals, Wanted};
use super::gate::{GateArguments, tell_problems};
use super::output::{Fault, complain, print};
use super::program::{Tools, name};
use super::settings::{SettingsArguments, working_directory};
use super::status::Status;
use super::terminal::Terminal;

#[derive(Args)]
pub(super) struct CallArguments {
    /// The tool's name
    tool: String,
    /// Its input, as JSON
    input: String,
    /// Further calls, each a tool's name and its input: made one after another in the same session, until one fails
    #[arg(value_name = "TOOL INPUT")]
    more: Vec<String>,
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

pub(super) fn run(arguments: &CallArguments, tools: &Tools) -> Result<ExitCode, Fault> {
    let calls = arguments.calls()?;
    let catalogue = tools.catalogue();
    // One of the program's own by such a name is another tool.
    let needs_loop = |tool: &&str| OF_A_LOOP.contains(tool) && !catalogue.has(tool);
    if let Some(tool) = calls.iter().map(|(tool, _input)| *tool).find(needs_loop) {
        return Err(Fault::new(format!(
            "`{tool}` needs a model and a conversation, which one call has not: `{} run PROMPT --model …` offers it",
            name()
        )));
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Fault::new(format!("no executor could be started: {error}")))?;
    let ended = runtime.block_on(call(arguments, &calls, tools));
    // A question at the terminal cannot be taken back from the operating system.
    runtime.shutdown_background();
    ended
}

/// What becomes of the events of a session: they are kept, and the line that says what runs is drawn from them.
#[derive(Default)]
struct Heard {
    recorder: Recorder,
    status: Status,
}

impl EventSink for Heard {
    fn emit(&self, event: Event, now: &dyn Fn() -> Tick) {
        self.status.hear(&event, |text| text);
        self.recorder.emit(event, now);
    }
}

async fn call(arguments: &CallArguments, calls: &[(&str, &str)], tools: &Tools) -> Result<ExitCode, Fault> {
    let heard = Arc::new(Heard::default());
    let env = Env::tokio().map_err(|error| Fault::new(error.to_string()))?;
    let env = env.with_sink(Arc::clone(&heard) as Arc<dyn EventSink>);
    let cwd = working_directory(arguments.cwd.as_deref())?;
    let settings = arguments.settings.given(&cwd)?;
    let session = arguments.session(env, cwd, &settings, tools, &heard.status);
    tell_problems(&session, &settings);
    let mut signals = Signals::new()?;
    let mut is_error = false;
    for (number, (tool, input)) in (1..).zip(calls) {
        let call = ToolUse::new(format!("call_{number}"), *tool, *input);
        let outcome = until_stopped(&session, Turn::new(vec![call]), &mut signals).await?;
        heard.status.clear();
        is_error = tell_outcome(outcome, &heard.recorder, arguments.json)?;
        if is_error {
            break;
        }
    }
    until_over(&session, &tools.tasks, &mut signals).await;
    Ok(ExitCode::from(u8::from(is_error)))
}

/// Prints what a turn came to; whether a call failed.
fn tell_outcome(outcome: TurnOutcome, recorder: &Recorder, is_json: bool) -> Result<bool, Fault> {
    for stamped in recorder.take() {
        if is_json {
            print(&(serde_json::to_string(&stamped).expect("events serialise") + "\n"))?;
        } else if let Event::HookNotice { hook, stage, text, .. } = stamped.event {
            complain(&format!("{} hook `{hook}`: {text}", stage.name()));
        }
    }
    let mut is_error = false;
    for result in outcome.results {
        is_error |= result.is_error;
        let block = Block::ToolResult(result);
        let text = if is_json { serde_json::to_string(&block) } else { serde_json::to_string_pretty(&block) };
        print(&(text.expect("results serialise") + "\n"))?;
    }
    Ok(is_error)
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
    /// Every call, by tool and input.
    fn calls(&self) -> Result<Vec<(&str, &str)>, Fault> {
        let (more, alone) = self.more.as_chunks::<2>();
        if let [tool] = alone {
            return Err(Fault::new(format!(
                "`{tool}` has no input: give the name of a tool and its input in turn"
            )));
        }
        let more = more.iter().map(|[tool, input]| (tool.as_str(), input.as_str()));
        Ok(std::iter::once((self.tool.as_str(), self.input.as_str())).chain(more).collect())
    }

    fn session(
        &self,
        env: Env,
        cwd: PathBuf,
        settings: &Settings,
        tools: &Tools,
        status: &Status,
    ) -> Session {
        let builder = self.gate.session(env, tools.catalogue(), cwd, &self.settings, settings);
        let builder = builder.hook_transport(RealHooks::new());
        if io::stdin().is_terminal() { builder.prompter(Terminal(status.clone())) } else { builder }.build()
    }
}
