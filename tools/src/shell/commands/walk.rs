//! Goes through the statements of a command line in the order in which they would run, every way they may go.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use toolwright::contract::{Effect, EffectsContext};

use super::pipes::Input;
use super::place::{After, State, Value};
use super::word::Origin;
use crate::shell::effects::looks;
use crate::shell::syntax::{Arithmetic, Doubt, Link, Redirect, Script, Statement, Text};

/// How many commands are told of, each turn of a loop counted.
const COMMANDS_MAX: usize = 600;
/// How many texts that are handed to shells, and functions, may stand in one another.
const NESTED_MAX: usize = 8;
/// How many values a loop goes through one by one.
const TURNS_MAX: usize = 16;

/// A walk over one command line.
pub(crate) struct Walker<'a> {
    pub(super) cx: &'a EffectsContext<'a>,
    pub(super) functions: BTreeMap<String, Vec<Statement>>,
    effects: Vec<Effect>,
    commands: usize,
    /// What the command line writes into files, as far as that stands in it, for when it runs them.
    pub(super) written: BTreeMap<PathBuf, String>,
    /// The files that the command line decodes something into.
    pub(super) decoded: BTreeSet<PathBuf>,
    pub(super) nested: usize,
    /// The options that variables give to programs, by the variable.
    pub(super) heeded: Vec<(String, String)>,
    /// Whether some commands have another home than the session's.
    pub(super) has_other_home: bool,
    /// Whether something may have left links where there were none.
    pub(super) has_new_links: bool,
    /// Whether commands run beside one another.
    is_concurrent: bool,
}

impl<'a> Walker<'a> {
    /// What a script would do.
    pub(crate) fn tell(script: &Script, cx: &'a EffectsContext<'a>) -> Result<Vec<Effect>, Doubt> {
        let mut walker = Walker {
            cx,
            functions: BTreeMap::new(),
            effects: Vec::new(),
            commands: 0,
            written: BTreeMap::new(),
            decoded: BTreeSet::new(),
            nested: 0,
            heeded: Vec::new(),
            has_other_home: false,
            has_new_links: false,
            is_concurrent: false,
        };
        walker.define(script)?;
        walker.script(script, State::new(cx), &Input::Nothing)?;
        if walker.has_new_links && walker.is_concurrent {
            // Then every path may lead anywhere; what is told of them is told all the same.
            walker.open("something is moved or linked while other commands run");
            walker.push(Effect::ReadBelow(PathBuf::from("/")));
            walker.push(Effect::Write(PathBuf::from("/")));
        }
        Ok(walker.effects)
    }

    pub(super) fn push(&mut self, effect: Effect) {
        if !self.effects.contains(&effect) {
            self.effects.push(effect);
        }
    }

    /// What was told of so far.
    pub(super) fn effects(&self) -> &[Effect] {
        &self.effects
    }

    /// Something for which it cannot be told what it means.
    pub(super) fn open(&mut self, piece: &str) {
        let piece = if piece.is_empty() { "what it is given" } else { piece };
        self.push(Effect::Name(piece.to_owned()));
    }

    /// The command that was told of last, unless it was told of before.
    pub(super) fn last_command(&self) -> Option<usize> {
        let at = self.effects.len().checked_sub(1)?;
        matches!(self.effects[at], Effect::Command { .. }).then_some(at)
    }

    /// A command that runs others changes nothing if nothing that was told of since does.
    pub(super) fn mark_looking(&mut self, at: Option<usize>) {
        let Some((Effect::Command { read_only, .. }, since)) =
            at.and_then(|at| self.effects[at..].split_first_mut())
        else {
            return;
        };
        *read_only = looks(since);
    }

    /// Whether an earlier command may have written a file.
    pub(super) fn has_written(&self, path: &Path) -> bool {
        self.effects.iter().any(|effect| matches!(effect, Effect::Write(written) if written == path))
    }

    /// From here on, commands run beside one another.
    pub(super) fn note_concurrent(&mut self) {
        self.is_concurrent = true;
    }

    /// Counts a command; too many are not told of.
    pub(super) fn count(&mut self) -> Result<(), Doubt> {
        self.commands += 1;
        if self.commands > COMMANDS_MAX {
            return Err(Doubt::new(format!("it runs more than {COMMANDS_MAX} commands")));
        }
        Ok(())
    }

