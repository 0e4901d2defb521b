//! What loading and a look at the rules as a whole tell their author, and under which piece it is drawn.

use toolwright::contract::{Context, Form};
use toolwright::env::Env;
use toolwright::permission::{Behavior, ProblemKind, Profile, RuleProblem, RuleSet, RuleText, Source};
use toolwright::prelude::*;
use toolwright::registry::Catalogue;
use toolwright::session::Session;
use toolwright::settings::MemoryFiles;

use super::world::{PROFILES, context};
use crate::world::spans_of;

use Behavior::{Allow, Ask, Deny};
use Source::{LocalSettings, PolicySettings, ProjectSettings, UserSettings};

type Rule = (Behavior, Source, &'static str);

fn set(rules: &[Rule]) -> (RuleSet, Vec<RuleProblem>) {
    let context: Context = context(Mode::Default);
    RuleSet::new(rules.iter().copied(), &context, &MemoryFiles::default())
}

/// All that is said of the rules, with the piece that it is about.
fn said(rules: &[Rule], profile: Profile) -> Vec<(usize, ProblemKind, String)> {
    let forms = ["Bash", "Read", "Edit", "Write", "Agent", "Skill", "WebFetch", "WebSearch"];
    let forms = forms.map(|name| Form::closed(name.into()));
    let (set, mut problems) = set(rules);
    problems.extend(set.reports(profile, &forms.iter().collect::<Vec<_>>()));
    problems
        .iter()
        .map(|problem| {
            let text = rules[problem.index].2;
            assert_eq!((problem.rule.as_str(), problem.source), (text, rules[problem.index].1));
            let piece = problem.span.clone().map_or(text, |span| &text[span]);
            (problem.index, problem.kind, piece.to_owned())
        })
        .collect()
}

#[test]
fn a_problem_is_drawn_under_the_piece_at_fault() {
    use ProblemKind::{
        Broken, ForeignTool, LikelyAnchor, NeverConsulted, TooBroad, TooManyNames, UnknownTool,
    };
    for (behavior, rule, kind, piece) in [
        (Deny, "a b(x)", Broken, " "),
        (Deny, "", Broken, ""),
        (Deny, "(x)", Broken, "(x)"),
        (Deny, "  So\u{e9}me!(x)", Broken, "!"),
        (Deny, "Bash(x", Broken, "(x"),
        (Deny, "Bash(a)b)", Broken, "b)"),
        (Deny, "Bash(a (b", Broken, "("),
        (Deny, "Bash(a (b)", Broken, "(a (b)"),
        (Deny, r"Bash(a\)", Broken, r"\)"),
        (Deny, "Bash(:*)", Broken, ":*"),
        (Deny, "Read(~nobody/x)", Broken, "~nobody"),
        (Deny, "Read($HOME/x)", Broken, "$HOME"),
        (Deny, "Read(!x)", Broken, "!"),
        (Deny, "Read(a/*/../x)", Broken, ".."),
        (Deny, "Read(a/[b/c)", Broken, "[b"),
        (Deny, r"Read(\(a\)/[b/c)", Broken, "[b"),
        (Deny, "WebFetch(x.com)", Broken, "x.com"),
        (Deny, "WebFetch(localhost:3000)", Broken, "localhost:3000"),
        (Deny, "WebFetch(domain:https://x.com/a)", Broken, "https://x.com/a"),
        (Deny, "mcp__*(x)", Broken, "x"),
        (Deny, "mcp__a__b(x)", NeverConsulted, "x"),
        (Deny, "Bash(command:rm *)", NeverConsulted, "command"),
        (Allow, "Bash( command : rm *)", NeverConsulted, " command "),
        (Allow, "Write(docs/**)", NeverConsulted, "docs/**"),
        (Deny, "NotebookEdit(a)", NeverConsulted, "a"),
        (Deny, "Glob(a)", NeverConsulted, "a"),
        (Deny, "MultiEdit(a)", NeverConsulted, "a"),
        (Deny, "WebSearch(a)", NeverConsulted, "a"),
        (Allow, "Bash(run_in_background:true)", NeverConsulted, "run_in_background:true"),
        (Allow, "Agent(model:opus)", NeverConsulted, "model:opus"),
        (Allow, "mcp__*", TooManyNames, "*"),
        (Allow, "S*", TooManyNames, "*"),
        (Deny, "Bahs(rm *)", UnknownTool, "Bahs"),
        (Deny, "Terminal(rm *)", ForeignTool, "Terminal"),
        (Deny, "Read(/etc/passwd)", LikelyAnchor, "/etc"),
        (Allow, "Edit(/home/me/x/**)", LikelyAnchor, "/home"),
        (Allow, "Edit(/w/p/src/**)", LikelyAnchor, "/w"),
        (Allow, "Bash", TooBroad, "Bash"),
        (Allow, "Bash(*)", TooBroad, "Bash"),
        (Allow, "Bash(python *)", TooBroad, "python *"),
        (Allow, "Bash(sudo *)", TooBroad, "sudo *"),
    ] {
        for profile in PROFILES {
            let said = said(&[(behavior, UserSettings, rule)], profile);
            assert_eq!(said, [(0, kind, piece.to_owned())], "{behavior:?} {rule}");
        }
    }
}

#[test]
fn of_rules_that_say_what_they_mean_nothing_is_said() {
    let rules = [
        (Allow, UserSettings, "Bash(npm run test *)"),
        (Allow, UserSettings, "Bash(python script.py *)"),
        (Deny, UserSettings, "Bash(python *)"),
        (Deny, UserSettings, "Agent(model:opus)"),
        (Allow, UserSettings, "Agent(plugin:reviewer)"),
        (Allow, UserSettings, "Skill(plugin:name)"),
        (Allow, UserSettings, "Skill(review *)"),
        (Allow, UserSettings, "Read(//etc/hosts)"),
        (Allow, UserSettings, "Edit(/src/**)"),
        (Deny, UserSettings, "Read(.env)"),
        (Deny, UserSettings, "mcp__late__tool"),
        (Allow, UserSettings, "WebFetch(domain:*.x.com)"),
    ];
    for profile in PROFILES {
        for rule in rules {
            assert_eq!(said(&[rule], profile), [], "{rule:?}");
        }
    }
}

#[test]
fn every_reason_says_what_to_write_instead() {
    for (rule, remedy) in [
        ((Deny, UserSettings, "Bash(x"), "write `Bash(x)`"),
        ((Deny, UserSettings, "Write(a/**)"), "write `Edit(a/**)`"),
        ((Deny, UserSettings, "Grep(a/**)"), "write `Read(a/**)`"),
        ((Deny, UserSettings, "Bash(command:rm *)"), "write `Bash(rm *)`"),
        ((Deny, UserSettings, "WebFetch(https://x.com/a)"), "write `domain:x.com`"),
        ((Deny, UserSettings, "Read($HOME/x)"), "write `~/`"),
    ] {
        let problems = set(&[rule]).1;
        assert!(problems[0].reason.contains(remedy), "{}", problems[0]);
    }
}

#[test]
fn rules_that_never_decide_are_told_with_the_rule_that_wins() {
    use ProblemKind::Shadowed;
    let both = |deny, allow| [(Deny, UserSettings, deny), (Allow, UserSettings, allow)];
    for (deny, allow, is_dead) in [
        ("Bash(git *)", "Bash(git push *)", true),
        ("Bash(git *)", "Bash(git)", true),
        ("Bash(git push *)", "Bash(git *)", false),
        ("Bash(git push)", "Bash(git push *)", false),
        ("Bash", "Bash(git push *)", true),
        ("Agent", "Agent(x)", true),
        ("mcp__a", "mcp__a__b", true),
        ("mcp__b", "mcp__a__b", false),
        ("Skill(a)", "Skill(a)", true),
        ("Skill(a)", "Agent(a)", false),
        ("Read(secrets/**)", "Read(secrets/a)", true),
        ("Read(secrets/**)", "Edit(secrets/a)", true),
        ("Read(secrets/a)", "Read(secrets/**)", false),
        ("Edit(secrets/**)", "Read(secrets/a)", false),
        ("Read(.env)", "Read(a/.env)", true),
        ("Read(~/.ssh)", "Read(~/.ssh/known_hosts)", true),
        // Other tools read too.
        ("Read", "Read(a)", false),
        ("WebFetch(domain:*.x.com)", "WebFetch(domain:a.x.com)", true),
        ("WebFetch(domain:*.x.com)", "WebFetch(domain:x.com)", false),
        ("Agent(model:opus)", "Agent(x)", false),
    ] {
        for profile in PROFILES {
            let said = said(&both(deny, allow), profile);
            let dead: Vec<_> =
                said.iter().filter(|(index, kind, _)| (*index, *kind) == (1, Shadowed)).collect();
            assert_eq!(dead.len(), usize::from(is_dead), "{deny} over {allow}: {said:?}");
        }
    }
    // Over the union the source does not matter; by source only a higher one wins.
    let rules = [(Deny, PolicySettings, "Bash(git *)"), (Allow, ProjectSettings, "Bash(git push *)")];
    assert!(said(&rules, Profile::Current).iter().any(|(index, kind, _)| (*index, *kind) == (1, Shadowed)));
    assert!(!said(&rules, Profile::V2_1_88).iter().any(|(_, kind, _)| *kind == Shadowed));
    let rules = [(Ask, UserSettings, "Skill(a)"), (Deny, LocalSettings, "Skill(a*)")];
    assert!(said(&rules, Profile::V2_1_88).iter().any(|(index, kind, _)| (*index, *kind) == (0, Shadowed)));
}

#[test]
fn a_rule_that_is_given_twice_is_told_and_decides_once() {
    let rules = [
        (Allow, UserSettings, "Bash(ls *)"),
        (Allow, UserSettings, "Bash(ls *)"),
        (Deny, UserSettings, "Skill(ls)"),
        (Allow, ProjectSettings, "Bash(ls *)"),
    ];
    let said = said(&rules, Profile::Current);
    assert_eq!(said, [(1, ProblemKind::Duplicate, "Bash(ls *)".to_owned())]);
}

#[test]
fn rules_added_later_are_counted_on_and_decide_with_the_others() {
    let (first, _) = set(&[(Deny, UserSettings, "Bash(rm *)"), (Deny, UserSettings, "Bash(x")]);
    let context = context(Mode::Default);
    let later =
        [RuleText::new(Allow, Source::Session, "Bash(ls *)"), RuleText::new(Deny, Source::Session, "Bash(y")];
    let (both, problems) = first.with(later, &context, &MemoryFiles::default());
    assert_eq!(problems.iter().map(|problem| problem.index).collect::<Vec<_>>(), [3]);
    let (form, links) = (Form::closed("Bash".into()), MemoryFiles::default());
    for (text, expected) in [("rm x", Some(Deny)), ("ls x", Some(Allow)), ("cat x", None)] {
        let effects = Effects::one(super::world::command(text, false));
        let subject =
            toolwright::permission::Subject::new(&form, Default::default(), effects, [], &context, &links);
        assert_eq!(both.answer(&subject, Profile::Current).behavior, expected, "{text}");
    }
}

/// Books an amount.
#[tool]
struct Book {
    /// The account.
    account: String,
}

impl Tool for Book {
    type Output = String;

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok(self.account.clone())
    }
}

