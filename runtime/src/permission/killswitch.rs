//! The killswitch: what no mode, rule, hook or model can allow. Over effects it is exact; over text that was not
//! understood it stops whatever could do the same.

use std::path::Path;

use super::places::{is_critical, is_guarded};
use super::raw::{RawText, is_put_together};
use super::steering::{Whole, may_be_guarded, steered};
use super::subject::{Judged, Subject};
use super::words::{program, readings};
use crate::contract::{Effect, Effects, absolute};

/// Programs that remove the places they are given.
const REMOVERS: &[&str] = &["rm", "rmdir", "unlink", "shred", "rimraf", "trash", "trash-put", "srm", "wipe"];
/// Further words of text that could remove something.
const REMOVING_WORDS: &[&str] = &["mkfs", "dd", "truncate", "del", "erase", "rd", "mv"];
/// Parts of words in text that could remove something.
const REMOVING_PARTS: &[&str] = &["delete", "rmtree", "remove", "rimraf", "unlink", "wipe"];

/// Why the killswitch stops a call, if it does.
pub(super) fn killswitch(subject: &Subject<'_>) -> Option<String> {
    match &subject.effects {
        Effects::Unknown { raw, .. } => in_text(subject, &RawText::new(raw)),
        Effects::Known(_) => subject.each().find_map(|judged| in_effect(subject, judged)),
    }
}

fn in_effect(subject: &Subject<'_>, judged: Judged<'_>) -> Option<String> {
    let is_guarded = || judged.paths.iter().any(|path| is_guarded(path));
    let changes = |path: &Path| {
        format!("it would change `{}`, which steers git, the shell or the agent", path.display())
    };
    match judged.effect {
        Effect::Remove(path) => {
            let is_critical = judged.paths.iter().any(|path| is_critical(path, subject.kept()));
            let removes = || format!("it would remove `{}`", path.display());
            if is_critical { Some(removes()) } else { is_guarded().then(|| changes(path)) }
        }
        Effect::Write(path) => is_guarded().then(|| changes(path)),
        Effect::Command { read_only: true, .. } => None,
        Effect::Command { words, .. } => in_command(subject, words),
        Effect::Read(_) | Effect::ReadBelow(_) | Effect::Contact(_) | Effect::Name(_) => None,
    }
}

/// What a command does to files is told by a tool as effects of their own; this also stops the plain forms of removing
/// from a tool that does not tell, and programs nobody tells of that are given something guarded.
fn in_command(subject: &Subject<'_>, words: &[String]) -> Option<String> {
    let Some(readings) = readings(words) else {
        return Some("it runs another command, and has too many words to be read".to_owned());
    };
    readings.into_iter().find_map(|words| {
        let (name, operands) = words.split_first()?;
        if let Some(named) = steered(words, subject.context) {
            return Some(format!("it may change `{named}`, which steers git, the shell or the agent"));
        }
        let mut removed = removed(name, operands).into_iter();
        let target = removed.find(|word| may_be_critical(subject, word))?;
        Some(format!("it would remove `{target}`"))
    })
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
        remover if REMOVERS.contains(&remover) => plain().collect(),
        _any if is_put_together(name) => plain().collect(),
        _other => Vec::new(),
    }
}

fn is_remover(word: &str) -> bool {
    REMOVERS.contains(&program(word))
}

fn may_be_critical(subject: &Subject<'_>, word: &str) -> bool {
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
    is_critical(&path, subject.kept())
}

/// Text that was not understood, and that could remove or change what the killswitch guards.
fn in_text(subject: &Subject<'_>, raw: &RawText) -> Option<String> {
    if raw.is_too_long {
        return Some("it is too long to be searched for what must not be removed or changed".to_owned());
    }
    let words = || raw.words.iter().map(|word| word.to_lowercase());
    let removes = words().any(|word| {
        let name = program(&word).trim_start_matches('$');
        REMOVERS.contains(&name)
            || REMOVING_WORDS.contains(&name)
            || REMOVING_PARTS.iter().any(|part| word.contains(part))
    });
    // A relative name without a variable or a wildcard cannot be one of the critical places.
    let names_far = raw.has_expansion
        || words().any(|word| {
            word == "."
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
    let guarded = words().find_map(|word| may_be_guarded(&word, Whole::OrFolder).map(str::to_owned))?;
    Some(format!("it may name `{guarded}`, and was not understood"))
}
