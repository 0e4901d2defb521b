//! Variables that are set in a command line: which steer the shell, which do nothing, which name a program that another
//! runs or a file that it writes.

use super::place::State;
use super::targets::Use;
use super::walk::Walker;
use super::word::Word;
use crate::shell::syntax::{Assigned, Assignment, Doubt};

/// Variables that change how the shell reads or finds what follows.
const STEERING: &[&str] = &[
    "BASHOPTS",
    "BASH_ENV",
    "CDPATH",
    "ENV",
    "EXECIGNORE",
    "FIGNORE",
    "FUNCNEST",
    "GLOBIGNORE",
    "HOME",
    "IFS",
    "OLDPWD",
    "PATH",
    "POSIXLY_CORRECT",
    "PROMPT_COMMAND",
    "PS4",
    "PWD",
    "SHELLOPTS",
];

/// Variables with which a program does nothing else than without, given a plain value.
const HARMLESS: &[&str] = &[
    "CARGO_TERM_COLOR",
    "CARGO_TERM_PROGRESS_WHEN",
    "CARGO_TERM_QUIET",
    "CARGO_TERM_VERBOSE",
    "CI",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "COLORTERM",
    "COLUMNS",
    "FORCE_COLOR",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_COLLATE",
    "LC_CTYPE",
    "LC_MESSAGES",
    "LC_NUMERIC",
    "LC_TIME",
    "LINES",
    "NODE_ENV",
    "NO_COLOR",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONUNBUFFERED",
    "RUST_BACKTRACE",
    "RUST_LIB_BACKTRACE",
    "RUST_LOG",
    "TERM",
    "TZ",
];

/// Variables with a command that some program runs, as a shell reads it.
const RUN: &[&str] = &[
    "BROWSER",
    "CARGO_BUILD_RUSTC_WRAPPER",
    "EDITOR",
    "GIT_ASKPASS",
    "GIT_EDITOR",
    "GIT_EXTERNAL_DIFF",
    "GIT_PAGER",
    "GIT_PROXY_COMMAND",
    "GIT_SEQUENCE_EDITOR",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "LESSCLOSE",
    "LESSEDIT",
    "LESSOPEN",
    "MANPAGER",
    "PAGER",
    "RSYNC_CONNECT_PROG",
    "RSYNC_RSH",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTC_WRAPPER",
    "SSH_ASKPASS",
    "SUDO_ASKPASS",
    "SUDO_EDITOR",
    "SYSTEMD_EDITOR",
    "SYSTEMD_PAGER",
    "VISUAL",
];

/// Variables with a file that some program writes.
const WRITTEN: &[&str] = &[
    "GIT_INDEX_FILE",
    "HISTFILE",
    "LESSHISTFILE",
    "LLVM_PROFILE_FILE",
    "MYSQL_HISTFILE",
    "NODE_REDIRECT_WARNINGS",
    "NODE_REPL_HISTORY",
    "PSQL_HISTORY",
    "PYTHON_HISTORY",
    "SQLITE_HISTORY",
];
/// The beginning of the names of variables that make git write what it does to a file, where their value is a path.
const TRACES: &str = "GIT_TRACE";

impl Walker<'_> {
    /// What has a name that programs may heed, such as one in capitals, keeps later ones from being harmless.
    pub(super) fn note_setting(&self, name: &str, state: &mut State) {
        let is_own = name.chars().any(|c| c.is_ascii_lowercase()) && !name.to_lowercase().contains("proxy");
        state.is_altered |= !is_own && !HARMLESS.contains(&name);
    }

    /// Doubts a variable that steers the shell itself.
    pub(super) fn check_may_be_set(&self, name: &str) -> Result<(), Doubt> {
        let steers = STEERING.contains(&name) || name.starts_with("BASH_") || name.starts_with("LD_");
        if steers && name != "PATH" && !name.starts_with("LD_") {
            return Err(Doubt::new(format!(
                "the variable `{name}` changes how the shell reads what follows"
            )));
        }
        Ok(())
    }

    pub(super) fn check_may_be_set_for_command(&self, name: &str) -> Result<(), Doubt> {
        // For one command, they change what that command does, which its text shows.
        if matches!(name, "HOME" | "PATH" | "ENV" | "POSIXLY_CORRECT") {
            return Ok(());
        }
        self.check_may_be_set(name)
    }

    /// Tells what another program will do because a variable is set: run a command, or write a file.
    pub(super) fn tell_variable(&mut self, name: &str, value: &Word, state: &State) -> Result<(), Doubt> {
        if RUN.contains(&name) {
            if !value.is_known() {
                self.open(&value.typed);
                return Ok(());
            }
            // `less` takes marks before a command.
            let text = value.value.trim_start_matches(['|', '-', ' ']);
            self.payload(text, state.clone())?;
        }
        let is_trace = name.starts_with(TRACES) && (!value.is_known() || value.value.contains('/'));
        if (is_trace || WRITTEN.contains(&name)) && !value.value.is_empty() {
            self.use_file(value, Use::Write, state)?;
        }
        Ok(())
    }
}

/// Whether an assignment before a command changes nothing about what it does.
pub(super) fn is_harmless(assignment: &Assignment) -> bool {
    let value = match &assignment.value {
        Assigned::Word(text) => text.plain(),
        Assigned::Other(_) => None,
    };
    value.is_some_and(|value| is_harmless_setting(&format!("{}={value}", assignment.name)))
}

pub(super) fn is_harmless_setting(setting: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_.,:@+-=".contains(c);
    setting.split_once('=').is_some_and(|(name, value)| {
        // A zone has a path below the folder of zones.
        let is_zone = name == "TZ" && value.starts_with(char::is_alphabetic) && !value.contains("..");
        HARMLESS.contains(&name) && value.chars().all(|c| is_plain(c) || (is_zone && c == '/'))
    })
}