    /// Goes one text or function deeper.
    pub(super) fn deeper<T>(
        &mut self,
        what: &str,
        walk: impl FnOnce(&mut Self) -> Result<T, Doubt>,
    ) -> Result<T, Doubt> {
        if self.nested >= NESTED_MAX {
            return Err(Doubt::new(format!("`{what}` stands too deep in other commands")));
        }
        self.nested += 1;
        let result = walk(self);
        self.nested -= 1;
        result
    }

    pub(super) fn script(&mut self, script: &Script, state: State, input: &Input) -> Result<After, Doubt> {
        let mut after = After::from(state);
        for item in &script.0 {
            let before = after.any.clone();
            after = self.statement(&item.statement, before.clone(), input)?;
            if item.in_background {
                self.is_concurrent = true;
                after = After::from(before);
            }
        }
        Ok(after)
    }

    pub(super) fn statement(
        &mut self,
        statement: &Statement,
        state: State,
        input: &Input,
    ) -> Result<After, Doubt> {
        match statement {
            Statement::Simple(simple) => self.simple(simple, state, input),
            Statement::Chain { left, link, right } => {
                let left = self.statement(left, state, input)?;
                let is_and = *link == Link::And;
                let from = if is_and { left.success.clone() } else { left.any.clone() };
                let right = self.statement(right, from, input)?;
                let any = left.any.merge(&right.any);
                let success = if is_and { right.success } else { left.success.merge(&right.success) };
                Ok(After { success, any })
            }
            Statement::Pipeline(parts) => {
                self.is_concurrent = true;
                let mut input = input.clone();
                for part in parts {
                    // Each part runs in a shell of its own.
                    self.statement(part, state.clone(), &input)?;
                    input = self.shown_by(part, &input);
                }
                Ok(state.into())
            }
            Statement::Not(inner) => {
                let after = self.statement(inner, state, input)?;
                Ok(After::from(after.any))
            }
            Statement::Redirected { body, redirects } => {
                let input = self.redirects(redirects, &state, input)?;
                self.statement(body, state, &input)
            }
            Statement::Subshell(script) => {
                self.script(script, state.clone(), input)?;
                Ok(state.into())
            }
            Statement::Group(script) => self.script(script, state, input),
            Statement::If { arms, otherwise } => self.condition(arms, otherwise, state, input),
            Statement::For { variable, words, body } => {
                self.each(variable, words.as_deref(), body, state, input)
            }
            Statement::While { condition, body } => self.repeated(state, |walker, state| {
                let condition = walker.script(condition, state, input)?;
                let body = walker.script(body, condition.any.clone(), input)?;
                Ok(condition.any.merge(&body.any))
            }),
            Statement::Case { subject, patterns, arms } => self.case(subject, patterns, arms, state, input),
            // Their bodies are told of where they are called.
            Statement::Function { .. } => Ok(state.into()),
            Statement::Condition(words) => self.own_condition(words, state),
            Statement::Arithmetic(arithmetic) => {
                let mut state = state;
                self.arithmetic(arithmetic, &mut state)?;
                Ok(state.into())
            }
        }
    }

    fn condition(
        &mut self,
        arms: &[(Script, Script)],
        otherwise: &Script,
        state: State,
        input: &Input,
    ) -> Result<After, Doubt> {
        let mut state = state;
        let mut ends: Vec<State> = Vec::new();
        for (condition, body) in arms {
            let condition = self.script(condition, state, input)?;
            ends.push(self.script(body, condition.success.clone(), input)?.any);
            state = condition.any;
        }
        let end = self.script(otherwise, state, input)?.any;
        Ok(ends.iter().fold(end, State::merge).into())
    }

    fn case(
        &mut self,
        subject: &Text,
        patterns: &[Text],
        arms: &[Script],
        state: State,
        input: &Input,
    ) -> Result<After, Doubt> {
        let mut state = state;
        for text in std::iter::once(subject).chain(patterns) {
            self.words(text, &mut state)?;
        }
        let mut end = state.clone();
        for arm in arms {
            // One may be left for the next.
            end = end.clone().merge(&self.script(arm, end, input)?.any);
        }
        Ok(end.into())
    }

