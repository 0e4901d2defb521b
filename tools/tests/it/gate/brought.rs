//! What is brought by copying whole folders, where there really are some: what is in them, and what links stand for there.

use std::fs;
use std::os::unix::fs::symlink;

use toolwright::contract::Context;
use toolwright::permission::{Mode, Profile};

use super::{Rules, answer_in};

/// A folder with a project in it, its home beside.
fn project() -> (tempfile::TempDir, Context) {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let root = folder.path().canonicalize().expect("it is there");
    for path in ["w/plain/sub", "w/repo/.git/hooks", "w/rc", "w/out", "w/links", "w/agent/.claude", "h/.ssh"]
    {
        fs::create_dir_all(root.join(path)).expect("folders can be made");
    }
    for path in [
        "w/plain/a",
        "w/plain/sub/b",
        "w/repo/.git/hooks/pre-commit",
        "w/rc/.bashrc",
        "w/agent/.claude/settings.json",
    ] {
        fs::write(root.join(path), "x").expect("files can be made");
    }
    symlink(root.join("h/.bashrc"), root.join("w/links/a")).expect("links can be made");
    symlink(root.join("h/.ssh"), root.join("w/links/sub")).expect("links can be made");
    let mut context = Context::new(root.join("w"));
    context.home = Some(root.join("h"));
    (folder, context)
}

#[test]
fn a_folder_that_is_copied_is_looked_into() {
    let (_folder, mut context) = project();
    let rows: &[(Rules, &str, Mode, &str)] = &[
        (&["+Bash"], "cp -r plain out", Mode::Default, "allow"),
        (&[], "cp -r plain out", Mode::BypassPermissions, "allow"),
        (&[], "mv plain out", Mode::BypassPermissions, "allow"),
        (&[], "cp -r repo out", Mode::BypassPermissions, "deny"),
        (&["+Bash"], "cp -r repo out", Mode::Default, "ask"),
        (&["+Bash"], "cp -a repo new", Mode::Default, "ask"),
        (&[], "cp -a repo/. out", Mode::BypassPermissions, "deny"),
        (&[], "cp -r rc out", Mode::BypassPermissions, "deny"),
        (&[], "mv rc out", Mode::BypassPermissions, "deny"),
        (&[], "rsync -a agent/ out", Mode::BypassPermissions, "deny"),
        // What is there already may lead elsewhere.
        (&["+Bash", "-Edit(~/.ssh/**)"], "cp -r plain/. links", Mode::Default, "deny"),
        (&[], "cp -rT plain links", Mode::BypassPermissions, "deny"),
    ];
    let mut wrong = Vec::new();
    for (rules, command, mode, expected) in rows {
        context.mode = *mode;
        let (given, reason) = answer_in(&context, rules, command, Profile::Current, true);
        if given != *expected {
            wrong.push(format!("{command:?} {mode:?}: {given}, not {expected}: {reason}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_folder_with_too_much_in_it_asks() {
    let (folder, context) = project();
    let full = folder.path().join("w/full");
    fs::create_dir(&full).expect("folders can be made");
    for at in 0..5_100 {
        fs::write(full.join(at.to_string()), "").expect("files can be made");
    }
    let (given, reason) =
        answer_in(&context, &["+Bash(cp *)", "+Edit(**)"], "cp -r full out", Profile::Current, true);
    assert_eq!(given, "ask", "{reason}");
    assert!(reason.contains("full"), "{reason}");
}