#[tokio::test]
async fn a_rule_that_closes_a_parameter_which_is_not_there_is_told_of() {
    let mut tools = Catalogue::new();
    tools.add::<Book>();
    let rules = [
        (Deny, "Book(acount:x)"),
        (Ask, "Book(account:x)"),
        (Deny, "Book(:x)"),
        (Deny, "Book"),
        (Deny, "Other(acount:x)"),
    ];
    let builder = Session::builder(Env::tokio().expect("inside a runtime"), tools);
    let session = rules
        .iter()
        .fold(builder, |builder, (behavior, rule)| builder.rule(*behavior, UserSettings, *rule))
        .build();
    let told = session.rule_problems().iter().find(|problem| problem.kind == ProblemKind::UnknownParameter);
    let told = told.expect("it is told");
    assert_eq!(&told.rule[told.span.clone().expect("a piece is at fault")], "acount");
    assert!(told.reason.contains("`Book` has no parameter `acount`"), "{}", told.reason);
    assert!(told.reason.ends_with("did you mean `account`?"), "{}", told.reason);
    let count = session.rule_problems().iter().filter(|problem| problem.kind == told.kind).count();
    assert_eq!(count, 1, "{:?}", session.rule_problems());
}

/// Fetches a reagent from the shelf.
#[tool(aliases("Chemical"))]
struct Reagent {
    /// Which.
    reagent: String,
}

