//! All rules of a session, and what they say of the effects of a call.

use std::collections::BTreeSet;

use super::content::might_concern;
use super::parse::{Behavior, RuleText, Source};
use super::problem::{ProblemKind, RuleProblem};
use super::rule::{Found, Rule};
use super::tool::ToolPattern;
use crate::contract::{Context, Effects, Form};
use crate::nearest::nearest;
use crate::permission::raw::RawText;
use crate::permission::subject::{Judged, Subject};
use crate::permission::{Files, Profile};

/// The rules of a session.
#[derive(Clone, Debug, Default)]
pub struct RuleSet {
    // INVARIANT: sorted by source, and within a source the stricter word first: the first match is the answer by source.
    rules: Vec<Rule>,
    /// How many rules were given, broken ones too.
    given: usize,
    /// Tools for which nothing is allowed automatically, since a rule that closes them could not be read.
    closed_tools: BTreeSet<String>,
    /// Whether nothing at all is allowed automatically, since not even the name in such a rule could be read.
    is_closed: bool,
}

/// What the rules say of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::permission) struct RuleAnswer {
    /// The strictest word over all effects, where a rule matched: deny, ask, or allow for every effect.
    pub(in crate::permission) behavior: Option<Behavior>,
    /// The rule it comes from, with its source.
    pub(in crate::permission) rule: Option<String>,
}

/// What decides about one effect: a rule, and its word for it.
type Word<'a> = (Behavior, &'a Rule);

/// Names whose rules are consulted for what calls of any tool would do.
const CONSULTED_FOR_ALL: &[&str] = &["Read", "Edit", "Bash", "WebFetch"];

impl RuleSet {
    /// Compiles rules; gives what is wrong with them too. A broken allow rule is dropped; a broken deny or ask rule
    /// closes the tool it names, or everything if no name can be read.
    #[must_use]
    pub fn new(
        rules: impl IntoIterator<Item: Into<RuleText>>,
        context: &Context,
        files: &dyn Files,
    ) -> (RuleSet, Vec<RuleProblem>) {
        RuleSet::default().with(rules, context, files)
    }

    /// These rules and further ones, such as those that a person has just accepted; see [`RuleSet::new`].
    #[must_use]
    pub fn with(
        &self,
        rules: impl IntoIterator<Item: Into<RuleText>>,
        context: &Context,
        files: &dyn Files,
    ) -> (RuleSet, Vec<RuleProblem>) {
        let mut set = self.clone();
        let mut problems = Vec::new();
        for written in rules {
            let written: RuleText = written.into();
            let index = set.given;
            set.given += 1;
            let (tool, wrong) = match Rule::new(&written, index, context, files) {
                Ok(rule) => {
                    let tool = rule.parameter_of.clone();
                    set.rules.push(rule);
                    let Some(tool) = tool else { continue };
                    (Some(tool), "rules about one parameter of a tool are not read".to_owned())
                }
                Err(broken) => (broken.tool, broken.reason),
            };
            let meaning = set.close_for(written.behavior, tool.as_deref());
            problems.push(RuleProblem {
                reason: format!("{wrong}; {meaning}"),
                ..RuleProblem::of(&written, index, ProblemKind::Broken)
            });
        }
        set.rules.sort_by_key(|rule| (rule.source, rule.behavior));
        (set, problems)
    }

    fn close_for(&mut self, behavior: Behavior, tool: Option<&str>) -> String {
        match (behavior, tool) {
            (Behavior::Allow, _) => "it is ignored".to_owned(),
            (Behavior::Deny | Behavior::Ask, Some(tool)) => {
                self.closed_tools.insert(tool.to_owned());
                format!("nothing is allowed automatically for `{tool}`")
            }
            (Behavior::Deny | Behavior::Ask, None) => {
                self.is_closed = true;
                "nothing is allowed automatically".to_owned()
            }
        }
    }

    /// Nothing is allowed automatically any more, since rules that close may have been lost before they came here.
    pub fn close(&mut self) {
        self.is_closed = true;
    }

    /// Whether a broken rule keeps a call from being allowed automatically: one that names its tool, or one that would
    /// have been consulted for what it does.
    pub(in crate::permission) fn is_closed_for(&self, subject: &Subject<'_>) -> bool {
        self.is_closed
            || self.closed_tools.iter().any(|closed| {
                // A name that is no pattern closes nothing less than a deny rule would.
                let names = ToolPattern::new(closed, Behavior::Deny)
                    .is_ok_and(|pattern| pattern.matches(subject.form, Behavior::Deny));
                names || might_concern(closed, &subject.effects)
            })
    }

