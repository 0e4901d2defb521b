//! What a call would do, told before it is done: the only thing that rules, protected paths and the killswitch see.

use std::path::{Component, Path, PathBuf};

/// Everything a call would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effects {
    /// It cannot be told, for this reason: someone must be asked. `raw` is text in which deny rules and the killswitch
    /// may still find something, such as a command that could not be understood.
    Unknown {
        /// What could not be understood.
        reason: String,
        /// The text that was not understood; may be empty.
        raw: String,
    },
    /// These, and nothing else.
    Known(Vec<Effect>),
}

/// One thing a call would do. Paths are absolute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Runs one simple command.
    Command {
        /// The command as it would be typed, with single spaces between its words.
        text: String,
        /// Its words without quotes; never empty.
        words: Vec<String>,
        /// Whether it is known to change nothing.
        read_only: bool,
    },
    /// Reads a file or a folder. Names with wildcards, but for `**`, stand for what has such names.
    Read(PathBuf),
    /// Reads a file, or what the files below a folder hold, without following links below it.
    ReadBelow(PathBuf),
    /// Creates or changes a file. Names with wildcards stand for whatever they may mean, `**` for folders between and
    /// below, and the root for anywhere.
    Write(PathBuf),
    /// Removes a file or a folder; wildcards and the root as for writing.
    Remove(PathBuf),
    /// May create, change or remove what is at a place, since that is what its command is for, such as what git takes
    /// from a commit; which files is not told. A rule about the command answers for it. Rules that close something there
    /// are asked, and so is a person where a protected place is named. Wildcards and the root as for writing.
    MayWrite(PathBuf),
    /// Contacts a host.
    Contact(String),
    /// Uses something by its name: an agent, a skill, a subject of the tool's own.
    Name(String),
}

impl Effects {
    /// Effects that cannot be told: the closed default.
    #[must_use]
    pub fn unknown(reason: impl Into<String>) -> Effects {
        Effects::Unknown { reason: reason.into(), raw: String::new() }
    }

    /// No effect on anything outside the agent.
    #[must_use]
    pub fn none() -> Effects {
        Effects::Known(Vec::new())
    }

    /// One effect, and no other.
    #[must_use]
    pub fn one(effect: Effect) -> Effects {
        Effects::Known(vec![effect])
    }
}

/// Where a call would take place, for telling its effects.
#[derive(Clone, Debug)]
pub struct EffectsContext<'a> {
    /// The directory the session began in; absolute.
    pub root: &'a Path,
    /// The working directory; absolute.
    pub cwd: &'a Path,
    /// Further directories the agent works in; absolute.
    pub additional_directories: &'a [PathBuf],
    /// The home directory, where it is known.
    pub home: Option<&'a Path>,
}

impl EffectsContext<'_> {
    /// The absolute path that `path` means here: `~` is home, relative paths hang on the working directory, and `.`
    /// and `..` are resolved by name.
    #[must_use]
    pub fn absolute(&self, path: impl AsRef<Path>) -> PathBuf {
        absolute(self.cwd, self.home, path.as_ref())
    }
}

/// The absolute path that `path` means in `cwd`; see [`EffectsContext::absolute`].
pub(crate) fn absolute(cwd: &Path, home: Option<&Path>, path: &Path) -> PathBuf {
    let joined = match (path.strip_prefix("~"), home) {
        (Ok(below), Some(home)) => home.join(below),
        _other => cwd.join(path),
    };
    normal(&joined)
}

/// The path without `.` and `..`, by name alone; `..` at the root stays at the root.
pub(crate) fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => out.push(part),
        }
    }
    out
}
