//! What the shell does itself: it moves, sets variables, calls functions, compares.

use toolwright::contract::Effect;

use super::pipes::Input;
use super::place::{After, State, Value, is_number};
use super::walk::Walker;
use super::word::{Origin, Word};
use crate::shell::programs;
use crate::shell::syntax::{Doubt, Statement, Text};

/// Names that no function may have, since they are read as what the shell does itself.
const OWN: &[&str] = &[
    ".", ":", "[", "bash", "builtin", "cd", "command", "declare", "echo", "env", "eval", "exec", "exit",
    "export", "local", "printf", "pwd", "read", "readonly", "return", "set", "sh", "shift", "source", "sudo",
    "test", "time", "timeout", "trap", "typeset", "unset", "xargs", "zsh",
];

impl Walker<'_> {
    /// A command that the shell runs itself; nothing where it is none.
    pub(super) fn builtin(
        &mut self,
        name: &str,
        words: &[Word],
        state: &State,
    ) -> Result<Option<After>, Doubt> {
        if words[0].value != name {
            return Ok(None);
        }
        let arguments = &words[1..];
        let after = match name {
            "cd" => return self.cd(words, state).map(Some),
            "export" | "readonly" | "declare" | "typeset" | "local" => self.declare(words, state)?,
            "unset" => self.unset(words, state)?,
            "read" => self.read(words, state)?,
            "set" => self.set_options(words, state)?,
            "exit" | "return" | "break" | "continue" | "shift" => {
                if let Some(odd) = arguments.iter().find(|word| !is_number_word(word)) {
                    return Err(Doubt::new(format!("`{}` of `{name}` is not understood", odd.typed)));
                }
                self.push_command(words, true, state);
                let mut state = state.clone();
                if name == "shift" {
                    forget_arguments(&mut state);
                }
                state
            }
            "eval" => {
                self.push_command(words, false, state);
                let arguments = arguments.strip_prefix(&[Word::plain("--")]).unwrap_or(arguments);
                let text = arguments.iter().map(|word| word.value.as_str()).collect::<Vec<_>>().join(" ");
                let is_known = |word: &&Word| !word.is_known() || word.has_wildcard || word.has_tilde;
                if let Some(unknown) = arguments.iter().find(is_known) {
                    return Err(Doubt::new(format!("`eval` runs `{}`, which is not told", unknown.typed)));
                }
                return self.payload(&text, state.clone()).map(Some);
            }
            _other => return Ok(None),
        };
        Ok(Some(after.into()))
    }

    fn cd(&mut self, words: &[Word], state: &State) -> Result<After, Doubt> {
        let arguments = match &words[1..] {
            [first, rest @ ..] if matches!(first.value.as_str(), "--" | "-P" | "-L") => rest,
            all => all,
        };
        let home = Word { has_tilde: true, ..Word::plain("~") };
        let target = match arguments {
            [] => &home,
            [only] if only.value == "-" || !only.value.starts_with('-') => only,
            _odd => return Err(Doubt::new(format!("`cd {}` is not understood", arguments[0].typed))),
        };
        let mut moved = state.clone();
        // The shell takes `..` by name, and by where links lead if that is not there or if it is told to.
        let climbs = |value: &str| {
            if words[1..].iter().any(|word| word.value == "-P") {
                value.split('/').any(|part| part == "..")
            } else {
                climbs_from_a_name(value)
            }
        };
        let is_odd = target.value == "-" || target.has_wildcard || climbs(&target.value);
        let gone =
            if is_odd || self.has_new_links { Err(target.typed.clone()) } else { moved.go(target, self.cx) };
        self.push_command(words, gone.is_ok(), state);
        if let Err(_piece) = gone {
            moved.lose_place();
            self.open(&format!("cd {}", target.typed));
        }
        let any = moved.clone().merge(state);
        Ok(After { success: moved, any })
    }

    fn declare(&mut self, words: &[Word], state: &State) -> Result<State, Doubt> {
        let name = &words[0].value;
        let mut state = state.clone();
        let before = state.clone();
        for word in &words[1..] {
            if matches!(word.value.as_str(), "-a" | "-A" | "-g" | "-r" | "-x" | "-rx" | "-xr" | "-p") {
                continue;
            }
            let (variable, value) = match word.value.split_once('=') {
                Some((variable, value)) => (variable, Some(value)),
                None => (word.value.as_str(), None),
            };
            if !is_name(variable) || word.has_wildcard || value.is_some_and(|value| value.starts_with('(')) {
                return Err(Doubt::new(format!("`{}` of `{name}` is not understood", word.typed)));
            }
            self.check_may_be_set(variable)?;
            self.note_setting(variable, &mut state);
            state.is_altered |= name == "export" && value.is_some();
            if let Some(shown) = value {
                let value = shown;
                let value = match word.unknown {
                    None if !value.contains('~') => Value::Known(value.to_owned()),
                    None => Value::Unknown(Origin::Inherited),
                    Some(unknown) => Value::Unknown(unknown.origin),
                };
                let given = Word { value: shown.to_owned(), ..word.clone() };
                self.tell_variable(variable, &given, &state)?;
                state.set(variable, value);
            } else if name != "export" && name != "readonly" {
                state.set(variable, Value::Unknown(Origin::Inherited));
            }
        }
        // Without a name, or with `-p`, it shows what variables hold.
        let shows = words[1..].iter().all(|word| word.value.starts_with('-'))
            || words.iter().any(|word| word.value == "-p");
        let is_local = matches!(name.as_str(), "local" | "declare" | "typeset") && !shows;
        self.push_command(
            words,
            is_local && !state.is_altered && words[1..].iter().all(|w| !w.value.contains('=')),
            &before,
        );
        Ok(state)
    }

    fn unset(&mut self, words: &[Word], state: &State) -> Result<State, Doubt> {
        let mut state = state.clone();
        for word in words[1..].iter().filter(|word| !matches!(word.value.as_str(), "-v" | "-f")) {
            if !is_name(&word.value) || !word.is_known() {
                return Err(Doubt::new(format!("`{}` of `unset` is not understood", word.typed)));
            }
            self.check_may_be_set(&word.value)?;
            state.set(&word.value, Value::Known(String::new()));
            self.note_setting(&word.value, &mut state);
        }
        self.push_command(words, false, &state);
        Ok(state)
    }

    fn read(&mut self, words: &[Word], state: &State) -> Result<State, Doubt> {
        let mut state = state.clone();
        let before = state.clone();
        let doubt = |word: &Word| Doubt::new(format!("`{}` of `read` is not understood", word.typed));
        let mut rest = words[1..].iter();
        while let Some(word) = rest.next() {
            match word.value.as_str() {
                "-r" | "-s" | "-rs" | "-e" => continue,
                "-d" | "-n" | "-N" | "-t" | "-p" | "-rd" | "-rp" | "-rn" => {
                    rest.next().filter(|value| value.is_known()).ok_or_else(|| doubt(word))?;
                    continue;
                }
                "-a" | "-ra" => continue,
                name if is_name(name) && word.is_known() => {
                    self.check_may_be_set_unseen(name)?;
                    self.note_setting(name, &mut state);
                    state.set(name, Value::Unknown(Origin::Computed));
                }
                _other => return Err(doubt(word)),
            }
        }
        self.push_command(words, true, &before);
        Ok(state)
    }

    fn set_options(&mut self, words: &[Word], state: &State) -> Result<State, Doubt> {
        let mut rest = words[1..].iter();
        while let Some(word) = rest.next() {
            let flags = word.value.strip_prefix(['-', '+']).unwrap_or("?");
            let is_known = !flags.is_empty() && flags.chars().all(|flag| "euxo".contains(flag));
            let takes_name = flags.ends_with('o');
            let mut is_named = || {
                rest.next().is_some_and(|it| matches!(it.value.as_str(), "pipefail" | "errexit" | "nounset"))
            };
            if !is_known
                || flags.matches('o').count() > usize::from(takes_name)
                || (takes_name && !is_named())
            {
                return Err(Doubt::new(format!(
                    "`set {}` changes how the shell reads what follows",
                    word.typed
                )));
            }
        }
        // Alone it shows every variable.
        self.push_command(words, words.len() > 1, state);
        Ok(state.clone())
    }

    /// A call of a function: its name as a command, and what is in it.
    pub(super) fn call(
        &mut self,
        bodies: &[Statement],
        words: &[Word],
        state: &State,
        input: &Input,
    ) -> Result<After, Doubt> {
        self.push_command(words, false, state);
        self.open_unknown(&words[1..], false);
        let mut within = state.clone();
        forget_arguments(&mut within);
        for (at, word) in words.iter().enumerate().skip(1) {
            let is_plain = word.is_known() && !word.has_wildcard && !word.has_tilde && !word.is_stream;
            let value = match word.unknown {
                _known if is_plain => Value::Known(word.value.clone()),
                Some(unknown) if !unknown.splits => Value::Unknown(unknown.origin),
                _other => break,
            };
            within.set(&at.to_string(), value);
        }
        let mut any = state.clone();
        for body in bodies {
            let after =
                self.deeper(&words[0].value, |walker| walker.statement(body, within.clone(), input))?;
            any = any.merge(&after.any);
        }
        for at in 1..10 {
            any.variables.remove(&at.to_string());
        }
        for (name, value) in state.variables.iter().filter(|(name, _)| is_number(name)) {
            any.set(name, value.clone());
        }
        Ok(any.into())
    }

    pub(super) fn check_may_be_function(&self, name: &str) -> Result<(), Doubt> {
        let is_own = OWN.contains(&name) || programs::is_known(name) || name.contains("command_not_found");
        if is_own {
            return Err(Doubt::new(format!("the function `{name}` stands in for a command of that name")));
        }
        Ok(())
    }

    /// `[[ … ]]`: its words are not split, and some operators evaluate what they compare.
    pub(super) fn own_condition(&mut self, texts: &[Text], state: State) -> Result<After, Doubt> {
        let mut state = state;
        let mut words = Vec::new();
        for text in texts {
            words.push(self.text(text, &mut state)?);
        }
        self.count()?;
        let mut reads = Vec::new();
        for (at, word) in words.iter().enumerate() {
            let before = at.checked_sub(1).map_or("", |at| words[at].typed.as_str());
            let after = words.get(at + 1);
            match word.typed.as_str() {
                "=~" | "-v" | "-R" | "-o" | "-a" => {
                    return Err(Doubt::new(format!("`{}` of `[[` is not understood", word.typed)));
                }
                "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge" => {
                    let sides = [at.checked_sub(1).and_then(|at| words.get(at)), after];
                    if let Some(odd) = sides.into_iter().flatten().find(|word| !is_number_word(word)) {
                        return Err(Doubt::new(format!("`{}` of `[[` is evaluated", odd.typed)));
                    }
                }
                "-d" | "-e" | "-f" | "-h" | "-L" | "-r" | "-s" | "-w" | "-x" if before != "==" => {
                    reads.extend(after)
                }
                option if option.starts_with('-') && !matches!(option, "-n" | "-z") && !is_number(option) => {
                    return Err(Doubt::new(format!("`{option}` of `[[` is not understood")));
                }
                _operand => {}
            }
        }
        let mut told = vec![Effect::Command {
            text: words.iter().map(|word| word.typed.as_str()).collect::<Vec<_>>().join(" "),
            words: words.iter().map(|word| word.value.clone()).collect(),
            read_only: true,
        }];
        for spot in &state.spots {
            let mut targets = self.targets(spot);
            for file in &reads {
                let file = Word { has_wildcard: false, ..(*file).clone() };
                targets.add(&file, super::targets::Use::Read)?;
            }
            told.append(&mut targets.effects);
            told.extend(targets.open.drain(..).map(Effect::Name));
        }
        let hidden: Vec<&Word> = words.iter().filter(|word| word.is_hidden()).collect();
        told.extend(hidden.into_iter().map(|word| Effect::Name(word.typed.clone())));
        told.into_iter().for_each(|effect| self.push(effect));
        Ok(state.into())
    }
}

/// A number, also one that is not known.
fn is_number_word(word: &Word) -> bool {
    match word.unknown {
        None => is_number(&word.value),
        Some(unknown) => unknown.origin == Origin::Number,
    }
}

fn forget_arguments(state: &mut State) {
    for at in 1..10 {
        state.set(&at.to_string(), Value::Unknown(Origin::Inherited));
    }
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Whether a path goes up from a folder that it names.
fn climbs_from_a_name(path: &str) -> bool {
    let mut parts =
        path.split('/').filter(|part| !part.is_empty() && *part != ".").skip_while(|part| *part == "..");
    parts.any(|part| part == "..")
}
