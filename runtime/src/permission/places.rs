//! Places that matter wherever they are: what must not be removed, what steers git, the shell and the agent, and what
//! starts programs. Names are compared without their case, since some file systems do not tell it.

use std::path::{Component, Path};

use super::raw::may_name;
use super::unnamed::HOOKS;

/// Folders whose files start programs or steer the agent; writing in them asks whatever the rules say.
const PROTECTED_FOLDERS: &[&str] = &[
    ".git",
    ".config/git",
    ".vscode",
    ".idea",
    ".husky",
    ".cargo",
    ".devcontainer",
    ".yarn",
    ".mvn",
    AGENT_FOLDER,
];

/// The agent's own folder in a project.
const AGENT_FOLDER: &str = ".claude";
/// The exception in it: working copies that the agent makes for itself.
const WORKTREES: &str = "worktrees";

/// Files that start programs or steer the agent, wherever they are.
const PROTECTED_FILES: &[&str] = &[
    ".gitconfig",
    ".gitmodules",
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_aliases",
    ".bash_logout",
    ".zshrc",
    ".zprofile",
    ".zshenv",
    ".zlogin",
    ".zlogout",
    ".profile",
    ".envrc",
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".pnp.cjs",
    ".pnp.loader.mjs",
    ".pnpmfile.cjs",
    "bunfig.toml",
    ".bunfig.toml",
    ".bazelrc",
    ".bazelversion",
    ".bazeliskrc",
    ".pre-commit-config.yaml",
    "lefthook.yml",
    "lefthook.yaml",
    ".lefthook.yml",
    ".lefthook.yaml",
    "gradle-wrapper.properties",
    "maven-wrapper.properties",
    ".devcontainer.json",
    ".ripgreprc",
    "pyrightconfig.json",
    ".mcp.json",
    ".claude.json",
];

/// What the killswitch guards, in a folder of its own: git's settings and hooks, the agent's settings, and folders of
/// shell start-up files. Everything below counts too.
pub(super) const GUARDED: &[&str] = &[
    ".git/config",
    ".git/config.worktree",
    ".git/hooks",
    ".claude/settings.json",
    ".claude/settings.local.json",
    "claude-code/managed-settings.json",
    "claude-code/managed-settings.d",
    ".config/fish/config.fish",
    ".config/fish/conf.d",
    "etc/profile.d",
];

/// Shell start-up files, which the killswitch guards wherever they are.
pub(super) const GUARDED_FILES: &[&str] = &[
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".profile",
    ".zshrc",
    ".zprofile",
    ".zshenv",
    ".zlogin",
    ".zlogout",
    ".cshrc",
    ".tcshrc",
    ".kshrc",
];

/// Whether nobody may write at a path without a person's word, whatever is allowed: for tools that keep commands from it.
#[must_use]
pub fn guards(path: &Path) -> bool {
    is_guarded(path)
}

/// Whether a path steers git, the shell or the agent.
pub(super) fn is_guarded(path: &Path) -> bool {
    let names = names(path);
    let last = names.last().map_or("", String::as_str);
    let is_file = GUARDED_FILES.iter().any(|file| may_be(last, file));
    let is_listed = is_file || GUARDED.iter().any(|part| contains(&names, part));
    is_listed || may_be(last, ".git") || is_settings_of_git(&names)
}

/// Whether a path steers git, the shell or the agent, or starts programs: for tools that tell what is brought somewhere.
#[must_use]
pub fn steers(path: &Path) -> bool {
    is_guarded(path) || is_protected(path)
}

/// Whether a path is a disk, or memory: what is written there writes over everything that is kept on it.
pub(super) fn is_device(path: &Path) -> bool {
    const DISKS: &[&str] =
        &["disk", "dm-", "hd", "kmem", "mapper", "md", "mem", "mmcblk", "nvme", "rdisk", "sd", "vd", "xvd"];
    let names = names(path);
    let [folder, name, ..] = names.as_slice() else { return false };
    folder == "dev" && DISKS.iter().any(|disk| name.starts_with(disk))
}

/// Whether a name, which may have wildcards, may stand for another. No wildcard stands for a leading dot.
fn may_be(name: &str, wanted: &str) -> bool {
    if !name.contains(['*', '?', '[']) {
        return name == wanted;
    }
    let is_hidden = wanted.starts_with('.') && name.starts_with(['*', '?']);
    let may_be_anything = is_open(name) && !wanted.starts_with('.');
    !is_hidden && (may_be_anything || may_name(name, wanted))
}

/// Whether a name is nothing but wildcards.
fn is_open(name: &str) -> bool {
    let mut chars = name.chars();
    while let Some(c) = chars.next() {
        match c {
            '*' | '?' => {}
            // A bracket that is not closed stands for itself, and says little all the same.
            '[' => drop(chars.by_ref().find(|c| *c == ']')),
            _said => return false,
        }
    }
    true
}

