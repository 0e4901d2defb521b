//! Links: both what a path says and where it leads must be open, and either closes.

use std::path::{Path, PathBuf};

use toolwright::contract::{Effect, Flags};
use toolwright::permission::{Behavior, Files, Mode, RealFiles, RuleSet, Ruling, Source, Subject, judge};

use super::world::{Case, command, path, with_links};

fn linked(links: &[(&str, &str)], effect: Effect) -> Case {
    let flags = Flags { read_only: matches!(effect, Effect::Read(_)), ..Flags::default() };
    Case { links: with_links(links), flags, ..Case::new(effect) }
}

#[test]
fn allow_needs_both_and_deny_needs_either() {
    let key = || linked(&[("/w/p/project/key", "/home/me/.ssh/id")], path(Effect::Read, "/w/p/project/key"));
    assert_eq!(key().allow("Read(./project/**)").deny("Read(~/.ssh/**)").word(), "deny");
    assert_eq!(key().allow("Read(./project/**)").word(), "anyone");
    assert_eq!(key().allow("Read(~/.ssh/**)").word(), "anyone");
    assert_eq!(key().allow("Read(./project/**)").allow("Read(~/.ssh/**)").word(), "anyone");
    assert_eq!(key().allow("Read(//**)").word(), "allow");
    assert_eq!(key().allow("Some").deny("Read(./project/**)").word(), "deny");
    assert_eq!(key().allow("Some").word(), "allow");
}

#[test]
fn a_link_out_of_the_directories_is_out_of_them() {
    for effect in [Effect::Read, Effect::Write, Effect::Remove] {
        let out = linked(&[("/w/p/out", "/srv/x")], path(effect, "/w/p/out/a")).mode(Mode::AcceptEdits);
        assert_eq!(out.word(), "anyone", "{:?}", out.effects);
        let into = linked(&[("/srv/x", "/w/p")], path(effect, "/srv/x/a")).mode(Mode::AcceptEdits);
        assert_eq!(into.word(), "anyone", "{:?}", into.effects);
        let within = linked(&[("/w/p/x", "/w/more/y")], path(effect, "/w/p/x/a")).mode(Mode::AcceptEdits);
        assert_eq!(within.word(), "allow", "{:?}", within.effects);
    }
}

#[test]
fn dots_behind_a_link_are_read_both_ways() {
    // By name this is in the project; the system goes through the link first.
    let case = linked(&[("/w/p/out", "/srv/deep/x")], path(Effect::Read, "/w/p/out/../a"));
    assert_eq!(case.word(), "anyone");
    assert_eq!(case.clone().allow("Some").deny("Read(//srv/deep/a)").word(), "deny");
    assert_eq!(
        case.allow("Some").deny("Read(/a)").rule(Behavior::Deny, Source::Session, "Read(/a)").word(),
        "deny"
    );
}

#[test]
fn a_working_directory_that_is_a_link_is_known_by_both_names() {
    let links = [("/w/p", "/data/p")];
    for at in ["/w/p/.env", "/data/p/.env", "/w/p/a/.env", "/data/p/a/.env"] {
        let case = linked(&links, path(Effect::Read, at));
        assert_eq!(case.word(), "allow", "{at}");
        for rule in ["Read(.env)", "Read(**/.env)"] {
            assert_eq!(case.clone().deny(rule).word(), "deny", "{rule} {at}");
        }
    }
    let write = linked(&links, path(Effect::Write, "/w/p/src/a"));
    assert_eq!(write.clone().allow("Edit(src/**)").word(), "allow");
    assert_eq!(write.mode(Mode::AcceptEdits).word(), "allow");
}

#[test]
fn a_rule_that_closes_follows_the_links_in_it() {
    let links = [("/home/me/.ssh", "/vault/ssh"), ("/w/p/secret", "/vault/s")];
    for at in ["/vault/ssh/id", "/home/me/.ssh/id"] {
        assert_eq!(
            linked(&links, path(Effect::Read, at)).allow("Some").deny("Read(~/.ssh/**)").word(),
            "deny"
        );
    }
    let vault = || linked(&links, path(Effect::Read, "/vault/s/a"));
    assert_eq!(vault().allow("Some").deny("Read(./secret/*)").word(), "deny");
    // One that opens does not: whoever can make a link there would open what it likes.
    assert_eq!(vault().allow("Read(./secret/*)").word(), "anyone");
}

#[test]
fn a_loop_is_for_a_person_whatever_the_rules_and_the_mode_say() {
    for effect in [Effect::Read, Effect::Write, Effect::Remove] {
        let case = linked(&[("/w/p/loop", "/w/p/loop")], path(effect, "/w/p/loop/a")).allow("Some");
        for mode in [Mode::Default, Mode::AcceptEdits, Mode::BypassPermissions] {
            assert_eq!(case.clone().mode(mode).word(), "person");
            assert_eq!(Case { has_person: false, ..case.clone() }.mode(mode).word(), "deny");
        }
        // What is denied by its name stays denied.
        assert_eq!(case.deny("Read(./loop/**)").word(), "deny");
    }
    let cwd = linked(&[("/w/p", "/w/p")], path(Effect::Read, "/w/more/a"));
    assert_eq!(cwd.allow("Some").word(), "person");
}

