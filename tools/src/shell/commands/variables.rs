//! Variables that are set in a command line: which steer the shell, which do nothing, which name a program that another
//! runs or a file that it writes.

use super::heeded::{FOLDERS, LOADED, OPTIONS, REPOSITORIES, TRACES, TYPED, WRITTEN, is_run};
use super::place::State;
use super::shells::is_shell;
use super::targets::Use;
use super::walk::Walker;
use super::word::Word;
use crate::shell::programs::is_own_repository;
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

    /// Doubts a variable that programs heed where it is set by other means than an assignment, as `read` and loops do: no
    /// rule about what runs next could see that it is.
    pub(super) fn check_may_be_set_unseen(&self, name: &str) -> Result<(), Doubt> {
        self.check_may_be_set(name)?;
        if name == "PATH" || name == "SHELL" || name.starts_with("LD_") || is_heeded(name) {
            return Err(Doubt::new(format!(
                "the variable `{name}` changes what programs do, and to what it is set is not told"
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

    /// Tells what another program will do because a variable is set: run a command, write or load a file, work in another
    /// folder, take options.
    pub(super) fn tell_variable(&mut self, name: &str, value: &Word, state: &State) -> Result<(), Doubt> {
        // Some programs run what is in it, and the name of a shell is what everybody has there.
        let is_other_shell = name == "SHELL" && !is_shell(value.value.rsplit('/').next().unwrap_or_default());
        if is_run(name) || is_other_shell {
            if !value.is_known() {
                self.open(&value.typed);
                return Ok(());
            }
            // `less` takes marks before a command.
            let text = value.value.trim_start_matches(['|', '-', ' ']);
            self.other_shell(text, state)?;
        }
        if name == "HOME" {
            self.has_other_home = true;
        }
        if value.value.is_empty() {
            return Ok(());
        }
        let is_trace = name.starts_with(TRACES) && (!value.is_known() || value.value.contains('/'));
        if is_trace || WRITTEN.contains(&name) {
            self.use_file(value, Use::Write, state)?;
        }
        if FOLDERS.contains(&name) {
            self.use_file(value, Use::MayWriteBelow, state)?;
        }
        if REPOSITORIES.contains(&name) && !is_own_repository(&value.value) {
            self.open(&format!("`git` with `{name}`, whose settings may run programs"));
        }
        if LOADED.contains(&name) {
            let setting = Word::plain(&format!("{name}={}", value.value));
            self.written_in(value, &[setting], state);
        }
        if OPTIONS.iter().any(|(known, _)| *known == name) {
            if !value.is_known() {
                self.open(&value.typed);
            }
            self.heeded.push((name.to_owned(), value.value.clone()));
        }
        Ok(())
    }

    /// The command with the options that variables give its program, once for each variable.
    pub(super) fn with_options(&self, program: &str, words: &[Word]) -> Vec<Vec<Word>> {
        let is_for = |name: &str| {
            OPTIONS.iter().any(|(known, programs)| *known == name && programs.contains(&program))
        };
        let heeded = self.heeded.iter().filter(|(name, _)| is_for(name));
        let extended = heeded.map(|(name, value)| {
            let options: Vec<Word> = if TYPED.contains(&name.as_str()) {
                vec![Word::plain("--cmd"), Word::plain(value)]
            } else {
                value.split_whitespace().map(Word::plain).collect()
            };
            let (first, rest) = words.split_at(1);
            first.iter().cloned().chain(options).chain(rest.iter().cloned()).collect()
        });
        extended.collect()
    }
}

/// Whether the tables know a program that heeds a variable.
fn is_heeded(name: &str) -> bool {
    let named = [WRITTEN, FOLDERS, REPOSITORIES, LOADED];
    is_run(name)
        || name.starts_with(TRACES)
        || named.iter().any(|table| table.contains(&name))
        || OPTIONS.iter().any(|(known, _)| *known == name)
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
