//! What `git` would do, as far as that is told: some of its commands are known to change nothing with some options.

use toolwright::permission::git_command_at;

use super::looking::{ASKING, LOOKING, Looking, OPTIONS, SHOWING, Shows, Takes, WANTING_LESS};
use super::{Told, running, worktree};
use crate::shell::commands::{Origin, Targets, Use, Word};
use crate::shell::effects::SOMEWHERE;
use crate::shell::syntax::Doubt;

/// Settings that keep git from running what the settings of a repository name, while it only looks: a folder laid out
/// like a bare repository may be of the agent's own making.
pub(crate) const DISARMED: &[(&str, &str)] =
    &[("core.fsmonitor", "false"), ("safe.bareRepository", "explicit")];

/// Reads the arguments of `git`; answers whether it is known to change nothing. What it is not known to do is not
/// doubted: rules name the commands of `git` that may run.
pub(super) fn read(arguments: &[Word], targets: &mut Targets<'_>) -> Result<Told, Doubt> {
    let mut rest = arguments;
    // Elsewhere, the settings of another repository may name programs to run.
    let mut is_here = targets.spot.is_start();
    let mut folders = Vec::new();
    loop {
        match rest {
            [option, after @ ..] if option.value == "--no-pager" => rest = after,
            [option, folder, after @ ..] if option.value == "-C" => {
                targets.add(folder, Use::List)?;
                is_here &= folders.is_empty() && is_of_same_repository(folder, targets);
                folders.push(folder);
                rest = after;
            }
            _command => break,
        }
    }
    if !targets.spot.is_start() {
        targets.open.push("`git` in another folder, whose settings may run programs".to_owned());
    }
    let also = without_place(arguments);
    running::git(arguments, targets)?;
    let command_at = git_command_at(arguments.iter().map(|word| word.value.as_str()));
    if let Some((before, [command, behind @ ..])) = command_at.map(|at| arguments.split_at(at)) {
        let places = places(before);
        worktree::read(command, behind, &places.iter().collect::<Vec<_>>(), targets)?;
    }
    let Some((command, arguments)) = rest.split_first() else { return Ok(Told { also, ..Told::default() }) };
    let row = LOOKING.iter().find(|row| is_row(row, rest));
    tell_shown(rest, &folders, targets)?;
    let looked_at = if row.is_some() { arguments } else { &[] };
    for word in looked_at.iter().filter(|word| leads_elsewhere(word)) {
        targets.add(word, Use::Read)?;
    }
    let has_wildcard = rest.iter().any(|word| word.has_wildcard);
    let is_listed = row.is_some_and(|row| changes_nothing(row, &rest[row.words.len()..]))
        || (command.value == "--version" && arguments.is_empty());
    Ok(Told { read_only: is_listed && is_here && !has_wildcard, also, ..Told::default() })
}

/// The folders that options before a command name as the place of its files.
fn places(before: &[Word]) -> Vec<Word> {
    let mut words = before.iter();
    let mut found = Vec::new();
    while let Some(word) = words.next() {
        match word.value.as_str() {
            "-C" | "--work-tree" => found.extend(words.next().cloned()),
            attached => found.extend(attached.strip_prefix("--work-tree=").map(|folder| Word {
                value: folder.to_owned(),
                has_tilde: false,
                ..word.clone()
            })),
        }
    }
    found
}

/// Whether a folder is one of the same repository: it is there, below the working directory, and no folder up to that has
/// a repository of its own.
fn is_of_same_repository(folder: &Word, targets: &Targets<'_>) -> bool {
    let (Ok(path), Ok(here)) = (targets.path(folder), targets.path(&Word::plain("."))) else { return false };
    let is_plain = path.components().all(|part| part != std::path::Component::ParentDir);
    // What only a command line's shape answers, the effects of a real call answer once more.
    if here == std::path::Path::new(SOMEWHERE) {
        return is_plain && path.starts_with(&here) && !folder.has_wildcard;
    }
    let real = path.canonicalize().ok().zip(here.canonicalize().ok());
    let Some((path, here)) = real.filter(|_| is_plain && !folder.has_wildcard) else { return false };
    let mut between = path.ancestors().take_while(|above| *above != here);
    let is_own = |folder: &std::path::Path| {
        folder.join(".git").symlink_metadata().is_ok() || folder.join("HEAD").exists()
    };
    path.starts_with(&here) && path.is_dir() && !between.any(is_own)
}

