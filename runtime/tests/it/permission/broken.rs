//! Rules that cannot be read, or can never be consulted, open nothing.

use toolwright::contract::{Effect, Effects};
use toolwright::env::Env;
use toolwright::permission::{Behavior, HookSays, Mode, Source};
use toolwright::session::Session;

use super::tools::catalogue;
use super::world::{Case, MODES, PROFILES, command, path};

/// Rules that do not say what their author wants, and the tool they name.
const BROKEN: &[(&str, Option<&str>)] = &[
    ("", None),
    ("(x)", None),
    ("a b", None),
    ("So me(x)", None),
    ("Some\n(x)", None),
    ("Some(x", Some("Some")),
    ("Some(x))", Some("Some")),
    ("Some(x)y", Some("Some")),
    (r"Some(x\)", Some("Some")),
    ("Some(:*)", Some("Some")),
    ("Some(prefix:)", Some("Some")),
    ("Some(command:x)", Some("Some")),
    ("Some( path : x )", Some("Some")),
];

#[test]
fn a_broken_rule_that_closes_is_reported_and_lets_nothing_through() {
    for behavior in [Behavior::Deny, Behavior::Ask] {
        for (rule, tool) in BROKEN {
            for profile in PROFILES {
                let case = Case { profile, hook: HookSays::Allow("fine".to_owned()), ..Case::unknown("") };
                let case = Case { effects: Effects::one(Effect::Name("y".to_owned())), ..case };
                let case = case.allow("Some").rule(behavior, Source::PolicySettings, rule);
                assert_eq!(case.judge().1.len(), 1, "{rule}");
                assert_eq!(case.word(), "person", "{rule}");
                assert_eq!(case.clone().mode(Mode::BypassPermissions).word(), "person", "{rule}");
                assert_eq!(Case { has_person: false, ..case.clone() }.word(), "deny", "{rule}");
                // Where the name can be read, other tools go on as before.
                let mut other = case;
                other.form.name = "Other".into();
                let expected = if tool.is_some() { "allow" } else { "person" };
                assert_eq!(other.word(), expected, "{rule}");
            }
        }
    }
}

#[test]
fn a_broken_rule_that_opens_is_reported_and_dropped() {
    let closed_names = ["*", "mcp__*", "S*me", "mcp__a*__b", "mcp__*__b"].map(|rule| (rule, None));
    for (rule, _) in BROKEN.iter().chain(&closed_names) {
        let case = Case::new(Effect::Name("x".to_owned())).allow(rule);
        assert_eq!((case.judge().1.len(), case.word()), (1, "anyone"), "{rule}");
    }
}

#[test]
fn a_long_rule_is_broken() {
    let long: &'static str = Box::leak(format!("Some({})", "*a".repeat(10_000)).into_boxed_str());
    let case = Case::new(Effect::Name("y".to_owned())).allow("Some");
    assert_eq!(case.deny(long).word(), "person");
    assert_eq!(Case::new(Effect::Name("y".to_owned())).allow(long).word(), "anyone");
}

#[test]
fn a_rule_under_a_name_that_is_never_consulted_closes() {
    for rule in ["Write(docs/**)", "NotebookEdit(docs/**)", "MultiEdit(docs/**)"] {
        let case = Case::new(path(Effect::Write, "/w/p/docs/a")).mode(Mode::AcceptEdits);
        assert_eq!(case.word(), "allow");
        assert_eq!(case.clone().deny(rule).word(), "person", "{rule}");
        assert_eq!(case.clone().allow(rule).judge().1.len(), 1, "{rule}");
    }
}

/// `Read(…)` and its like are consulted for other tools too, and so is the doubt about them.
#[test]
fn a_broken_rule_closes_everything_that_it_would_have_been_consulted_for() {
    let write = || Case::new(path(Effect::Write, "/w/p/a"));
    let read = || Case::new(path(Effect::Read, "/w/p/a"));
    let run = || Case::new(command("make", false));
    let fetch = || Case::new(Effect::Contact("x.com".to_owned()));
    for (rule, case, expected) in [
        ("Edit(~nobody/x)", write(), "person"),
        ("Edit(~nobody/x)", read(), "allow"),
        ("Edit(~nobody/x)", Case::unknown(""), "person"),
        ("Read($HOME/x)", read(), "person"),
        ("Read($HOME/x)", write(), "person"),
        ("Read(!x)", read(), "person"),
        ("Read(*/../x)", read(), "person"),
        ("Read([a)", read(), "person"),
        ("Bash(:*)", run(), "person"),
        ("Bash(:*)", write(), "allow"),
        ("Bash(command:rm *)", run(), "person"),
        ("WebFetch(x.com)", fetch(), "person"),
        ("WebFetch(domain:https://x.com)", fetch(), "person"),
        ("mcp__a__b(x)", run(), "allow"),
        ("So*(x)", run(), "person"),
    ] {
        let case = case.allow("Some").deny(rule);
        assert_eq!((case.word(), case.judge().1.len()), (expected, 1), "{rule} {:?}", case.effects);
    }
}

#[test]
fn without_a_home_rules_about_it_are_broken() {
    for rule in ["Read(~/x)", "Read(/x)"] {
        let mut case = Case::new(path(Effect::Read, "/w/p/a")).allow("Some").deny(rule);
        case.context.home = None;
        assert_eq!(case.word(), "person", "{rule}");
    }
}

#[test]
fn a_rule_named_like_a_property_of_every_object_is_a_rule_like_others() {
    for mode in MODES {
        let case = Case::unknown("").deny("toString").deny("__proto__").mode(mode);
        assert_eq!((case.judge().1.len(), case.word()), (0, Case::unknown("").mode(mode).word()));
    }
}

#[tokio::test]
async fn a_rule_that_names_no_tool_is_reported_once_with_the_nearest_name() {
    let rules = [
        (Behavior::Deny, "Bahs"),
        (Behavior::Ask, "bash(rm *)"),
        (Behavior::Deny, "Bash"),
        (Behavior::Deny, "mcp__late__tool"),
        (Behavior::Allow, "Nonsense"),
        (Behavior::Deny, "Bahs"),
        (Behavior::Allow, "Nonsense"),
    ];
    let env = Env::tokio().expect("inside a runtime");
    let mut builder = Session::builder(env, catalogue());
    for (behavior, rule) in rules {
        builder = builder.rule(behavior, Source::CliArg, rule);
    }
    let said: Vec<String> = builder.build().rule_problems().iter().map(ToString::to_string).collect();
    let [deny, ask, allow] = said.as_slice() else { panic!("each is told of once: {said:?}") };
    assert!([deny, ask].iter().all(|problem| problem.contains("did you mean `Bash`?")), "{said:?}");
    assert!(allow.contains("there is no tool `Nonsense` here, so it allows nothing here"), "{allow}");
}
