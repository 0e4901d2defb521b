//! What commands of git change in files: in those that they are given, and in any of the repository where they take
//! files from a commit, a stash, a patch or another repository. Which ones they take is not told.

use std::path::PathBuf;

use super::writing::{operands, values};
use crate::shell::commands::{Targets, Use, Word};
use crate::shell::syntax::Doubt;

/// A name that stands for the files of a folder that git keeps.
const TRACKED: &str = "tracked";
/// Settings of the agent that a repository may keep.
const SETTINGS: &[&str] = &[".claude/settings.json", ".claude/settings.local.json"];

/// Commands that leave the files of a repository alone, whatever they are given, or change those alone that they name.
/// One that is not listed may be an alias, or a program of somebody's own.
const LEAVING: &str = "add annotate apply archive blame branch bugreport bundle cat-file check-attr check-ignore \
     check-mailmap check-ref-format cherry clean column commit commit-graph commit-tree config count-objects credential \
     daemon describe diff diff-files diff-index diff-tree difftool fast-export fast-import fetch fetch-pack fmt-merge-msg \
     for-each-ref for-each-repo format-patch fsck gc get-tar-commit-id grep hash-object help hook index-pack instaweb \
     interpret-trailers log ls-files ls-remote ls-tree mailinfo mailsplit maintenance merge-base merge-tree mergetool \
     mktag mktree multi-pack-index mv name-rev notes pack-objects pack-redundant pack-refs patch-id prune prune-packed \
     push range-diff receive-pack reflog refs remote repack replace replay request-pull restore rev-list rev-parse rm \
     send-email send-pack shell shortlog show show-branch show-index show-ref status stripspace symbolic-ref tag \
     unpack-objects update-index update-ref update-server-info upload-archive upload-pack var verify-commit verify-pack \
     verify-tag version whatchanged write-tree";

/// When a command takes files from elsewhere that could be called by another way.
#[derive(Clone, Copy, Debug)]
enum When {
    /// Where it is told what to take.
    Told,
    /// Where one of these is among its options, which may be shortened.
    With(&'static [&'static str]),
    /// Where one of these is among its words.
    Says(&'static [&'static str]),
    /// Unless its first word is one of these.
    Unless(&'static [&'static str]),
}

use When::{Says, Told, Unless, With};

const TAKING: &[(&str, When)] = &[
    ("bisect", Unless(&["help", "log", "terms", "view", "visualize"])),
    ("checkout", Told),
    ("lfs", Unless(&["env", "locks", "ls-files", "status", "version"])),
    ("read-tree", With(&["-u", "-mu", "-um"])),
    ("rerere", Unless(&["clear", "diff", "forget", "gc", "remaining", "status"])),
    ("reset", With(&["--hard", "--keep", "--merge"])),
    ("sparse-checkout", Unless(&["check-rules", "list"])),
    ("stash", Unless(&["clear", "create", "drop", "export", "import", "list", "show", "store"])),
    ("submodule", Says(&["add", "deinit", "update"])),
    ("switch", Told),
    ("worktree", Says(&["add", "move", "remove"])),
];

/// Tells what a command of git changes by the words behind it. `folders` are those that options before it name as the
/// place of its files.
pub(super) fn read(
    command: &Word,
    arguments: &[Word],
    folders: &[&Word],
    targets: &mut Targets<'_>,
) -> Result<(), Doubt> {
    let name = command.value.as_str();
    if folders.is_empty() {
        named(name, arguments, targets)?;
    } else if changes(name) && !takes(name, arguments, targets) {
        folders.iter().try_for_each(|folder| targets.add(folder, Use::WriteBelow))?;
    }
    if matches!(name, "clone" | "init") {
        return made(name, arguments, targets);
    }
    if !(command.is_known() && takes(name, arguments, targets)) && command.is_known() {
        return Ok(());
    }
    match folders {
        [] => targets.may_bring(None),
        folders => folders.iter().try_for_each(|folder| targets.may_bring(Some(folder))),
    }
}

/// What a command changes in the files that it is given.
fn named(command: &str, arguments: &[Word], targets: &mut Targets<'_>) -> Result<(), Doubt> {
    let has = |options: &[&str]| arguments.iter().any(|word| options.contains(&word.value.as_str()));
    match command {
        // What goes on with patches, or gives them up, was told of when it began.
        "am" if !has(&[
            "--abort",
            "--continue",
            "--quit",
            "--resolved",
            "--show-current-patch",
            "--skip",
        ]) =>
        {
            targets.add_here(Use::WriteBelow)
        }
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
            let (commits, paths) = split(arguments);
            let list = operands(commits, &["--orphan"], "bB");
            let exists = |word: &&&Word| is_there(word, targets);
            let paths: Vec<&Word> = match paths {
                Some(paths) => paths.iter().collect(),
                None => list.iter().filter(exists).copied().collect(),
            };
            paths.into_iter().try_for_each(|path| brought_back(path, targets))
        }
        "checkout-index" => values(arguments, &["--prefix"], "")
            .iter()
            .try_for_each(|folder| targets.add(folder, Use::WriteBelow)),
        "clean" if !has(&["-n", "--dry-run"]) => cleaned(arguments, targets),
        "mv" => moved(&operands(arguments, &[], ""), targets),
        "restore" => {
            let only_index = has(&["--staged", "-S"]) && !has(&["--worktree", "-W"]);
            let paths = if only_index { Vec::new() } else { operands(arguments, &["-s", "--source"], "") };
            paths.into_iter().try_for_each(|path| brought_back(path, targets))
        }
        "rm" if !has(&["--cached", "-n", "--dry-run"]) => {
            operands(arguments, &[], "").into_iter().try_for_each(|path| targets.add(path, Use::Remove))
        }
        "worktree" => copied(&operands(arguments, &[], "bB"), targets),
        _other => Ok(()),
    }
}

