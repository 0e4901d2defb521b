//! What commands of git change in the files that they are given. Which files a command takes from another commit or from
//! a stash is not told.

use std::path::PathBuf;

use super::writing::{operands, values};
use crate::shell::commands::{Targets, Use, Word};
use crate::shell::syntax::Doubt;

/// A name that stands for the files of a folder that git keeps.
const TRACKED: &str = "tracked";
/// Settings of the agent that a repository may keep.
const SETTINGS: &[&str] = &[".claude/settings.json", ".claude/settings.local.json"];

/// Tells what a command of git changes by the words behind it.
pub(super) fn read(command: &str, arguments: &[Word], targets: &mut Targets<'_>) -> Result<(), Doubt> {
    let has = |options: &[&str]| arguments.iter().any(|word| options.contains(&word.value.as_str()));
    match command {
        "apply" if !has(&["--check", "--stat", "--numstat", "--summary", "--cached"]) => {
            let folders = values(arguments, &["--directory"], "pC");
            if folders.is_empty() {
                targets.add_here(Use::WriteBelow)?;
            }
            folders.iter().try_for_each(|folder| targets.add(folder, Use::WriteBelow))
        }
        "bundle" => {
            let made = arguments.first().is_some_and(|word| word.value == "create");
            let file = operands(arguments, &[], "").get(1).copied().filter(|_| made);
            file.map_or(Ok(()), |file| targets.add(file, Use::Write))
        }
        "checkout" => {
            let behind = arguments.iter().position(|word| word.value == "--").map(|at| &arguments[at + 1..]);
            let list = operands(arguments, &[], "bB");
            let exists =
                |word: &&&Word| word.value == "." || targets.path(word).is_ok_and(|path| path.exists());
            let paths: Vec<&Word> = match behind {
                Some(paths) => paths.iter().collect(),
                None => list.iter().filter(exists).copied().collect(),
            };
            paths.into_iter().try_for_each(|path| brought_back(path, targets))
        }
        "clean" if !has(&["-n", "--dry-run"]) => match targets.path(&Word::plain(".")) {
            Ok(here) => {
                targets.push(here.join("**").join("untracked"), Use::Remove);
                Ok(())
            }
            Err(_piece) => targets.add_here(Use::Remove),
        },
        "mv" => moved(&operands(arguments, &[], ""), targets),
        "restore" => {
            let only_index = has(&["--staged", "-S"]) && !has(&["--worktree", "-W"]);
            let paths = if only_index { Vec::new() } else { operands(arguments, &["-s", "--source"], "") };
            paths.into_iter().try_for_each(|path| brought_back(path, targets))
        }
        "rm" if !has(&["--cached", "-n", "--dry-run"]) => {
            operands(arguments, &[], "").into_iter().try_for_each(|path| targets.add(path, Use::Remove))
        }
        "worktree" if arguments.first().is_some_and(|word| word.value == "add") => {
            let path = operands(arguments, &[], "bB").get(1).copied();
            path.map_or(Ok(()), |path| targets.add(path, Use::Write))
        }
        _other => Ok(()),
    }
}

/// Whether a command is one of those that are read here.
pub(super) fn changes(command: &str) -> bool {
    matches!(command, "apply" | "checkout" | "clean" | "mv" | "restore" | "rm")
}

/// A file that git writes as it was, or the files in a folder that it keeps.
fn brought_back(word: &Word, targets: &mut Targets<'_>) -> Result<(), Doubt> {
    // What begins so may mean the whole repository.
    let word = if word.value.starts_with(':') { &Word::plain(".") } else { word };
    let path = targets.path(word).ok().filter(|_| !word.has_wildcard);
    let is_folder = |path: &PathBuf| path.is_dir() || matches!(word.value.as_str(), "." | "..");
    match path.filter(is_folder) {
        Some(folder) if SETTINGS.iter().any(|file| folder.join(file).exists()) => {
            targets.push(folder, Use::WriteBelow);
        }
        Some(folder) => targets.push(folder.join("**").join(TRACKED), Use::Write),
        None => targets.add(word, Use::Write)?,
    }
    Ok(())
}

fn moved(list: &[&Word], targets: &mut Targets<'_>) -> Result<(), Doubt> {
    let Some((last, sources)) = list.split_last() else { return Ok(()) };
    targets.add(last, Use::Write)?;
    for source in sources {
        targets.add(source, Use::Remove)?;
        if let (Ok(folder), Ok(path)) = (targets.path(last), targets.path(source))
            && let Some(name) = path.file_name()
        {
            targets.push(folder.join(name), Use::Write);
        }
    }
    Ok(())
}
