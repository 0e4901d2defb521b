//! Writing to the terminal: results to standard output, complaints to standard error, colours only where they show.

use std::io::{self, IsTerminal, Write};

use super::program::name;
use crate::timeline::Look;
use toolwright::visible::visible;

/// The code of a command whose output nobody reads to its end: what it would have come to was not told.
pub(super) const CLOSED_PIPE: u8 = 141;

/// Why a command could not do its work.
#[derive(Debug)]
pub(super) enum Fault {
    /// In words, for a person.
    Message(String),
    /// Whoever read the output has gone; there is nothing to say.
    ClosedPipe,
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Fault {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Fault::ClosedPipe,
            _other => Fault::Message(format!("the output cannot be written: {error}")),
        }
    }
}

impl Fault {
    pub(super) fn new(message: impl Into<String>) -> Fault {
        Fault::Message(message.into())
    }
}

/// The way to write on standard output: coloured on a terminal, unless `NO_COLOR` is set.
pub(super) fn look() -> Look {
    match anstream::AutoStream::choice(&io::stdout()) {
        anstream::ColorChoice::Never => Look::Plain,
        anstream::ColorChoice::Auto | anstream::ColorChoice::Always | anstream::ColorChoice::AlwaysAnsi => {
            Look::Coloured
        }
    }
}

/// Whether someone watches standard error.
pub(super) fn is_watched() -> bool {
    io::stderr().is_terminal()
}

/// Writes to standard output.
pub(super) fn print(text: &str) -> Result<(), Fault> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// Writes what clap has to say: help on standard output, mistakes on standard error.
pub(super) fn print_error(error: &clap::Error) -> Result<(), Fault> {
    error.print()?;
    // What is in the way of the last line would only be noticed when the process ends, by nobody.
    Ok(if error.use_stderr() { io::stderr().flush() } else { io::stdout().flush() }?)
}

/// Says on standard error what is wrong: on one line, and what has more is indented below it. There is nowhere to say that
/// this failed.
pub(super) fn complain(message: &str) {
    let mut lines = message.trim_end().split('\n').map(visible);
    let mut text = format!("{}: {}\n", name(), lines.next().unwrap_or_default());
    lines.for_each(|line| text.extend(["  ", line.as_str(), "\n"]));
    drop(io::stderr().lock().write_all(text.as_bytes()));
}