/// What is not kept below some folders, or below the working directory, is removed.
fn cleaned(arguments: &[Word], targets: &mut Targets<'_>) -> Result<(), Doubt> {
    let here = Word::plain(".");
    let places = operands(arguments, &["--exclude"], "e");
    let places = if places.is_empty() { vec![&here] } else { places };
    places.into_iter().try_for_each(|place| match targets.path(place) {
        Ok(folder) => {
            targets.push(folder.join("**").join("untracked"), Use::Remove);
            Ok(())
        }
        Err(_piece) => targets.add(place, Use::Remove),
    })
}

/// Working copies that are made, moved and removed.
fn copied(words: &[&Word], targets: &mut Targets<'_>) -> Result<(), Doubt> {
    let Some((command, places)) = words.split_first() else { return Ok(()) };
    match (command.value.as_str(), places) {
        ("add", [made, ..]) => made_in(made, targets),
        ("move", [from, to, ..]) => {
            made_in(to, targets)?;
            targets.add(from, Use::Remove)
        }
        ("remove", [removed, ..]) => targets.add(removed, Use::Remove),
        _other => Ok(()),
    }
}

/// Whether a command is one that changes files it is given.
fn changes(command: &str) -> bool {
    matches!(command, "am" | "apply" | "checkout" | "checkout-index" | "clean" | "mv" | "restore" | "rm")
}

/// Whether a command takes files from elsewhere into those of the repository.
fn takes(command: &str, arguments: &[Word], targets: &Targets<'_>) -> bool {
    let Some((_, when)) = TAKING.iter().find(|(known, _)| *known == command) else {
        // An option stands alone, such as one that shows git's version.
        return !command.starts_with('-') && !LEAVING.split_whitespace().any(|leaving| leaving == command);
    };
    let is_said = |words: &[&str], word: &Word| words.contains(&word.value.as_str()) || word.is_hidden();
    match when {
        Told => {
            let (commits, paths) = split(arguments);
            if paths.is_some_and(|paths| !paths.is_empty()) {
                return false;
            }
            let made: &[&str] = if command == "switch" { &["-c", "-C", "--orphan"] } else { &["--orphan"] };
            let valued = if command == "switch" { "cC" } else { "bB" };
            let throws = |word: &Word| {
                let options = ["--discard-changes", "--force", "--merge"];
                let is_long = |option: &&str| word.value.len() > 3 && option.starts_with(word.value.as_str());
                word.value.starts_with('-')
                    && (options.iter().any(is_long) || matches!(word.value.as_str(), "-f" | "-m"))
            };
            operands(commits, made, valued).into_iter().any(|word| !is_there(word, targets))
                || commits.iter().any(throws)
        }
        With(options) => arguments.iter().any(|word| {
            let is_short = |option: &&str| word.value.len() > 2 && option.starts_with(word.value.as_str());
            is_said(options, word) || options.iter().any(is_short)
        }),
        Says(words) => arguments.iter().any(|word| is_said(words, word)),
        Unless(words) => !arguments.first().is_some_and(|word| is_said(words, word) && word.is_known()),
    }
}

/// The words before `--`, and those behind it where it stands.
fn split(arguments: &[Word]) -> (&[Word], Option<&[Word]>) {
    match arguments.iter().position(|word| word.value == "--") {
        Some(at) => (&arguments[..at], Some(&arguments[at + 1..])),
        None => (arguments, None),
    }
}

fn is_there(word: &Word, targets: &Targets<'_>) -> bool {
    word.value == "." || targets.path(word).is_ok_and(|path| path.exists())
}

/// The folder that a new repository is made in, which is filled: named by its operand or by the address.
fn made(command: &str, arguments: &[Word], targets: &mut Targets<'_>) -> Result<(), Doubt> {
    let own =
        ["--branch", "--origin", "--depth", "--template", "--reference", "--initial-branch", "--filter"];
    let list = operands(arguments, &own, "bocujl");
    for folder in values(arguments, &["--separate-git-dir"], "bocujl") {
        targets.add(&folder, Use::MayWriteBelow)?;
    }
    let at = usize::from(command == "clone");
    if let Some(folder) = list.get(at) {
        return targets.add(folder, Use::MayWriteBelow);
    }
    let Some(address) = list.first().filter(|_| command == "clone") else { return Ok(()) };
    let end = address.value.trim_end_matches('/').trim_end_matches(".git").trim_end_matches('/');
    let name = end.rsplit(['/', ':']).next().unwrap_or_default();
    match address.is_known() && !name.is_empty() && !address.has_wildcard {
        true => targets.add(&Word::plain(name), Use::MayWriteBelow),
        false => targets.add_here(Use::MayWriteBelow),
    }
}

/// A folder that is made, with the files of a commit in it.
fn made_in(folder: &Word, targets: &mut Targets<'_>) -> Result<(), Doubt> {
    targets.add(folder, Use::Write)?;
    targets.add(folder, Use::MayWriteBelow)
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
