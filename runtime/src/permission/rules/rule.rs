//! One rule, compiled.

use std::fmt;

use super::content::ContentPattern;
use super::parse::{Behavior, RuleText, Source, parse};
use super::problem::{ProblemKind, RuleProblem};
use super::tool::ToolPattern;
use crate::contract::{Context, Form};
use crate::permission::Files;
use crate::permission::raw::RawText;
use crate::permission::subject::{Judged, Subject};

/// One rule, compiled.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    tool: ToolPattern,
    content: Option<ContentPattern>,
    pub(super) behavior: Behavior,
    pub(super) source: Source,
    pub(super) text: String,
    /// Which rule it is, in the order they were given.
    index: usize,
    /// The tool that it may mean one parameter of: such a rule closes, and is not understood.
    pub(super) parameter_of: Option<String>,
}

/// Why a text is no rule.
pub(super) struct Broken {
    pub(super) reason: String,
    /// The tool it names, where that much can be read.
    pub(super) tool: Option<String>,
}

/// Whether a rule matches, as far as can be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    No,
    /// There is nothing to tell by.
    Perhaps,
    Yes,
}

impl Rule {
    pub(super) fn new(
        written: &RuleText,
        index: usize,
        context: &Context,
        files: &dyn Files,
    ) -> Result<Rule, Broken> {
        let (text, behavior, source) = (written.text.as_str(), written.behavior, written.source);
        let parsed = parse(text).map_err(|broken| Broken { reason: broken.reason, tool: broken.tool })?;
        let name = parsed.tool.as_str();
        let broken = |reason: String| Broken { reason, tool: Some(name.to_owned()) };
        let tool = ToolPattern::new(name, behavior).map_err(broken)?;
        let compile = |content: &str| ContentPattern::new(name, content, written, context, files);
        let content = parsed.content.as_deref().map(compile).transpose().map_err(broken)?;
        let named = parsed.content.as_deref().is_some_and(|content| names_parameter(name, content));
        let parameter_of = (named && behavior != Behavior::Allow).then(|| name.to_owned());
        Ok(Rule { tool, content, behavior, source, text: text.trim().to_owned(), index, parameter_of })
    }

    /// A report about it.
    pub(super) fn problem(&self, kind: ProblemKind, reason: String) -> RuleProblem {
        RuleProblem {
            index: self.index,
            rule: self.text.clone(),
            behavior: self.behavior,
            source: self.source,
            kind,
            span: None,
            reason,
        }
    }

    /// Whether it is about a tool as a whole.
    pub(super) fn is_bare(&self) -> bool {
        self.content.is_none()
    }

    /// The one tool that it names; nothing for a pattern over names.
    pub(super) fn plain_name(&self) -> Option<&str> {
        match &self.tool {
            ToolPattern::Name(name) => Some(name),
            ToolPattern::Server(_) | ToolPattern::Glob(_) => None,
        }
    }

    /// Whether it names this tool, with or without content.
    pub(super) fn names(&self, form: &Form) -> bool {
        self.tool.matches(form, self.behavior)
    }

    /// Whether it matches a call whatever it does.
    pub(super) fn matches_wholly(&self, form: &Form) -> bool {
        self.is_bare() && self.names(form)
    }

    /// Whether it matches one effect of a call.
    pub(super) fn matches(&self, subject: &Subject<'_>, judged: Judged<'_>) -> Found {
        let Some(content) = &self.content else { return Found::from(self.names(subject.form)) };
        let is_match = content.matches(judged, self.behavior, self.names(subject.form), &subject.cwds);
        if !is_match && content.may_match_below(judged, self.behavior, &subject.cwds) {
            return Found::Perhaps;
        }
        Found::from(is_match)
    }

    /// Whether it matches a call whose effects cannot be told. No allow rule with content does.
    pub(super) fn matches_unknown(&self, subject: &Subject<'_>, raw: &RawText) -> Found {
        let is_own = self.names(subject.form);
        match (&self.content, self.behavior) {
            (None, _) if is_own => Found::Yes,
            (None, _) | (Some(_), Behavior::Allow) => Found::No,
            (Some(_), _) if raw.is_too_long => Found::Perhaps,
            (Some(content), _) if content.may_be_within(raw, is_own, subject) => Found::Yes,
            // A program whose name is put together may be any.
            (Some(ContentPattern::Command(_)), _) if !raw.unnamed.is_empty() => Found::Perhaps,
            (Some(content), _) if content.may_be_swept_up_in(raw) => Found::Perhaps,
            (Some(ContentPattern::Own(_)), _) if is_own => Found::Perhaps,
            (Some(_), _) if is_own && raw.is_empty() => Found::Perhaps,
            (Some(_), _) => Found::No,
        }
    }

    /// Whether some call may match both.
    pub(super) fn may_overlap(&self, other: &Rule) -> bool {
        let same_tool = self.tool == other.tool || self.tool.may_overlap(&other.tool);
        match (&self.content, &other.content) {
            (Some(ours @ ContentPattern::Own(_)), Some(theirs)) => same_tool && ours.may_overlap(theirs),
            (Some(ours), Some(theirs)) => ours.may_overlap(theirs),
            (None, _) | (_, None) => same_tool,
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.text, self.source)
    }
}

/// Whether content means one parameter of the tool: `name:value`. `P:*` and `prefix:P` are patterns, and names of
/// skills have colons.
fn names_parameter(tool: &str, content: &str) -> bool {
    let Some((name, value)) = content.split_once(':') else { return false };
    let name = name.trim();
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let is_pattern = matches!(name, "prefix" | "domain") || value.trim() == "*";
    is_name && !is_pattern && tool != "Skill"
}