    fn each(
        &mut self,
        variable: &str,
        words: Option<&[Text]>,
        body: &Script,
        state: State,
        input: &Input,
    ) -> Result<After, Doubt> {
        let mut state = state;
        self.check_may_be_set_unseen(variable)?;
        let Some(words) = words else {
            state.set(variable, Value::Unknown(Origin::Inherited));
            return self.repeated(state, |walker, state| Ok(walker.script(body, state, input)?.any));
        };
        let mut values = Vec::new();
        let mut is_known = true;
        let mut origin = Origin::Number;
        for text in words {
            for word in self.words(text, &mut state)? {
                is_known &= word.is_known() && !word.has_tilde && !word.is_stream;
                origin = origin.max(word.unknown.map_or(Origin::Computed, |unknown| unknown.origin));
                values.push(if word.has_wildcard {
                    Value::Wild(word.value)
                } else {
                    Value::Known(word.value)
                });
            }
        }
        if is_known && values.len() <= TURNS_MAX {
            let mut any = state.clone();
            for value in values {
                state.set(variable, value);
                state = self.script(body, state, input)?.any;
                any = any.merge(&state);
            }
            return Ok(any.into());
        }
        state.set(variable, Value::Unknown(origin));
        self.repeated(state, |walker, mut state| {
            state.set(variable, Value::Unknown(origin));
            Ok(walker.script(body, state, input)?.any)
        })
    }

    /// Walks a body until another turn finds nothing new.
    fn repeated(
        &mut self,
        state: State,
        mut turn: impl FnMut(&mut Self, State) -> Result<State, Doubt>,
    ) -> Result<After, Doubt> {
        let mut state = state;
        for _turn in 0..3 {
            let had_links = self.has_new_links;
            let end = turn(self, state.clone())?;
            let merged = state.clone().merge(&end);
            if merged == state && had_links == self.has_new_links {
                return Ok(state.into());
            }
            state = merged;
        }
        state.forget();
        let end = turn(self, state.clone())?;
        let mut state = state.merge(&end);
        state.forget();
        Ok(state.into())
    }

    /// What arithmetic does: it evaluates what variables hold, so only numbers may be in them.
    pub(super) fn arithmetic(&mut self, arithmetic: &Arithmetic, state: &mut State) -> Result<(), Doubt> {
        for name in &arithmetic.names {
            self.check_may_be_set(name)?;
            if state.value(name, self.cx).origin() != Origin::Number {
                return Err(Doubt::new(format!(
                    "`{}` evaluates what `{name}` holds, which is not told",
                    arithmetic.typed
                )));
            }
            state.set(name, Value::Unknown(Origin::Number));
        }
        if let Some(name) = &arithmetic.sets {
            self.check_may_be_set_unseen(name)?;
            state.set(name, Value::Unknown(Origin::Number));
        }
        Ok(())
    }

    /// Finds the functions that are defined anywhere in a script.
    pub(super) fn define(&mut self, script: &Script) -> Result<(), Doubt> {
        script.0.iter().try_for_each(|item| self.define_in(&item.statement))
    }

    fn define_in(&mut self, statement: &Statement) -> Result<(), Doubt> {
        match statement {
            Statement::Function { name, body } => {
                self.check_may_be_function(name)?;
                self.functions.entry(name.clone()).or_default().push((**body).clone());
                self.define_in(body)
            }
            Statement::Chain { left, right, .. } => {
                self.define_in(left)?;
                self.define_in(right)
            }
            Statement::Pipeline(parts) => parts.iter().try_for_each(|part| self.define_in(part)),
            Statement::Not(body) | Statement::Redirected { body, .. } => self.define_in(body),
            Statement::Subshell(script) | Statement::Group(script) => self.define(script),
            Statement::If { arms, otherwise } => {
                for (condition, body) in arms {
                    self.define(condition)?;
                    self.define(body)?;
                }
                self.define(otherwise)
            }
            Statement::For { body, .. } => self.define(body),
            Statement::While { condition, body } => {
                self.define(condition)?;
                self.define(body)
            }
            Statement::Case { arms, .. } => arms.iter().try_for_each(|arm| self.define(arm)),
            Statement::Simple(_) | Statement::Condition(_) | Statement::Arithmetic(_) => Ok(()),
        }
    }

    /// What redirections do; answers what the command reads from.
    pub(super) fn redirects(
        &mut self,
        redirects: &[Redirect],
        state: &State,
        input: &Input,
    ) -> Result<Input, Doubt> {
        let mut input = input.clone();
        let mut state = state.clone();
        for redirect in redirects {
            match redirect {
                Redirect::Join => {}
                Redirect::Text(text) => {
                    let word = self.text(text, &mut state)?;
                    if word.is_hidden() {
                        self.open("a variable in the text that it reads");
                    }
                    input = if word.is_known() { Input::Text(word.value) } else { Input::Something };
                }
                Redirect::File { direction, target } => {
                    self.redirect(*direction, target, &mut state)?;
                    if *direction == crate::shell::syntax::Direction::In {
                        input = Input::Something;
                    }
                }
            }
        }
        Ok(input)
    }
}
