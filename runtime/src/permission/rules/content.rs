//! What the content of a rule is matched against: one kind of effect, chosen by the tool the rule names.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::command::{Pattern, Typed};
use super::domain::DomainPattern;
use super::parse::{Behavior, RuleText};
use super::path::PathPattern;
use super::problem::Wrong;
use crate::contract::{Context, Effect, Effects};
use crate::permission::Files;
use crate::permission::raw::RawText;
use crate::permission::subject::{Judged, Subject};

/// One effect of a call, with what all rules need to know of it.
#[derive(Clone, Debug)]
pub(super) struct Seen<'a> {
    pub(super) judged: Judged<'a>,
    /// How a command is read.
    pub(super) typed: Option<Typed>,
}

impl<'a> Seen<'a> {
    pub(super) fn new(judged: Judged<'a>) -> Seen<'a> {
        let typed = match judged.effect {
            Effect::Command { text, words, .. } => Some(Typed::new(text, words)),
            Effect::Read(_)
            | Effect::ReadBelow(_)
            | Effect::Write(_)
            | Effect::Remove(_)
            | Effect::MayWrite(_)
            | Effect::Contact(_)
            | Effect::Name(_) => None,
        };
        Seen { judged, typed }
    }
}

/// The content of a rule, compiled.
#[derive(Clone, Debug)]
pub(super) enum ContentPattern {
    /// Consulted for reading; `Read(…)`.
    Read(PathPattern),
    /// Consulted for writing and removing; `Edit(…)`.
    Edit(PathPattern),
    /// Consulted for commands; `Bash(…)`.
    Command(Pattern),
    /// Consulted for hosts; `WebFetch(domain:…)`.
    Domain(DomainPattern),
    /// Consulted for what the tool itself names.
    Own(Pattern),
}

/// Path rules with these names are accepted but never consulted; with the name that is.
const NEVER_CONSULTED: &[(&str, &str)] = &[
    ("Write", "Edit"),
    ("NotebookEdit", "Edit"),
    ("MultiEdit", "Edit"),
    ("Glob", "Read"),
    ("Grep", "Read"),
    ("LSP", "Read"),
];
/// Tools that are used on nothing that a rule could name.
const WITHOUT_CONTENT: &[&str] = &[
    "WebSearch",
    "TodoWrite",
    "AskUserQuestion",
    "EnterPlanMode",
    "ExitPlanMode",
    "ToolSearch",
    "BashOutput",
    "KillShell",
    "TaskOutput",
    "TaskStop",
];

impl ContentPattern {
    /// Compiles the content of a rule.
    ///
    /// # Errors
    /// In words: why it would never be consulted as its author wants.
    pub(super) fn new(
        tool: &str,
        content: &str,
        rule: &RuleText,
        context: &Context,
        files: &dyn Files,
    ) -> Result<ContentPattern, Wrong> {
        let behavior = rule.behavior;
        let path = || PathPattern::new(content, rule, context, files);
        if let Some((_, instead)) = NEVER_CONSULTED.iter().find(|(name, _)| *name == tool) {
            return Err(Wrong::never(format!(
                "path rules with the name `{tool}` are never consulted: write `{instead}({content})`"
            )));
        }
        match tool {
            "Read" => path().map(ContentPattern::Read),
            "Edit" => path().map(ContentPattern::Edit),
            "Bash" | "Monitor" => Pattern::new(content, behavior).map(ContentPattern::Command),
            "WebFetch" => DomainPattern::new(content).map(ContentPattern::Domain),
            bare if WITHOUT_CONTENT.contains(&bare) => Err(Wrong::never(format!(
                "`{bare}` is used on nothing that a rule could name: write `{bare}` alone"
            ))),
            many if many.contains('*') => {
                Err(Wrong::new("content goes with the name of one tool, and this is a pattern over names"))
            }
            remote if remote.starts_with("mcp__") => Err(Wrong::never(format!(
                "rules about a remote tool take no content: write `{remote}` alone"
            ))),
            _other => Pattern::new(content, behavior).map(ContentPattern::Own),
        }
    }