/// Tells what is shown of files, also where options stand before the command.
fn tell_shown(words: &[Word], folders: &[&Word], targets: &mut Targets<'_>) -> Result<(), Doubt> {
    let at = git_command_at(words.iter().map(|word| word.value.as_str()));
    let Some((before, [command, arguments @ ..])) = at.map(|at| words.split_at(at)) else { return Ok(()) };
    let row = LOOKING.iter().find(|row| is_row(row, &words[before.len()..]));
    let shows = match row {
        Some(row) => shown(row.shows, arguments),
        None => SHOWING.contains(&command.value.as_str()),
    };
    if !shows {
        return Ok(());
    }
    for (at, word) in before.iter().enumerate() {
        let given = ["--git-dir", "--work-tree"].iter().find_map(|option| {
            let rest = word.value.strip_prefix(option)?;
            let attached =
                rest.strip_prefix('=').map(|value| Word { value: value.to_owned(), ..word.clone() });
            attached.or_else(|| words.get(at + 1).cloned())
        });
        given.map_or(Ok(()), |folder| targets.add(&folder, Use::ReadBelow))?;
    }
    if folders.is_empty() {
        return show(&command.value, arguments, targets);
    }
    folders.iter().try_for_each(|folder| targets.add(folder, Use::ReadBelow))
}

/// The command without the options before it, if there are any.
fn without_place(arguments: &[Word]) -> Option<Vec<Word>> {
    let at = git_command_at(arguments.iter().map(|word| word.value.as_str())).filter(|at| *at > 0)?;
    Some(std::iter::once(Word::plain("git")).chain(arguments[at..].iter().cloned()).collect())
}

fn is_row(row: &Looking, words: &[Word]) -> bool {
    let is_word = |(wanted, word): (&&str, &Word)| word.value == *wanted && word.is_known();
    words.len() >= row.words.len() && row.words.iter().zip(words).all(is_word)
}

/// Whether a command that looks does no more with these words behind it.
fn changes_nothing(row: &Looking, words: &[Word]) -> bool {
    let operands = words.iter().filter(|word| !word.is_known() || !word.value.starts_with('-'));
    let has = |options: &[&str]| words.iter().any(|word| options.contains(&word.value.as_str()));
    let count = operands.clone().count();
    let fits = match row.takes {
        Takes::Any => true,
        Takes::None => count == 0,
        Takes::One => count == 1,
        Takes::With(options) => count == 0 || has(options),
        Takes::Key(options) if has(options) => count <= 2,
        Takes::Key(_) => count <= 1 && operands.clone().all(|key| key.is_known() && key.value.contains('.')),
    };
    fits && words.iter().all(|word| is_harmless(row, word))
}

