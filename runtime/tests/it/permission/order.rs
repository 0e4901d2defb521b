//! The one order of decision: each line wins over all below it, in both profiles.

use toolwright::contract::{DefaultPermission, Effect, Effects, Opinion};
use toolwright::permission::{Behavior, HookSays, Mode, Profile, Source};

use super::tools::catalogue;
use super::world::{Case, PROFILES, World, path};

type Rules = &'static [(Behavior, Source, &'static str)];

/// What has a say, in the order of the lines that give it one.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Say {
    Killswitch,
    DenyRule,
    ToolDenies,
    AskRule,
    HookAsks,
    ToolAsks,
    NeedsPerson,
    HookAllows,
    Protected,
    AllowRule,
    ToolAllows,
    DefaultAllows,
}

const SAYS: [Say; 12] = [
    Say::Killswitch,
    Say::DenyRule,
    Say::ToolDenies,
    Say::AskRule,
    Say::HookAsks,
    Say::ToolAsks,
    Say::NeedsPerson,
    Say::HookAllows,
    Say::Protected,
    Say::AllowRule,
    Say::ToolAllows,
    Say::DefaultAllows,
];

fn says(case: Case, say: Say) -> Case {
    match say {
        Say::Killswitch => Case { effects: Effects::one(path(Effect::Remove, "/etc")), ..case },
        Say::DenyRule => case.rule(Behavior::Deny, Source::Session, "Some"),
        Say::ToolDenies => Case { opinion: Opinion::Deny("no".to_owned()), ..case },
        Say::AskRule => case.rule(Behavior::Ask, Source::Session, "Some"),
        Say::HookAsks => Case { hook: HookSays::Ask("why".to_owned()), ..case },
        Say::ToolAsks => Case { opinion: Opinion::Ask("why".to_owned()), ..case },
        Say::NeedsPerson => {
            let mut case = case;
            case.form.needs_person = true;
            case
        }
        Say::HookAllows => Case { hook: HookSays::Allow("fine".to_owned()), ..case },
        Say::Protected => Case { effects: Effects::one(path(Effect::Write, "/w/p/.vscode/a")), ..case },
        Say::AllowRule => case.rule(Behavior::Allow, Source::Session, "Some"),
        Say::ToolAllows => Case { opinion: Opinion::Allow, ..case },
        Say::DefaultAllows => {
            let mut case = case;
            case.form.default_permission = DefaultPermission::Allow;
            case
        }
    }
}

/// What each says by itself: with a person in the default mode, without one, in bypassPermissions with a person and
/// without, and in dontAsk.
fn alone(say: Say, profile: Profile) -> [&'static str; 5] {
    let bypass = if profile == Profile::Current { "allow" } else { "person" };
    let bypass_alone = if profile == Profile::Current { "allow" } else { "deny" };
    match say {
        Say::Killswitch => ["person", "deny", "deny", "deny", "deny"],
        Say::DenyRule | Say::ToolDenies => ["deny"; 5],
        Say::AskRule | Say::HookAsks | Say::ToolAsks | Say::NeedsPerson => {
            ["person", "deny", "person", "deny", "deny"]
        }
        Say::Protected => ["anyone", "hooks", bypass, bypass_alone, "deny"],
        Say::HookAllows | Say::AllowRule | Say::ToolAllows | Say::DefaultAllows => ["allow"; 5],
    }
}

fn answers(case: &Case) -> [&'static str; 5] {
    let answer = |mode, has_person| Case { has_person, ..case.clone() }.mode(mode).word();
    [
        answer(Mode::Default, true),
        answer(Mode::Default, false),
        answer(Mode::BypassPermissions, true),
        answer(Mode::BypassPermissions, false),
        answer(Mode::DontAsk, true),
    ]
}

#[test]
fn each_line_alone() {
    for profile in PROFILES {
        for say in SAYS {
            let case = says(Case { profile, ..Case::new(Effect::Name("x".to_owned())) }, say);
            assert_eq!(answers(&case), alone(say, profile), "{say:?} {profile:?}");
        }
    }
}

#[test]
fn each_line_wins_over_all_below_it() {
    for profile in PROFILES {
        for (at, upper) in SAYS.into_iter().enumerate() {
            for lower in SAYS.into_iter().skip(at + 1) {
                let case = Case { profile, ..Case::new(Effect::Name("x".to_owned())) };
                let case = says(says(case, lower), upper);
                let mut expected = alone(upper, profile);
                // A yes to the killswitch lifts no denial.
                if upper == Say::Killswitch && matches!(lower, Say::DenyRule | Say::ToolDenies) {
                    expected = ["deny"; 5];
                }
                assert_eq!(answers(&case), expected, "{upper:?} over {lower:?} {profile:?}");
            }
        }
    }
}

#[test]
fn who_decided_is_said() {
    for (say, by) in [
        (Say::DenyRule, "rule"),
        (Say::ToolDenies, "tool"),
        (Say::HookAllows, "hook"),
        (Say::AllowRule, "rule"),
        (Say::ToolAllows, "tool"),
        (Say::DefaultAllows, "tool"),
    ] {
        assert_eq!(says(Case::new(Effect::Name("x".to_owned())), say).by(), by, "{say:?}");
    }
    let alone = |say| says(Case { has_person: false, ..Case::new(Effect::Name("x".to_owned())) }, say);
    assert_eq!(alone(Say::Killswitch).by(), "killswitch");
    assert_eq!(alone(Say::AskRule).by(), "nobody");
}