    /// Whether the rules deny a tool whatever its input, so that the model need not see it.
    #[must_use]
    pub fn denies_wholly(&self, form: &Form, profile: Profile) -> bool {
        let of_tool = || self.rules.iter().filter(|rule| rule.names(form));
        let denial = of_tool().find(|rule| rule.behavior == Behavior::Deny && rule.is_bare());
        denial.is_some_and(|denial| match profile {
            Profile::Current => true,
            Profile::V2_1_88 => {
                !of_tool().any(|rule| rule.behavior != Behavior::Deny && rule.source < denial.source)
            }
        })
    }

    /// The denials that a rule of a higher source lifts, in whole or in part, where conflicts are decided by source.
    #[must_use]
    pub fn lifted(&self, profile: Profile) -> Vec<RuleProblem> {
        if profile == Profile::Current {
            return Vec::new();
        }
        let denials = self.rules.iter().filter(|rule| rule.behavior == Behavior::Deny);
        let lifted = denials.filter_map(|denial| {
            let higher = self.rules.iter().take_while(|rule| rule.source < denial.source);
            let by = higher
                .filter(|rule| rule.behavior != Behavior::Deny)
                .find(|rule| rule.may_overlap(denial))?;
            let reason = format!("where both match, `{by}` decides, since its source is higher");
            Some(denial.problem(ProblemKind::Lifted, reason))
        });
        lifted.collect()
    }

    /// The rules that deny or ask and name no tool of this list: most likely a name was misspelt. Names with `_` may be
    /// those of remote tools that come later.
    #[must_use]
    pub fn of_unknown_tools(&self, forms: &[&Form]) -> Vec<RuleProblem> {
        let closes = self.rules.iter().filter(|rule| rule.behavior != Behavior::Allow);
        let unknown = closes.filter_map(|rule| {
            let name =
                rule.plain_name().filter(|name| !name.contains('_') && !CONSULTED_FOR_ALL.contains(name))?;
            if forms.iter().any(|form| rule.names(form)) {
                return None;
            }
            let names = forms.iter().map(|form| form.name.as_ref());
            let near =
                nearest(name, names).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            let reason = format!("there is no tool `{name}`, so it closes nothing{near}");
            Some(rule.problem(ProblemKind::UnknownTool, reason))
        });
        unknown.collect()
    }

    /// What the rules say of a call: the strictest word over its effects.
    pub(in crate::permission) fn answer(&self, subject: &Subject<'_>, profile: Profile) -> RuleAnswer {
        let words: Vec<Option<Word<'_>>> = match &subject.effects {
            Effects::Unknown { raw, .. } => {
                let raw = RawText::new(raw);
                vec![self.decide(profile, |rule| rule.matches_unknown(subject, &raw))]
            }
            Effects::Known(known) if known.is_empty() => {
                vec![self.decide(profile, |rule| Found::from(rule.matches_wholly(subject.form)))]
            }
            Effects::Known(_) => subject.each().map(|judged| self.word(subject, judged, profile)).collect(),
        };
        match words.iter().flatten().min_by_key(|(behavior, _)| *behavior) {
            Some((behavior, rule)) if *behavior != Behavior::Allow || words.iter().all(Option::is_some) => {
                RuleAnswer { behavior: Some(*behavior), rule: Some(rule.to_string()) }
            }
            _other => RuleAnswer::default(),
        }
    }

    /// The rule that allows this effect by itself, if there is one.
    pub(in crate::permission) fn allows(
        &self,
        subject: &Subject<'_>,
        judged: Judged<'_>,
        profile: Profile,
    ) -> Option<String> {
        let (behavior, rule) = self.word(subject, judged, profile)?;
        (behavior == Behavior::Allow).then(|| rule.to_string())
    }

    fn word(&self, subject: &Subject<'_>, judged: Judged<'_>, profile: Profile) -> Option<Word<'_>> {
        self.decide(profile, |rule| rule.matches(subject, judged))
    }

    /// The rule that decides among those that match. By source: the strongest source that matches, its strictest word.
    /// Over the union: deny, then ask, then allow; among equals managed policy is named.
    fn decide(&self, profile: Profile, matches: impl Fn(&Rule) -> Found) -> Option<Word<'_>> {
        let mut matching = self
            .rules
            .iter()
            .filter_map(|rule| match matches(rule) {
                Found::No => None,
                Found::Perhaps => Some((Behavior::Ask, rule)),
                Found::Yes => Some((rule.behavior, rule)),
            })
            .peekable();
        match profile {
            Profile::V2_1_88 => {
                let source = matching.peek()?.1.source;
                matching.take_while(|(_, rule)| rule.source == source).min_by_key(|(behavior, _)| *behavior)
            }
            Profile::Current => {
                matching.min_by_key(|(behavior, rule)| (*behavior, rule.source != Source::PolicySettings))
            }
        }
    }
}

impl From<bool> for Found {
    fn from(is_match: bool) -> Found {
        if is_match { Found::Yes } else { Found::No }
    }
}
