//! The rules looked at one by one: what the index must agree with.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;

use super::command::Pattern;
use super::content::{ContentPattern, Seen};
use super::overlap::Overlaps;
use super::parse::{Behavior, Source};
use super::rule::{Found, Rule};
use super::set::RuleSet;
use crate::contract::{Context, Effect, Effects, Flags, Form};
use crate::message::RawInput;
use crate::permission::raw::RawText;
use crate::permission::{Profile, Subject};
use crate::settings::MemoryFiles;

/// What decides among all rules: by source, the strongest source that matches, its strictest word; over the union,
/// deny, then ask, then allow, and among equals managed policy.
fn decide(rules: &[Rule], profile: Profile, matches: impl Fn(&Rule) -> Found) -> Option<(Behavior, usize)> {
    let mut matching = rules
        .iter()
        .filter_map(|rule| match matches(rule) {
            Found::No => None,
            Found::Perhaps => Some((Behavior::Ask, rule)),
            Found::Yes => Some((rule.behavior, rule)),
        })
        .peekable();
    let word = match profile {
        Profile::V2_1_88 => {
            let source = matching.peek()?.1.source;
            matching.take_while(|(_, rule)| rule.source == source).min_by_key(|(behavior, _)| *behavior)
        }
        Profile::Current => {
            matching.min_by_key(|(behavior, rule)| (*behavior, rule.source != Source::PolicySettings))
        }
    };
    word.map(|(behavior, rule)| (behavior, rule.index))
}

/// What every rule says of each thing that a call would do.
fn one_by_one(set: &RuleSet, subject: &Subject<'_>, profile: Profile) -> Vec<Option<(Behavior, usize)>> {
    match &subject.effects {
        Effects::Unknown { raw, .. } => {
            let raw = RawText::new(raw);
            vec![decide(&set.rules, profile, |rule| rule.matches_unknown(subject, &raw))]
        }
        Effects::Known(known) if known.is_empty() => {
            vec![decide(&set.rules, profile, |rule| rule.matches_wholly(subject))]
        }
        Effects::Known(_) => subject
            .each()
            .map(|judged| {
                let seen = Seen::new(judged);
                decide(&set.rules, profile, |rule| rule.matches(subject, &seen))
            })
            .collect(),
    }
}

/// The answer that the words of all effects give together.
fn together(set: &RuleSet, words: &[Option<(Behavior, usize)>]) -> (Option<Behavior>, Option<Arc<str>>) {
    let strictest = words.iter().flatten().min_by_key(|(behavior, _)| *behavior);
    match strictest {
        Some((behavior, index)) if *behavior != Behavior::Allow || words.iter().all(Option::is_some) => {
            let rule = set.rules.iter().find(|rule| rule.index == *index).expect("it is one of them");
            (Some(*behavior), Some(rule.to_string().into()))
        }
        _other => (None, None),
    }
}

fn links() -> MemoryFiles {
    let files = MemoryFiles::default();
    let links =
        [("/w/p/l", "/w/q/b"), ("/w/q/a", "/home/me/b"), ("/home/me/c", "/w/p/a/B"), ("/w/r", "/w/p")];
    links.into_iter().for_each(|(from, to)| files.link(from, to));
    files
}

fn one_of<T: Clone + std::fmt::Debug + 'static>(values: &[T]) -> impl Strategy<Value = T> + use<T> {
    prop::sample::select(values.to_vec())
}

/// Few names, so that much is hit; some differ in case alone, some are not ASCII.
fn name() -> impl Strategy<Value = String> {
    let names = ["a", "b", "B", "ab", ".env", "src", "SRC", "é", "É", "a.rs", "b.rs", "x1", "\u{212a}"];
    one_of(&names).prop_map(str::to_owned)
}

fn path_text() -> impl Strategy<Value = String> {
    let wild = ["*", "**", "*.rs", "a*", "?", "[ab]", "{a,b}", "\\*", "..", ".", "*b*", "a\\?b", "é*"];
    let part = prop_oneof![3 => name(), 2 => one_of(&wild).prop_map(str::to_owned)];
    let parts = prop::collection::vec(part, 1..4).prop_map(|parts| parts.join("/"));
    let anchors = ["", "./", "../", "/", "~/", "//", "//w/p/", "//w/q/", "//home/me/"];
    (one_of(&anchors), parts).prop_map(|(anchor, parts)| format!("{anchor}{parts}"))
}

fn command_text() -> impl Strategy<Value = String> {
    let words = ["git", "push", "rm", "x", "-f", "a:b", "sudo", "A=b", "/bin/rm", "find", "-exec", "timeout"];
    prop::collection::vec(one_of(&words), 1..5).prop_map(|words| words.join(" "))
}

