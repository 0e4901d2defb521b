//! What each program would do with its arguments: by a table, or by a reader of its own.

mod condition;
mod containers;
mod copying;
mod find;
mod git;
mod listed;
mod looking;
mod operands;
mod outputs;
mod plain;
mod rough;
mod runners;
mod running;
mod script;
mod sed;
mod setting;
mod sweeping;
mod table;
mod unpacking;
mod worktree;
mod writing;

pub(crate) use self::git::DISARMED;
use self::operands::Operands;
pub(crate) use self::plain::may_run_input;
pub(crate) use self::running::is_own_repository;
use super::commands::{Found, Targets, Use, Word};
use super::syntax::Doubt;

/// What a program does besides what it does to files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Told {
    /// Whether it is known to change nothing.
    pub(crate) read_only: bool,
    /// Whether it may leave links where there were none: a later path through one leads elsewhere than it does now.
    pub(crate) brings_links: bool,
    /// The same command without options that change only where it works, for rules that name it so.
    pub(crate) also: Option<Vec<Word>>,
    /// Commands that it runs, by their words.
    pub(crate) runs: Vec<Vec<Word>>,
}

/// Reads the arguments of a program. Where they are in doubt, every word of them counts as a file, and somebody is
/// asked.
pub(crate) fn read(name: &str, arguments: &[Word], targets: &mut Targets<'_>) -> Result<Told, Doubt> {
    setting::check_sets_nothing(name, arguments)?;
    let before = (targets.effects.len(), targets.open.len());
    match told(name, arguments, targets) {
        Err(doubt) if !doubt.is_opaque => {
            targets.effects.truncate(before.0);
            targets.open.truncate(before.1);
            rough::read(name, arguments, &doubt, targets)
        }
        known => known,
    }
}

fn told(name: &str, arguments: &[Word], targets: &mut Targets<'_>) -> Result<Told, Doubt> {
    running::options(name, arguments, targets);
    let read_only = match name {
        "[" | "test" => condition::read(name, arguments, targets)?,
        "date" => is_plain_date(arguments),
        "uniq" => listed::uniq(arguments, targets)?,
        "find" => return find::read(arguments, targets),
        "sed" => sed::read(arguments, targets)?,
        "git" => return git::read(arguments, targets),
        "awk" | "gawk" | "mawk" | "jq" => script::read(name, arguments, targets)?,
        "command" => arguments.first().is_some_and(|word| matches!(word.value.as_str(), "-v" | "-V")),
        "type" => arguments.iter().all(Word::is_known),
        "ps" => plain::is_list_of_processes(arguments),
        _other if plain::shows_version(name, arguments) || plain::only_shows_facts(name, arguments) => true,
        "xxd" => {
            writing::read(name, arguments, targets)?;
            let list = writing::operands(arguments, &[], "cglos");
            list.iter().take(1).try_for_each(|file| targets.add(file, Use::Read))?;
            list.len() < 2 && !arguments.iter().any(|word| word.has_wildcard || !word.is_known())
        }
        _other => match table::program(name) {
            Some(row) => return listed::read(row, arguments, targets),
            None => {
                if let Some((inner, arguments)) = runners::run_by(name, arguments) {
                    // What it does to files is told; that it runs is what its runner is allowed for.
                    if let Err(doubt) = told(inner, arguments, targets) {
                        targets.open.push(doubt.to_string());
                    }
                }
                writing::read(name, arguments, targets)?;
                containers::read(name, arguments, targets)?;
                sweeping::read(name, arguments, targets)?;
                return Ok(unpacking::read(name, arguments, targets)?.unwrap_or_default());
            }
        },
    };
    Ok(Told { read_only, ..Told::default() })
}

/// The words that stand for the files whose names a program shows, for one that reads them; nothing where that is not
/// told, or where it shows something else.
pub(crate) fn found_by(name: &str, arguments: &[Word]) -> Option<Vec<Word>> {
    match name {
        "find" => find::shown(arguments),
        "ls" => {
            let is_plain = |word: &Word| matches!(word.value.as_str(), "-1" | "-t" | "-r" | "-tr" | "-1t");
            arguments.iter().all(is_plain).then(|| vec![listed_here()])
        }
        "egrep" | "fgrep" | "grep" => matched(name, arguments),
        _other => None,
    }
}

/// A word for whatever is in the working directory.
fn listed_here() -> Word {
    let found = Some(Found { may_be_links: true, may_split: true });
    Word { value: "./*".to_owned(), has_wildcard: true, found, ..Word::default() }
}

/// The files in which `grep` finds something, where it only shows their names.
fn matched(name: &str, arguments: &[Word]) -> Option<Vec<Word>> {
    let row = table::program(name)?;
    let is_names = |word: &Word| {
        let letters = word.value.strip_prefix('-').unwrap_or_default();
        let is_cluster = !letters.is_empty() && letters.chars().all(|letter| row.flags.contains(letter));
        (is_cluster && letters.contains(['l', 'L'])) || word.value.starts_with("--files-with")
    };
    let ends_with_zero =
        arguments.iter().any(|word| word.value == "--null" || (is_names(word) && word.value.contains('Z')));
    if !arguments.iter().any(is_names) {
        return None;
    }
    let operands = Operands::of(row, arguments).ok()?;
    let skipped = usize::from(!operands.has_pattern);
    let files = operands.list.get(skipped..)?;
    let found = Some(Found { may_be_links: true, may_split: !ends_with_zero });
    let below = |folder: &str| Word {
        value: format!("{}/**/*", folder.trim_end_matches('/')),
        has_wildcard: true,
        found,
        ..Word::default()
    };
    match (operands.is_recursive, files) {
        (true, []) => Some(vec![below(".")]),
        (true, files) => Some(
            files
                .iter()
                .flat_map(|file| {
                    [below(&file.value), Word { found, typed: String::new(), ..(**file).clone() }]
                })
                .collect(),
        ),
        (false, files) => {
            Some(files.iter().map(|file| Word { found, typed: String::new(), ..(**file).clone() }).collect())
        }
    }
}

/// Whether a program is read here.
pub(crate) fn is_known(name: &str) -> bool {
    const OWN: &[&str] =
        &["[", "awk", "date", "find", "gawk", "git", "jq", "mawk", "sed", "test", "type", "uniq"];
    OWN.contains(&name) || table::program(name).is_some()
}

/// Whether a program only shows or compares its arguments, whatever they are.
pub(crate) fn only_shows(name: &str) -> bool {
    matches!(name, "[" | "test")
        || table::program(name).is_some_and(|row| matches!(row.role, table::Role::Words | table::Role::Text))
}

/// Whether `date` only shows a date.
fn is_plain_date(arguments: &[Word]) -> bool {
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        let value = word.value.as_str();
        let is_plain = !word.has_wildcard
            && (value.starts_with('+')
                || matches!(value, "-u" | "-R" | "-I" | "-Iseconds" | "-Is" | "--utc" | "--iso-8601"));
        let is_dated = matches!(value, "-d" | "--date") && rest.next().is_some();
        if !is_plain && !is_dated {
            return false;
        }
    }
    true
}
