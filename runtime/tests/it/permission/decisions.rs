//! The table of all decisions, made from the code and kept in the docs: whoever changes an answer sees it change there.

use std::fmt::Write as _;

use toolwright::contract::{DefaultPermission, Effect, Effects, Flags, Opinion};
use toolwright::event::Verdict;
use toolwright::permission::{
    Asking, Behavior, HookSays, May, Mode, Present, Profile, Ready, Ruling, Source, candidates,
};
use toolwright::testing::BLESS;

use super::world::{Case, MODES, PROFILES, command, path, with_links};

/// Where the table is kept, from the folder of this crate.
const PLACE: &str = "src/permission/decisions.md";

/// What is judged, a row each: by the line of the order of decision that it shows.
fn rows() -> Vec<(u8, &'static str, Case)> {
    let name = || Case::new(Effect::Name("x".to_owned()));
    let write = |at| Case::new(path(Effect::Write, at));
    let mut rows = vec![
        (4, "killswitch: removes `/etc`", Case::new(path(Effect::Remove, "/etc"))),
        (4, "killswitch: writes `.git/config`, which a rule allows", write("/w/p/.git/config").allow("Some")),
        (4, "killswitch: a text nobody understood, `rm -rf $x`", Case::unknown("rm -rf $x")),
        (
            4,
            "killswitch, and a hook allows",
            Case { hook: allows(), ..Case::new(path(Effect::Remove, "/etc")) },
        ),
        (5, "a deny rule", name().deny("Some")),
        (5, "a deny rule, and a hook allows", Case { hook: allows(), ..name().deny("Some") }),
        (5, "a deny rule and the killswitch", Case::new(path(Effect::Remove, "/etc")).deny("Some")),
        (6, "the tool denies", Case { opinion: Opinion::Deny("no".to_owned()), ..name() }),
        (7, "an ask rule", name().rule(Behavior::Ask, Source::UserSettings, "Some")),
        (7, "a deny rule that cannot be read, and one that allows", name().deny("Some(x").allow("Some")),
        (7, "a hook asks", Case { hook: HookSays::Ask("why".to_owned()), ..name() }),
        (7, "the tool asks", Case { opinion: Opinion::Ask("why".to_owned()), ..name() }),
        (
            7,
            "a path that leads nowhere",
            Case { links: with_links(&[("/w/p/l", "/w/p/l")]), ..write("/w/p/l") },
        ),
    ];
    let mut needs_person = name().allow("Some");
    needs_person.form.needs_person = true;
    rows.push((7, "only a person can answer the tool, and a rule allows", needs_person));
    rows.extend([
        (8, "a hook allows what nobody understood", Case { hook: allows(), ..Case::unknown("x") }),
        (8, "a hook allows a write", Case { hook: allows(), ..write("/w/p/a") }),
        (8, "a hook allows a protected path", Case { hook: allows(), ..write("/w/p/.vscode/x") }),
        (9, "a protected path, which a rule allows", write("/w/p/.vscode/x").allow("Some")),
    ]);
    rows.extend(settled_by_mode());
    rows.extend(conflicts());
    rows
}

fn settled_by_mode() -> Vec<(u8, &'static str, Case)> {
    let reads = Flags { read_only: true, ..Flags::default() };
    let looks = |effect| Case { flags: reads, ..Case::new(effect) };
    let write = |at| Case::new(path(Effect::Write, at));
    let makes = vec![command("mkdir a", false), path(Effect::Write, "/w/p/a")];
    let mut open = Case::unknown("");
    open.form.default_permission = DefaultPermission::Allow;
    vec![
        (10, "writes in the working directory", write("/w/p/a")),
        (10, "writes in the working directory, which a rule allows", write("/w/p/a").allow("Some")),
        (10, "removes in the working directory", Case::new(path(Effect::Remove, "/w/p/a"))),
        (10, "`mkdir a`", Case { effects: Effects::Known(makes), ..write("/w/p/a") }),
        (10, "`make`", Case::new(command("make", false))),
        (
            11,
            "`make`, which a rule allows",
            Case::new(command("make", false)).allow("Bash(make)").allow("Some"),
        ),
        (11, "writes elsewhere, which a rule allows", write("/w/q/a").allow("Some")),
        (11, "what nobody understood, which a rule allows", Case::unknown("x $y").allow("Some")),
        (11, "the tool allows", Case { opinion: Opinion::Allow, ..Case::new(Effect::Name("x".to_owned())) }),
        (12, "reads in the working directory", looks(path(Effect::Read, "/w/p/a"))),
        (12, "a command that only looks", looks(command("ls", true))),
        (12, "a tool that is open by default", open),
        (13, "reads elsewhere", looks(path(Effect::Read, "/etc/passwd"))),
        (13, "writes elsewhere", write("/w/q/a")),
        (
            11,
            "contacts a host, which a rule allows",
            Case::new(Effect::Contact("x.com".to_owned())).allow("Some"),
        ),
        (13, "contacts a host", Case::new(Effect::Contact("x.com".to_owned()))),
        (
            11,
            "uses something by its name, which a rule allows",
            Case::new(Effect::Name("x".to_owned())).allow("Some"),
        ),
        (
            12,
            "uses something by its name and only looks, which a rule allows",
            looks(Effect::Name("x".to_owned())).allow("Some"),
        ),
        (13, "what nobody understood", Case::unknown("x $y")),
    ]
}

