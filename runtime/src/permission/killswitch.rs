//! The killswitch: what no mode, rule, hook or model can allow. Over effects it is exact; over text that was not
//! understood it stops whatever could do the same; of code for an interpreter it promises what `scripts.rs` says.

use std::path::Path;

use super::hidden::hides_what_it_runs;
use super::places::{GUARDED, is_critical, is_device, is_guarded};
use super::raw::{RawText, braces_expanded, is_put_together};
use super::scripts::removed_by_script;
use super::steering::{Whole, is_steering_folder, may_be_guarded, steered};
use super::subject::{Judged, Subject};
use super::unnamed::Unnamed;
use super::words::{pieces_within, program, readings, without_messages};
use crate::contract::{Effect, Effects, absolute};

/// Programs that remove the places they are given.
pub(super) const REMOVERS: &[&str] =
    &["rm", "rmdir", "unlink", "shred", "rimraf", "trash", "trash-put", "srm", "wipe"];
/// Further words of text that could remove something.
const REMOVING_WORDS: &[&str] = &["mkfs", "dd", "truncate", "del", "erase", "rd", "mv"];
/// Parts of words in text that could remove something.
pub(super) const REMOVING_PARTS: &[&str] = &[
    "delete",
    "deltree",
    "fileutils.rm",
    "fs.rm",
    "remove",
    "rimraf",
    "rm_f",
    "rm_r",
    "rmdir",
    "rmsync",
    "rmtree",
    "unlink",
    "wipe",
];
/// Why the killswitch stops a call, if it does.
pub(crate) fn killswitch(subject: &Subject<'_>) -> Option<String> {
    match &subject.effects {
        Effects::Unknown { raw, .. } => in_text(subject, &RawText::new(raw)),
        Effects::Known(known) => subject.each().find_map(|judged| in_effect(subject, judged)).or_else(|| {
            let named = || named_among(known).or_else(|| found_among(subject, known));
            changes_anything(known).then(named).flatten()
        }),
    }
}

/// Whether a call changes something of which it cannot be told where it is: then it counts as changing the root.
fn changes_anything(known: &[Effect]) -> bool {
    let is_root = |path: &Path| path.is_absolute() && path.parent().is_none();
    known.iter().any(|effect| match effect {
        Effect::Write(path) | Effect::Remove(path) => is_root(path),
        Effect::Command { .. }
        | Effect::Read(_)
        | Effect::ReadBelow(_)
        | Effect::MayWrite(_)
        | Effect::Contact(_)
        | Effect::Name(_) => false,
    })
}

/// What steers git, the shell or the agent, and stands anywhere among the words of a call.
fn named_among(known: &[Effect]) -> Option<String> {
    let words = known.iter().flat_map(|effect| match effect {
        Effect::Command { words, .. } => without_messages(words).cloned().collect(),
        Effect::Name(name) => vec![name.clone()],
        Effect::Read(_)
        | Effect::ReadBelow(_)
        | Effect::Write(_)
        | Effect::Remove(_)
        | Effect::MayWrite(_)
        | Effect::Contact(_) => Vec::new(),
    });
    let named = words.into_iter().find_map(|word| {
        let word = word.to_lowercase();
        let spelled = braces_expanded(&word.replace(['"', '\'', '\\'], ""));
        let mut pieces = std::iter::once(word.as_str())
            .chain(pieces_within(&word))
            .chain(spelled.iter().map(String::as_str));
        pieces.find_map(|piece| may_be_guarded(piece, Whole::OrFolder).map(str::to_owned))
    })?;
    Some(format!("it names `{named}`, and what it changes is not told"))
}

/// What a call finds by its name that may steer git, the shell or the agent.
fn found_among(subject: &Subject<'_>, known: &[Effect]) -> Option<String> {
    let finds = known.iter().filter_map(|effect| match effect {
        Effect::Command { words, .. } => {
            words.first().is_some_and(|it| program(it) == "find").then_some(words)
        }
        Effect::Read(_)
        | Effect::ReadBelow(_)
        | Effect::Write(_)
        | Effect::Remove(_)
        | Effect::MayWrite(_)
        | Effect::Contact(_)
        | Effect::Name(_) => None,
    });
    let mut named = finds
        .flat_map(|words| words.windows(2))
        .filter(|pair| matches!(pair[0].as_str(), "-name" | "-iname"));
    let is_guarded = |name: &str| may_be_guarded_place(subject, &subject.context.cwd.join("**").join(name));
    let found = named.find(|pair| is_guarded(&pair[1]))?;
    Some(format!("it finds `{}`, and what it changes is not told", found[1]))
}

