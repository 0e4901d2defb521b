//! What `find` would do: it looks, unless an action writes, removes or runs something.

use super::Told;
use crate::shell::commands::{Found, Origin, Targets, Use, Word};
use crate::shell::syntax::Doubt;

/// Tests and actions that stand alone.
const ALONE: &[&str] = &[
    "!",
    "(",
    ")",
    ",",
    "-a",
    "-and",
    "-daystart",
    "-depth",
    "-empty",
    "-executable",
    "-false",
    "-ls",
    "-ignore_readdir_race",
    "-mount",
    "-nogroup",
    "-nouser",
    "-noleaf",
    "-not",
    "-o",
    "-or",
    "-print",
    "-print0",
    "-prune",
    "-quit",
    "-readable",
    "-true",
    "-writable",
    "-xdev",
];

/// Tests and actions with a value.
const VALUED: &[&str] = &[
    "-amin",
    "-atime",
    "-cmin",
    "-ctime",
    "-gid",
    "-group",
    "-iname",
    "-inum",
    "-ipath",
    "-iregex",
    "-iwholename",
    "-links",
    "-lname",
    "-maxdepth",
    "-mindepth",
    "-mmin",
    "-mtime",
    "-name",
    "-newerct",
    "-newermt",
    "-path",
    "-perm",
    "-printf",
    "-regex",
    "-regextype",
    "-size",
    "-type",
    "-uid",
    "-used",
    "-user",
    "-wholename",
    "-xtype",
];

/// Tests with a file to compare with.
const COMPARING: &[&str] = &["-anewer", "-cnewer", "-newer", "-samefile"];

/// Actions that write what they find to a file, and how many words follow the file.
const WRITING: &[(&str, usize)] = &[("-fls", 0), ("-fprint", 0), ("-fprint0", 0), ("-fprintf", 1)];
/// Actions that run a command on what they find.
const RUNNING: &[&str] = &["-exec", "-execdir", "-ok", "-okdir"];

/// Reads the arguments of `find`. Whatever is not listed above is doubtful.
pub(super) fn read(arguments: &[Word], targets: &mut Targets<'_>) -> Result<Told, Doubt> {
    let acts = |word: &Word| {
        let value = word.value.as_str();
        value == "-delete" || RUNNING.contains(&value) || WRITING.iter().any(|(action, _)| *action == value)
    };
    // What it does to what it finds must be told, or nothing can be.
    read_all(arguments, targets)
        .map_err(|doubt| if arguments.iter().any(acts) { doubt.about_all() } else { doubt })
}

fn read_all(arguments: &[Word], targets: &mut Targets<'_>) -> Result<Told, Doubt> {
    // Options that follow links are not known: they lead anywhere.
    let options = arguments.iter().take_while(|word| word.value == "-P").count();
    let is_start =
        |word: &&Word| !word.value.starts_with('-') && !matches!(word.value.as_str(), "(" | "!" | ",");
    let starts: Vec<&Word> = arguments[options..].iter().take_while(is_start).collect();
    if starts.is_empty() {
        targets.add_here(Use::List)?;
    }
    for start in &starts {
        if start.has_wildcard {
            return Err(doubt(format!("the wildcard in `{}` may become an action of `find`", start.typed)));
        }
        targets.add(start, Use::List)?;
    }
    let mut told = Told { read_only: true, ..Told::default() };
    let mut names = Vec::new();
    // A name means nothing where it may be left out, or where something was done before it.
    let is_loose = |word: &Word| matches!(word.value.as_str(), "!" | "-not" | "-o" | "-or" | ",");
    let is_loose = arguments.iter().any(is_loose);
    let mut rest = arguments[options + starts.len()..].iter();
    let (mut removes, mut runs) = (false, Vec::new());
    while let Some(word) = rest.next() {
        let value = word.value.as_str();
        let writes = WRITING.iter().find(|(action, _)| *action == value);
        if RUNNING.contains(&value) {
            let is_end = |word: &&Word| matches!(word.value.as_str(), ";" | "+");
            let command: Vec<Word> = rest.by_ref().take_while(|word| !is_end(word)).cloned().collect();
            runs.push(command);
            told.read_only &= matches!(value, "-exec" | "-execdir");
        } else if let Some((_action, more)) = writes {
            let Some(file) = rest.next() else {
                return Err(doubt(format!("`{value}` of `find` has no value")));
            };
            targets.add(file, Use::Write)?;
            rest.by_ref().take(*more).for_each(drop);
            told.read_only = false;
        } else if value == "-delete" {
            removes = true;
            told.read_only = false;
        } else if let Some(argument) = valued(word, &mut rest)? {
            if COMPARING.contains(&value) {
                targets.add(argument, Use::List)?;
            }
            if matches!(value, "-name" | "-iname") && !is_loose && !removes && runs.is_empty() {
                names.push(argument.value.clone());
            }
        }
    }
    told.runs =
        runs.iter().map(|run| run.iter().map(|word| found(word, &starts, &names)).collect()).collect();
    if removes {
        remove(&starts, &names, targets)?;
    }
    Ok(told)
}

