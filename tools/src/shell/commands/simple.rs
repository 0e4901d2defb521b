//! One simple command: what is set before it, what it is called, where its streams go.

use std::path::Path;

use toolwright::contract::Effect;

use super::launchers::{has_other_home, has_other_root, runs_elsewhere};
use super::pipes::Input;
use super::place::{After, Spot, State, Value};
use super::targets::{Targets, Use};
use super::variables::{is_harmless, is_harmless_setting};
use super::walk::Walker;
use super::word::{Origin, Word};
use super::wrappers::{Inner, inner};
use crate::shell::programs::{self, Told};
use crate::shell::syntax::{Assigned, Assignment, Direction, Doubt, Script, Simple, Text};

impl Walker<'_> {
    pub(super) fn simple(&mut self, simple: &Simple, state: State, input: &Input) -> Result<After, Doubt> {
        let mut state = state;
        let mut words = Vec::new();
        for text in &simple.words {
            words.extend(self.words(text, &mut state)?);
        }
        if simple.words.is_empty() {
            self.redirects(&simple.redirects, &state, input)?;
            return self.assign(&simple.assignments, state);
        }
        let reads = self.peek_input(simple, &state, input)?;
        let mut settings = Vec::new();
        for assignment in &simple.assignments {
            settings.push(self.setting(assignment, &words, &mut state)?);
        }
        if !settings.is_empty() {
            self.push_prefixed(&settings, &words, &simple.assignments);
        }
        let after = self.run(&words, state.clone(), &reads)?;
        self.redirects(&simple.redirects, &state, input)?;
        self.note_written(simple, &words, &reads, &state)?;
        Ok(after)
    }

    /// What a command will read from, its redirections not told of yet.
    fn peek_input(&mut self, simple: &Simple, state: &State, input: &Input) -> Result<Input, Doubt> {
        let is_text = |redirect: &&crate::shell::syntax::Redirect| {
            matches!(redirect, crate::shell::syntax::Redirect::Text(_))
        };
        let reads_file = simple.redirects.iter().any(|redirect| {
            matches!(redirect, crate::shell::syntax::Redirect::File { direction: Direction::In, .. })
        });
        match simple.redirects.iter().rfind(is_text) {
            Some(text) if !reads_file => self.redirects(std::slice::from_ref(text), state, input),
            _other if reads_file => Ok(Input::Something),
            _other => Ok(input.clone()),
        }
    }

    /// A command with settings before it is told of with them, and without.
    fn push_prefixed(&mut self, settings: &[Word], words: &[Word], assignments: &[Assignment]) {
        let is_harmless = assignments.iter().all(is_harmless);
        let all: Vec<&Word> = settings.iter().chain(words).collect();
        self.push(Effect::Command {
            text: all.iter().map(|word| word.shown()).collect::<Vec<_>>().join(" "),
            words: all.iter().map(|word| word.value.clone()).collect(),
            read_only: is_harmless,
        });
    }

    /// A setting before a command: it holds for that command alone.
    fn setting(&mut self, assignment: &Assignment, words: &[Word], state: &mut State) -> Result<Word, Doubt> {
        let is_reading = words.first().is_some_and(|word| word.value == "read") && assignment.name == "IFS";
        if !is_reading {
            self.check_may_be_set_for_command(&assignment.name)?;
        }
        let value = self.assigned(assignment, state)?;
        self.tell_variable(&assignment.name, &value, state)?;
        let value = value.value;
        let typed = assignment.typed.typed.clone();
        Ok(Word { value: format!("{}={value}", assignment.name), typed, ..Word::default() })
    }

    /// Assignments in place of a command: they hold from here on, and no mode takes them for harmless.
    fn assign(&mut self, assignments: &[Assignment], state: State) -> Result<After, Doubt> {
        let mut state = state;
        for assignment in assignments {
            self.check_may_be_set(&assignment.name)?;
            let word = self.assigned(assignment, &mut state)?;
            self.tell_variable(&assignment.name, &word, &state)?;
            let shown = word.value.clone();
            let value = match (&assignment.value, word.unknown) {
                (Assigned::Word(_), None) if !word.has_tilde && !word.is_stream => Value::Known(word.value),
                (Assigned::Word(_), Some(unknown)) => Value::Unknown(unknown.origin),
                (Assigned::Word(_) | Assigned::Other(_), _) => Value::Unknown(Origin::Inherited),
            };
            self.note_setting(&assignment.name, &mut state);
            state.set(&assignment.name, value);
            self.push(Effect::Command {
                text: assignment.typed.typed.clone(),
                words: vec![format!("{}={shown}", assignment.name)],
                read_only: false,
            });
        }
        Ok(state.into())
    }

    /// The value of an assignment.
    fn assigned(&mut self, assignment: &Assignment, state: &mut State) -> Result<Word, Doubt> {
        match &assignment.value {
            Assigned::Word(text) => self.text(text, state),
            Assigned::Other(parts) => {
                let mut values = Vec::new();
                for part in parts {
                    values.extend(self.words(part, state)?.into_iter().map(|word| word.value));
                }
                Ok(Word::plain(&values.join(" ")))
            }
        }
    }

    /// A command by its words.
    pub(super) fn run(&mut self, words: &[Word], state: State, input: &Input) -> Result<After, Doubt> {
        self.count()?;
        let Some((first, arguments)) = words.split_first() else { return Ok(state.into()) };
        first.check_names_a_program()?;
        let name = first.value.rsplit('/').next().unwrap_or_default().to_owned();
        if let Some(bodies) = self.functions.get(&first.value).cloned() {
            return self.call(&bodies, words, &state, input);
        }
        if let Some(after) = self.sourced(&name, words, &state, input)? {
            return Ok(after);
        }
        if let Some(after) = self.builtin(&name, words, &state)? {
            return Ok(after);
        }
        let within = self.within(&name, arguments, &state);
        match inner(&name, arguments, input)? {
            Inner::None => {}
            Inner::Command { words: words_within, is_transparent, settings } => {
                let settings_are_harmless = settings.iter().all(|it| is_harmless_setting(it));
                self.push_command(
                    words,
                    is_transparent && settings_are_harmless && is_usual(&first.value, &name),
                    &state,
                );
                self.open_unknown(arguments, false);
                for (name, value) in settings.iter().filter_map(|setting| setting.split_once('=')) {
                    self.tell_variable(name, &Word::plain(value), &state)?;
                }
                let after = self.deeper(&name, |walker| walker.run(&words_within, within, input))?;
                // Others run it in a process of its own.
                let is_here = matches!(name.as_str(), "builtin" | "command" | "noglob" | "time");
                return Ok(if is_here { after } else { state.into() });
            }
            Inner::Script { text } => {
                self.push_command(words, false, &state);
                self.other_shell(&text, &within)?;
                return Ok(state.into());
            }
        }
        if let Some(after) = self.shell(&name, words, &state, input)? {
            return Ok(after);
        }
        if let Some(text) = input.text().filter(|_| programs::may_run_input(&name, arguments)) {
            self.push_with_input(words, text);
        }
        self.check_runs_nothing_decoded(&name, arguments, input, &state)?;
        self.runs_written(&name, words, &state)?;
        for extended in self.with_options(&name, words) {
            self.program(&name, &extended, state.clone())?;
        }
        self.program(&name, words, state)
    }

    /// What is so for what a program runs.
    fn within(&mut self, name: &str, arguments: &[Word], state: &State) -> State {
        let mut within = state.clone();
        self.has_other_home |= has_other_home(name, arguments);
        if has_other_root(name) {
            // Whatever a rule closes may be what a path means there.
            self.push(Effect::ReadBelow("/".into()));
        }
        if runs_elsewhere(name, arguments) {
            within.lose_place();
        }
        within
    }

    /// A program that is none of the above.
    fn program(&mut self, name: &str, words: &[Word], state: State) -> Result<After, Doubt> {
        let arguments = &words[1..];
        let mut is_read_only = is_usual(&words[0].value, name) && !hides_an_option(arguments);
        let (mut effects, mut open, mut brings_links) = (Vec::new(), Vec::new(), false);
        let (mut runs, mut other_spelling) = (Vec::new(), None);
        let mut scripts = Vec::new();
        for spot in &state.spots {
            let mut targets = self.targets(spot);
            let told = programs::read(name, arguments, &mut targets)?;
            let Told { read_only, brings_links: brings, runs: within, also } = told;
            other_spelling = also;
            is_read_only &= read_only;
            brings_links |= brings;
            effects.append(&mut targets.effects);
            open.append(&mut targets.open);
            scripts.append(&mut targets.scripts);
            runs = within;
        }
        let looks = is_read_only && open.is_empty();
        self.push_command(words, looks && runs.is_empty(), &state);
        let at = self.last_command();
        // For rules that close it: what it may do is told of the command as it is typed.
        if let Some(words) = other_spelling {
            self.push_command(&words, true, &State::new(self.cx));
        }
        self.open_unknown(arguments, programs::only_shows(name));
        open.iter().for_each(|piece| self.open(piece));
        effects.into_iter().for_each(|effect| self.push(effect));
        let is_runner = !runs.is_empty();
        for within in runs {
            self.deeper(name, |walker| walker.run(&within, state.clone(), &Input::Something))?;
        }
        if is_runner && looks && !state.is_altered {
            self.mark_looking(at);
        }
        scripts.dedup();
        for script in scripts {
            self.other_shell(&script, &state)?;
        }
        self.has_new_links |= brings_links;
        Ok(state.into())
    }

    pub(super) fn targets<'t>(&'t self, spot: &'t Spot) -> Targets<'t> {
        let has_new_links = self.has_new_links;
        let (effects, open, scripts) = (Vec::new(), Vec::new(), Vec::new());
        Targets { cx: self.cx, spot, has_new_links, effects, open, scripts }
    }

    pub(super) fn push_command(&mut self, words: &[Word], read_only: bool, state: &State) {
        let shown = words.iter().map(Word::shown).filter(|shown| !shown.is_empty());
        self.push(Effect::Command {
            text: shown.collect::<Vec<_>>().join(" "),
            words: words.iter().filter(|word| !word.is_given()).map(|word| word.value.clone()).collect(),
            read_only: read_only && !state.is_altered,
        });
    }

    /// The same command once more, with what it reads among its words: it may run that, or read what it names.
    pub(super) fn push_with_input(&mut self, words: &[Word], text: &str) {
        let shown = words.iter().map(Word::shown).filter(|shown| !shown.is_empty());
        let values = words.iter().filter(|word| !word.is_given()).map(|word| word.value.clone());
        self.push(Effect::Command {
            text: shown.collect::<Vec<_>>().join(" "),
            words: values.chain([text.to_owned()]).collect(),
            read_only: false,
        });
    }

    /// Asks about words of which only a person can know what they are. What a program only shows may be of the command
    /// line's own making.
    pub(super) fn open_unknown(&mut self, arguments: &[Word], only_shows: bool) {
        for word in arguments.iter().filter(|word| !word.is_given()) {
            let splits = word.unknown.is_some_and(|it| it.splits && it.origin == Origin::Computed);
            if word.is_hidden() || (splits && !only_shows) {
                self.open(&word.typed);
            }
        }
    }

    /// The redirection of one stream to or from a file.
    pub(super) fn redirect(
        &mut self,
        direction: Direction,
        target: &Text,
        state: &mut State,
    ) -> Result<(), Doubt> {
        let mut words = self.words(target, state)?;
        if words.len() > 1 {
            // Some shells write to all of them.
            return words.iter().try_for_each(|word| self.redirect_to(direction, word, state));
        }
        let Some(word) = words.pop() else { return Ok(()) };
        self.redirect_to(direction, &word, state)
    }

    fn redirect_to(&mut self, direction: Direction, word: &Word, state: &State) -> Result<(), Doubt> {
        if word.is_known() && (word.value.is_empty() || word.has_wildcard) {
            return Err(Doubt::new(format!(
                "the target `{}` of a redirection is not a plain path",
                word.typed
            )));
        }
        if word.value.starts_with("/dev/tcp/") || word.value.starts_with("/dev/udp/") {
            return Err(Doubt::new(format!(
                "the target `{}` of a redirection is a network address",
                word.typed
            )));
        }
        if word.is_known() && Path::new(&word.value) == Path::new("/dev/null") {
            return Ok(());
        }
        let used = match direction {
            Direction::In => Use::Read,
            Direction::Out => Use::Write,
        };
        self.use_file(word, used, state)
    }

    /// One file that is used, wherever the command line may be.
    pub(super) fn use_file(&mut self, word: &Word, used: Use, state: &State) -> Result<(), Doubt> {
        let (mut effects, mut open) = (Vec::new(), Vec::new());
        for spot in &state.spots {
            let mut targets = self.targets(spot);
            // A `-` is a file of that name here.
            let named = Word {
                value: if word.value == "-" { "./-".to_owned() } else { word.value.clone() },
                ..word.clone()
            };
            targets.add(&named, used)?;
            effects.append(&mut targets.effects);
            open.append(&mut targets.open);
        }
        open.iter().for_each(|piece| self.open(piece));
        effects.into_iter().for_each(|effect| self.push(effect));
        Ok(())
    }

    /// A command that runs beside the one it is given to.
    pub(super) fn beside(&mut self, script: &Script, state: &State) -> Result<(), Doubt> {
        self.note_concurrent();
        self.script(script, state.clone(), &Input::Something)?;
        Ok(())
    }
}

/// Whether a program is called by its name alone, or by its place in a folder that only the system writes.
fn is_usual(word: &str, name: &str) -> bool {
    const FOLDERS: &[&str] = &["/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/"];
    let folder = word.strip_suffix(name).unwrap_or("?");
    folder.is_empty() || FOLDERS.contains(&folder)
}

/// Whether an option is written so that a careless reader would miss it, such as `\-delete` or `"-delete"`.
fn hides_an_option(arguments: &[Word]) -> bool {
    let name = |text: &str| text.split('=').next().unwrap_or_default().to_owned();
    arguments.iter().any(|word| {
        word.value.starts_with('-')
            && word.is_known()
            && !word.typed.contains('$')
            && name(&word.typed) != name(&word.value)
    })
}
