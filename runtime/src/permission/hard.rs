//! What no rule can approve: the killswitch, and protected paths.

use std::path::Path;

use super::subject::{Judged, Subject};
use crate::contract::{Effect, Effects};

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
    ".claude",
];

/// The exception among the protected folders: working copies that the agent makes for itself.
const UNPROTECTED: &str = ".claude/worktrees";

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

/// What the killswitch guards against being written: git's own settings and hooks, shell start-up files, and the
/// agent's own settings.
const GUARDED: &[&str] =
    &[".git/config", ".git/hooks", ".claude/settings.json", ".claude/settings.local.json"];
const GUARDED_FILES: &[&str] = &[
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".profile",
    ".zshrc",
    ".zprofile",
    ".zshenv",
    ".zlogin",
    ".zlogout",
];

/// Words that remove files, for text that could not be understood.
const REMOVERS: &[&str] = &["rm", "rmdir", "unlink", "shred", "-delete", "mkfs", "dd", "truncate"];

/// Why the killswitch stops a call, if it does: something that no mode, rule, hook or model can allow.
pub(super) fn killswitch(subject: &Subject<'_>) -> Option<String> {
    match &subject.effects {
        Effects::Unknown { raw, .. } => killswitch_in_text(raw),
        Effects::Known(_) => subject.each().find_map(|judged| killswitch_in_effect(subject, judged)),
    }
}

fn killswitch_in_effect(subject: &Subject<'_>, judged: Judged<'_>) -> Option<String> {
    let paths = judged.paths()?;
    match judged.effect {
        Effect::Remove(path) => paths
            .iter()
            .any(|path| is_critical(subject, path))
            .then(|| format!("it would remove `{}`", path.display())),
        Effect::Write(path) => paths.iter().any(|path| is_guarded(path)).then(|| {
            format!("it would change `{}`, which steers git, the shell or the agent", path.display())
        }),
        Effect::Read(_) | Effect::Command { .. } | Effect::Contact(_) | Effect::Name(_) => None,
    }
}

/// The root, its children, home, the working directory, an additional directory, and everything above these.
fn is_critical(subject: &Subject<'_>, path: &Path) -> bool {
    let context = subject.context;
    let is_near_root = path.components().count() <= 2;
    let mut kept = std::iter::once(&context.cwd)
        .chain(&context.additional_directories)
        .chain(&context.home)
        .chain(&subject.real_folders);
    is_near_root || kept.any(|folder| folder.starts_with(path))
}

fn is_guarded(path: &Path) -> bool {
    GUARDED.iter().any(|guarded| contains(path, guarded))
        || path.file_name().is_some_and(|name| GUARDED_FILES.iter().any(|file| name == *file))
}

/// Text that could not be understood and that could remove or change something the killswitch guards.
fn killswitch_in_text(raw: &str) -> Option<String> {
    let words = || raw.split(|c: char| c.is_whitespace() || ";&|(){}`'\"=<>".contains(c));
    let removes = words().any(|word| {
        let word = word.trim_start_matches('\\');
        REMOVERS.iter().any(|remover| word.rsplit('/').next() == Some(remover))
    });
    // A relative name without a variable or a wildcard cannot be one of the critical places.
    let names_far =
        raw.contains(['/', '~', '$', '*', '?', '`']) || raw.contains("..") || words().any(|word| word == ".");
    if removes && names_far {
        return Some(
            "it may remove something that must not be removed, and could not be understood".to_owned(),
        );
    }
    let named = GUARDED.iter().chain(GUARDED_FILES).find(|guarded| raw.contains(*guarded));
    named.map(|guarded| format!("it names `{guarded}`, and could not be understood"))
}

/// The protected path a call would write, if there is one.
pub(super) fn protected(subject: &Subject<'_>) -> Option<String> {
    subject.each().find_map(|judged| match judged.effect {
        Effect::Write(path) | Effect::Remove(path) => judged
            .paths()?
            .iter()
            .any(|path| is_protected(path))
            .then(|| format!("`{}` is a protected path", path.display())),
        Effect::Read(_) | Effect::Command { .. } | Effect::Contact(_) | Effect::Name(_) => None,
    })
}

fn is_protected(path: &Path) -> bool {
    let in_folder =
        PROTECTED_FOLDERS.iter().any(|folder| contains(path, folder)) && !contains(path, UNPROTECTED);
    in_folder || path.file_name().is_some_and(|name| PROTECTED_FILES.iter().any(|file| name == *file))
}

/// Whether the components of `part` stand in `path`, one after another.
fn contains(path: &Path, part: &str) -> bool {
    let part: Vec<_> = part.split('/').map(std::ffi::OsStr::new).collect();
    let names: Vec<_> = path.components().map(std::path::Component::as_os_str).collect();
    names.windows(part.len()).any(|window| window == part.as_slice())
}
