//! Shells that are started by a command: what they are given to run is read like the command line itself.

use super::pipes::Input;
use super::place::{After, State};
use super::walk::Walker;
use super::word::Word;
use crate::shell::syntax::{Doubt, parse};

/// Shells whose language is read here, or nearly.
const SHELLS: &[&str] = &["ash", "bash", "dash", "ksh", "rbash", "sh", "zsh"];
/// Shells whose language is another.
const OTHERS: &[&str] = &["csh", "fish", "tcsh"];

impl Walker<'_> {
    /// A shell; nothing where the program is none.
    pub(super) fn shell(
        &mut self,
        name: &str,
        words: &[Word],
        state: &State,
        input: &Input,
    ) -> Result<Option<After>, Doubt> {
        if OTHERS.contains(&name) {
            return Err(Doubt::new(format!("`{name}` runs what is not read here")));
        }
        if !SHELLS.contains(&name) {
            return Ok(None);
        }
        let mut runs_text = false;
        let mut rest = words[1..].iter();
        let mut operand = None;
        for word in rest.by_ref() {
            match word.value.as_str() {
                option
                    if option.starts_with(['-', '+'])
                        && option.len() > 1
                        && !option.starts_with("--")
                        && word.is_known() =>
                {
                    let flags = &option[1..];
                    if !flags.chars().all(|flag| "ceuxln".contains(flag)) {
                        return Err(Doubt::new(format!(
                            "the option `{}` of `{name}` is not known",
                            word.typed
                        )));
                    }
                    runs_text |= option.starts_with('-') && flags.contains('c');
                }
                "--version" | "--norc" | "--noprofile" | "--login" => {}
                option if option.starts_with(['-', '+']) => {
                    return Err(Doubt::new(format!("the option `{}` of `{name}` is not known", word.typed)));
                }
                _operand => {
                    operand = Some(word);
                    break;
                }
            }
        }
        self.push_command(words, false, state);
        self.open_unknown(rest.as_slice(), false);
        match (operand, runs_text) {
            (Some(text), true) => {
                if !text.is_known() || text.has_wildcard || text.has_tilde || text.is_stream {
                    return Err(Doubt::new(format!("`{name}` runs `{}`, which is not told", text.typed)));
                }
                self.other_shell(&text.value, state)?;
            }
            (Some(file), false) => self.shell_file(name, file, words, state)?,
            (None, true) => return Err(Doubt::new(format!("`{name} -c` has nothing to run"))),
            (None, false) => match input {
                Input::Text(text) => self.other_shell(text, state)?,
                Input::Nothing if words.iter().any(|word| word.value == "--version") => {}
                Input::Something | Input::Nothing | Input::Decoded | Input::Shown(_) | Input::Found(_) => {
                    return Err(Doubt::new(format!("`{name}` runs what it reads, which is not told")));
                }
            },
        }
        Ok(Some(state.clone().into()))
    }

    /// A file that a shell runs, like a program of any other language, unless the command line wrote it itself.
    fn shell_file(&mut self, name: &str, file: &Word, words: &[Word], state: &State) -> Result<(), Doubt> {
        if !file.is_known() || file.is_stream || is_device(&file.value) || self.was_decoded(file, state) {
            return Err(Doubt::new(format!("`{name}` runs `{}`, which is not told", file.typed)));
        }
        if let Some(text) = self.written_in(file, words, state) {
            self.other_shell(&text, state)?;
        }
        Ok(())
    }

    /// A text that another shell runs, in a process of its own.
    pub(super) fn other_shell(&mut self, text: &str, state: &State) -> Result<(), Doubt> {
        self.payload(text, state.of_another(self.has_other_home)).map(drop)
    }

    /// A text that is run by the shell that reads it.
    pub(super) fn payload(&mut self, text: &str, state: State) -> Result<After, Doubt> {
        if text.trim().is_empty() {
            return Ok(state.into());
        }
        self.deeper(text, |walker| {
            let script = parse(text)?;
            walker.define(&script)?;
            walker.script(&script, state, &Input::Nothing)
        })
    }
}

/// Whether a program is a shell.
pub(super) fn is_shell(name: &str) -> bool {
    SHELLS.contains(&name) || OTHERS.contains(&name)
}

/// Whether a path may be one of the streams that a process has.
pub(super) fn is_device(path: &str) -> bool {
    path.starts_with("/dev/") || path.starts_with("/proc/")
}