fn command_pattern() -> impl Strategy<Value = String> {
    let ends = ["", " *", "*", ":*", " * x", "*x*"];
    let begins = ["", "", "", "prefix:", "*", "* "];
    let ends = one_of(&ends);
    (one_of(&begins), command_text(), ends).prop_map(|(begin, text, end)| format!("{begin}{text}{end}"))
}

fn host() -> impl Strategy<Value = String> {
    let hosts = ["x.com", "X.com", "a.x.com", "*.x.com", "x.*", "*", "b.org", "*.*", "é.com", "x.com."];
    one_of(&hosts).prop_map(str::to_owned)
}

fn rule_text() -> impl Strategy<Value = String> {
    let wholes = [
        "Bash",
        "Read",
        "Some",
        "Task",
        "Agent",
        "mcp__a",
        "mcp__a__*",
        "mcp__a__b",
        "mcp__*",
        "*",
        "S*e",
        "mcp__a__get_*",
        "Other",
    ];
    let some = ["Some", "Agent", "Skill", "Task"];
    let parameters = ["model:opus", "model:*o*", "n:1", "n:*", "x:*y", "Some:x"];
    let some = || one_of(&some);
    prop_oneof![
        1 => one_of(&wholes).prop_map(str::to_owned),
        3 => command_pattern().prop_map(|pattern| format!("Bash({pattern})")),
        3 => path_text().prop_map(|pattern| format!("Read({pattern})")),
        3 => path_text().prop_map(|pattern| format!("Edit({pattern})")),
        1 => host().prop_map(|host| format!("WebFetch(domain:{host})")),
        1 => (some(), command_pattern()).prop_map(|(tool, pattern)| format!("{tool}({pattern})")),
        1 => (some(), one_of(&parameters)).prop_map(|(tool, it)| format!("{tool}({it})")),
    ]
}

fn rule() -> impl Strategy<Value = (Behavior, Source, String)> {
    let behaviors = [Behavior::Deny, Behavior::Ask, Behavior::Allow];
    let sources = [Source::CliArg, Source::ProjectSettings, Source::UserSettings, Source::PolicySettings];
    (one_of(&behaviors), one_of(&sources), rule_text())
}

fn effect() -> impl Strategy<Value = Effect> {
    let roots = ["/", "/w", "/w/p", "/w/q", "/home/me", "/w/r"];
    let below = || prop::collection::vec(name(), 0..4).prop_map(|names| names.join("/"));
    let path = || (one_of(&roots), below()).prop_map(|(root, below)| Path::new(root).join(below));
    prop_oneof![
        2 => path().prop_map(Effect::Read),
        2 => path().prop_map(Effect::ReadBelow),
        2 => path().prop_map(Effect::Write),
        2 => path().prop_map(Effect::Remove),
        1 => path().prop_map(Effect::MayWrite),
        3 => (command_text(), any::<bool>()).prop_map(|(text, read_only)| {
            let words = text.split(' ').map(str::to_owned).collect();
            Effect::Command { text, words, read_only }
        }),
        1 => host().prop_map(Effect::Contact),
        1 => command_text().prop_map(Effect::Name),
    ]
}

fn effects() -> impl Strategy<Value = Effects> {
    let raw = prop_oneof![
        command_text(),
        (command_text(), path_text())
            .prop_map(|(command, path)| format!("{command} $x; cat {path} > \"$y\"")),
        Just("$(echo rm) x".to_owned()),
        Just(String::new()),
    ];
    prop_oneof![
        6 => prop::collection::vec(effect(), 0..4).prop_map(Effects::Known),
        1 => raw.prop_map(|raw| Effects::Unknown { reason: "it was not understood".to_owned(), raw }),
    ]
}

fn form() -> impl Strategy<Value = Form> {
    let names =
        ["Bash", "Read", "Some", "Agent", "Task", "Skill", "mcp__a__b", "mcp__a__get_x", "mcp__a__b__c"];
    (one_of(&names), any::<bool>()).prop_map(|(name, has_alias)| {
        let aliases =
            if has_alias { Cow::Owned(vec![Cow::Borrowed("Other")]) } else { Cow::Borrowed([].as_slice()) };
        Form { aliases, ..Form::closed(Cow::Borrowed(name)) }
    })
}

/// Whether some call may match both rules, as far as their beginnings tell.
fn may_overlap(one: &Rule, other: &Rule) -> bool {
    use ContentPattern::{Command, Domain, Edit, Own, Read};
    let is_same_tool = one.tool == other.tool || one.tool.may_overlap(&other.tool);
    let nested = |a: &Pattern, b: &Pattern| {
        a.beginnings().any(|a| b.beginnings().any(|b| a.starts_with(b) || b.starts_with(a)))
    };
    match (one.content(), other.content()) {
        (None, _) | (_, None) => is_same_tool,
        (Some(Own(a)), Some(Own(b))) => is_same_tool && nested(a, b),
        (Some(Command(a)), Some(Command(b))) => nested(a, b),
        (Some(Domain(a)), Some(Domain(b))) => a.matches(b.as_str()) || b.matches(a.as_str()),
        (Some(Read(a) | Edit(a)), Some(Read(b) | Edit(b))) => {
            a.roots().iter().any(|a| b.roots().iter().any(|b| a.starts_with(b) || b.starts_with(a)))
        }
        _other => false,
    }
}

