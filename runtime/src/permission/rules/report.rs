//! Reports about the rules of a set as a whole: what its author should know, and what to write instead.

use std::collections::BTreeMap;

use serde_json::Value;

use super::content::ContentPattern;
use super::overlap::Overlaps;
use super::parse::Behavior;
use super::problem::{ProblemKind, RuleProblem};
use super::rule::{Meaning, Rule};
use super::set::RuleSet;
use crate::contract::{ErasedTool, Form, SessionFacts};
use crate::nearest::{is_misspelt, nearest};
use crate::permission::Profile;

/// Names whose rules are consulted for what calls of any tool would do.
const CONSULTED_FOR_ALL: &[&str] = &["Read", "Edit", "Bash", "WebFetch"];

impl RuleSet {
    /// Everything that can be said of rules that can be read, in the order they were given: denials that a higher
    /// source lifts, rules that never decide, names that no tool of `forms` has, paths that most likely hang on another
    /// folder, and rules that allow any program.
    #[must_use]
    pub fn reports(&self, profile: Profile, forms: &[&Form]) -> Vec<RuleProblem> {
        let mut found = self.lifted(profile);
        found.extend(self.never_deciding(profile, forms));
        found.extend(self.of_unknown_tools(forms));
        found.extend(self.doubts());
        found.sort_by_key(|problem| (problem.index, problem.kind));
        found
    }

    /// What a session says of rules that can be read and do nothing in it, whether they close or allow: names and
    /// parameters that none of its tools has, and allow rules that are never consulted as they are written.
    #[must_use]
    pub fn idle(&self, tools: &[&dyn ErasedTool], session: &SessionFacts) -> Vec<RuleProblem> {
        let forms: Vec<&Form> = tools.iter().map(|tool| tool.form()).collect();
        let mut found = self.of_unknown_tools(&forms);
        found.extend(self.of_unknown_parameters(tools, session));
        found.extend(self.doubts().filter(|problem| problem.kind == ProblemKind::NeverConsulted));
        found
    }

    /// The rules of which something is told: of one that was given before, what was told then.
    fn each_once(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter().filter(|rule| rule.same_as.is_none())
    }

    /// What is doubtful about each rule by itself.
    fn doubts(&self) -> impl Iterator<Item = RuleProblem> {
        self.each_once().flat_map(|rule| {
            rule.doubts.iter().map(|(wrong, span)| RuleProblem {
                span: Some(span.clone()),
                ..rule.problem(wrong.kind, wrong.reason.clone())
            })
        })
    }

    /// The denials that a rule of a higher source lifts, in whole or in part, where conflicts are decided by source.
    #[must_use]
    pub fn lifted(&self, profile: Profile) -> Vec<RuleProblem> {
        if profile == Profile::Current {
            return Vec::new();
        }
        let is_denial = |rule: &&Rule| rule.behavior == Behavior::Deny && rule.same_as.is_none();
        let denials: Vec<&Rule> = self.rules.iter().filter(is_denial).collect();
        let mut lifted = Vec::new();
        for denials in denials.chunk_by(|one, next| one.source == next.source) {
            let higher = self.rules.iter().take_while(|rule| rule.source < denials[0].source);
            let higher: Vec<&Rule> = higher.filter(|rule| rule.behavior != Behavior::Deny).collect();
            let overlaps = Overlaps::new(&higher, denials);
            lifted.extend(denials.iter().filter_map(|denial| {
                let by = overlaps.first(denial)?;
                let reason = format!("where both match, `{by}` decides, since its source is higher");
                Some(denial.problem(ProblemKind::Lifted, reason))
            }));
        }
        lifted
    }

    /// The rules that name no tool of this list: most likely a name was misspelt where another is like it. Names with
    /// `_` may be those of remote tools that come later.
    #[must_use]
    pub fn of_unknown_tools(&self, forms: &[&Form]) -> Vec<RuleProblem> {
        // Many rules name one tool, which is looked for once: rules that allow do not know it by its other names.
        let mut is_known: BTreeMap<(&str, bool), bool> = BTreeMap::new();
        let unknown = self.each_once().filter_map(|rule| {
            let name =
                rule.plain_name().filter(|name| !name.contains('_') && !CONSULTED_FOR_ALL.contains(name))?;
            let opens = rule.behavior == Behavior::Allow;
            if *is_known.entry((name, opens)).or_insert_with(|| forms.iter().any(|form| rule.names(form))) {
                return None;
            }
            let (kind, reason) = of_unknown_tool(name, opens, forms);
            let span = Some(0..rule.text.find('(').unwrap_or(rule.text.len()));
            Some(RuleProblem { span, ..rule.problem(kind, reason) })
        });
        unknown.collect()
    }