/// The value of a test or an action, if it has one.
fn valued<'w>(word: &Word, rest: &mut std::slice::Iter<'w, Word>) -> Result<Option<&'w Word>, Doubt> {
    let value = word.value.as_str();
    let takes_value = VALUED.contains(&value) || COMPARING.contains(&value);
    if word.has_wildcard || !(takes_value || ALONE.contains(&value)) {
        return Err(doubt(format!("`{}` of `find` is not known to change nothing", word.typed)));
    }
    if !takes_value {
        return Ok(None);
    }
    let argument = rest.next().filter(|argument| !argument.has_wildcard);
    argument.map(Some).ok_or_else(|| doubt(format!("`{value}` of `find` has no plain value")))
}

/// What `-delete` removes: what has one name below the starts, or whatever is there.
fn remove(starts: &[&Word], names: &[String], targets: &mut Targets<'_>) -> Result<(), Doubt> {
    let here = Word::plain(".");
    let starts = if starts.is_empty() { vec![&here] } else { starts.to_vec() };
    for start in starts {
        let name = one_of(names);
        match targets.path(start) {
            Ok(path) if names.is_empty() => {
                targets.push(path.clone(), Use::Remove);
                targets.push(path.join("**"), Use::Remove);
            }
            Ok(path) => targets.push(path.join("**").join(name), Use::Remove),
            Err(_piece) => targets.add(start, Use::Remove)?,
        }
    }
    Ok(())
}

/// The one name that is looked for, or any.
fn one_of(names: &[String]) -> &str {
    match names {
        [only] if !only.contains('/') => only,
        _none_or_several => "*",
    }
}

/// A word of a command that is run: `{}` in it is something below the starts.
fn found(word: &Word, starts: &[&Word], names: &[String]) -> Word {
    if !word.value.contains("{}") {
        return word.clone();
    }
    let here = Word::plain(".");
    let is_whole = word.value == "{}";
    match starts {
        [only] if is_whole && only.is_known() => below(only, names, &word.typed, true, false),
        [] if is_whole => below(&here, names, &word.typed, true, false),
        _other => {
            let mut found = Word { typed: word.typed.clone(), ..Word::default() };
            found.add_unknown(Origin::Computed, false, &word.typed);
            found
        }
    }
}

/// A word for what is found below a start.
fn below(start: &Word, names: &[String], typed: &str, may_be_links: bool, may_split: bool) -> Word {
    let folder = start.value.trim_end_matches('/');
    Word {
        // How a home is written tells whose it is.
        typed: if start.has_tilde { start.typed.clone() } else { typed.to_owned() },
        value: format!("{folder}/**/{}", one_of(names)),
        has_wildcard: true,
        has_tilde: start.has_tilde,
        found: Some(Found { may_be_links, may_split }),
        ..Word::default()
    }
}

/// The words that stand for what `find` shows, for a program that reads them: one for each start. Nothing where it shows
/// something else, or does more.
pub(crate) fn shown(arguments: &[Word]) -> Option<Vec<Word>> {
    const PLAIN: &[&str] = &[
        "-print",
        "-print0",
        "-name",
        "-iname",
        "-type",
        "-path",
        "-ipath",
        "-maxdepth",
        "-mindepth",
        "-not",
        "-o",
        "-or",
        "-a",
        "-and",
        "!",
        "(",
        ")",
        "-size",
        "-mtime",
        "-mmin",
        "-newer",
        "-empty",
        "-prune",
        "-readable",
        "-writable",
        "-executable",
    ];
    let is_option =
        |word: &Word| word.value.starts_with('-') || matches!(word.value.as_str(), "(" | ")" | "!");
    let at = arguments.iter().position(is_option).unwrap_or(arguments.len());
    let (starts, tests) = arguments.split_at(at);
    let is_known = |word: &Word| word.is_known() && !word.has_wildcard && !word.is_stream;
    let is_plain = tests.iter().all(|word| !is_option(word) || PLAIN.contains(&word.value.as_str()));
    if !is_plain || !arguments.iter().all(is_known) {
        return None;
    }
    let is_loose =
        tests.iter().any(|word| matches!(word.value.as_str(), "!" | "-not" | "-o" | "-or" | "," | "-prune"));
    let valued = |options: &[&str]| -> Vec<String> {
        let pairs = tests.windows(2).filter(|pair| !is_loose && options.contains(&pair[0].value.as_str()));
        pairs.map(|pair| pair[1].value.clone()).collect()
    };
    let may_be_links = valued(&["-type"]) != ["f"];
    let may_split = !tests.iter().any(|word| word.value == "-print0");
    let names = valued(&["-name", "-iname"]);
    let here = [Word::plain(".")];
    let starts = if starts.is_empty() { &here } else { starts };
    Some(starts.iter().map(|start| below(start, &names, "", may_be_links, may_split)).collect())
}

fn doubt(phrase: String) -> Doubt {
    Doubt::about_arguments(phrase)
}