impl Tool for Reagent {
    type Output = String;

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok(self.reagent.clone())
    }
}

/// What a session whose tool is `Reagent` says of one rule.
fn of_session(behavior: Behavior, rule: &str) -> Vec<RuleProblem> {
    let mut tools = Catalogue::new();
    tools.add::<Reagent>();
    let builder = Session::builder(Env::tokio().expect("inside a runtime"), tools);
    builder.rule(behavior, UserSettings, rule).build().rule_problems().to_vec()
}

#[test]
fn a_rule_given_in_code_that_does_nothing_is_warned_of_as_the_session_is_built() {
    let warned = spans_of(|| async {
        of_session(Deny, "Raegent");
        of_session(Deny, "Reagent(x");
        of_session(Deny, "Reagent");
    });
    assert_eq!(warned.len(), 2, "{warned:?}");
    assert!(warned[0].starts_with("WARN: rule `Raegent` (userSettings): "), "{}", warned[0]);
    assert!(warned[0].ends_with("did you mean `Reagent`?"), "{}", warned[0]);
    assert!(warned[1].starts_with("WARN: rule `Reagent(x` (userSettings): "), "{}", warned[1]);
}

#[tokio::test]
async fn a_session_tells_of_rules_that_allow_nothing_as_of_those_that_close_nothing() {
    use ProblemKind::{ForeignTool, NeverConsulted, UnknownTool};
    for (rule, kind, piece, reason) in [
        ("Reagnt", UnknownTool, "Reagnt", "it allows nothing here; did you mean `Reagent`?"),
        ("Reagnt(ethanol)", UnknownTool, "Reagnt", "it allows nothing here; did you mean `Reagent`?"),
        ("Centrifuge", ForeignTool, "Centrifuge", "no other has a name like it"),
        ("Chemical", UnknownTool, "Chemical", "`Chemical` is another name of `Reagent`"),
        ("Reagent(reagent:ethanol)", NeverConsulted, "reagent:ethanol", "only deny or ask"),
        ("Reagent(color:red)", NeverConsulted, "color:red", "only deny or ask"),
    ] {
        let told = of_session(Allow, rule);
        let [told] = told.as_slice() else { panic!("{rule} is told of once: {told:?}") };
        assert_eq!((told.kind, &rule[told.span.clone().expect("a piece")]), (kind, piece), "{rule}");
        assert!(told.reason.contains(reason), "{told}");
    }
    for behavior in [Deny, Ask] {
        let told = of_session(behavior, "Reagnt");
        assert_eq!((told.len(), told[0].kind), (1, UnknownTool), "{told:?}");
        assert!(told[0].reason.contains("it closes nothing here; did you mean `Reagent`?"), "{}", told[0]);
    }
    let sound = [
        (Allow, "Reagent"),
        (Allow, "Reagent(ethanol)"),
        (Allow, "Reagent(et*)"),
        (Allow, "mcp__shelf__fetch"),
        (Allow, "Read(a/**)"),
        (Allow, "Bash"),
        (Deny, "Chemical"),
        (Deny, "Reagent(reagent:ethanol)"),
    ];
    for (behavior, rule) in sound {
        assert_eq!(of_session(behavior, rule), [], "{behavior:?} {rule}");
    }
}