fn in_effect(subject: &Subject<'_>, judged: Judged<'_>) -> Option<String> {
    let is_guarded = || judged.paths.iter().any(|path| may_be_guarded_place(subject, path));
    let changes = |path: &Path| {
        format!("it would change `{}`, which steers git, the shell or the agent", path.display())
    };
    let is_device = || judged.paths.iter().any(|path| is_device(path));
    match judged.effect {
        Effect::Write(path) | Effect::Remove(path) if is_device() => {
            Some(format!("it would write over the device `{}`", path.display()))
        }
        Effect::Remove(path) => {
            let is_critical = judged.paths.iter().any(|path| is_critical_place(subject, path));
            let removes = || format!("it would remove `{}`", path.display());
            let steers = || judged.paths.iter().any(|path| is_steering_folder(path));
            if is_critical { Some(removes()) } else { (is_guarded() || steers()).then(|| changes(path)) }
        }
        Effect::Write(path) => is_guarded().then(|| changes(path)),
        Effect::Command { read_only: true, .. } => None,
        Effect::Command { words, .. } => in_command(subject, words),
        Effect::Read(_)
        | Effect::ReadBelow(_)
        | Effect::MayWrite(_)
        | Effect::Contact(_)
        | Effect::Name(_) => None,
    }
}

/// Whether a path is guarded, or may be where it is told only in part.
fn may_be_guarded_place(subject: &Subject<'_>, path: &Path) -> bool {
    Unnamed::of(path).map_or_else(|| is_guarded(path), |unnamed| unnamed.may_be_guarded(subject.kept()))
}

/// Whether removing a path may remove what must not be removed.
fn is_critical_place(subject: &Subject<'_>, path: &Path) -> bool {
    Unnamed::of(path)
        .map_or_else(|| is_critical(path, subject.kept()), |unnamed| unnamed.may_be_critical(subject.kept()))
}

/// What a command does to files is told by a tool as effects of their own; this also stops the plain forms of removing
/// from a tool that does not tell, and programs nobody tells of that are given something guarded.
fn in_command(subject: &Subject<'_>, words: &[String]) -> Option<String> {
    let Some(readings) = readings(words) else {
        return Some("it runs another command, and has too many words to be read".to_owned());
    };
    let finds = words.first().is_some_and(|first| program(first) == "find");
    if let Some(target) = removed_by_script(subject, words) {
        return Some(format!("it may remove `{target}`"));
    }
    readings.into_iter().find_map(|words| {
        let (name, operands) = words.split_first()?;
        if let Some(named) = steered(words, subject.context) {
            return Some(format!("it may change `{named}`, which steers git, the shell or the agent"));
        }
        // What `find` puts in there is below the places it begins at, which are looked at themselves.
        let is_found = |word: &str| finds && word == "{}";
        let named = found_by_name(words);
        let mut removed = removed(name, operands).into_iter();
        let target = removed.find(|word| match named {
            Some(name) => may_find_critical(subject, word, name),
            None => !is_found(word) && may_be_critical(subject, word),
        })?;
        Some(format!("it would remove `{target}`"))
    })
}

/// The one name that all has which `find` removes: nothing where it may remove anything else.
fn found_by_name(words: &[String]) -> Option<&str> {
    const LOOSE: &[&str] = &["!", "(", ",", "-not", "-o", "-or"];
    let finds = words.first().is_some_and(|first| program(first) == "find");
    let is_loose = words.iter().any(|word| LOOSE.contains(&word.as_str()));
    let at = words.iter().position(|word| word == "-name").filter(|_| finds && !is_loose)?;
    let acts = words[..at].iter().any(|word| word == "-delete" || word.starts_with("-exec"));
    let name = words.get(at + 1).filter(|_| !acts)?;
    name.contains(char::is_alphanumeric).then_some(name)
}

/// Whether something of a name below a place may be what must not be removed or changed.
fn may_find_critical(subject: &Subject<'_>, word: &str, name: &str) -> bool {
    if word.contains(['$', '`', '{', '*', '?', '['])
        || (word.starts_with('~') && word != "~" && !word.starts_with("~/"))
    {
        return may_be_critical(subject, word);
    }
    let folder = absolute(&subject.context.cwd, subject.context.home.as_deref(), Path::new(word));
    let path = folder.join("**").join(name);
    is_critical_place(subject, &path) || may_be_guarded_place(subject, &path)
}

/// The words of a command that say what it would remove, or move away.
fn removed<'a>(name: &str, operands: &'a [String]) -> Vec<&'a String> {
    let is_option = |word: &&String| word.starts_with('-');
    let ends_options = operands.iter().position(|word| word == "--");
    let is_operand = |(at, word): &(usize, &'a String)| {
        ends_options.is_some_and(|end| *at > end) || (!is_option(word) && *word != "--")
    };
    let plain = || operands.iter().enumerate().filter(is_operand).map(|(_, word)| word);
    // Some file systems do not tell the case of names.
    match program(&name.to_lowercase()) {
        "find" if operands.iter().any(|word| word == "-delete" || is_remover(word)) => {
            // The places to begin at stand before the first test; without one it is the working directory.
            let begins = operands.iter().skip_while(is_option);
            begins.take_while(|word| !is_option(word) && !matches!(word.as_str(), "!" | "(")).collect()
        }
        "mv" => {
            let is_target = |word: &String| word == "-t" || word == "--target-directory";
            let names_target =
                operands.iter().any(|word| word.starts_with("-t") || word.starts_with("--target"));
            let is_moved = |at: &usize| at.checked_sub(1).is_none_or(|before| !is_target(&operands[before]));
            let mut moved: Vec<&String> = operands
                .iter()
                .enumerate()
                .filter(is_operand)
                .filter(|(at, _)| is_moved(at))
                .map(|(_, word)| word)
                .collect();
            if !names_target {
                moved.pop();
            }
            moved
        }
        "rsync" if operands.iter().any(|word| word.starts_with("--del")) => {
            plain().next_back().into_iter().collect()
        }
        "rsync" if operands.iter().any(|word| word == "--remove-source-files") => plain().collect(),
        "tar" | "bsdtar" | "gtar" if operands.iter().any(|word| word == "--remove-files") => {
            plain().collect()
        }
        "zip" if operands.iter().any(|word| word == "--move" || is_moving_flag(word)) => plain().collect(),
        "gio" | "kioclient" | "kioclient5" => plain().collect(),
        remover if REMOVERS.contains(&remover) => plain().collect(),
        _any if is_put_together(name) => plain().collect(),
        _other => Vec::new(),
    }
}