/// The first rule that may close what a text does that was not understood: whatever else is allowed, it asks.
fn unseen(set: &RuleSet, subject: &Subject<'_>) -> Option<String> {
    let Effects::Unknown { raw, .. } = &subject.effects else { return None };
    let closes = |rule: &&Rule| {
        let named = ["Bash(", "Read(", "Edit(", "WebFetch("].iter().any(|begin| rule.text.starts_with(begin));
        rule.behavior != Behavior::Allow && named && rule.content().is_some()
    };
    set.rules.iter().find(closes).filter(|_| !raw.is_empty()).map(ToString::to_string)
}

fn check(
    rules: Vec<(Behavior, Source, String)>,
    (effects, form, cwd, input): (Effects, Form, &str, &str),
) -> Result<(), TestCaseError> {
    let files = links();
    let context = Context { home: Some("/home/me".into()), ..Context::new("/w/p") };
    let (set, _problems) = RuleSet::new(rules, &context, &files);
    let now = Context { cwd: cwd.into(), ..context };
    let input = RawInput::new(input);
    let subject = Subject::new(&form, Flags::default(), effects, [&input], &now, &files);
    for profile in [Profile::V2_1_88, Profile::Current] {
        let words = one_by_one(&set, &subject, profile);
        let answer = set.answer(&subject, profile);
        let mut expected = together(&set, &words);
        if let Some(rule) =
            unseen(&set, &subject).filter(|_| matches!(expected.0, None | Some(Behavior::Allow)))
        {
            expected = (Some(Behavior::Ask), Some(rule.into()));
        }
        prop_assert_eq!((answer.behavior, answer.rule), expected, "{:?}", profile);
        for (judged, word) in subject.each().zip(&words) {
            let allows = set.allows(&subject, judged, profile);
            let allowed = word.filter(|(behavior, _)| *behavior == Behavior::Allow);
            prop_assert_eq!(allows.is_some(), allowed.is_some());
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 1_500, ..ProptestConfig::default() })]

    #[test]
    fn the_index_finds_what_a_look_at_every_rule_finds(
        rules in prop::collection::vec(rule(), 0..14),
        effects in effects(),
        form in form(),
        cwd in one_of(&["/w/p", "/w/p/a", "/w/q", "/w/r", "/w"]),
        input in one_of(&["{}", r#"{"model":"opus","n":1}"#, r#"{"model":"x","model":"opus"}"#, "no", r#"{"x":" y"}"#]),
    ) {
        check(rules, (effects, form, cwd, input))?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 1_500, ..ProptestConfig::default() })]

    #[test]
    fn of_rules_that_overlap_the_first_is_found_that_a_look_at_every_rule_finds(
        rules in prop::collection::vec(rule(), 0..14),
        others in prop::collection::vec(rule(), 0..14),
    ) {
        let context = Context { home: Some("/home/me".into()), ..Context::new("/w/p") };
        let [(rules, _), (others, _)] = [rules, others].map(|rules| RuleSet::new(rules, &context, &links()));
        let [rules, others] = [&rules, &others].map(|set| set.rules.iter().collect::<Vec<_>>());
        let overlaps = Overlaps::new(&rules, &others);
        for other in &others {
            let first = rules.iter().find(|rule| may_overlap(rule, other));
            prop_assert_eq!(
                overlaps.first(other).map(|rule| rule.index),
                first.map(|rule| rule.index),
                "{}", other
            );
        }
    }
}

#[test]
fn few_patterns_are_looked_at_whatever_the_call() {
    let rules = (0..500).flat_map(|n| {
        [
            format!("Bash(* --flag{n} *)"),
            format!("Bash(tool{n}:*)"),
            format!("Read(//data/d{n}/**)"),
            format!("Edit(**/*.x{n})"),
            format!("Read(**/secret{n}*)"),
        ]
    });
    for behavior in [Behavior::Deny, Behavior::Ask, Behavior::Allow] {
        let rules = rules.clone().map(|text| (behavior, Source::UserSettings, text));
        let (set, problems) = RuleSet::new(rules, &Context::new("/w/p"), &links());
        assert!(problems.is_empty(), "{problems:?}");
        assert_eq!(set.index.always(), 0, "{behavior:?}");
    }
}
