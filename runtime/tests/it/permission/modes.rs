//! Every mode, over everything a call can do, with and without a person.

use std::path::PathBuf;

use toolwright::contract::{Effect, Effects, Flags};
use toolwright::permission::{HookSays, Mode};

use super::world::{Case, MODES, PROFILES, command, path};

/// What a call does, a column each.
fn columns() -> Vec<Case> {
    let reads = Flags { read_only: true, ..Flags::default() };
    let read = |at| Case { flags: reads, ..Case::new(path(Effect::Read, at)) };
    vec![
        read("/w/p/a"),
        read("/etc/passwd"),
        Case::new(path(Effect::Write, "/w/p/a")),
        Case::new(path(Effect::Write, "/w/q/a")),
        Case::new(path(Effect::Remove, "/w/p/a")),
        Case::new(path(Effect::Remove, "/w/q/a")),
        Case { flags: reads, ..Case::new(command("ls", true)) },
        Case::new(command("make", false)),
        Case::new(Effect::Contact("x.com".to_owned())),
        Case::new(Effect::Name("x".to_owned())),
        Case::unknown(""),
        Case { effects: Effects::none(), ..Case::unknown("") },
    ]
}

/// `y` is allowed, `n` denied, and `?` asked of anyone.
const TABLE: &[(Mode, &str)] = &[
    // Read in and out, write in and out, remove in and out, a look, a command, a host, a name, unknown, nothing.
    (Mode::Default, "y? ?? ?? y??? ??"),
    (Mode::AcceptEdits, "y? y? y? y??? ??"),
    (Mode::Plan, "y? nn nn y??? ??"),
    (Mode::BypassPermissions, "yy yy yy yyyy yy"),
    (Mode::DontAsk, "yn nn nn ynnn nn"),
    (Mode::Auto, "y? ?? ?? y??? ??"),
    (Mode::Bubble, "y? ?? ?? y??? ??"),
];

#[test]
fn the_answer_of_each_mode_to_each_effect() {
    assert_eq!(TABLE.len(), MODES.len());
    for (mode, row) in TABLE {
        for profile in PROFILES {
            for has_person in [true, false] {
                let cells = row.chars().filter(|c| *c != ' ');
                let columns = columns();
                assert_eq!(cells.clone().count(), columns.len());
                for (case, cell) in columns.into_iter().zip(cells) {
                    let case = Case { profile, has_person, ..case }.mode(*mode);
                    let expected = match (cell, has_person) {
                        ('y', _) => "allow",
                        ('n', _) => "deny",
                        (_, true) => "anyone",
                        (_, false) => "hooks",
                    };
                    assert_eq!(case.word(), expected, "{mode} {profile:?} {has_person} {:?}", case.effects);
                }
            }
        }
    }
}

#[test]
fn a_bare_allow_rule_opens_what_the_mode_leaves_open() {
    for (mode, row) in [
        (Mode::Default, "yy yy yy yyyy yy"),
        (Mode::AcceptEdits, "yy yy yy yyyy yy"),
        // Writes are refused and the rest asks, whatever the rules allow.
        (Mode::Plan, "yy nn nn y?y? ?y"),
        (Mode::DontAsk, "yy yy yy yyyy yy"),
    ] {
        for (case, cell) in columns().into_iter().zip(row.chars().filter(|c| *c != ' ')) {
            let expected = match cell {
                'y' => "allow",
                'n' => "deny",
                _ => "anyone",
            };
            let case = case.mode(mode).allow("Some");
            assert_eq!(case.word(), expected, "{mode} {:?}", case.effects);
        }
    }
}

#[test]
fn a_tool_that_says_it_only_looks_is_held_to_what_it_does() {
    let reads = Flags { read_only: true, ..Flags::default() };
    for effect in [
        path(Effect::Write, "/w/p/a"),
        path(Effect::Remove, "/w/p/a"),
        command("make", false),
        Effect::Contact("x.com".to_owned()),
    ] {
        assert_eq!(Case { flags: reads, ..Case::new(effect.clone()) }.word(), "anyone", "{effect:?}");
    }
    // One that does not say so is not believed to only look, whatever it names.
    assert_eq!(Case::new(path(Effect::Read, "/w/p/a")).word(), "anyone");
    assert_eq!(Case { effects: Effects::none(), ..Case::unknown("") }.word(), "anyone");
    assert_eq!(Case { effects: Effects::none(), flags: reads, ..Case::unknown("") }.word(), "allow");
}

#[test]
fn accept_edits_approves_file_commands_only_where_the_agent_works() {
    for (text, expected) in [
        ("mkdir a", "allow"),
        ("cp a b/c", "allow"),
        ("mv a /w/more/b", "allow"),
        ("rm -r a", "allow"),
        ("cp a /etc/b", "anyone"),
        ("cp --target-directory=/etc a", "anyone"),
        ("cp -t/etc a", "anyone"),
        ("mv a ../b", "anyone"),
        ("rm -rf ../../q/x", "anyone"),
        ("rm $x/y", "anyone"),
        ("cp a ~/b", "anyone"),
        ("touch *", "anyone"),
        ("sed -i s/a/b/ c", "allow"),
        ("sed -i s/a/b/ /etc/c", "anyone"),
        ("sed -i s/a/b/e c", "anyone"),
        ("sed -n 1e c", "anyone"),
        ("sed --expression=1e c", "anyone"),
        ("env touch a", "allow"),
        ("env -i touch a", "anyone"),
        ("/bin/cp a b", "allow"),
        ("make a", "anyone"),
        ("/tmp/cp a b", "anyone"),
    ] {
        assert_eq!(Case::new(command(text, false)).mode(Mode::AcceptEdits).word(), expected, "{text}");
    }
    // One effect elsewhere is enough, whatever the words are.
    let mut case = Case::new(command("cp a b", false)).mode(Mode::AcceptEdits);
    case.effects = Effects::Known(vec![command("cp a b", false), path(Effect::Write, "/etc/b")]);
    assert_eq!(case.word(), "anyone");
}

#[test]
fn the_root_and_relative_folders_are_no_place_to_work_in() {
    let reads = Flags { read_only: true, ..Flags::default() };
    for (cwd, more) in [("/", ""), ("/w/p", ""), ("", ""), ("w", "."), ("/w/p", "/")] {
        let mut case = Case { flags: reads, ..Case::new(path(Effect::Read, "/etc/passwd")) };
        case.context.cwd = PathBuf::from(cwd);
        case.context.additional_directories = vec![PathBuf::from(more)];
        assert_eq!(case.word(), "anyone", "{cwd:?} {more:?}");
    }
}

#[test]
fn a_changed_mode_or_directory_counts_from_the_next_call_on() {
    let case = Case::new(path(Effect::Write, "/w/more/a")).mode(Mode::AcceptEdits);
    assert_eq!(case.word(), "allow");
    let mut later = case.clone();
    later.context.additional_directories.clear();
    assert_eq!(later.word(), "anyone");
    assert_eq!(case.mode(Mode::Plan).word(), "deny");
}

#[test]
fn a_hooks_allow_answers_in_every_mode() {
    for mode in MODES {
        let hook = HookSays::Allow("fine".to_owned());
        assert_eq!(Case { hook, ..Case::unknown("x") }.mode(mode).by(), "hook", "{mode}");
    }
}