fn is_harmless(row: &Looking, word: &Word) -> bool {
    let value = word.value.as_str();
    if !word.is_known() {
        // At its beginning it may be any option.
        let is_harmless = |unknown: crate::shell::commands::Unknown| {
            unknown.origin <= Origin::Hash || (!unknown.leads && !unknown.splits)
        };
        return word.unknown.is_some_and(is_harmless) && !value.starts_with('-');
    }
    let Some(option) = value.strip_prefix('-') else { return true };
    let name = value.split_inclusive('=').next().unwrap_or_default();
    let has_common = listed(row.options, "*");
    // `-5`, `-n5`, `-U3`, `-L1,5:f`, `-A3`.
    let counts = |letters: &[char]| {
        option
            .strip_prefix(letters)
            .is_some_and(|count| !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let is_count = !option.is_empty() && option.bytes().all(|byte| byte.is_ascii_digit());
    let is_counted = match row.words[0] {
        "grep" => counts(&['A', 'B', 'C']) || is_count,
        "blame" => option.starts_with('L') || counts(&['M', 'C']),
        "log" => is_count || counts(&['n', 'U']) || option.starts_with(['L', 'S', 'G']),
        "tag" | "rev-list" => is_count || counts(&['n']),
        _common => has_common && (is_count || counts(&['n', 'U'])),
    };
    is_counted || listed(row.options, name) || (has_common && listed(OPTIONS, name))
}

/// Whether an option is one of a list.
fn listed(options: &str, name: &str) -> bool {
    options.split(' ').any(|option| option == name)
}

/// Whether what files hold, or held, is shown.
fn shown(shows: Shows, arguments: &[Word]) -> bool {
    let is_one_of = |word: &Word, options: &[&str]| {
        let value = word.value.as_str();
        let is_it = |option: &&str| {
            value.strip_prefix(option).is_some_and(|rest| {
                rest.is_empty() || rest.starts_with(['=', '-']) || !option.starts_with("--")
            })
        };
        // Long options may be shortened.
        let name = value.split('=').next().unwrap_or_default();
        let is_short = |option: &&str| name.len() > 3 && option.starts_with(name) && !listed(OPTIONS, name);
        value.starts_with('-') && options.iter().any(|option| is_it(option) || is_short(option))
    };
    let asks = || arguments.iter().any(|word| is_one_of(word, ASKING) || !word.is_known());
    match shows {
        Shows::Nothing => false,
        Shows::Contents => true,
        Shows::Asked => asks(),
        Shows::Changes => asks() || !arguments.iter().any(|word| is_one_of(word, WANTING_LESS)),
    }
}

/// What is shown: of the whole repository, which the folder may only be a part of, unless paths are named.
fn show(command: &str, arguments: &[Word], targets: &mut Targets<'_>) -> Result<(), Doubt> {
    let operands: Vec<&Word> = arguments.iter().filter(|word| !word.value.starts_with('-')).collect();
    if command == "blame" {
        return operands.into_iter().try_for_each(|word| targets.add(word, Use::Read));
    }
    let behind = arguments.iter().position(|word| word.value == "--").map(|at| &arguments[at + 1..]);
    let exists = |word: &&&Word| targets.path(word).is_ok_and(|path| path.exists());
    let paths: Vec<&Word> = match behind {
        Some(paths) => paths.iter().collect(),
        // Git takes a word for a path where there is one of that name, and all behind it.
        None if matches!(command, "diff" | "log" | "show") => {
            let first = operands.iter().position(|word| exists(&word)).unwrap_or(operands.len());
            operands[first..].to_vec()
        }
        None => Vec::new(),
    };
    let is_plain =
        |word: &&Word| word.is_known() && !word.has_wildcard && !word.value.contains([':', '*', '?', '[']);
    if !paths.is_empty() && paths.iter().all(is_plain) {
        return paths.into_iter().try_for_each(|path| targets.add(path, Use::ReadBelow));
    }
    // `COMMIT:PATH` is one file of the repository.
    let of_commits: Option<Vec<&str>> = operands
        .iter()
        .filter(|word| word.is_known() && !word.value.starts_with(':'))
        .map(|word| word.value.split_once(':').map(|(_commit, path)| path))
        .collect();
    let is_named = |paths: &Vec<&str>| {
        paths.len() == operands.len()
            && !paths.is_empty()
            && !paths.iter().any(|path| path.is_empty() || path.contains(".."))
    };
    if let Some(paths) = of_commits.filter(|paths| matches!(command, "show" | "cat-file") && is_named(paths))
    {
        return paths
            .into_iter()
            .try_for_each(|path| targets.repository(Some(path.trim_start_matches("./")), Use::ReadBelow));
    }
    if command == "grep" {
        targets.add_here(Use::ReadBelow)
    } else {
        targets.repository(None, Use::ReadBelow)
    }
}

/// Whether an operand may name a file outside the repository: `git diff` shows any two files.
fn leads_elsewhere(word: &Word) -> bool {
    let value = word.value.as_str();
    word.has_tilde || value.starts_with('/') || value.split('/').any(|part| part == "..")
}
