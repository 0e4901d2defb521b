//! The command line. Exit code 0: fine; 1: a check failed; 2: bad usage, or nothing could be read. Of `check`, 0: the
//! call is allowed; 1: somebody is asked; 2: as before; 3: it is denied. Of `run`, 0: the model has answered; 1: it came
//! to no answer, was stopped, or the recording is not whole; 2: as before. 130: it was interrupted, and said what there
//! was until then.

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

use clap::{Parser, Subcommand};

use self::output::Fault;

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

/// Runs the program on the process's arguments.
#[must_use]
pub fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            let code = ExitCode::from(if error.use_stderr() { 2 } else { 0 });
            // The message is clap's own.
            return ended(output::print_error(&error).map(|()| code));
        }
    };
    ended(match arguments.command {
        Command::Replay(arguments) => replay::run(&arguments),
        Command::Explore(arguments) => explore::run(&arguments),
        Command::Shrink(arguments) => shrink::run(&arguments),
        Command::Why(arguments) => why::run(&arguments),
        Command::Diff(arguments) => diff::run(&arguments),
        Command::Sweep(arguments) => sweep::run(&arguments),
        Command::Merge(arguments) => merge::run(&arguments),
        Command::Import(arguments) => import::run(&arguments),
        Command::Call(arguments) => call::run(&arguments),
        Command::Run(arguments) => run::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::Tools(arguments) => tools::run(&arguments),
        Command::Serve(arguments) => serve::run(&arguments),
    })
}

/// The code that a command ends with. Whoever reads no further of its output is no reason to complain.
fn ended(ended: Result<ExitCode, Fault>) -> ExitCode {
    match ended {
        Ok(code) => code,
        Err(Fault::ClosedPipe) => ExitCode::SUCCESS,
        Err(Fault::Message(message)) => {
            output::complain(&message);
            ExitCode::from(2)
        }
    }
}
