//! Programs that copy, move and link: from all operands but the last, to the last or into it.

use std::path::{Path, PathBuf};

use toolwright::permission::steers;

use super::operands::Operands;
use super::table::{Program, Role};
use crate::shell::commands::{Targets, Use, Word};
use crate::shell::syntax::Doubt;

/// Tells what they do; answers whether links may stand where there were none.
pub(super) fn read(row: &Program, operands: &Operands<'_>, targets: &mut Targets<'_>) -> Result<bool, Doubt> {
    let takes = match row.role {
        Role::MoveTo => Use::Remove,
        _copies if operands.is_recursive => Use::ReadBelow,
        _copies => Use::Read,
    };
    let brings_links = row.role == Role::MoveTo || row.name == "ln" || operands.is_recursive;
    let Some((last, sources)) = operands.list.split_last() else { return Ok(brings_links) };
    if sources.is_empty() {
        // One operand alone makes a link of its name in the working directory.
        targets.add(last, takes)?;
        let name = last.value.rsplit('/').next().unwrap_or_default();
        targets.add(&Word { value: format!("./{name}"), has_tilde: false, ..(*last).clone() }, Use::Write)?;
        return Ok(brings_links);
    }
    let copies_all = row.role == Role::CopyTo && row.name == "cp" && operands.is_recursive;
    if let Some(source) = sources.iter().find(|source| !copies_all && means_what_is_in_it(&source.value)) {
        return Err(Doubt::new(format!("`{}` means what is in it, which is not told", source.typed)));
    }
    targets.add(last, Use::Write)?;
    if copies_all {
        // What a folder holds is written too, by names that are not told.
        targets.add(last, Use::WriteBelow)?;
    }
    for source in sources {
        let into = targets.path(last).ok().zip(targets.path(source).ok());
        targets.add(source, takes)?;
        if let Some((target, source_path, name)) = into.and_then(|(target, source)| {
            let name = source.file_name()?.to_owned();
            Some((target, source, name))
        }) {
            targets.push(target.join(&name), Use::Write);
            if copies_all {
                targets.push(target.join(&name), Use::WriteBelow);
                brought(&source_path, &[target.clone(), target.join(&name)], targets);
            } else if row.role == Role::MoveTo || row.name == "ln" {
                // What a folder holds is there too, by names that are not told.
                targets.push(target.join("*"), Use::Write);
                targets.push(target.join(&name).join("*"), Use::Write);
                if row.role == Role::MoveTo {
                    brought(&source_path, &[target.clone(), target.join(&name)], targets);
                }
            }
        }
    }
    Ok(brings_links)
}

/// How many entries of a folder that is copied are looked at.
const ENTRIES_MAX: usize = 5_000;

/// What of a folder matters where it is brought: what steers git, the shell or the agent, and what a link stands for there
/// already. Where there is too much to look at, somebody is asked.
pub(super) fn brought(source: &Path, into: &[PathBuf], targets: &mut Targets<'_>) {
    let mut left = ENTRIES_MAX;
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = source.join(&folder).read_dir() else { continue };
        for entry in entries.flatten() {
            let Some(rest) = left.checked_sub(1) else {
                targets.open.push(format!("what is in `{}`", source.display()));
                return;
            };
            left = rest;
            let name = folder.join(entry.file_name());
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let mut steers_all = true;
            for place in into.iter().map(|folder| folder.join(&name)) {
                let is_link = place.symlink_metadata().is_ok_and(|it| it.file_type().is_symlink());
                let matters = steers(&place);
                steers_all &= matters;
                if matters || is_link {
                    targets.push(place.clone(), Use::Write);
                }
                if is_folder && (matters || is_link) {
                    targets.push(place, Use::WriteBelow);
                }
            }
            if is_folder && !steers_all {
                folders.push(name);
            }
        }
    }
}

/// The arguments with the folder that an option names as the last of them, as if it stood there; nothing where no option
/// does.
pub(super) fn target_last(arguments: &[Word]) -> Option<Vec<Word>> {
    let mut rest = Vec::new();
    let mut target = None;
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let attached = |text: &str| Word { value: text.to_owned(), has_tilde: false, ..word.clone() };
        let value = word.value.as_str();
        if value == "--" {
            rest.push(word.clone());
            rest.extend(words.by_ref().cloned());
        } else if let Some(long) = value.strip_prefix("--") {
            let (name, given) =
                long.split_once('=').map_or((long, None), |(name, given)| (name, Some(given)));
            if name.is_empty() || !"target-directory".starts_with(name) {
                rest.push(word.clone());
            } else {
                target = given.map(attached).or_else(|| words.next().cloned());
            }
        } else if let Some((flags, given)) =
            value.strip_prefix('-').and_then(|options| options.split_once('t'))
        {
            if !flags.is_empty() {
                rest.push(Word { typed: format!("-{flags}"), ..Word::plain(&format!("-{flags}")) });
            }
            target = if given.is_empty() { words.next().cloned() } else { Some(attached(given)) };
        } else {
            rest.push(word.clone());
        }
    }
    target.map(|target| rest.into_iter().chain([target]).collect())
}

/// Whether an operand is written so that it means a folder's contents, or what a link leads to.
fn means_what_is_in_it(operand: &str) -> bool {
    matches!(operand.rsplit('/').next(), Some("" | "." | ".."))
}