    /// Whether it matches one effect, of a tool that the rule names (`is_own`) or of another.
    pub(super) fn matches(
        &self,
        seen: &Seen<'_>,
        behavior: Behavior,
        is_own: bool,
        subject: &Subject<'_>,
    ) -> bool {
        let judged = seen.judged;
        let path = |pattern: &PathPattern| path_matches(pattern, behavior, judged, subject.cwds());
        match (self, judged.effect) {
            (ContentPattern::Read(pattern), Effect::Read(_) | Effect::ReadBelow(_)) => path(pattern),
            // What may not be read may not be written either.
            (ContentPattern::Read(pattern), Effect::Write(_) | Effect::Remove(_) | Effect::MayWrite(_)) => {
                behavior == Behavior::Deny && path(pattern)
            }
            (ContentPattern::Edit(pattern), Effect::Write(_) | Effect::Remove(_) | Effect::MayWrite(_)) => {
                path(pattern)
            }
            // What may be edited may be read.
            (ContentPattern::Edit(pattern), Effect::Read(_) | Effect::ReadBelow(_)) => {
                behavior == Behavior::Allow && path(pattern)
            }
            (ContentPattern::Command(pattern), Effect::Command { .. }) => {
                seen.typed.as_ref().is_some_and(|typed| pattern.matches_command(typed, behavior))
            }
            (ContentPattern::Domain(pattern), Effect::Contact(host)) => pattern.matches(host),
            (ContentPattern::Own(pattern), Effect::Name(name)) => is_own && pattern.matches(name),
            // A rule that closes may mean whatever its tool does.
            (ContentPattern::Own(pattern), Effect::Contact(text) | Effect::Command { text, .. }) => {
                is_own && behavior != Behavior::Allow && pattern.matches(text)
            }
            _other => false,
        }
    }

    /// Whether it closes something that an effect may reach without naming it: a file below a folder that is read.
    pub(super) fn may_match_below(
        &self,
        judged: Judged<'_>,
        behavior: Behavior,
        subject: &Subject<'_>,
    ) -> bool {
        match (self, judged.effect, behavior) {
            (ContentPattern::Read(pattern), Effect::ReadBelow(_), Behavior::Deny | Behavior::Ask) => {
                judged.paths.iter().any(|folder| pattern.may_match_below(folder, subject.cwds()))
            }
            (ContentPattern::Read(pattern), Effect::Read(_), Behavior::Deny | Behavior::Ask) => {
                let mut wild = judged.paths.iter().filter(|path| is_wild(path));
                wild.any(|path| pattern.may_match_wild(path, subject.cwds()))
            }
            // What is not told by name may be whatever is in the last folder that is.
            (
                ContentPattern::Edit(pattern) | ContentPattern::Read(pattern),
                Effect::Write(_) | Effect::Remove(_) | Effect::MayWrite(_),
                Behavior::Deny | Behavior::Ask,
            ) => judged.paths.iter().any(|path| match folder_of_unnamed(path) {
                None => false,
                Some(_) if is_named_to_its_end(judged.effect, path) => {
                    pattern.may_match_wild(path, subject.cwds())
                }
                Some(folder) => pattern.may_match_below(&folder, subject.cwds()),
            }),
            _other => false,
        }
    }

