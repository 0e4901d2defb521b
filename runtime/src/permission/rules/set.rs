//! All rules of a session, compiled, and what they say of the effects of a call.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use super::command::Pattern;
use super::parse::{Behavior, Source, parse};
use super::path::PathPattern;
use crate::contract::{Context, Effect, Effects};
use crate::permission::Profile;
use crate::permission::subject::{Judged, Subject};

/// The rules of a session.
#[derive(Clone, Debug, Default)]
pub struct RuleSet {
    rules: Vec<Rule>,
    /// Tools for which nothing is allowed automatically, since a rule that closes them could not be read.
    closed_tools: BTreeSet<String>,
    /// Whether nothing at all is allowed automatically, since not even the name in such a rule could be read.
    is_closed: bool,
}

#[derive(Clone, Debug)]
struct Rule {
    tool: ToolPattern,
    content: Option<ContentPattern>,
    behavior: Behavior,
    source: Source,
    text: String,
}

#[derive(Clone, Debug)]
enum ToolPattern {
    Name(String),
    /// Every tool of a server: `mcp__server__…`.
    Server(String),
    Glob(Pattern),
}

#[derive(Clone, Debug)]
enum ContentPattern {
    /// Consulted for reading; `Read(…)`.
    Read(PathPattern),
    /// Consulted for writing and removing; `Edit(…)`.
    Edit(PathPattern),
    /// Consulted for commands; `Bash(…)`.
    Command(Pattern),
    /// Consulted for hosts; `WebFetch(domain:…)`.
    Domain(String),
    /// Consulted for the names of the tool's own subject.
    Name(Pattern),
}

/// A rule that does not do what its author wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleProblem {
    /// The rule, as written.
    pub rule: String,
    /// Where it comes from.
    pub source: Source,
    /// What is wrong, and what it means for the session.
    pub reason: String,
}

impl fmt::Display for RuleProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rule `{}` ({}): {}", self.rule, self.source, self.reason)
    }
}

/// What the rules say of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::permission) struct RuleAnswer {
    /// The strictest word over all effects, where a rule matched: deny, ask, or allow for every effect.
    pub(in crate::permission) behavior: Option<Behavior>,
    /// The rule it comes from, with its source.
    pub(in crate::permission) rule: Option<String>,
}

/// Path rules with these names are accepted but never consulted.
const NEVER_CONSULTED: &[&str] = &["Write", "NotebookEdit", "Glob", "MultiEdit", "Grep", "LSP"];