fn conflicts() -> Vec<(u8, &'static str, Case)> {
    use Behavior::{Allow, Ask, Deny};
    use Source::{PolicySettings, ProjectSettings, Session, UserSettings};
    let reads = Flags { read_only: true, ..Flags::default() };
    let name = || Case { flags: reads, ..Case::new(Effect::Name("x".to_owned())) };
    vec![
        (
            5,
            "user denies, project allows",
            name().rule(Deny, UserSettings, "Some").rule(Allow, ProjectSettings, "Some"),
        ),
        (
            5,
            "project denies, user allows",
            name().rule(Deny, ProjectSettings, "Some").rule(Allow, UserSettings, "Some"),
        ),
        (
            5,
            "policy denies, user allows",
            name().rule(Deny, PolicySettings, "Some").rule(Allow, UserSettings, "Some"),
        ),
        (
            5,
            "user denies, policy allows",
            name().rule(Deny, UserSettings, "Some").rule(Allow, PolicySettings, "Some"),
        ),
        (
            5,
            "policy asks, the session allows",
            name().rule(Ask, PolicySettings, "Some").rule(Allow, Session, "Some"),
        ),
    ]
}

fn allows() -> HookSays {
    HookSays::Allow("fine".to_owned())
}

/// Who decides, or who may answer.
fn cell(case: &Case) -> String {
    match case.judge().0 {
        Ruling::Decided(decision) => match decision.verdict {
            Verdict::Allow => format!("yes ({})", decision.by),
            Verdict::Deny => format!("no ({})", decision.by),
        },
        Ruling::Ask(asking) => asked(&asking, case),
    }
}

/// Everybody is there, and the classifier can be asked.
fn asked(asking: &Asking, case: &Case) -> String {
    let present = Present { hooks: true, classifier: Ready::Yes, person: case.has_person };
    let who = candidates(asking, case.context.mode, present);
    let classifier = match who.classifier {
        May::Nothing => None,
        May::Deny => Some("classifier"),
        May::Decide => Some("**classifier**"),
    };
    let all = [who.hooks.then_some("hook"), classifier, who.person.then_some("person")];
    all.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn table(profile: Profile, has_person: bool) -> String {
    let mut out = String::from("| line | |");
    for mode in MODES {
        write!(out, " {mode} |").expect("a string takes everything");
    }
    out.push_str("\n|---|---|");
    out.push_str(&"---|".repeat(MODES.len()));
    out.push('\n');
    for (line, what, case) in rows() {
        write!(out, "| {line} | {what} |").expect("a string takes everything");
        for mode in MODES {
            let case = Case { profile, has_person, ..case.clone() }.mode(mode);
            write!(out, " {} |", cell(&case)).expect("a string takes everything");
        }
        out.push('\n');
    }
    out
}

fn document() -> String {
    let mut out = String::from(HEAD);
    for profile in PROFILES {
        let name = match profile {
            Profile::V2_1_88 => "v2_1_88",
            Profile::Current => "current",
        };
        for (has_person, there) in [(true, "a person is there"), (false, "nobody is there")] {
            write!(out, "\n### Profile `{name}`, {there}\n\n{}", table(profile, has_person))
                .expect("a string takes everything");
        }
    }
    out
}

const HEAD: &str = "\
## All decisions

Made by a test from the code. The first column is the line of the order of decision that the row shows. `yes` and `no` say in \
brackets who decided; every other cell says who may answer: *hook* is a PermissionRequest hook, and a *classifier* can only say no, but \
for the **classifier** of `auto`, which decides alone. Where it abstains, has a worry or has blocked too often, hooks and the person are \
asked as in `default`.

- The killswitch is told before everything but a denial, which a person's yes to it must not lift.
- In `plan` a command that may change something is asked about, whatever the rules allow, and so is what is known by its name only, of a tool that does not say that it only looks; a classifier can refuse it and not allow it.
- In `auto` a protected path is asked about, and no classifier opens it. Allow rules that are too broad do not count in `auto`.
- In `bubble` the person is the parent's, who is told which agent asks.
- Rules of managed policy are the last source in `v2_1_88`; in `current` its denials and questions are final, since nothing lifts \
either, and its allow rules lift nobody else's denial.
";

#[test]
fn the_table_in_the_docs_is_what_the_gate_says() {
    let text = document();
    if std::env::var_os(BLESS).is_some_and(|value| value == "1") {
        std::fs::write(PLACE, &text).expect("the docs can be written");
    }
    let kept = std::fs::read_to_string(PLACE).expect("the table is in the docs");
    let differs = kept.lines().zip(text.lines()).find(|(kept, now)| kept != now);
    assert_eq!(differs, None, "run this test once with {BLESS}=1, and look at the difference");
    assert_eq!(kept, text);
}

#[test]
fn no_cell_lets_a_denial_or_the_killswitch_through() {
    for (line, what, case) in rows() {
        for profile in PROFILES {
            for has_person in [true, false] {
                for mode in MODES {
                    let cell = cell(&Case { profile, has_person, ..case.clone() }.mode(mode));
                    let is_closed = matches!(line, 4 | 7);
                    assert!(!is_closed || cell == "person" || cell.starts_with("no"), "{what} {mode} {cell}");
                    assert!(!is_closed || has_person || cell.starts_with("no"), "{what} {mode} {cell}");
                    let must_not_ask = mode == Mode::DontAsk || cell.is_empty();
                    assert!(
                        !must_not_ask || cell.starts_with("yes") || cell.starts_with("no"),
                        "{what} {mode} {cell}"
                    );
                }
            }
        }
    }
}
