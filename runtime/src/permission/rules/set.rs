//! All rules of a session, and what they say of the effects of a call.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::content::{Seen, might_concern};
use super::index::{Index, rank};
use super::parse::{Behavior, RuleText, Source};
use super::problem::RuleProblem;
use super::rule::{Found, Rule};
use super::tool::ToolPattern;
use crate::contract::{Context, Effects, Form};
use crate::permission::raw::RawText;
use crate::permission::subject::{Judged, Subject};
use crate::permission::{Files, Profile};

/// The rules of a session.
#[derive(Clone, Debug, Default)]
pub struct RuleSet {
    // INVARIANT: sorted by source, and within a source the stricter word first: the first match is the answer by source.
    pub(super) rules: Vec<Rule>,
    // INVARIANT: the index of `rules` as they are.
    pub(super) index: Index,
    /// How many rules were given, broken ones too.
    given: usize,
    /// Tools for which nothing is allowed automatically, each with the rule that closes it and could not be read.
    closed_tools: BTreeMap<String, String>,
    /// Whether nothing at all is allowed automatically, since not even the name in such a rule could be read.
    is_closed: bool,
}

/// What the rules say of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleAnswer {
    /// The strictest word over all effects, where a rule matched: deny, ask, or allow for every effect.
    pub behavior: Option<Behavior>,
    /// The rule it comes from, with its source.
    pub rule: Option<Arc<str>>,
    /// Whether it is only that the rule may close what a call does, which was not understood.
    pub is_unseen: bool,
}

/// What decides about one effect: a rule, and its word for it.
type Word<'a> = (Behavior, &'a Rule);

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
        let mut given: BTreeMap<(Source, Behavior, String, Option<PathBuf>), usize> = BTreeMap::new();
        for written in rules {
            let written: RuleText = written.into();
            let index = set.given;
            set.given += 1;
            match Rule::new(&written, index, context, files) {
                Ok(rule) => {
                    let same = (rule.source, rule.behavior, rule.text.clone(), written.folder.clone());
                    let first = *given.entry(same).or_insert(index);
                    set.rules.push(Rule { same_as: (first != index).then_some(first), ..rule });
                }
                Err(broken) => {
                    let meaning = set.close_for(&written, broken.tool.as_deref());
                    problems.push(RuleProblem {
                        span: broken.span,
                        reason: format!("{}; {meaning}", broken.reason),
                        ..RuleProblem::of(&written, index, broken.kind)
                    });
                }
            }
        }
        set.rules.sort_by_key(|rule| (rule.source, rule.behavior));
        set.index = Index::new(&set.rules);
        (set, problems)
    }

    fn close_for(&mut self, rule: &RuleText, tool: Option<&str>) -> String {
        match (rule.behavior, tool) {
            (Behavior::Allow, _) => "it is ignored".to_owned(),
            (Behavior::Deny | Behavior::Ask, Some(tool)) => {
                self.closed_tools.entry(tool.to_owned()).or_insert_with(|| rule.text.clone());
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

    /// Why a broken rule keeps a call from being allowed automatically: it names its tool, or would have been consulted
    /// for what it does.
    pub(in crate::permission) fn unread_for(&self, subject: &Subject<'_>) -> Option<String> {
        let concerns = |closed: &str| {
            // A name that is no pattern closes nothing less than a deny rule would.
            let names = ToolPattern::new(closed, Behavior::Deny)
                .is_ok_and(|pattern| pattern.matches(subject.form, Behavior::Deny));
            names || might_concern(closed, &subject.effects)
        };
        let mut unread = self.closed_tools.iter().filter(|(tool, _)| concerns(tool));
        match unread.next() {
            Some((_, rule)) => Some(format!("the rule `{rule}`, which may close it, could not be read")),
            None => self.is_closed.then(|| "a rule that may close it could not be read".to_owned()),
        }
    }

    /// Whether the rules deny a tool whatever its input, so that the model need not see it.
    #[must_use]
    pub fn denies_wholly(&self, form: &Form, profile: Profile) -> bool {
        self.whole_denial(form, profile).is_some()
    }

    /// The rule that denies a tool whatever its input, if one does.
    #[must_use]
    pub fn whole_denial(&self, form: &Form, profile: Profile) -> Option<String> {
        let of_tool = || self.rules.iter().filter(|rule| rule.names(form));
        let mut whole = self.rules.iter().filter(|rule| rule.behavior == Behavior::Deny && rule.is_bare());
        let denial = whole.find(|rule| rule.names(form));
        let stands = |denial: &&Rule| match profile {
            Profile::Current => true,
            Profile::V2_1_88 => {
                !of_tool().any(|rule| rule.behavior != Behavior::Deny && rule.source < denial.source)
            }
        };
        denial.filter(stands).map(ToString::to_string)
    }

    /// What the rules say of a call: the strictest word over its effects. What is known of a call is looked up; a text
    /// that was not understood is searched for each rule that closes, within a bound.
    #[must_use]
    pub fn answer(&self, subject: &Subject<'_>, profile: Profile) -> RuleAnswer {
        match &subject.effects {
            Effects::Unknown { raw, .. } => {
                let mut raw = RawText::new(raw);
                raw.is_too_long |= raw.words.len().saturating_mul(self.rules.len()) > SEARCHED_MAX;
                let mut search = Search::new(self, profile);
                (0..).zip(&self.rules).for_each(|(id, _)| {
                    search.consider(id, |rule| rule.matches_unknown(subject, &raw));
                });
                self.of_unknown(search.word(), &raw)
            }
            Effects::Known(known) if known.is_empty() => {
                let mut search = Search::new(self, profile);
                self.index
                    .each_wholly(subject, |id| search.consider(id, |rule| rule.matches_wholly(subject)));
                strictest(std::iter::once(search.word()))
            }
            Effects::Known(_) => strictest(subject.each().map(|judged| self.word(subject, judged, profile))),
        }
    }

    /// The answer for a text that was not understood. Nothing that allows the whole tool can be meant for what a rule may
    /// close, whichever source is the stronger.
    fn of_unknown(&self, word: Option<Word<'_>>, raw: &RawText) -> RuleAnswer {
        let closing = word.filter(|(behavior, _)| *behavior != Behavior::Allow);
        let unseen = |rule: &Rule| RuleAnswer {
            behavior: Some(Behavior::Ask),
            rule: Some(Arc::clone(&rule.named)),
            is_unseen: true,
        };
        match closing {
            Some((Behavior::Ask, rule)) if rule.may_close_unseen(raw) => unseen(rule),
            Some(_) => strictest(std::iter::once(closing)),
            None => match self.rules.iter().find(|rule| rule.may_close_unseen(raw)) {
                Some(rule) => unseen(rule),
                None => strictest(std::iter::once(word)),
            },
        }
    }

    /// The rule that allows this effect by itself, if there is one.
    pub(in crate::permission) fn allows(
        &self,
        subject: &Subject<'_>,
        judged: Judged<'_>,
        profile: Profile,
    ) -> Option<Arc<str>> {
        let (behavior, rule) = self.word(subject, judged, profile)?;
        (behavior == Behavior::Allow).then(|| Arc::clone(&rule.named))
    }

    /// The rule that decides about one effect. By source: the strongest source that matches, its strictest word. Over
    /// the union: deny, then ask, then allow; among equals managed policy is named.
    fn word(&self, subject: &Subject<'_>, judged: Judged<'_>, profile: Profile) -> Option<Word<'_>> {
        let seen = Seen::new(judged);
        let mut search = Search::new(self, profile);
        self.index.each(subject, &seen, profile, |id| {
            search.consider(id, |rule| rule.matches(subject, &seen));
        });
        search.word()
    }
}

/// The strictest word over everything that a call would do. An allow counts where there is one for all of it.
fn strictest<'a>(words: impl Iterator<Item = Option<Word<'a>>>) -> RuleAnswer {
    let mut strictest: Option<Word<'a>> = None;
    let mut is_open = false;
    for word in words {
        is_open |= word.is_none();
        let (Some((so_far, _)), Some((behavior, _))) = (strictest, word) else {
            strictest = strictest.or(word);
            continue;
        };
        if behavior < so_far {
            strictest = word;
        }
    }
    match strictest {
        Some((behavior, rule)) if behavior != Behavior::Allow || !is_open => {
            RuleAnswer { behavior: Some(behavior), rule: Some(Arc::clone(&rule.named)), is_unseen: false }
        }
        _other => RuleAnswer::default(),
    }
}

