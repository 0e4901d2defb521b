//! The killswitch: what no mode, rule, hook or model can allow. Over effects it is exact; over text that was not
//! understood it stops whatever could do the same.

use std::path::Path;

use super::places::{GUARDED, GUARDED_FILES, is_critical, is_guarded};
use super::raw::{RawText, may_name};
use super::subject::{Judged, Subject};
use super::words::{program, readings};
use crate::contract::{Effect, Effects, absolute};

/// Programs that remove the places they are given.
const REMOVERS: &[&str] = &["rm", "rmdir", "unlink", "shred"];
/// Further words of text that could remove something.
const REMOVING_WORDS: &[&str] = &["mkfs", "dd", "truncate", "del", "erase", "rd", "mv"];
/// Parts of words in text that could remove something.
const REMOVING_PARTS: &[&str] = &["delete", "rmtree", "remove", "rimraf", "unlink", "wipe"];
/// Folders that text may enter first, to change what is guarded in them afterwards.
const STEERING_FOLDERS: &[&str] = &[".git", ".claude"];

/// Why the killswitch stops a call, if it does.
pub(super) fn killswitch(subject: &Subject<'_>) -> Option<String> {
    match &subject.effects {
        Effects::Unknown { raw, .. } => in_text(&RawText::new(raw)),
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

/// What a command removes is told by a tool as effects of their own; this also stops the plain forms from a tool that
/// does not tell.
fn in_command(subject: &Subject<'_>, words: &[String]) -> Option<String> {
    let Some(readings) = readings(words) else {
        return Some("it runs another command, and has too many words to be read".to_owned());
    };
    readings.into_iter().find_map(|words| {
        let (name, operands) = words.split_first()?;
        if !REMOVERS.contains(&program(name)) {
            return None;
        }
        let target = operands.iter().find(|word| !word.starts_with('-') && may_be_critical(subject, word))?;
        Some(format!("it would remove `{target}`"))
    })
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
fn in_text(raw: &RawText) -> Option<String> {
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
    let guarded = words().find_map(|word| may_be_guarded(&word).map(str::to_owned))?;
    Some(format!("it may name `{guarded}`, and was not understood"))
}

/// The guarded place that a word might name, in whole or as the folder it is in.
fn may_be_guarded(word: &str) -> Option<&'static str> {
    let names: Vec<&str> = word.split('/').filter(|name| !matches!(*name, "" | ".")).collect();
    let stands_at = |at: usize, guarded: &str| {
        let parts: Vec<&str> = guarded.split('/').collect();
        let found = parts.iter().enumerate().take_while(|(offset, part)| {
            names
                .get(at + offset)
                .is_some_and(|name| may_name(name, part) || (*offset > 0 && name.starts_with('$')))
        });
        let found = found.count();
        // A word that ends at the folder may be followed by the rest elsewhere in the text.
        found == parts.len() || (found == 1 && at + 1 == names.len() && STEERING_FOLDERS.contains(&parts[0]))
    };
    let anywhere = |guarded: &&&str| (0..names.len()).any(|at| stands_at(at, guarded));
    let is_file = |file: &&&str| names.iter().any(|name| may_name(name, file));
    GUARDED.iter().find(anywhere).or_else(|| GUARDED_FILES.iter().find(is_file)).copied()
}
