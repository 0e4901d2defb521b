//! Programs of the table: what their operands mean by their role.

use super::Told;
use super::copying;
use super::operands::Operands;
use super::table::{Program, Role, Wildcards};
use crate::shell::commands::{Targets, Use, Word};
use crate::shell::syntax::Doubt;

/// Reads the arguments of a program by its row.
pub(super) fn read(row: &Program, arguments: &[Word], targets: &mut Targets<'_>) -> Result<Told, Doubt> {
    let wild = arguments.iter().find(|word| word.may_become_option());
    // It may become an option that writes or runs something.
    if let (Some(word), Wildcards::Doubtful) = (wild, row.wildcards) {
        targets.open.push(word.typed.clone());
    }
    let target_last = match row.role {
        Role::CopyTo | Role::MoveTo => copying::target_last(arguments),
        Role::Words | Role::Text | Role::Read | Role::ReadBelow | Role::List | Role::ListHere => None,
        Role::Match | Role::MatchHere | Role::Write | Role::WriteAfterFirst | Role::Remove => None,
    };
    let operands = Operands::of(row, target_last.as_deref().unwrap_or(arguments))?;
    let mut list = operands.list.as_slice();
    match row.role {
        Role::Match | Role::MatchHere if operands.has_pattern => {}
        Role::Match | Role::MatchHere | Role::WriteAfterFirst => {
            let (first, rest) = list.split_first().map_or((None, list), |(first, rest)| (Some(*first), rest));
            check_is_no_option(first, targets);
            list = rest;
        }
        Role::Words | Role::Text | Role::Read | Role::ReadBelow | Role::List | Role::ListHere => {}
        Role::Write | Role::Remove | Role::CopyTo | Role::MoveTo => {}
    }
    let mut told = Told { read_only: row.role.is_read_only(), ..Told::default() };
    match row.role {
        Role::Words | Role::Text => {
            let wild: Vec<&Word> = arguments.iter().filter(|word| word.has_wildcard).collect();
            each(&wild, Use::List, targets)?;
        }
        Role::ListHere if list.is_empty() => targets.add_here(Use::List)?,
        Role::List | Role::ListHere => each(list, Use::List, targets)?,
        Role::MatchHere if list.is_empty() => targets.add_here(Use::ReadBelow)?,
        Role::Match if operands.is_recursive && list.is_empty() => targets.add_here(Use::ReadBelow)?,
        Role::Match if operands.is_recursive => each(list, Use::ReadBelow, targets)?,
        Role::ReadBelow | Role::MatchHere => each(list, Use::ReadBelow, targets)?,
        Role::Read | Role::Match => each(list, Use::Read, targets)?,
        Role::WriteAfterFirst => change(list, operands.is_recursive, targets)?,
        Role::Write => each(list, Use::Write, targets)?,
        Role::Remove => each(list, Use::Remove, targets)?,
        Role::CopyTo | Role::MoveTo => {
            told.brings_links = copying::read(row, &operands, targets)?;
        }
    }
    // In folders that are named, `diff` follows links unless it is told not to.
    if row.role == Role::ReadBelow && operands.is_recursive && !stays_behind_links(arguments) {
        return Err(Doubt::about_arguments(format!("`{} -r` follows links", row.name)));
    }
    let is_folder = |word: &&Word| {
        let is_known = word.is_stream || (!word.has_wildcard && targets.path(word).is_ok());
        !is_known || targets.path(word).is_ok_and(|path| path.is_dir())
    };
    if row.role == Role::ReadBelow && !stays_behind_links(arguments) && list.iter().any(is_folder) {
        told.read_only = false;
    }
    Ok(told)
}

/// The root is a place of its own here, and not anywhere.
fn change(list: &[&Word], is_recursive: bool, targets: &mut Targets<'_>) -> Result<(), Doubt> {
    for word in list {
        targets.add(word, Use::Write)?;
        let is_root = match targets.path(word) {
            Ok(path) => path.parent().is_none(),
            // It may be the root as well.
            Err(_piece) if is_recursive => {
                targets.push("/**".into(), Use::Write);
                false
            }
            Err(_piece) => false,
        };
        if is_recursive || is_root {
            targets.add(word, Use::WriteBelow)?;
        }
    }
    Ok(())
}

pub(super) fn each(list: &[&Word], used: Use, targets: &mut Targets<'_>) -> Result<(), Doubt> {
    list.iter().try_for_each(|word| targets.add(word, used))
}

/// What stands for a pattern or a setting may turn out to be an option, if it is not known.
fn check_is_no_option(word: Option<&Word>, targets: &mut Targets<'_>) {
    if let Some(word) = word.filter(|word| word.unknown.is_some_and(|unknown| unknown.leads)) {
        targets.open.push(word.typed.clone());
    }
}

/// Whether an option keeps `diff` from following links.
fn stays_behind_links(arguments: &[Word]) -> bool {
    let mut options = arguments.iter().take_while(|word| word.value != "--");
    options.any(|word| word.value == "--no-dereference")
}

/// `uniq` writes its second operand.
pub(super) fn uniq(arguments: &[Word], targets: &mut Targets<'_>) -> Result<bool, Doubt> {
    const UNIQ: Program = Program {
        name: "uniq",
        role: Role::Read,
        flags: "cdDuiz",
        valued: "fsw",
        long: "count repeated unique ignore-case",
        wildcards: Wildcards::Doubtful,
    };
    if let Some(word) = arguments.iter().find(|word| word.has_wildcard) {
        return Err(Doubt::about_arguments(format!("the wildcard in `{}` may become an output", word.typed)));
    }
    let operands = Operands::of(&UNIQ, arguments)?;
    let split = operands.list.len().min(1);
    each(&operands.list[..split], Use::Read, targets)?;
    each(&operands.list[split..], Use::Write, targets)?;
    Ok(operands.list.len() < 2)
}
