//! What a person may be offered to remember: rules that allow what asks, and no more.

use std::path::PathBuf;

use toolwright::contract::{Effect, Effects, Form};
use toolwright::event::Verdict;
use toolwright::permission::{
    Behavior, Mode, Profile, RuleSet, RuleText, Ruling, Source, Subject, judge, suggestions,
};

use super::world::{Case, PROFILES, command, path, with_links};

fn suggested(case: &Case) -> Vec<RuleText> {
    let (rules, _) = RuleSet::new(case.rules.iter().copied(), &case.context, &case.links);
    let subject =
        Subject::new(&case.form, case.flags, case.effects.clone(), &case.inputs, &case.context, &case.links);
    suggestions(&subject, &rules, case.profile).into_iter().map(|suggestion| suggestion.rule).collect()
}

fn texts(case: &Case) -> Vec<String> {
    suggested(case).into_iter().map(|rule| rule.text).collect()
}

fn of_tool(tool: &'static str, effects: Vec<Effect>) -> Case {
    let case = Case::new(Effect::Name("x".to_owned()));
    Case { form: Form::closed(tool.into()), effects: Effects::Known(effects), ..case }
}

#[test]
fn what_is_suggested_allows_the_call_from_every_source_and_nothing_beside_it() {
    let write = |at: &str| vec![path(Effect::Write, at)];
    for (case, expected) in [
        (of_tool("Bash", vec![command("npm run build", false)]), vec!["Bash(npm run build)"]),
        (
            of_tool("Bash", vec![command("make a", false), command("ls", true), command("make b", false)]),
            vec!["Bash(make a)", "Bash(make b)"],
        ),
        (of_tool("Bash", vec![command("make a", false), command("make a", false)]), vec!["Bash(make a)"]),
        (of_tool("Bash", vec![command("f (x)", false)]), vec![r"Bash(f \(x\))"]),
        (of_tool("Edit", write("/w/p/src/a.rs")), vec!["Edit(//w/p/src/a.rs)"]),
        (of_tool("Edit", write("/w/p/dir [1]/a*.txt")), vec![r"Edit(//w/p/dir \[1\]/a\*.txt)"]),
        (of_tool("Edit", write("/w/p/a?{b,c}(d)\\e")), vec![r"Edit(//w/p/a\?\{b,c\}\(d\)\\e)"]),
        (of_tool("Edit", write("/w/p/!x")), vec!["Edit(//w/p/!x)"]),
        (of_tool("Read", vec![path(Effect::Read, "/srv/x")]), vec!["Read(//srv/x)"]),
        (of_tool("Grep", vec![path(Effect::ReadBelow, "/srv/x")]), vec!["Read(//srv/x)"]),
        (of_tool("WebFetch", vec![Effect::Contact("Docs.rs".to_owned())]), vec!["WebFetch(domain:Docs.rs)"]),
        (of_tool("Skill", vec![Effect::Name("review".to_owned())]), vec!["Skill(review)"]),
        (of_tool("mcp__a__b", vec![Effect::Name("x".to_owned())]), vec!["mcp__a__b"]),
        (Case { form: Form::closed("mcp__a__b".into()), ..Case::unknown("") }, vec!["mcp__a__b"]),
    ] {
        assert_eq!(texts(&case), expected, "{:?}", case.effects);
        for profile in PROFILES {
            for source in
                [Source::Session, Source::LocalSettings, Source::ProjectSettings, Source::UserSettings]
            {
                let rules = suggested(&case).into_iter().map(|rule| RuleText { source, ..rule });
                let (rules, problems) = RuleSet::new(rules, &case.context, &case.links);
                assert!(problems.is_empty(), "{problems:?}");
                let effects = case.effects.clone();
                let subject = Subject::new(&case.form, case.flags, effects, [], &case.context, &case.links);
                let ruling = judge(&subject, &rules, profile, &case.hook, &case.opinion, true);
                assert!(
                    matches!(&ruling, Ruling::Decided(decision) if decision.verdict == Verdict::Allow),
                    "{source} {:?}: {ruling:?}",
                    case.effects
                );
            }
        }
    }
}

#[test]
fn an_escaped_path_opens_no_other() {
    let asks = of_tool("Edit", vec![path(Effect::Write, "/w/p/dir [1]/a*.txt")]);
    let rules = suggested(&asks);
    for other in ["/w/p/dir 1/a*.txt", "/w/p/dir [1]/ab.txt", "/w/p/dir [1]/a.txt"] {
        let case = of_tool("Edit", vec![Effect::Write(PathBuf::from(other))]);
        let (rules, _) = RuleSet::new(rules.clone(), &case.context, &case.links);
        let subject =
            Subject::new(&case.form, case.flags, case.effects.clone(), [], &case.context, &case.links);
        assert_eq!(rules.answer(&subject, Profile::Current).behavior, None, "{other}");
    }
}

#[test]
fn what_no_rule_can_approve_is_never_suggested() {
    let run = |text: &str| of_tool("Bash", vec![command(text, false)]);
    let write = |at: &str| of_tool("Edit", vec![path(Effect::Write, at)]);
    let mut person = run("make");
    person.form.needs_person = true;
    let many = (0..6).map(|n| command(&format!("make t{n}"), false)).collect();
    let linked = Case { links: with_links(&[("/w/p/k", "/etc/hosts")]), ..write("/w/p/k") };
    let looped = Case { links: with_links(&[("/w/p/k", "/w/p/k")]), ..write("/w/p/k") };
    for (why, case) in [
        ("the killswitch", of_tool("Bash", vec![path(Effect::Remove, "/")])),
        ("a protected path", write("/w/p/.git/config")),
        ("a protected path", write("/w/p/.vscode/settings.json")),
        ("a person is needed", person),
        ("a rule denies", run("make").deny("Bash(make)")),
        ("a rule asks", run("make").rule(Behavior::Ask, Source::UserSettings, "Bash(make)")),
        ("a broken rule", run("make").deny("Bash(x")),
        ("while planning", run("make").mode(Mode::Plan)),
        ("it was not understood", Case { form: Form::closed("Bash".into()), ..Case::unknown("$x") }),
        ("a star means anything", run("rm *.o")),
        ("a star means anything", of_tool("Skill", vec![Effect::Name("a*".to_owned())])),
        ("lines are no spaces", run("make\nx")),
        ("too many", of_tool("Bash", many)),
        ("a part cannot be", of_tool("Bash", vec![command("make", false), command("rm *", false)])),
        ("a link, of which one rule cannot mean both ends", linked),
        ("nobody knows where it leads", looped),
        ("everything", of_tool("Read", vec![path(Effect::ReadBelow, "/")])),
    ] {
        for profile in PROFILES {
            let case = Case { profile, ..case.clone() };
            assert_eq!(texts(&case), [] as [String; 0], "{why}: {:?}", case.effects);
        }
    }
}
