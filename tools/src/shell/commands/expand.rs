//! From texts as typed to the words that a program gets, as far as that can be told. What stands in substitutions runs.

use super::pipes::Input;
use super::place::{State, Value};
use super::walk::Walker;
use super::word::{Origin, Word};
use crate::shell::syntax::{Doubt, Part, Redirect, Script, Statement, Text};

/// How many words braces may make of one.
const WORDS_MAX: usize = 64;

impl Walker<'_> {
    /// The words that a text becomes. One whose parts are all unknown may also become none or several.
    pub(super) fn words(&mut self, text: &Text, state: &mut State) -> Result<Vec<Word>, Doubt> {
        let mut words = vec![Word { typed: text.typed.clone(), ..Word::default() }];
        for part in &text.parts {
            if let Part::Braces(alternatives) = part {
                if words.len() * alternatives.len() > WORDS_MAX {
                    return Err(Doubt::new(format!("`{}` becomes too many words", text.typed)));
                }
                words = words.iter().flat_map(|word| alternatives.iter().map(|it| with(word, it))).collect();
                continue;
            }
            let before: Vec<Word> = std::mem::take(&mut words);
            // A substitution in a text with braces runs once for each word, to the same effect.
            for mut word in before {
                self.part(part, text, &mut word, state)?;
                words.push(word);
            }
        }
        let has_braces = text.parts.iter().any(|part| matches!(part, Part::Braces(_)));
        if has_braces {
            words.iter_mut().for_each(|word| {
                let home = if word.has_tilde && word.value.starts_with("~/") { "~/" } else { "" };
                let rest = &word.value[home.len()..];
                word.typed =
                    if word.is_known() { format!("{home}{}", quoted(rest)) } else { word.typed.clone() }
            });
        }
        Ok(words)
    }

    /// The one word that a text becomes where the shell splits nothing, such as in an assignment.
    pub(super) fn text(&mut self, text: &Text, state: &mut State) -> Result<Word, Doubt> {
        let mut words = self.words(text, state)?;
        match (words.pop(), words.is_empty()) {
            (Some(word), true) => Ok(word),
            _several => {
                let mut word = Word { typed: text.typed.clone(), ..Word::default() };
                word.add_unknown(Origin::Computed, true, &text.typed);
                Ok(word)
            }
        }
    }

    fn part(&mut self, part: &Part, text: &Text, word: &mut Word, state: &mut State) -> Result<(), Doubt> {
        match part {
            Part::Quoted(value) => word.value.push_str(value),
            Part::Bare(value) => {
                let is_test = text.typed == "[";
                word.has_wildcard |= value.contains(['*', '?', '[']) && !is_test;
                word.value.push_str(value);
            }
            // Other homes, and other places of the shell's own, are not told.
            Part::Tilde if !is_home(text) => word.add_unknown(Origin::Inherited, false, "~"),
            Part::Tilde => {
                word.has_tilde = true;
                word.value.push('~');
            }
            Part::Braces(_) => {}
            Part::Variable { name, is_quoted } => self.variable(name, *is_quoted, text, word, state),
            Part::Substitution { script, is_quoted } => {
                if let Some(value) = literal(script).filter(|_| *is_quoted) {
                    self.script(script, state.clone(), &Input::Nothing)?;
                    word.value.push_str(&value);
                    if text.parts.len() == 2 {
                        word.typed = quoted(&value);
                    }
                    return Ok(());
                }
                self.script(script, state.clone(), &Input::Nothing)?;
                if let Some(place) = place_of_git(script) {
                    // Where it is cannot be told; that it is git's own folder can.
                    word.add_unknown(Origin::Computed, !is_quoted, &place);
                } else if names_commit(script) {
                    word.add_unknown(Origin::Hash, false, &text.typed);
                } else {
                    word.add_unknown(Origin::Computed, !is_quoted, &text.typed);
                }
            }
            Part::Stream(script) => {
                self.beside(script, state)?;
                word.is_stream = true;
                word.value.push_str(&text.typed);
            }
            Part::Number(arithmetic) => {
                self.arithmetic(arithmetic, state)?;
                word.add_unknown(Origin::Number, false, &arithmetic.typed);
            }
            Part::Changed { name, assigns, inner, is_quoted } => {
                let operand = Text { typed: text.typed.clone(), parts: inner.clone() };
                let operand = self.text(&operand, state)?;
                let inner = operand.unknown.map_or(Origin::Computed, |unknown| unknown.origin);
                let origin = state.value(name, self.cx).origin().max(inner);
                if *assigns {
                    self.check_may_be_set_unseen(name)?;
                    state.set(name, Value::Unknown(origin.max(Origin::Computed)));
                }
                word.add_unknown(origin.max(Origin::Computed), !is_quoted, &text.typed);
            }
            Part::Odd => word.add_unknown(Origin::Inherited, true, ""),
        }
        Ok(())
    }

    fn variable(&mut self, name: &str, is_quoted: bool, text: &Text, word: &mut Word, state: &State) {
        let stands_for_itself = |value: &str| {
            !value.is_empty() && value.chars().all(|c| c.is_ascii_alphanumeric() || "_./:=+,@%-".contains(c))
        };
        match state.value(name, self.cx) {
            Value::Known(value) if is_quoted || stands_for_itself(&value) => word.value.push_str(&value),
            Value::Wild(value) if is_quoted => {
                word.has_wildcard = true;
                word.value.push_str(&value);
            }
            Value::Known(_) | Value::Wild(_) => word.add_unknown(Origin::Computed, true, &format!("${name}")),
            Value::Unknown(origin) => {
                let splits = name == "@" || name == "*" || (!is_quoted && origin != Origin::Number);
                let is_whole = text.parts.len() == 1;
                let typed = if is_whole { text.typed.replace('"', "") } else { format!("${name}") };
                word.add_unknown(origin, splits, &typed);
            }
        }
    }
}

