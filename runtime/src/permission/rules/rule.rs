//! One rule, compiled.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::breadth::doubts;
use super::content::{ContentPattern, Seen};
use super::parameter::{ParameterPattern, Reading};
use super::parse::{Behavior, RuleText, Source, parse};
use super::problem::{ProblemKind, RuleProblem, Wrong};
use super::tool::{ToolPattern, usual};
use crate::contract::{Context, Form};
use crate::permission::Files;
use crate::permission::raw::RawText;
use crate::permission::subject::Subject;

/// One rule, compiled.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub(super) tool: ToolPattern,
    pub(super) meaning: Meaning,
    pub(super) behavior: Behavior,
    pub(super) source: Source,
    /// The rule as it was written, spaces around it removed.
    pub(super) text: String,
    /// How decisions name it: as it was written, with its source.
    pub(super) named: Arc<str>,
    /// Which rule it is, in the order they were given.
    pub(super) index: usize,
    /// The rule that was given before with the same words.
    pub(super) same_as: Option<usize>,
    /// What is doubtful about it by itself, with the bytes of `text` that are.
    pub(super) doubts: Vec<(Wrong, Range<usize>)>,
}

/// What of a tool a rule is about.
#[derive(Clone, Debug)]
pub(super) enum Meaning {
    /// The tool as a whole.
    Whole,
    /// What it is used on.
    Content(ContentPattern),
    /// One of its parameters, or what it is used on, where the text can be read so too.
    Parameter(ParameterPattern, Option<ContentPattern>),
}

/// Why a text is no rule, or one that never decides.
pub(super) struct Broken {
    pub(super) kind: ProblemKind,
    pub(super) reason: String,
    pub(super) span: Option<Range<usize>>,
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
    /// Whether it closes some of what commands may do, so that a text that was not understood may be what it means.
    pub(super) fn may_close_unseen(&self, raw: &RawText) -> bool {
        let is_part = match self.content() {
            Some(
                ContentPattern::Read(_)
                | ContentPattern::Edit(_)
                | ContentPattern::Command(_)
                | ContentPattern::Domain(_),
            ) => true,
            Some(ContentPattern::Own(_)) | None => false,
        };
        is_part && self.behavior != Behavior::Allow && !raw.is_empty()
    }

    pub(super) fn new(
        written: &RuleText,
        index: usize,
        context: &Context,
        files: &dyn Files,
    ) -> Result<Rule, Broken> {
        let (text, behavior, source) = (written.text.as_str(), written.behavior, written.source);
        let parsed = parse(text).map_err(|broken| Broken {
            kind: broken.wrong.kind,
            reason: broken.wrong.reason,
            span: broken.wrong.at,
            tool: broken.tool,
        })?;
        let name = parsed.tool.as_str();
        let broken = |wrong: Wrong, span| Broken {
            kind: wrong.kind,
            reason: wrong.reason,
            span: Some(span),
            tool: Some(name.to_owned()),
        };
        let tool = ToolPattern::new(name, behavior).map_err(|wrong| {
            let at =
                wrong.at.as_ref().map(|at| at.start + parsed.name_at.start..at.end + parsed.name_at.start);
            let span = at.unwrap_or(parsed.name_at.clone());
            broken(wrong, span)
        })?;
        let meaning = match &parsed.content {
            None => Meaning::Whole,
            Some(content) => {
                Meaning::new(usual(name), content, written, context, files).map_err(|wrong| {
                    let span = parsed.span(text, wrong.at.as_ref());
                    broken(wrong, span)
                })?
            }
        };
        let doubts = doubts(written, &parsed, context);
        let text = text.trim().to_owned();
        let named = format!("{text} ({source})").into();
        Ok(Rule { tool, meaning, behavior, source, text, named, index, same_as: None, doubts })
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
        matches!(self.meaning, Meaning::Whole)
    }

    /// What it says of what a tool is used on.
    pub(super) fn content(&self) -> Option<&ContentPattern> {
        match &self.meaning {
            Meaning::Content(content) => Some(content),
            Meaning::Parameter(_, content) => content.as_ref(),
            Meaning::Whole => None,
        }
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
    pub(super) fn matches_wholly(&self, subject: &Subject<'_>) -> Found {
        match &self.meaning {
            Meaning::Whole => Found::from(self.names(subject.form)),
            Meaning::Parameter(parameter, _) if self.names(subject.form) => {
                parameter.matches(subject.fields())
            }
            Meaning::Content(_) | Meaning::Parameter(..) => Found::No,
        }
    }

    /// Whether it matches one effect of a call.
    pub(super) fn matches(&self, subject: &Subject<'_>, seen: &Seen<'_>) -> Found {
        let wholly = self.matches_wholly(subject);
        let Some(content) = self.content().filter(|_| wholly != Found::Yes) else { return wholly };
        if content.matches(seen, self.behavior, self.names(subject.form), subject) {
            return Found::Yes;
        }
        if content.may_match_below(seen.judged, self.behavior, subject) { Found::Perhaps } else { wholly }
    }

    /// Whether it matches a call whose effects cannot be told. No allow rule with content does.
    pub(super) fn matches_unknown(&self, subject: &Subject<'_>, raw: &RawText) -> Found {
        let is_own = self.names(subject.form);
        let wholly = self.matches_wholly(subject);
        let Some(content) =
            self.content().filter(|_| self.behavior != Behavior::Allow && wholly != Found::Yes)
        else {
            return wholly;
        };
        // What its own tool does may be what it is about, as long as nothing says otherwise.
        let tells_nothing = is_own && (raw.is_empty() || matches!(content, ContentPattern::Own(_)));
        if !raw.is_too_long && content.may_be_within(raw, is_own, subject) {
            Found::Yes
        } else if tells_nothing || raw.is_too_long || self.may_close_unseen(raw) {
            Found::Perhaps
        } else {
            wholly
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.named)
    }
}

impl Meaning {
    /// Reads content. A rule that closes is read in every way that it can be.
    fn new(
        tool: &str,
        content: &str,
        written: &RuleText,
        context: &Context,
        files: &dyn Files,
    ) -> Result<Meaning, Wrong> {
        let pattern = || ContentPattern::new(tool, content, written, context, files);
        let opens = written.behavior == Behavior::Allow;
        match ParameterPattern::read(tool, content) {
            Reading::Other => pattern().map(Meaning::Content),
            Reading::Parameter(_) if opens => pattern().map(Meaning::Content),
            Reading::Parameter(parameter) => Ok(Meaning::Parameter(parameter, pattern().ok())),
            Reading::Primary(name) => {
                let value = content.split_once(':').map_or("", |(_, value)| value).trim();
                let reason = format!(
                    "`{name}` is what the tool is used on, and rules about one parameter never mean it: write \
                     `{tool}({value})`"
                );
                Err(Wrong::never(reason).at(0..content.find(':').unwrap_or(0)))
            }
        }
    }
}