impl RuleSet {
    /// Compiles rules; gives what is wrong with them too. A broken allow rule is dropped; a broken deny or ask rule
    /// closes the tool it names, or everything if no name can be read.
    #[must_use]
    pub fn new<'a>(
        rules: impl IntoIterator<Item = (Behavior, Source, &'a str)>,
        context: &Context,
    ) -> (RuleSet, Vec<RuleProblem>) {
        let mut set = RuleSet::default();
        let mut problems = Vec::new();
        for (behavior, source, text) in rules {
            match Rule::new(text, behavior, source, context) {
                Ok(rule) => set.rules.push(rule),
                Err(broken) => {
                    let meaning = set.close_for(behavior, broken.tool.as_deref());
                    let reason = format!("{}; {meaning}", broken.reason);
                    problems.push(RuleProblem { rule: text.to_owned(), source, reason });
                }
            }
        }
        // Within a source the stricter word comes first, so that the first match is the answer.
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

    /// Whether a broken rule keeps this tool from being allowed automatically.
    pub(in crate::permission) fn is_closed_for(&self, tool: &str) -> bool {
        self.is_closed || self.closed_tools.iter().any(|closed| names(closed, tool))
    }

    /// Whether the rules deny a tool whatever its input, so that the model need not see it.
    #[must_use]
    pub fn denies_wholly(&self, tool: &str, profile: Profile) -> bool {
        let of_tool = || self.rules.iter().filter(|rule| rule.tool.matches(tool));
        let denial = of_tool().find(|rule| rule.behavior == Behavior::Deny && rule.content.is_none());
        denial.is_some_and(|denial| match profile {
            Profile::Current => true,
            Profile::V2_1_88 => {
                !of_tool().any(|rule| rule.behavior != Behavior::Deny && rule.source < denial.source)
            }
        })
    }

    /// What the rules say of a call: the strictest word over its effects.
    pub(in crate::permission) fn answer(&self, subject: &Subject<'_>, profile: Profile) -> RuleAnswer {
        let tool = subject.form.name.as_ref();
        let words: Vec<Option<&Rule>> = match &subject.effects {
            Effects::Unknown { raw, .. } => {
                vec![self.decide(profile, |rule| rule.matches_unknown(tool, raw))]
            }
            Effects::Known(known) if known.is_empty() => {
                vec![self.decide(profile, |rule| rule.content.is_none() && rule.tool.matches(tool))]
            }
            Effects::Known(_) => {
                subject.each().map(|judged| self.decide(profile, |rule| rule.matches(tool, judged))).collect()
            }
        };
        let strictest = words.iter().flatten().min_by_key(|rule| rule.behavior);
        match strictest {
            Some(rule) if rule.behavior != Behavior::Allow || words.iter().all(Option::is_some) => {
                RuleAnswer { behavior: Some(rule.behavior), rule: Some(rule.to_string()) }
            }
            _other => RuleAnswer::default(),
        }
    }

    /// Whether a rule allows this effect by itself.
    pub(in crate::permission) fn allows(
        &self,
        subject: &Subject<'_>,
        judged: Judged<'_>,
        profile: Profile,
    ) -> Option<String> {
        let rule = self.decide(profile, |rule| rule.matches(&subject.form.name, judged))?;
        (rule.behavior == Behavior::Allow).then(|| rule.to_string())
    }

    /// The rule that decides among those that match. By source: the strongest source that matches, its strictest word.
    /// Over the union: managed policy first, then deny, ask, allow.
    fn decide(&self, profile: Profile, matches: impl Fn(&Rule) -> bool) -> Option<&Rule> {
        let mut matching = self.rules.iter().filter(|rule| matches(rule));
        match profile {
            Profile::V2_1_88 => matching.next(),
            Profile::Current => {
                matching.min_by_key(|rule| (rule.behavior, rule.source != Source::PolicySettings))
            }
        }
    }
}

struct Broken {
    reason: String,
    tool: Option<String>,
}

impl Rule {
    fn new(text: &str, behavior: Behavior, source: Source, context: &Context) -> Result<Rule, Broken> {
        let parsed = parse(text).map_err(|broken| Broken { reason: broken.reason, tool: broken.tool })?;
        let broken = |reason: String| Broken { reason, tool: Some(parsed.tool.clone()) };
        let tool = ToolPattern::new(&parsed.tool, behavior).map_err(broken)?;
        let content = match parsed.content.as_deref() {
            None => None,
            Some(content) => {
                Some(ContentPattern::new(&parsed.tool, content, behavior, source, context).map_err(broken)?)
            }
        };
        Ok(Rule { tool, content, behavior, source, text: text.trim().to_owned() })
    }

    /// Whether it matches one effect of a call of this tool.
    fn matches(&self, tool: &str, judged: Judged<'_>) -> bool {
        match &self.content {
            None => self.tool.matches(tool),
            Some(content) => content.matches(self, tool, judged),
        }
    }

    /// Whether it matches a call whose effects cannot be told. No allow rule with content does.
    fn matches_unknown(&self, tool: &str, raw: &str) -> bool {
        match (&self.content, self.behavior) {
            (None, _) => self.tool.matches(tool),
            (Some(_), Behavior::Allow) => false,
            (Some(ContentPattern::Command(pattern)), _) => pattern.may_match_within(raw),
            (Some(ContentPattern::Name(_)), _) => self.tool.matches(tool),
            (Some(ContentPattern::Read(_) | ContentPattern::Edit(_) | ContentPattern::Domain(_)), _) => false,
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.text, self.source)
    }
}

impl ToolPattern {
    fn new(name: &str, behavior: Behavior) -> Result<ToolPattern, String> {
        let server = name.strip_prefix("mcp__").map(|rest| rest.strip_suffix("__*").unwrap_or(rest));
        match server {
            Some(server) if !server.is_empty() && !server.contains("__") && !server.contains('*') => {
                Ok(ToolPattern::Server(format!("mcp__{server}__")))
            }
            _other if !name.contains('*') => Ok(ToolPattern::Name(name.to_owned())),
            Some(rest) if rest.split_once("__").is_some_and(|(server, _)| !server.contains('*')) => {
                Ok(ToolPattern::Glob(Pattern::new(name, behavior)))
            }
            _other if behavior == Behavior::Allow => {
                Err("an allow rule takes `*` only behind `mcp__<server>__`".to_owned())
            }
            _other => Ok(ToolPattern::Glob(Pattern::new(name, behavior))),
        }
    }