/// The words of a substitution that is one plain command; none where it is more.
fn plain_words(script: &Script) -> Vec<String> {
    let [item] = script.0.as_slice() else { return Vec::new() };
    let Statement::Simple(simple) = &item.statement else { return Vec::new() };
    let is_plain = simple.assignments.is_empty() && simple.redirects.is_empty() && !item.in_background;
    let words: Option<Vec<String>> = simple.words.iter().map(Text::plain).collect();
    words.filter(|_| is_plain).unwrap_or_default()
}

/// What a substitution gives that asks git for its own folder, or for a place in it.
fn place_of_git(script: &Script) -> Option<String> {
    const FOLDERS: &[&str] = &["--absolute-git-dir", "--git-common-dir", "--git-dir"];
    let words = plain_words(script);
    let asks =
        words.first().is_some_and(|name| name == "git") && words.iter().any(|word| word == "rev-parse");
    let path =
        || words.iter().skip_while(|word| *word != "--git-path").nth(1).map(|path| format!(".git/{path}"));
    let is_folder = words.iter().any(|word| FOLDERS.contains(&word.as_str()));
    if asks && is_folder { Some(".git".to_owned()) } else { path().filter(|_| asks) }
}

/// Whether a substitution gives the name of a commit, or nothing.
fn names_commit(script: &Script) -> bool {
    let words = plain_words(script);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let is_name = |words: &[&str]| !words.is_empty() && words.iter().all(|word| !word.starts_with('-'));
    match words.as_slice() {
        ["git", "merge-base", commits @ ..] => is_name(commits),
        ["git", "rev-parse", "--verify", commits @ ..] => is_name(commits),
        ["git", "rev-parse", "HEAD"] => true,
        _other => false,
    }
}

/// Whether a text that begins with a tilde is home, or something in it.
fn is_home(text: &Text) -> bool {
    text.typed == "~" || text.typed.starts_with("~/")
}

/// The word with one of several alternatives behind it.
fn with(word: &Word, alternative: &str) -> Word {
    Word { value: format!("{}{alternative}", word.value), ..word.clone() }
}

/// A value so that every shell reads it as one word.
fn quoted(value: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_@%+=:,./-*?".contains(c);
    if !value.is_empty() && value.chars().all(is_plain) {
        return value.to_owned();
    }
    format!("'{}'", value.replace('\'', "'\\''"))
}

/// What `cat` of a here-document without expansions writes, less the line ends at its end.
fn literal(script: &Script) -> Option<String> {
    let [item] = script.0.as_slice() else { return None };
    let Statement::Simple(simple) = &item.statement else { return None };
    let ([word], [Redirect::Text(text)], true) =
        (simple.words.as_slice(), simple.redirects.as_slice(), simple.assignments.is_empty())
    else {
        return None;
    };
    let is_cat = word.plain().is_some_and(|name| name == "cat") && !item.in_background;
    let value = text.plain().filter(|_| is_cat)?;
    Some(value.trim_end_matches('\n').to_owned())
}
