//! Whether a command may change what steers git, the shell or the agent, by its words alone: for programs whose effects
//! on files no tool tells.

use std::path::Path;

use super::git::{git_command_at, is_plain_git_setting};
use super::places::{GUARDED, GUARDED_FILES, is_device, is_guarded, names};
use super::raw::may_name;
use super::words::{pieces_within, program, without_messages};
use crate::contract::{Context, absolute};

/// Programs whose changes to files are told as effects of their own, or that change none.
const TOLD: &[&str] = &[
    "[",
    "base64",
    "cat",
    "cd",
    "chgrp",
    "chmod",
    "chown",
    "cmp",
    "cp",
    "diff",
    "du",
    "echo",
    "egrep",
    "fgrep",
    "file",
    "find",
    "grep",
    "head",
    "hexdump",
    "jq",
    "ln",
    "ls",
    "mkdir",
    "more",
    "mv",
    "od",
    "printf",
    "rg",
    "rm",
    "rmdir",
    "sed",
    "shasum",
    "shellcheck",
    "shred",
    "stat",
    "strings",
    "tail",
    "tee",
    "test",
    "touch",
    "truncate",
    "uniq",
    "unlink",
    "wc",
];
/// Commands of git that change no file they are given.
const GIT_TOLD: &[&str] = &["add", "blame", "check-ignore", "commit", "ls-files", "status"];
/// Words with which `git config` only shows settings.
const SHOWING: &[&str] =
    &["--get", "--get-all", "--get-regexp", "--get-urlmatch", "--list", "-l", "get", "list"];
/// Folders that a command may enter first, to change what is guarded in them afterwards.
const STEERING_FOLDERS: &[&str] = &[".git", ".claude"];

/// Whether a path is a folder that goes with what is guarded in it.
pub(super) fn is_steering_folder(path: &Path) -> bool {
    names(path).last().is_some_and(|name| STEERING_FOLDERS.contains(&name.as_str()))
}

/// What a command names that it may change, if it is guarded. What `git remote`, `git worktree` and `git submodule`
/// write into the settings of a repository is of git's own making, and runs nothing.
pub(super) fn steered(words: &[String], context: &Context) -> Option<String> {
    let words: Vec<String> = without_messages(words).cloned().collect();
    if let Some(setting) = words.iter().find(|word| sets_git(word)) {
        return Some(setting.clone());
    }
    let (name, rest) = words.split_first()?;
    let name = program(name);
    // What git brings back to a folder may be anything in it.
    let whole = if name == "git" { Whole::OrFolder } else { Whole::Always };
    let command = (name == "git").then(|| git_command_at(rest.iter().map(String::as_str))).flatten();
    if let Some(setting) = (name == "git").then(|| given_setting(rest, command)).flatten() {
        return Some(setting);
    }
    if let Some(mounted) = mounted(name, rest, context) {
        return Some(mounted);
    }
    let rest = match command.and_then(|at| rest.get(at)).map(String::as_str) {
        Some("config") => {
            let at = command.unwrap_or_default();
            let setting = changed_setting(&rest[at + 1..]);
            if setting.is_some() {
                return setting;
            }
            &rest[..at]
        }
        Some(told) if GIT_TOLD.contains(&told) => return None,
        _other => rest,
    };
    if TOLD.contains(&name) {
        return None;
    }
    let leaves_out = |word: &String| word.contains("exclude") || word.contains("ignore");
    let changed = rest.iter().enumerate().filter(|(at, word)| {
        let before = at.checked_sub(1).and_then(|before| rest.get(before));
        !leaves_out(word) && !before.is_some_and(|before| before.starts_with('-') && leaves_out(before))
    });
    let mut pieces = changed.flat_map(|(_at, word)| {
        let inner = pieces_within(word);
        // An option of one letter may have its value attached.
        let attached = word.starts_with('-').then(|| word.get(2..)).flatten();
        std::iter::once(word.as_str()).chain(inner).chain(attached)
    });
    pieces.find_map(|piece| {
        let path = absolute(&context.cwd, context.home.as_deref(), Path::new(piece));
        let named = may_be_guarded(&piece.to_lowercase(), whole).map(str::to_owned);
        named.or_else(|| (is_guarded(&path) || is_device(&path)).then(|| piece.to_owned()))
    })
}

/// A folder of this machine that a container is given to write in, where it holds what steers the shell or the system: the
/// root, what is near it, and homes. The project itself is what containers are run for.
fn mounted(name: &str, words: &[String], context: &Context) -> Option<String> {
    const CONTAINERS: &[&str] = &["docker", "nerdctl", "podman"];
    if !CONTAINERS.contains(&name) {
        return None;
    }
    let mut given = words.iter().enumerate().filter_map(|(at, word)| {
        let value = match word.split_once('=') {
            Some(("-v" | "--volume" | "--mount", value)) => value,
            _other if matches!(word.as_str(), "-v" | "--volume" | "--mount") => words.get(at + 1)?,
            _other => word.strip_prefix("-v").filter(|_| !word.starts_with("--"))?,
        };
        Some(value)
    });
    given.find_map(|mount| {
        let is_read_only = mount.ends_with(":ro")
            || mount.split(',').any(|it| matches!(it, "ro" | "readonly" | "readonly=true"));
        let listed =
            mount.split(',').find_map(|it| it.strip_prefix("source=").or_else(|| it.strip_prefix("src=")));
        let source = listed.unwrap_or_else(|| mount.split(':').next().unwrap_or_default());
        let path = absolute(&context.cwd, context.home.as_deref(), Path::new(source));
        // What has no slash is a volume by its name.
        let is_place = source.contains(['/', '~']) || matches!(source, "." | "..") || source.starts_with('$');
        let is_home = |path: &Path| context.home.as_deref().is_some_and(|home| home.starts_with(path));
        let hides = source.starts_with('$') && !source.starts_with("$PWD") && !source.starts_with("${PWD");
        let is_wide = hides || is_home(&path) || near_root(&path) || is_guarded(&path);
        (is_place && is_wide && !is_read_only).then(|| source.to_owned())
    })
}