    /// The rules that deny or ask and name a parameter that their tool does not have in this session.
    #[must_use]
    pub fn of_unknown_parameters(
        &self,
        tools: &[&dyn ErasedTool],
        session: &SessionFacts,
    ) -> Vec<RuleProblem> {
        let closes = self.each_once().filter(|rule| rule.behavior != Behavior::Allow);
        let unknown = closes.filter_map(|rule| {
            let Meaning::Parameter(pattern, _) = &rule.meaning else { return None };
            let (tool, name) = (rule.plain_name()?, pattern.name());
            let of_rule = tools.iter().find(|tool| rule.names(tool.form()))?;
            let schema = of_rule.input_schema(session);
            let fields = schema.walkable().get("properties").and_then(Value::as_object)?;
            if fields.contains_key(name) {
                return None;
            }
            let near = nearest(name, fields.keys().map(String::as_str));
            let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            let reason = format!(
                "`{tool}` has no parameter `{name}`, so it closes no input, and only effects that it calls `{name}:…`{near}"
            );
            let content = rule.text.find('(').map_or(0, |open| open + 1);
            let start = content + rule.text[content..].find(name)?;
            let span = Some(start..start + name.len());
            Some(RuleProblem { span, ..rule.problem(ProblemKind::UnknownParameter, reason) })
        });
        unknown.collect()
    }

    /// The rules that never decide: given twice, or under a rule that matches wherever they do and wins.
    fn never_deciding(&self, profile: Profile, forms: &[&Form]) -> Vec<RuleProblem> {
        let dead = self.rules.iter().filter_map(|rule| {
            if rule.same_as.is_some() {
                let reason = "the same rule was given before: leave one of them out".to_owned();
                return Some(rule.problem(ProblemKind::Duplicate, reason));
            }
            if rule.behavior == Behavior::Deny {
                return None;
            }
            let mut winner: Option<&Rule> = None;
            self.index.each_like(rule, |id| {
                let other = &self.rules[id as usize];
                if winner.is_none() && wins(other, rule, profile) && covers(other, rule, forms) {
                    winner = Some(other);
                }
            });
            let by = winner?;
            let reason =
                format!("`{by}` matches wherever it does, and wins: leave out one of them, or narrow `{by}`");
            Some(rule.problem(ProblemKind::Shadowed, reason))
        });
        dead.collect()
    }
}

/// What is said of a rule by the name of a tool that it does not mean any of.
fn of_unknown_tool(name: &str, opens: bool, forms: &[&Form]) -> (ProblemKind, String) {
    let has_alias = |form: &&&Form| form.aliases.iter().any(|alias| alias == name);
    if let Some(form) = forms.iter().find(has_alias) {
        let own = &form.name;
        let reason =
            format!("`{name}` is another name of `{own}`, and rules that allow go by its own: write `{own}`");
        return (ProblemKind::UnknownTool, reason);
    }
    let (kind, near) = match nearest(name, forms.iter().map(|form| form.name.as_ref())) {
        Some(near) if is_misspelt(name, near) => {
            (ProblemKind::UnknownTool, format!("did you mean `{near}`?"))
        }
        Some(near) => (ProblemKind::ForeignTool, format!("the nearest is `{near}`")),
        None => (ProblemKind::ForeignTool, "no other has a name like it".to_owned()),
    };
    let does = if opens { "allows" } else { "closes" };
    (kind, format!("there is no tool `{name}` here, so it {does} nothing here; {near}"))
}

/// Whether a rule with another word decides where both match.
fn wins(rule: &Rule, over: &Rule, profile: Profile) -> bool {
    rule.behavior != over.behavior
        && match profile {
            Profile::V2_1_88 => (rule.source, rule.behavior) < (over.source, over.behavior),
            Profile::Current => rule.behavior < over.behavior,
        }
}

/// Whether a rule matches wherever another does, without doubt.
fn covers(rule: &Rule, other: &Rule, forms: &[&Form]) -> bool {
    use ContentPattern::{Command, Domain, Edit, Own, Read};
    let is_same_tool = rule.tool == other.tool
        || other
            .plain_name()
            .is_some_and(|name| rule.tool.matches(&Form::closed(name.to_owned().into()), rule.behavior));
    let closes = rule.behavior != Behavior::Allow;
    match (&rule.meaning, &other.meaning) {
        (Meaning::Parameter(..), _) => false,
        (Meaning::Whole, Meaning::Whole) => is_same_tool,
        (Meaning::Whole, Meaning::Parameter(_, None)) => is_same_tool,
        (Meaning::Whole, Meaning::Content(content) | Meaning::Parameter(_, Some(content))) => {
            // Others than the tool that it names may do the same.
            let is_only = match content {
                Own(_) => true,
                Command(_) => !forms.iter().any(|form| form.name == "Monitor"),
                Domain(_) | Read(_) | Edit(_) => false,
            };
            is_same_tool && is_only
        }
        (Meaning::Content(_), Meaning::Whole | Meaning::Parameter(..)) => false,
        (Meaning::Content(ours), Meaning::Content(theirs)) => match (ours, theirs) {
            (Command(ours), Command(theirs)) => closes && ours.covers(theirs),
            (Own(ours), Own(theirs)) => is_same_tool && closes && ours.covers(theirs),
            (Domain(ours), Domain(theirs)) => ours.covers(theirs),
            (Read(ours), Read(theirs)) => closes && ours.covers(theirs),
            // Whoever may edit may read too.
            (Read(ours), Edit(theirs)) => rule.behavior == Behavior::Deny && ours.covers(theirs),
            _other => false,
        },
    }
}