    fn matches(&self, tool: &str) -> bool {
        match self {
            ToolPattern::Name(name) => name == tool,
            ToolPattern::Server(prefix) => tool.starts_with(prefix.as_str()),
            ToolPattern::Glob(pattern) => pattern.matches(tool),
        }
    }
}

impl ContentPattern {
    fn new(
        tool: &str,
        content: &str,
        behavior: Behavior,
        source: Source,
        context: &Context,
    ) -> Result<ContentPattern, String> {
        let path = || PathPattern::new(content, behavior, source, context);
        match tool {
            "Read" => path().map(ContentPattern::Read),
            "Edit" => path().map(ContentPattern::Edit),
            "Bash" | "Monitor" => Ok(ContentPattern::Command(Pattern::new(content, behavior))),
            "WebFetch" => match content.trim().strip_prefix("domain:") {
                Some(host) => Ok(ContentPattern::Domain(host.trim().trim_end_matches('.').to_lowercase())),
                None => Err("the content of a `WebFetch` rule is `domain:` and a host".to_owned()),
            },
            never if NEVER_CONSULTED.contains(&never) => {
                Err("path rules with this name are never consulted: use `Read(…)` or `Edit(…)`".to_owned())
            }
            _other => Ok(ContentPattern::Name(Pattern::new(content, behavior))),
        }
    }

    fn matches(&self, rule: &Rule, tool: &str, judged: Judged<'_>) -> bool {
        let both = |pattern: &PathPattern| paths_match(pattern, rule.behavior, judged.paths());
        let closes = rule.behavior == Behavior::Deny;
        match (self, judged.effect) {
            (ContentPattern::Read(pattern), Effect::Read(_)) => both(pattern),
            // What may not be read may not be written either.
            (ContentPattern::Read(pattern), Effect::Write(_) | Effect::Remove(_)) => closes && both(pattern),
            (ContentPattern::Edit(pattern), Effect::Write(_) | Effect::Remove(_)) => both(pattern),
            // What may be edited may be read.
            (ContentPattern::Edit(pattern), Effect::Read(_)) => {
                rule.behavior == Behavior::Allow && both(pattern)
            }
            (ContentPattern::Command(pattern), Effect::Command { text, .. }) => pattern.matches(text),
            (ContentPattern::Domain(pattern), Effect::Contact(host)) => domain_matches(pattern, host),
            (ContentPattern::Name(pattern), Effect::Name(name)) => {
                rule.tool.matches(tool) && pattern.matches(name)
            }
            _other => false,
        }
    }
}

/// An allow rule needs both the path as given and the one it leads to; the others need one.
fn paths_match(pattern: &PathPattern, behavior: Behavior, paths: Option<[&Path; 2]>) -> bool {
    let Some(paths) = paths else { return false };
    match behavior {
        Behavior::Allow => paths.iter().all(|path| pattern.matches(path)),
        Behavior::Deny | Behavior::Ask => paths.iter().any(|path| pattern.matches(path)),
    }
}

/// `*` alone is every host; a leading `*.` any depth of subdomain but not the domain itself; any other `*` does not
/// cross a dot.
fn domain_matches(pattern: &str, host: &str) -> bool {
    let host = host.trim_end_matches('.').to_lowercase();
    if pattern == "*" {
        return true;
    }
    if let Some(domain) = pattern.strip_prefix("*.").filter(|domain| !domain.contains('*')) {
        return host.strip_suffix(domain).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'));
    }
    let (wanted, given): (Vec<&str>, Vec<&str>) = (pattern.split('.').collect(), host.split('.').collect());
    let label_matches =
        |(pattern, label): (&&str, &&str)| Pattern::new(pattern, Behavior::Allow).matches(label);
    wanted.len() == given.len() && wanted.iter().zip(&given).all(label_matches)
}

/// Whether a tool's name, or a pattern over names, means this tool.
fn names(pattern: &str, tool: &str) -> bool {
    ToolPattern::new(pattern, Behavior::Deny).is_ok_and(|pattern| pattern.matches(tool))
}