#[test]
fn a_tool_open_by_default_is_held_to_what_it_is_known_to_do() {
    for effect in [path(Effect::Write, "/w/p/a"), Effect::Contact("x.com".to_owned())] {
        assert_eq!(says(Case::new(effect.clone()), Say::DefaultAllows).word(), "anyone", "{effect:?}");
    }
    assert_eq!(says(Case::unknown(""), Say::DefaultAllows).word(), "allow");
}

#[test]
fn the_strictest_effect_wins() {
    let effects =
        |names: &[&str]| Effects::Known(names.iter().map(|name| Effect::Name((*name).to_owned())).collect());
    for (names, expected) in [
        (["open", "open"], "allow"),
        (["open", "other"], "anyone"),
        (["open", "asked"], "person"),
        (["asked", "closed"], "deny"),
        (["closed", "open"], "deny"),
    ] {
        let case = Case { effects: effects(&names), ..Case::unknown("") };
        let case = case.allow("Some(open)").deny("Some(closed)");
        let case = case.rule(Behavior::Ask, Source::UserSettings, "Some(asked)");
        for profile in PROFILES {
            assert_eq!(Case { profile, ..case.clone() }.word(), expected, "{names:?} {profile:?}");
        }
    }
}

#[tokio::test]
async fn a_tool_that_is_wholly_denied_is_not_in_the_pool() {
    use Behavior::{Allow, Ask, Deny};
    use Source::{CliArg, ProjectSettings, UserSettings};
    // The rules, and whether the tool is there by source and over the union.
    let table: &[(Rules, bool, bool)] = &[
        (&[(Deny, UserSettings, "Bash")], false, false),
        (&[(Deny, UserSettings, "Bash(*)")], false, false),
        (&[(Deny, UserSettings, "*")], false, false),
        (&[(Deny, UserSettings, "Bash(rm *)")], true, true),
        (&[(Deny, UserSettings, "Bash"), (Allow, ProjectSettings, "Bash(ls)")], true, false),
        (&[(Deny, UserSettings, "Bash"), (Ask, CliArg, "Bash")], true, false),
        (&[(Deny, ProjectSettings, "Bash"), (Allow, UserSettings, "Bash")], false, false),
        (&[(Deny, UserSettings, "Bash"), (Allow, UserSettings, "Bash")], false, false),
        (
            &[(Deny, UserSettings, "Bash"), (Deny, CliArg, "Bash"), (Allow, ProjectSettings, "Bash")],
            false,
            false,
        ),
        (&[(Allow, UserSettings, "Bash")], true, true),
    ];
    for (rules, by_source, over_union) in table {
        for (profile, expected) in [(Profile::V2_1_88, *by_source), (Profile::Current, *over_union)] {
            let world = World::new(|builder, _| {
                rules.iter().fold(builder.profile(profile), |builder, (behavior, source, rule)| {
                    builder.rule(*behavior, *source, *rule)
                })
            });
            assert_eq!(world.session.pool().find("Bash").is_ok(), expected, "{rules:?} {profile:?}");
            let done = world.call("Bash", serde_json::json!({"command": "ls"})).await;
            assert!(expected || (done.text.contains("no tool `Bash`") && !done.ran()), "{rules:?}");
        }
    }
}

#[tokio::test]
async fn a_tool_denied_by_its_other_name_is_not_in_the_pool_either() {
    for rule in ["Task", "mcp__puppeteer", "mcp__*", "mcp__puppeteer__*", "mcp__puppeteer__n*"] {
        let world = World::new(|builder, _| builder.rule(Behavior::Deny, Source::UserSettings, rule));
        let tool = if rule == "Task" { "Agent" } else { "mcp__puppeteer__nav" };
        assert!(world.session.pool().find(tool).is_err(), "{rule}");
        assert!(catalogue().built_in().len() > 1 && world.session.pool().find("Bash").is_ok());
    }
}

#[tokio::test]
async fn no_hook_runs_for_what_does_not_parse() {
    let world = World::new(|builder, _| builder);
    for input in ["{}", "nonsense", "{\"command\": 1, \"x\": 2}"] {
        let done = world.call("Bash", serde_json::Value::String(input.to_owned())).await;
        assert!(done.is_error && done.decided().is_empty() && !done.ran());
    }
}

#[test]
fn what_is_not_understood_may_be_what_a_rule_closes() {
    let cases = [
        ("/bin/r? x", "person"),
        ("/bin/r[m] x", "person"),
        ("a=r;b=m;$a$b x", "person"),
        ("${a:-r''m} x", "person"),
        ("${a:-x} x", "person"),
        ("true && $a x", "person"),
        ("(\"$a\" x)", "person"),
        ("$(a) x", "person"),
        ("`a` x", "person"),
        ("{a,x}", "person"),
        ("while $a x; do b; done", "person"),
        ("timeout 5 $a x", "person"),
        ("eval \"$a\"", "person"),
        ("source <(echo $a)", "person"),
        ("echo $a", "person"),
        ("A=$(x) b $c", "person"),
        ("\"$x/bin/y\" z", "person"),
        ("[ \"$x\" = y ] && b", "person"),
        ("for f in *; do b $f; done", "person"),
    ];
    for (raw, expected) in cases {
        let case = Case::unknown(raw).mode(Mode::BypassPermissions);
        assert_eq!(case.clone().deny("Bash(rm *)").word(), expected, "{raw}");
        let asks = case.rule(Behavior::Ask, Source::UserSettings, "Bash(rm *)");
        assert_eq!(asks.word(), expected.replace("deny", "person"), "{raw}");
    }
    // Letters that are spelled out are read, and what removes something that is not told needs a person's word.
    let spelled = Case::unknown("$'\\x72m' x").mode(Mode::BypassPermissions);
    assert_eq!(spelled.deny("Bash(rm *)").word(), "deny");
}
