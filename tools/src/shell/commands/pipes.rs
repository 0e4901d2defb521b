//! What commands read from, and what the parts of a pipe hand on, where that is told.

use super::decoding::decodes;
use super::walk::Walker;
use super::word::Word;
use crate::shell::programs;
use crate::shell::syntax::{Part, Redirect, Statement, Text};

/// What a command reads from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Input {
    /// Nothing, or whatever the whole command line reads from.
    Nothing,
    /// Another command, or a file.
    Something,
    /// A text that stands in the command line.
    Text(String),
    /// What another command shows, which is this as it was typed, more or less.
    Shown(String),
    /// What another command decodes.
    Decoded,
    /// What another command finds: a word for each place it looks in.
    Found(Vec<Word>),
}

impl Input {
    /// A text that stands in the command line, or is made from one that does.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Input::Text(text) | Input::Shown(text) => Some(text),
            Input::Nothing | Input::Something | Input::Decoded | Input::Found(_) => None,
        }
    }

    /// What another command finds.
    pub(super) fn found(&self) -> Option<&[Word]> {
        match self {
            Input::Found(found) => Some(found),
            Input::Nothing | Input::Something | Input::Decoded | Input::Text(_) | Input::Shown(_) => None,
        }
    }
}

impl Walker<'_> {
    /// What a part of a pipe hands on, where that is told.
    pub(super) fn shown_by(&self, part: &Statement, input: &Input) -> Input {
        let (simple, redirects) = match part {
            Statement::Simple(simple) => (simple, simple.redirects.as_slice()),
            Statement::Group(script) | Statement::Subshell(script) => {
                let shown: Vec<Input> =
                    script.0.iter().map(|item| self.shown_by(&item.statement, input)).collect();
                if shown.contains(&Input::Decoded) {
                    return Input::Decoded;
                }
                if let [only] = shown.as_slice() {
                    return only.clone();
                }
                let texts: Vec<&str> = shown.iter().filter_map(Input::text).collect();
                let has_none = texts.is_empty();
                return if has_none { Input::Something } else { Input::Shown(texts.join("\n")) };
            }
            Statement::Redirected { body, redirects } => match &**body {
                Statement::Simple(simple) => (simple, redirects.as_slice()),
                _other => return Input::Something,
            },
            _other => return Input::Something,
        };
        let Some((name, rest)) = simple.words.split_first() else { return Input::Something };
        let name = name.plain().unwrap_or_default();
        let goes_elsewhere = redirects.iter().any(|it| matches!(it, Redirect::File { .. }));
        let text = redirects.iter().rev().find_map(|redirect| match redirect {
            Redirect::Text(text) => Some(text.typed.clone()),
            Redirect::File { .. } | Redirect::Join => None,
        });
        let is_own = self.functions.contains_key(&name);
        let arguments: Vec<&str> = rest.iter().map(|word| word.typed.as_str()).collect();
        let program = name.rsplit('/').next().unwrap_or_default();
        if *input == Input::Decoded || decodes(program, arguments.into_iter()) {
            return Input::Decoded;
        }
        match (name.as_str(), text) {
            _elsewhere if goes_elsewhere || is_own => Input::Something,
            ("echo" | "printf", _) => {
                Input::Shown(rest.iter().map(|word| word.typed.as_str()).collect::<Vec<_>>().join(" "))
            }
            ("cat" | "tee" | "sed" | "tr" | "sort", Some(text)) => Input::Shown(text),
            (filter, None) if input.found().is_some() && only_leaves_out(filter, rest) => input.clone(),
            ("cat" | "tee" | "sed" | "tr" | "sort", None) => match input {
                Input::Text(text) | Input::Shown(text) => Input::Shown(text.clone()),
                Input::Nothing | Input::Something | Input::Decoded | Input::Found(_) => Input::Something,
            },
            (name, None) => {
                let words: Option<Vec<Word>> = rest.iter().map(|word| self.plain_word(word)).collect();
                let found = words.and_then(|words| programs::found_by(name, &words));
                found.map_or(Input::Something, Input::Found)
            }
            _other => Input::Something,
        }
    }

    /// A word that stands for itself, or for something in the home.
    fn plain_word(&self, text: &Text) -> Option<Word> {
        let value = match text.parts.split_first() {
            Some((Part::Tilde, rest)) if text.typed == "~" || text.typed.starts_with("~/") => {
                let rest = Text { typed: String::new(), parts: rest.to_vec() }.plain()?;
                format!("{}{rest}", self.cx.home?.to_str()?)
            }
            _other => text.plain()?,
        };
        Some(Word { typed: text.typed.clone(), ..Word::plain(&value) })
    }
}

/// Whether a program hands on lines that it reads, and no others.
fn only_leaves_out(name: &str, arguments: &[Text]) -> bool {
    const OPTIONS: &[&str] = &["-v", "-i", "-E", "-F", "-w", "-vE", "-Ev", "-vF", "-iv", "-vi"];
    let values: Option<Vec<String>> = arguments.iter().map(Text::plain).collect();
    let Some(values) = values else { return false };
    let is_count = |value: &String| !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    let (options, operands): (Vec<&String>, Vec<&String>) = values.iter().partition(|it| it.starts_with('-'));
    match name {
        "sort" => {
            operands.is_empty() && options.iter().all(|it| matches!(it.as_str(), "-u" | "-r" | "-n" | "-V"))
        }
        "uniq" => values.is_empty(),
        "head" | "tail" => operands.into_iter().all(is_count),
        "tee" => options.is_empty(),
        "grep" | "egrep" | "fgrep" => {
            operands.len() == 1 && options.iter().all(|it| OPTIONS.contains(&it.as_str()))
        }
        _other => false,
    }
}