/// Whether an option of `zip` removes what was packed.
fn is_moving_flag(word: &str) -> bool {
    word.strip_prefix('-').is_some_and(|flags| !flags.starts_with('-') && flags.contains('m'))
}

fn is_remover(word: &str) -> bool {
    REMOVERS.contains(&program(word))
}

pub(super) fn may_be_critical(subject: &Subject<'_>, word: &str) -> bool {
    let context = subject.context;
    let (home, cwd) = (context.home.as_deref(), &context.cwd);
    let named = [("$HOME", home), ("${HOME}", home), ("$PWD", Some(cwd)), ("${PWD}", Some(cwd)), ("~", home)];
    let replaced = named.iter().find_map(|(name, folder)| {
        let below = word.strip_prefix(name).filter(|below| below.is_empty() || below.starts_with('/'))?;
        folder.map(|folder| folder.join(below.trim_start_matches('/')))
    });
    // A variable may stand for anything, and so may what a brace or another one's home leads to.
    let below_variable =
        word.trim_start_matches('$').trim_start_matches(|c: char| c.is_alphanumeric() || "_{}".contains(c));
    let hides = word.contains(['`', '{'])
        || word.starts_with('~')
        || (word.starts_with('$') && below_variable.chars().all(|c| "/*.?".contains(c)));
    let path = match &replaced {
        Some(path) => absolute(cwd, home, path),
        None if hides => return true,
        None => absolute(cwd, home, Path::new(word)),
    };
    is_critical_place(subject, &path)
}

/// Text that was not understood, and that could remove or change what the killswitch guards.
fn in_text(subject: &Subject<'_>, raw: &RawText) -> Option<String> {
    if raw.is_too_long {
        return Some("it is too long to be searched for what must not be removed or changed".to_owned());
    }
    if hides_what_it_runs(raw) {
        return Some("it runs what it decodes first, which cannot be searched".to_owned());
    }
    let words = || raw.words.iter().map(|word| word.to_lowercase());
    let removes = words().any(|word| {
        let name = program(&word).trim_start_matches(['$', '!', '+', '%', '|']);
        // `env -S` takes a command line attached.
        let attached = name.strip_prefix('-').and_then(|options| options.split_once('s'));
        REMOVERS.contains(&name)
            || attached.is_some_and(|(_flags, name)| REMOVERS.contains(&name))
            || REMOVING_WORDS.contains(&name)
            || REMOVING_PARTS.iter().any(|part| word.contains(part))
    });
    // A relative name without a variable or a wildcard cannot be one of the critical places; what is read may name any.
    let names_far = raw.has_expansion
        || words().any(|word| {
            matches!(program(&word), "xargs" | "parallel")
                || word == "."
                || word.contains("..")
                || word.contains(['/', '~', '$', '*', '?', '[', '{'])
                || word.ends_with(':')
        });
    if removes && names_far {
        let reason = "it may remove something that must not be removed, and was not understood";
        return Some(reason.to_owned());
    }
    // Under a name that is put together, any program may be meant.
    let mut operands = raw.unnamed.iter().flatten().filter(|word| !word.starts_with('-'));
    if let Some(target) = operands.find(|word| may_be_critical(subject, word)) {
        return Some(format!("it may remove `{target}`, and which program it runs cannot be told"));
    }
    let guarded = words().find_map(|word| {
        let named = may_be_guarded(&word, Whole::OrFolder).map(str::to_owned);
        named.or_else(|| is_setting_behind_wildcard(&word).then_some(word))
    })?;
    Some(format!("it may name `{guarded}`, and was not understood"))
}

/// Whether a word ends as what is guarded does, in a folder that the shell fills in: it may be a link to that folder.
fn is_setting_behind_wildcard(word: &str) -> bool {
    let names: Vec<&str> = word.split('/').collect();
    let is_filled_in = |name: &&str| name.contains(['*', '?', '[']);
    GUARDED.iter().filter_map(|guarded| guarded.split_once('/')).any(|(_folder, rest)| {
        let rest: Vec<&str> = rest.split('/').collect();
        let before = names.len().checked_sub(rest.len() + 1).and_then(|at| names.get(at));
        names.ends_with(&rest) && before.is_some_and(is_filled_in)
    })
}
