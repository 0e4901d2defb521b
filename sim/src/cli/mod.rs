//! The command line. Exit code 0: fine; 1: a check failed; 2: bad usage, or nothing could be read. Of `check`, 0: the
//! call is allowed; 1: somebody is asked; 2: as before; 3: it is denied. Of `run`, 0: the model has answered; 1: it came
//! to no answer, was stopped, or the recording is not whole; 2: as before. 130: it was interrupted, and said what there
//! was until then. 141: nobody read its output to the end.

mod again;
mod apart;
mod call;
mod check;
mod children;
mod deferral;
mod diff;
mod drive;
mod explore;
mod found;
mod gate;
mod how;
mod import;
mod interrupt;
mod lint;
mod live;
mod mended;
mod merge;
mod model;
mod output;
mod program;
mod progress;
mod replay;
mod report;
mod run;
mod serve;
mod servers;
mod settings;
mod shrink;
mod status;
mod sweep;
mod terminal;
mod tools;
mod why;
mod write;

use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use toolwright::registry::Catalogue;
use toolwright_tools::tasks::Late;

use self::output::Fault;
use self::program::Tools;

/// Tools for LLM agents: what they are, what they do under given rules, and replays of recorded sessions.
#[derive(Parser)]
#[command(name = "toolwright", version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Replay recorded sessions in virtual time, and show what happened
    Replay(replay::ReplayArguments),
    /// Run a recording under many seeds, and say what breaks: exit code 1 when anything does
    Explore(explore::ExploreArguments),
    /// Make the failure that a token names small: fewer calls, fewer surprises
    Shrink(shrink::ShrinkArguments),
    /// Tell from which choice on the failure that a token names could not be avoided
    Why(why::WhyArguments),
    /// Show where the runs of two seeds part
    Diff(diff::DiffArguments),
    /// Explore many seeds in several processes, of which any may crash
    Sweep(sweep::SweepArguments),
    /// Add up what several sweeps found
    Merge(merge::MergeArguments),
    /// Read a recording of any known format and write it in this project's own
    Import(import::ImportArguments),
    /// Run one call through the whole pipeline, for real
    Call(call::CallArguments),
    /// Give a model a prompt and run the calls it makes, for real
    Run(Box<run::RunArguments>),
    /// Tell what the permission gate would answer to a call, and why: exit code 0 allowed, 1 asked, 3 denied
    Check(check::CheckArguments),
    /// Show the tools as the model gets them, and why others are missing
    Tools(Box<tools::ToolsArguments>),
    /// Offer the tools to other programs, as a server of the Model Context Protocol
    Serve(Box<serve::ServeArguments>),
}

/// Runs the program on the process's arguments, with the tools of this project.
#[must_use]
pub fn main() -> ExitCode {
    main_with(|built_in| built_in)
}

/// Runs the program on the process's arguments, with other tools: `tools` is given the list of built-in ones, and gives
/// back the program's. Every command knows those: `check` and its lints, `call`, `serve`, `tools`, `run`, and what replays
/// recordings. The program is called by its own name in its texts. Two tools of one name end it with code 2, whatever the
/// command.
///
/// ```no_run
/// use std::process::ExitCode;
///
/// use toolwright::prelude::*;
///
/// /// Says how many words a text has.
/// #[tool(read_only, concurrency_safe)]
/// struct CountWords {
///     /// The text to count in.
///     text: String,
/// }
///
/// impl Tool for CountWords {
///     type Output = usize;
///
///     async fn call(&self, _cx: &Cx<'_, Self>) -> Result<usize, ToolError> {
///         Ok(self.text.split_whitespace().count())
///     }
/// }
///
/// fn main() -> ExitCode {
///     toolwright_sim::cli::main_with(|mut tools| {
///         tools.add::<CountWords>();
///         tools
///     })
/// }
/// ```
///
/// `main_with(|_built_in| tools())` is a program of one's own tools alone. It is asked for them once, in a `main` that is
/// not async, since the program starts an executor of its own; a state such as a database is opened before.
#[must_use]
pub fn main_with(tools: impl FnOnce(Catalogue) -> Catalogue) -> ExitCode {
    let name = program::name();
    let shown = if program::is_own() { name.clone() } else { format!("{name}, on toolwright") };
    let command = Arguments::command().bin_name(name).display_name(shown);
    let parsed = command.try_get_matches().and_then(|matches| Arguments::from_arg_matches(&matches));
    let arguments = match parsed {
        Ok(arguments) => arguments,
        Err(error) => {
            let code = ExitCode::from(if error.use_stderr() { 2 } else { 0 });
            // The message is clap's own.
            return ended(output::print_error(&error).map(|()| code));
        }
    };
    let late = arguments.command.late();
    ended(Tools::new(late, tools).and_then(|tools| arguments.command.run(&tools)))
}

impl Command {
    /// What becomes of a command of the shell that is late.
    fn late(&self) -> Late {
        match self {
            // Nobody is there who could begin it anew.
            Command::Run(_) => Late::Move,
            _other => Late::default(),
        }
    }

    fn run(&self, tools: &Tools) -> Result<ExitCode, Fault> {
        match self {
            Command::Replay(arguments) => replay::run(arguments, tools),
            Command::Explore(arguments) => explore::run(arguments, tools),
            Command::Shrink(arguments) => shrink::run(arguments, tools),
            Command::Why(arguments) => why::run(arguments, tools),
            Command::Diff(arguments) => diff::run(arguments, tools),
            Command::Sweep(arguments) => sweep::run(arguments, tools),
            Command::Merge(arguments) => merge::run(arguments),
            Command::Import(arguments) => import::run(arguments),
            Command::Call(arguments) => call::run(arguments, tools),
            Command::Run(arguments) => run::run(arguments, tools),
            Command::Check(arguments) => check::run(arguments, tools),
            Command::Tools(arguments) => tools::run(arguments, tools),
            Command::Serve(arguments) => serve::run(arguments, tools),
        }
    }
}

/// The code that a command ends with. Whoever reads no further of its output is no reason to complain, and none to say that
/// all is well.
fn ended(ended: Result<ExitCode, Fault>) -> ExitCode {
    match ended {
        Ok(code) => code,
        Err(Fault::ClosedPipe) => ExitCode::from(output::CLOSED_PIPE),
        Err(Fault::Message(message)) => {
            output::complain(&message);
            ExitCode::from(2)
        }
    }
}