    /// Whether it can be seen in a text that was not understood, of a tool that the rule names (`is_own`) or of another.
    pub(super) fn may_be_within(&self, raw: &RawText, is_own: bool, subject: &Subject<'_>) -> bool {
        match self {
            ContentPattern::Command(pattern) => pattern.may_match_within(raw),
            ContentPattern::Read(pattern) | ContentPattern::Edit(pattern) => {
                pattern.may_be_named_in(raw, subject)
            }
            ContentPattern::Domain(pattern) => {
                let parts = raw.words.iter().flat_map(|word| word.split('/'));
                parts.filter(|part| part.contains('.')).any(|part| pattern.matches(part))
            }
            ContentPattern::Own(pattern) => is_own && raw.words.iter().any(|word| pattern.matches(word)),
        }
    }
}

/// Whether a rule with broken content also keeps these effects from being allowed automatically: those that it would
/// have been consulted for, whatever the tool.
pub(super) fn might_concern(tool: &str, effects: &Effects) -> bool {
    let Effects::Known(known) = effects else {
        return matches!(tool, "Read" | "Edit" | "Bash" | "Monitor" | "WebFetch");
    };
    known.iter().any(|effect| match (tool, effect) {
        (
            "Read",
            Effect::Read(_)
            | Effect::ReadBelow(_)
            | Effect::Write(_)
            | Effect::Remove(_)
            | Effect::MayWrite(_),
        )
        | (
            "Edit" | "Write" | "NotebookEdit" | "MultiEdit",
            Effect::Write(_) | Effect::Remove(_) | Effect::MayWrite(_),
        )
        | ("Bash" | "Monitor", Effect::Command { .. })
        | ("WebFetch", Effect::Contact(_)) => true,
        _other => false,
    })
}

/// The last folder that is named, in a path that is not named to its end: one with wildcards, or the root, which
/// stands for anywhere.
pub(super) fn folder_of_unnamed(path: &Path) -> Option<PathBuf> {
    let is_wild = |name: &&OsStr| name.as_encoded_bytes().iter().any(|byte| b"*?[".contains(byte));
    let named: PathBuf = path.iter().take_while(|name| !is_wild(name)).collect();
    (named != path || path.parent().is_none()).then_some(named)
}

/// Whether something is written that has a name, in folders of which some are named by wildcards: it is as deep as its
/// path tells. A name in brackets may be just that, and no wildcard.
pub(super) fn is_named_to_its_end(effect: &Effect, path: &Path) -> bool {
    let says_something = |name: &OsStr| name.to_string_lossy().contains(char::is_alphanumeric);
    matches!(effect, Effect::Write(_))
        && path.iter().all(|name| name != "**")
        && path.file_name().is_some_and(says_something)
}

/// Whether a path has wildcards, so that it stands for several.
pub(super) fn is_wild(path: &Path) -> bool {
    path.iter().any(|name| name.as_encoded_bytes().iter().any(|byte| b"*?[".contains(byte)))
}

/// A path with something for each of its wildcards that only as wide a wildcard matches.
fn filled(path: &Path) -> Cow<'_, Path> {
    if !is_wild(path) {
        return Cow::Borrowed(path);
    }
    let fill = |name: &OsStr| {
        let mut filled = String::new();
        let text = name.to_string_lossy();
        let mut chars = text.chars();
        while let Some(c) = chars.next() {
            match c {
                '*' => filled.push_str("\u{1}\u{2}\u{1}"),
                '?' => filled.push('\u{1}'),
                '[' => {
                    chars.by_ref().find(|c| *c == ']');
                    filled.push('\u{1}');
                }
                plain => filled.push(plain),
            }
        }
        filled
    };
    Cow::Owned(path.iter().map(fill).collect())
}

/// An allow rule needs all that a path means; the others need one.
fn path_matches(pattern: &PathPattern, behavior: Behavior, judged: Judged<'_>, cwds: &[PathBuf]) -> bool {
    let removes = matches!(judged.effect, Effect::Remove(_));
    match behavior {
        Behavior::Allow => {
            let allows = |path: &PathBuf| {
                // `?` is not all that a `*` in the path stands for.
                pattern.matches(path, cwds)
                    && (!pattern.has_narrow_wildcards() || pattern.matches(&filled(path), cwds))
            };
            !judged.paths.is_empty() && judged.paths.iter().all(allows)
        }
        Behavior::Deny | Behavior::Ask => judged
            .paths
            .iter()
            .any(|path| pattern.matches(path, cwds) || (removes && pattern.is_removed_with(path, cwds))),
    }
}