#[test]
fn where_folders_lead_matters_only_to_what_may_touch_files() {
    let lost = |effect| linked(&[("/w/p", "/w/p")], effect).allow("Some").word();
    assert_eq!(lost(Effect::Name("a subject".to_owned())), "allow");
    assert_eq!(lost(Effect::Contact("example.org".to_owned())), "allow");
    assert_eq!(lost(command("ls", true)), "person");
    for effect in [Effect::Read, Effect::ReadBelow, Effect::Write, Effect::Remove] {
        assert_eq!(lost(path(effect, "/w/more/a")), "person");
    }
}

#[test]
fn an_answer_that_is_no_absolute_path_is_none() {
    struct Odd;
    impl Files for Odd {
        fn resolve(&self, _path: &Path) -> std::io::Result<PathBuf> {
            Ok(PathBuf::from("w/p"))
        }
    }
    let case = Case::new(path(Effect::Read, "/w/p/a"));
    let (rules, problems) = RuleSet::new([(Behavior::Allow, Source::CliArg, "Some")], &case.context, &Odd);
    assert_eq!(problems, []);
    let subject = Subject::new(&case.form, case.flags, case.effects.clone(), [], &case.context, &Odd);
    let ruling = judge(&subject, &rules, case.profile, &case.hook, &case.opinion, false);
    assert!(matches!(ruling, Ruling::Decided(decision) if decision.by == "nobody"));
}

/// A folder of its own for a test, removed at its end.
#[cfg(unix)]
struct Folder(PathBuf);

#[cfg(unix)]
impl Folder {
    fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("toolwright-links-{name}-{}", std::process::id()));
        drop(std::fs::remove_dir_all(&folder));
        std::fs::create_dir_all(folder.join("in/sub")).expect("a temporary folder can be made");
        Folder(folder.canonicalize().expect("it was just made"))
    }

    fn link(&self, name: &str, target: impl AsRef<Path>) {
        std::os::unix::fs::symlink(target, self.0.join(name)).expect("links can be made");
    }

    fn resolve(&self, name: &str) -> Option<PathBuf> {
        let real = RealFiles.resolve(&self.0.join(name)).ok()?;
        Some(real.strip_prefix(&self.0).map(Path::to_path_buf).unwrap_or(real))
    }
}

#[cfg(unix)]
impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

#[cfg(unix)]
#[test]
fn real_links_lead_where_a_write_through_them_would_go() {
    let folder = Folder::new("lead");
    std::fs::write(folder.0.join("in/file"), "").expect("files can be written");
    folder.link("in/up", "..");
    folder.link("in/out", "/");
    folder.link("in/dangling", "../missing/file");
    folder.link("in/chain", "dangling");
    folder.link("in/loop", "loop");
    folder.link("in/ping", "pong");
    folder.link("in/pong", "ping");
    for (name, expected) in [
        ("in/file", Some("in/file")),
        ("in/new", Some("in/new")),
        ("in/new/deeper/still", Some("in/new/deeper/still")),
        ("in/sub/../file", Some("in/file")),
        ("in/up/in/file", Some("in/file")),
        ("in/out/etc", Some("/etc")),
        ("in/dangling", Some("missing/file")),
        ("in/dangling/x", Some("missing/file/x")),
        ("in/chain", Some("missing/file")),
        ("in/loop", None),
        ("in/loop/x", None),
        ("in/ping", None),
        ("in/new/../x", None),
        ("in/file/x", None),
    ] {
        assert_eq!(folder.resolve(name), expected.map(PathBuf::from), "{name}");
    }
    assert!(RealFiles.resolve(Path::new("in/file")).is_err(), "a relative path leads nowhere in particular");
}

#[cfg(unix)]
#[test]
fn a_dangling_link_to_a_start_up_file_is_that_file() {
    let folder = Folder::new("dangling");
    folder.link("in/notes", "../.bashrc");
    let mut case = Case::new(Effect::Write(folder.0.join("in/notes"))).mode(Mode::BypassPermissions);
    case.context.cwd = folder.0.join("in");
    let rules = RuleSet::default();
    let subject = Subject::new(&case.form, case.flags, case.effects.clone(), [], &case.context, &RealFiles);
    let ruling = judge(&subject, &rules, case.profile, &case.hook, &case.opinion, true);
    assert!(matches!(ruling, Ruling::Decided(decision) if decision.by == "killswitch"));
}
