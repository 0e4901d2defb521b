//! Who confines commands on this machine.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use super::bubblewrap;

/// Who confines commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Backend {
    /// The program bubblewrap, at this place.
    Bubblewrap(PathBuf),
    /// The kernel, asked by the thread that starts the command.
    Landlock,
}

/// Why nobody can confine commands on this machine, of each who might.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no sandbox works here: {0}")]
pub struct Unavailable(String);

impl Unavailable {
    /// Nobody confines commands, for this reason.
    #[must_use]
    pub fn new(reason: impl Into<String>) -> Unavailable {
        Unavailable(reason.into())
    }
}

impl Backend {
    /// The first that really works here: bubblewrap, else landlock with seccomp. Each is tried once; blocks shortly.
    ///
    /// # Errors
    /// Why none does.
    pub fn find() -> Result<Backend, Unavailable> {
        let (found, reasons) = Backend::all();
        found.into_iter().next().ok_or_else(|| Unavailable(reasons.join("; ")))
    }

    /// All that really work here, the best first, and why the others do not; blocks shortly.
    #[must_use]
    pub fn all() -> (Vec<Backend>, Vec<String>) {
        let (mut found, mut reasons) = (Vec::new(), Vec::new());
        for tried in [try_bubblewrap(), try_landlock()] {
            match tried {
                Ok(backend) => found.push(backend),
                Err(reason) => reasons.push(reason),
            }
        }
        (found, reasons)
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Backend::Bubblewrap(_) => "bubblewrap",
            Backend::Landlock => "landlock",
        })
    }
}

fn try_bubblewrap() -> Result<Backend, String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let program = std::env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join("bwrap"))
        .find(|program| program.is_file())
        .ok_or("the program bwrap of bubblewrap is not installed")?;
    #[cfg(not(target_os = "linux"))]
    return Err("bubblewrap is for Linux".to_owned());
    #[cfg(target_os = "linux")]
    {
        let trial = || {
            super::seccomp::refuse(super::seccomp::Sockets::Internet)?;
            let mut command = std::process::Command::new(&program);
            command.args(bubblewrap::arguments(&[], &[], Path::new("/"), false)).arg("true");
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
            let output = command.output().map_err(|error| error.to_string())?;
            let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            if output.status.success() { Ok(()) } else { Err(said) }
        };
        match apart(trial) {
            Ok(()) => Ok(Backend::Bubblewrap(program)),
            Err(reason) => Err(format!("bubblewrap does not work ({reason})")),
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn try_landlock() -> Result<Backend, String> {
    Err("landlock is for Linux".to_owned())
}

/// Landlock counts when a file that may not be made cannot be made.
#[cfg(target_os = "linux")]
fn try_landlock() -> Result<Backend, String> {
    let trial = || {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let path = folder.path().join("trial");
        let denied = apart(|| {
            super::landlock::restrict(&super::landlock::Grants::default())?;
            super::seccomp::refuse(super::seccomp::Sockets::None)?;
            Ok(std::fs::write(&path, "").is_err() && std::net::UdpSocket::bind("127.0.0.1:0").is_err())
        })?;
        if denied { Ok(Backend::Landlock) } else { Err("it lets through what it should refuse".to_owned()) }
    };
    trial().map_err(|reason: String| format!("landlock does not work ({reason})"))
}

/// Does something in a thread of its own, which is confined from then on.
#[cfg(target_os = "linux")]
pub(super) fn apart<T: Send>(work: impl FnOnce() -> Result<T, String> + Send) -> Result<T, String> {
    std::thread::scope(|scope| match scope.spawn(work).join() {
        Ok(result) => result,
        Err(_panic) => Err("the thread for it panicked".to_owned()),
    })
}