/// How many words times rules are searched in a text that was not understood. Beyond it the text counts as too long to
/// be searched, and every rule that closes asks.
const SEARCHED_MAX: usize = 2_000_000;

/// The search for the rule that decides.
struct Search<'a> {
    set: &'a RuleSet,
    profile: Profile,
    best: Option<(u64, Word<'a>)>,
}

impl<'a> Search<'a> {
    fn new(set: &'a RuleSet, profile: Profile) -> Search<'a> {
        Search { set, profile, best: None }
    }

    /// Takes a rule into account, unless it cannot be better than what was found.
    fn consider(&mut self, id: u32, matches: impl FnOnce(&Rule) -> Found) {
        let rule = &self.set.rules[id as usize];
        let is_better = |rank: u64, best: &Option<(u64, Word<'_>)>| best.is_none_or(|(best, _)| rank < best);
        // What is perhaps meant asks, which is never stricter than the rule's own word.
        if !is_better(rank(self.profile, rule, rule.behavior, id), &self.best) {
            return;
        }
        let behavior = match matches(rule) {
            Found::No => return,
            Found::Perhaps => Behavior::Ask,
            Found::Yes => rule.behavior,
        };
        let rank = rank(self.profile, rule, behavior, id);
        if is_better(rank, &self.best) {
            self.best = Some((rank, (behavior, rule)));
        }
    }

    fn word(self) -> Option<Word<'a>> {
        self.best.map(|(_, word)| word)
    }
}

impl From<bool> for Found {
    fn from(is_match: bool) -> Found {
        if is_match { Found::Yes } else { Found::No }
    }
}
