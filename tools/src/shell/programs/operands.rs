//! Taking a program's arguments apart into options and operands, by its row in the table.

use super::table::{Program, Role};
use crate::shell::commands::Word;
use crate::shell::syntax::Doubt;

/// A program's operands, and what its options said about them.
#[derive(Debug, Default)]
pub(crate) struct Operands<'a> {
    /// What is not an option, in order.
    pub(crate) list: Vec<&'a Word>,
    /// Whether an option gave the pattern.
    pub(crate) has_pattern: bool,
    /// Whether an option asked for whole folders.
    pub(crate) is_recursive: bool,
}

impl<'a> Operands<'a> {
    /// Takes the words behind a program's name apart. An option that the row does not list is doubtful.
    pub(crate) fn of(row: &Program, words: &'a [Word]) -> Result<Operands<'a>, Doubt> {
        let mut operands = Operands::default();
        if row.role == Role::Words {
            operands.list = words.iter().collect();
            return Ok(operands);
        }
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            if word.value == "--" {
                operands.list.extend(rest);
                break;
            }
            let takes_next = match word.value.strip_prefix('-') {
                _given if word.is_stream || word.unknown.is_some_and(|unknown| unknown.leads) => {
                    operands.list.push(word);
                    false
                }
                None | Some("") => {
                    operands.list.push(word);
                    false
                }
                Some(option) => match option.strip_prefix('-') {
                    Some(long) => operands.long(row, long).ok_or_else(|| unknown(row, word))?,
                    None => operands.short(row, option).ok_or_else(|| unknown(row, word))?,
                },
            };
            if takes_next && rest.next().is_none_or(|value| value.has_wildcard) {
                return Err(Doubt::about_arguments(format!(
                    "the option `{}` of `{}` has no plain value",
                    word.typed, row.name
                )));
            }
        }
        Ok(operands)
    }

    /// Reads a long option; tells whether its value is the next word. Nothing when it is not known.
    fn long(&mut self, row: &Program, option: &str) -> Option<bool> {
        let (name, value) =
            option.split_once('=').map_or((option, None), |(name, value)| (name, Some(value)));
        let kind = row.long.split_whitespace().find_map(|listed| {
            let (known, kind) = match listed.strip_suffix(['=', '?']) {
                Some(known) => (known, &listed[known.len()..]),
                None => (listed, ""),
            };
            (known == name).then_some(kind)
        })?;
        // Nothing is looked for where files are only named.
        self.has_pattern |= matches!(name, "files" | "regexp");
        self.is_recursive |= matches!(name, "recursive" | "archive");
        match (kind, value) {
            ("", Some(_unexpected)) => None,
            ("=", None) => Some(true),
            _fits => Some(false),
        }
    }

    /// Reads options of one letter in one word; tells whether the last one's value is the next word.
    fn short(&mut self, row: &Program, options: &str) -> Option<bool> {
        let is_matcher = matches!(row.role, Role::Match | Role::MatchHere);
        for (at, option) in options.char_indices() {
            if row.valued.contains(option) {
                self.has_pattern |= is_matcher && option == 'e';
                return Some(at + option.len_utf8() == options.len());
            }
            if !row.flags.contains(option) {
                return None;
            }
            self.is_recursive |= matches!(option, 'r' | 'R')
                || (row.role == Role::CopyTo && row.name == "cp" && option == 'a');
        }
        Some(false)
    }
}

fn unknown(row: &Program, word: &Word) -> Doubt {
    Doubt::about_arguments(format!("the option `{}` of `{}` is not known", word.typed, row.name))
}
