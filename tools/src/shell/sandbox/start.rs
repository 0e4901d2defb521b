//! Starting a program, confined where it is to be.

use std::io;
use std::path::Path;

use tokio::process::{Child, Command};

use super::Confinement;

/// A command that will run a program in a folder, behind whatever confines it.
pub(crate) fn command(program: &str, cwd: &Path, confinement: Option<&Confinement>) -> Command {
    let words = confinement.map(|confinement| confinement.words(cwd)).unwrap_or_default();
    let mut words = words.into_iter();
    let mut command = match words.next() {
        Some(confiner) => {
            let mut command = Command::new(confiner);
            command.args(words).arg(program);
            command
        }
        None => Command::new(program),
    };
    command.current_dir(cwd);
    command
}

/// Starts a command. Blocks shortly where it is confined.
pub(crate) fn spawn(mut command: Command, confinement: Option<&Confinement>) -> io::Result<Child> {
    match confinement {
        Some(confinement) => confinement.start(move || command.spawn()),
        None => command.spawn(),
    }
}
