//! Which rules would allow what now asks: what a person may be offered to remember.

use std::io;
use std::path::{Component, Path, PathBuf};

use super::killswitch::killswitch;
use super::protected::protected;
use super::rules::{Behavior, RuleSet, RuleText, Source};
use super::subject::{Judged, Subject};
use super::{Files, Mode, Profile};
use crate::contract::{Effect, Effects};

/// A rule that would allow a part of what a call would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// The rule: an allow rule of the session, until somebody chooses where it is kept. What its text means does not
    /// depend on where that is.
    pub rule: RuleText,
    /// What it is for, in words.
    pub covers: String,
}

/// How many rules are suggested for one call. A call that needs more is asked about each time.
const SUGGESTIONS_MAX: usize = 5;

/// The rules that would allow a call which asks, one for each thing that needs it; all of them together are needed.
/// Nothing where no rule can approve the call, or where a rule would approve more than what was asked.
#[must_use]
pub fn suggestions(subject: &Subject<'_>, rules: &RuleSet, profile: Profile) -> Vec<Suggestion> {
    if !may_be_approved(subject, rules, profile) {
        return Vec::new();
    }
    let name = subject.form.name.as_ref();
    let wanted: Option<Vec<Suggestion>> = match &subject.effects {
        // Nothing was said of the call, so that nothing smaller than the tool can be meant.
        Effects::Unknown { raw, .. } if raw.is_empty() => Some(vec![whole(name)]),
        Effects::Unknown { .. } => None,
        Effects::Known(known) if known.is_empty() => Some(vec![whole(name)]),
        Effects::Known(_) => {
            let open = subject.each().filter(|judged| {
                !subject.needs_no_word(*judged) && rules.allows(subject, *judged, profile).is_none()
            });
            open.map(|judged| suggestion(subject, judged).filter(|found| allows(found, subject, judged)))
                .collect()
        }
    };
    let mut found: Vec<Suggestion> = Vec::new();
    for suggestion in wanted.unwrap_or_default() {
        if !found.contains(&suggestion) {
            found.push(suggestion);
        }
    }
    if found.len() > SUGGESTIONS_MAX { Vec::new() } else { found }
}

/// Whether allow rules can settle the question at all.
fn may_be_approved(subject: &Subject<'_>, rules: &RuleSet, profile: Profile) -> bool {
    let word = rules.answer(subject, profile).behavior;
    // While planning, the mode decides before allow rules do.
    let is_planning = subject.context.mode == Mode::Plan;
    !matches!(word, Some(Behavior::Deny | Behavior::Ask))
        && !is_planning
        && !subject.form.needs_person
        && subject.unresolved.is_none()
        && rules.unread_for(subject).is_none()
        && killswitch(subject).is_none()
        && protected(subject).is_none()
}

fn suggestion(subject: &Subject<'_>, judged: Judged<'_>) -> Option<Suggestion> {
    let tool = subject.form.name.as_ref();
    match judged.effect {
        Effect::Command { text, .. } => {
            with_content("Bash", text, format!("runs `{text}`")).filter(|_| !text.contains('*'))
        }
        Effect::Read(path) => path_rule("Read", path, "reads"),
        Effect::ReadBelow(path) => path_rule("Read", path, "reads everything below"),
        Effect::Write(path) => path_rule("Edit", path, "writes"),
        Effect::Remove(path) => path_rule("Edit", path, "removes"),
        // What its command is for needs no rule of its own.
        Effect::MayWrite(_) => None,
        Effect::Contact(host) => {
            let content = format!("domain:{host}");
            with_content("WebFetch", &content, format!("contacts `{host}`")).filter(|_| !host.contains('*'))
        }
        Effect::Name(_) if tool.starts_with("mcp__") => Some(whole(tool)),
        Effect::Name(name) => {
            with_content(tool, name, format!("uses `{name}`")).filter(|_| !name.contains('*'))
        }
    }
}

/// A rule about a tool as a whole.
fn whole(tool: &str) -> Suggestion {
    let rule = RuleText::new(Behavior::Allow, Source::Session, tool);
    Suggestion { rule, covers: format!("uses `{tool}`, whatever for") }
}

/// A rule about one file or folder, from the root on, so that it means the same wherever it is kept.
fn path_rule(tool: &str, path: &Path, does: &str) -> Option<Suggestion> {
    let mut content = String::from("/");
    for part in path.components() {
        match part {
            Component::RootDir => {}
            Component::Normal(name) => {
                content.push('/');
                for c in name.to_str()?.chars() {
                    if matches!(c, '[' | ']' | '*' | '?' | '{' | '}' | '\\') {
                        content.push('\\');
                    }
                    content.push(c);
                }
            }
            Component::Prefix(_) | Component::CurDir | Component::ParentDir => return None,
        }
    }
    // The root is everything.
    let is_root = content.len() == 1;
    (!is_root).then(|| with_content(tool, &content, format!("{does} `{}`", path.display()))).flatten()
}

/// A rule with content, its parentheses escaped. Nothing where the text could be read as another rule.
fn with_content(tool: &str, content: &str, covers: String) -> Option<Suggestion> {
    let is_whole = content.trim() != content || content.is_empty();
    let text = format!("{tool}({})", content.replace('(', "\\(").replace(')', "\\)"));
    let rule = RuleText::new(Behavior::Allow, Source::Session, text);
    (!is_whole).then_some(Suggestion { rule, covers })
}

/// Paths that are what they are named: rules from the root on need no more.
struct AsNamed;

impl Files for AsNamed {
    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        Ok(path.to_owned())
    }
}

/// Whether a rule can be read, and allows what it is suggested for.
fn allows(suggestion: &Suggestion, subject: &Subject<'_>, judged: Judged<'_>) -> bool {
    let (rules, problems) = RuleSet::new([suggestion.rule.clone()], subject.context, &AsNamed);
    problems.is_empty() && rules.allows(subject, judged, Profile::Current).is_some()
}
