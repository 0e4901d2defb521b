//! Which rule decides when rules of several sources match.

use toolwright::contract::{Context, Effect};
use toolwright::permission::{Behavior, Profile, RuleProblem, RuleSet, RuleText, Source, Subject};

use super::world::{Case, path};

/// The strongest first.
const SOURCES: [Source; 7] = [
    Source::CliArg,
    Source::Command,
    Source::Session,
    Source::LocalSettings,
    Source::ProjectSettings,
    Source::UserSettings,
    Source::PolicySettings,
];

const BEHAVIORS: [Behavior; 3] = [Behavior::Deny, Behavior::Ask, Behavior::Allow];

fn word(behavior: Behavior) -> &'static str {
    match behavior {
        Behavior::Deny => "deny",
        Behavior::Ask => "person",
        Behavior::Allow => "allow",
    }
}

fn case() -> Case {
    Case::new(Effect::Name("x".to_owned()))
}

#[test]
fn by_source_the_highest_decides_and_over_the_union_the_strictest() {
    for (at, high) in SOURCES.into_iter().enumerate() {
        for low in SOURCES.into_iter().skip(at) {
            for first in BEHAVIORS {
                for second in BEHAVIORS {
                    // Neither specificity nor the order of the rules counts.
                    for rules in [["Some", "Some(x)"], ["Some(x)", "Some"]] {
                        let case = case().rule(second, low, rules[1]).rule(first, high, rules[0]);
                        let stricter = word(first.min(second));
                        let by_source = if high == low { stricter } else { word(first) };
                        assert_eq!(case.word(), by_source, "{first:?} {high} {second:?} {low}");
                        let current = Case { profile: Profile::Current, ..case };
                        assert_eq!(current.word(), stricter, "{first:?} {high} {second:?} {low}");
                    }
                }
            }
        }
    }
}

#[test]
fn over_the_union_managed_policy_is_named_among_equals() {
    let case = case().rule(Behavior::Deny, Source::CliArg, "Some");
    let case = case.rule(Behavior::Deny, Source::PolicySettings, "Some(x)");
    let case = Case { profile: Profile::Current, ..case };
    let toolwright::permission::Ruling::Decided(decision) = case.judge().0 else { panic!("it is decided") };
    assert_eq!(decision.rule.as_deref(), Some("Some(x) (policySettings)"));
}

#[test]
fn a_rule_that_does_not_match_decides_nothing() {
    let case = case().rule(Behavior::Allow, Source::CliArg, "Some(y)").rule(
        Behavior::Deny,
        Source::UserSettings,
        "Some(x)",
    );
    assert_eq!(case.word(), "deny");
}

#[test]
fn loading_tells_each_denial_that_a_higher_source_lifts() {
    use Behavior::{Allow, Ask, Deny};
    use Source::{ProjectSettings, UserSettings};
    let lifted = |high: (Behavior, &'static str), low: &'static str, profile| -> Vec<RuleProblem> {
        let case = Case::new(path(Effect::Read, "/w/p/a"));
        let case = case.rule(Deny, UserSettings, low).rule(high.0, ProjectSettings, high.1);
        let context = &case.context;
        let rules = RuleSet::new(case.rules.iter().copied(), context, &case.links);
        rules.0.lifted(profile)
    };
    for (high, low, is_lifted) in [
        ((Allow, "Bash(x *)"), "Bash(x *)", true),
        ((Allow, "Bash(x y)"), "Bash(x *)", true),
        ((Allow, "Bash(x *)"), "Bash(x y)", true),
        ((Ask, "Bash"), "Bash(x y)", true),
        ((Allow, "Bash(x)"), "Bash", true),
        ((Allow, "Bash(a *)"), "Bash(b *)", false),
        ((Deny, "Bash"), "Bash(b *)", false),
        ((Allow, "Read(src/**)"), "Read(src/a)", true),
        ((Allow, "Read(src/**)"), "Read(doc/a)", false),
        ((Allow, "Edit(src/**)"), "Read(src/a)", true),
        ((Allow, "WebFetch(domain:*.x.com)"), "WebFetch(domain:a.x.com)", true),
        ((Allow, "WebFetch(domain:y.com)"), "WebFetch(domain:a.x.com)", false),
        ((Allow, "mcp__a__b"), "mcp__a", true),
        ((Allow, "mcp__b__b"), "mcp__a", false),
        ((Allow, "Agent(x)"), "Agent(x)", true),
        ((Allow, "Agent(x)"), "Skill(x)", false),
    ] {
        let found = lifted(high, low, Profile::V2_1_88);
        assert_eq!(found.len(), usize::from(is_lifted), "{high:?} over {low}: {found:?}");
        assert!(found.iter().all(|problem| problem.rule == low && problem.source == UserSettings));
        assert!(lifted(high, low, Profile::Current).is_empty());
    }
}

#[test]
fn a_path_from_the_source_on_hangs_on_the_folder_of_its_source() {
    let (root, home, other) = ("/w/p/src/a", "/home/me/.claude/src/a", "/etc/conf/src/a");
    for (source, folder, at) in [
        (Source::CliArg, None, root),
        (Source::Command, None, root),
        (Source::Session, None, root),
        (Source::LocalSettings, None, root),
        (Source::ProjectSettings, None, root),
        (Source::PolicySettings, None, root),
        (Source::UserSettings, None, home),
        (Source::UserSettings, Some("/etc/conf"), other),
        (Source::CliArg, Some("/etc/conf"), other),
    ] {
        for place in [root, home, other] {
            for behavior in BEHAVIORS {
                let case = Case::new(path(Effect::Read, place));
                let rule = RuleText::new(behavior, source, "Read(/src/**)");
                let rule = folder.map_or(rule.clone(), |folder| rule.in_folder(folder));
                // Rules that come later, when the agent has gone elsewhere, hang on the same.
                let later = Context { cwd: "/w/p/deeper".into(), ..case.context.clone() };
                for context in [&case.context, &later] {
                    let rules = RuleSet::default().with([rule.clone()], context, &case.links).0;
                    let subject =
                        Subject::new(&case.form, case.flags, case.effects.clone(), [], context, &case.links);
                    let expected = (place == at).then_some(behavior);
                    let found = rules.answer(&subject, Profile::Current).behavior;
                    assert_eq!(found, expected, "{behavior:?} {source} {folder:?} {place}");
                }
            }
        }
    }
}