fn near_root(path: &Path) -> bool {
    const SYSTEM: &[&str] =
        &["bin", "boot", "dev", "etc", "home", "lib", "proc", "root", "sbin", "sys", "usr", "users", "var"];
    let names = names(path);
    names.len() < 2 && names.first().is_none_or(|name| SYSTEM.contains(&name.as_str()))
}

/// Whether a variable is set that gives git a setting, unless it is harmless.
fn sets_git(word: &str) -> bool {
    match word.split_once('=') {
        Some((name, value)) if name.starts_with("GIT_CONFIG_KEY_") => !is_plain_git_setting(value),
        Some(("GIT_CONFIG_PARAMETERS" | "GIT_TEMPLATE_DIR", _)) => true,
        Some(("GIT_CONFIG" | "GIT_CONFIG_GLOBAL" | "GIT_CONFIG_SYSTEM", file)) => {
            !file.is_empty() && file != "/dev/null"
        }
        _other => false,
    }
}

/// A setting that git is given for one command, unless it is harmless: it steers that command as a file would.
fn given_setting(words: &[String], command: Option<usize>) -> Option<String> {
    let clones = command.is_some_and(|at| words[at] == "clone");
    let mut given = words.iter().enumerate().filter_map(|(at, word)| {
        let is_before = command.is_none_or(|command| at < command);
        let next = || words.get(at + 1).map(String::as_str);
        match word.as_str() {
            "-c" | "--config-env" if is_before => next(),
            "-c" if clones => next(),
            long if clones && "--config".starts_with(long) && long.len() > 4 => next(),
            attached if clones && attached.starts_with("-c") => Some(&attached[2..]),
            long => {
                let (option, value) = long.split_once('=')?;
                let is_meant = (is_before && option == "--config-env")
                    || (clones && option.len() > 4 && "--config".starts_with(option));
                is_meant.then_some(value)
            }
        }
    });
    given.find(|setting| !is_plain_git_setting(setting)).map(str::to_owned)
}

/// The setting that `git config` changes, unless it is harmless.
fn changed_setting(arguments: &[String]) -> Option<String> {
    let shows = arguments.iter().any(|word| SHOWING.contains(&word.as_str()));
    let operands = || arguments.iter().filter(|word| !word.starts_with('-') && *word != "set");
    let is_change = |word: &String| {
        ["--add", "--edit", "--remove", "--rename", "--replace", "--unset", "-e"]
            .iter()
            .any(|it| word.starts_with(it))
            || ["edit", "unset", "remove-section", "rename-section"].contains(&word.as_str())
    };
    let changes = arguments.iter().any(is_change);
    if !changes && (shows || operands().count() < 2) {
        return None;
    }
    let key = operands().next().map_or("", String::as_str);
    let is_elsewhere = |word: &String| word.starts_with("-f") || word.starts_with("--file");
    let is_harmless = is_plain_git_setting(key);
    let named = if key.is_empty() { "git config" } else { key };
    (!is_harmless || arguments.iter().any(is_elsewhere)).then(|| named.to_owned())
}

/// Whether only whole names of guarded places count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whole {
    /// They do.
    Always,
    /// The folder they are in counts too: the rest may follow elsewhere.
    OrFolder,
}

/// The guarded place that a word might name, in whole or as the folder it is in.
pub(super) fn may_be_guarded(word: &str, whole: Whole) -> Option<&'static str> {
    let names: Vec<&str> = word.split('/').filter(|name| !matches!(*name, "" | ".")).collect();
    let stands_at = |at: usize, guarded: &str| {
        let parts: Vec<&str> = guarded.split('/').collect();
        let found = parts.iter().enumerate().take_while(|(offset, part)| {
            names
                .get(at + offset)
                .is_some_and(|name| may_name(name, part) || (*offset > 0 && name.starts_with('$')))
        });
        let found = found.count();
        let ends_at_folder = found == 1 && at + 1 == names.len() && STEERING_FOLDERS.contains(&parts[0]);
        found == parts.len() || (whole == Whole::OrFolder && ends_at_folder)
    };
    let anywhere = |guarded: &&&str| (0..names.len()).any(|at| stands_at(at, guarded));
    let is_file = |file: &&&str| names.iter().any(|name| may_name(name, file));
    GUARDED.iter().find(anywhere).or_else(|| GUARDED_FILES.iter().find(is_file)).copied()
}