/// Whether some names, which may have wildcards, may be the first of others.
pub(super) fn may_begin(names: &[String], others: &[String]) -> bool {
    names.len() <= others.len() && names.iter().zip(others).all(|(name, other)| may_be(name, other))
}

/// Git keeps settings and hooks deeper too, for submodules and working copies, and without a `.git` for bare copies.
fn is_settings_of_git(names: &[String]) -> bool {
    let is_setting = |name: &String| ["config", "config.worktree"].iter().any(|it| may_be(name, it));
    names.iter().enumerate().any(|(at, name)| match &names[at + 1..] {
        below if may_be(name, ".git") => {
            below.iter().any(|name| may_be(name, "hooks")) || below.last().is_some_and(is_setting)
        }
        [only] if name.ends_with(".git") => is_setting(only) || only == "hooks",
        [first, ..] if name.ends_with(".git") => first == "hooks",
        [only] if may_be_bare(name) => matches!(only.as_str(), "config" | "config.worktree"),
        [first, hook] if may_be_bare(name) => first == "hooks" && HOOKS.contains(&hook.as_str()),
        _other => false,
    })
}

/// Whether a folder whose name has wildcards may be a bare copy of a repository.
fn may_be_bare(name: &str) -> bool {
    if !name.contains(['*', '?', '[']) {
        return false;
    }
    // From its end, each wildcard but `*` stands for one letter.
    let mut rest = name;
    for wanted in ".git".chars().rev() {
        let Some(last) = rest.chars().next_back() else { return false };
        rest = match last {
            '*' => return true,
            '?' => &rest[..rest.len() - 1],
            ']' if rest.contains('[') => &rest[..rest.rfind('[').unwrap_or_default()],
            plain if plain == wanted => &rest[..rest.len() - plain.len_utf8()],
            _other => return false,
        };
    }
    true
}

/// Whether a path is in a protected folder, or a protected file.
pub(super) fn is_protected(path: &Path) -> bool {
    let names = names(path);
    let starts = |at: usize, part: &str| contains_at(&names, at, part);
    let is_exempt = |at: usize| starts(at, AGENT_FOLDER) && is_worktree(path, at);
    let in_folder = (0..names.len())
        .any(|at| PROTECTED_FOLDERS.iter().any(|folder| starts(at, folder)) && !is_exempt(at));
    in_folder || names.last().is_some_and(|name| PROTECTED_FILES.contains(&name.as_str()))
}

/// Whether something below the folder of working copies is meant. An exception is read as it is written.
fn is_worktree(path: &Path, agent_folder: usize) -> bool {
    let mut parts = path.components().filter(|part| matches!(part, Component::Normal(_)));
    parts.nth(agent_folder).is_some_and(|part| part.as_os_str() == AGENT_FOLDER)
        && parts.next().is_some_and(|part| part.as_os_str() == WORKTREES)
        && parts.next().is_some()
}

/// Whether a path is the root, a child of it, somebody's home, one of the kept folders, or above one of these.
pub(super) fn is_critical<'a>(path: &Path, kept: impl Iterator<Item = &'a Path>) -> bool {
    let mut names = names(path);
    // A wildcard that was not expanded stands for everything in its folder.
    if let Some(wild) = names.iter().position(|name| name.chars().all(|c| "*?.".contains(c))) {
        names.truncate(wild);
    }
    // On one system, the places of the root are really kept in this folder.
    let near_root = if names.first().is_some_and(|name| name == "private") { 2 } else { 1 };
    let is_home = is_home_of(&names);
    let is_above = |kept: &Path| may_begin(&names, &self::names(kept));
    names.len() <= near_root || is_home || kept.into_iter().any(is_above)
}

/// Whether a path is somebody's home, as far as its name tells.
pub(super) fn is_somebodys_home(path: &Path) -> bool {
    let names = names(path);
    is_home_of(&names) || names == ["root"]
}

fn is_home_of(names: &[String]) -> bool {
    names.len() == 2 && matches!(names[0].as_str(), "home" | "users")
}

/// The names in a path, without their case.
pub(super) fn names(path: &Path) -> Vec<String> {
    let normal = path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_string_lossy().to_lowercase()),
        Component::Prefix(_) | Component::RootDir | Component::CurDir | Component::ParentDir => None,
    });
    normal.collect()
}

/// Whether the names of `part` stand in `names`, one after another.
fn contains(names: &[String], part: &str) -> bool {
    (0..names.len()).any(|at| contains_at(names, at, part))
}

fn contains_at(names: &[String], at: usize, part: &str) -> bool {
    let stands = |(offset, wanted): (usize, &str)| names.get(at + offset).is_some_and(|n| may_be(n, wanted));
    part.split('/').enumerate().all(stands)
}
