//! What no mode, rule, hook or tool can let through, and a person only each time anew.

use serde_json::json;
use toolwright::contract::{DefaultPermission, Effect, Effects, Opinion};
use toolwright::permission::{Behavior, HookSays, Mode, Source};

use super::world::{Case, MODES, PROFILES, Person, World, command, path, with_links};

/// Paths that must not be removed.
const REMOVED: &[&str] = &[
    "/",
    "/etc",
    "/tmp",
    "/home",
    "/home/me",
    "/home/you",
    "/home/me/../me/",
    "/w",
    "/w/p",
    "/w/p/.",
    "/W/P",
    "/w/more",
    "/w/p/../..",
    "/*",
    "/home/me/*",
    "/w/p/*",
    "/w/p/.*",
    "/w/p/**",
    "/Users/you",
    "/private/etc",
    "/w/p/.git/hooks/pre-commit",
    "/w/p/.claude/settings.json",
    "//",
    "/.",
    "/..",
    "/../..",
    "/./.",
    "//etc",
    "//etc//",
    "/etc/.",
    "/etc/..",
    "/etc/ssh/..",
    "/home/me/x/..",
    "/home/me/.",
    "/home//me",
    "/home/me/../you",
    "/w/p/src/..",
    "/w/p/src/../..",
    "/w/p/./.",
    "/w/p/",
    "/w//p",
    "/w/more/",
    "/w/more/*",
    "/w/more/.*",
    "/w/*",
    "/home/*",
    "/h*/..",
    "/etc/*",
    "/private",
    "/private/etc",
    "/private/var",
    "/private/tmp",
    "/private/home",
    "/private/etc/*",
    "/PRIVATE/VAR",
    "/users/You",
    "/Home/Me",
    "/w/p/?",
    "/w/p/..?",
];

/// Paths that must not be written.
const WRITTEN: &[&str] = &[
    "/w/p/.git",
    "/w/p/.git/config",
    "/w/p/.git/hooks/pre-commit",
    "/w/p/.GIT/Config",
    "/w/p//.git/./config",
    "/w/p/.git/modules/x/config",
    "/w/p/.git/modules/x/hooks/y",
    "/w/p/.git/worktrees/x/config.worktree",
    "/srv/x.git/hooks/update",
    "/srv/x.git/config",
    "/home/me/.bashrc",
    "/home/me/.zshenv",
    "/w/p/.profile",
    "/home/me/.config/fish/config.fish",
    "/etc/profile.d/x.sh",
    "/w/p/.claude/settings.json",
    "/w/p/.claude/settings.local.json",
    "/home/me/.claude/settings.json",
    "/w/p/.claude/worktrees/../settings.json",
    "/w/p/.claude/worktrees/a/.claude/settings.json",
    "/etc/claude-code/managed-settings.json",
    "/etc/claude-code/managed-settings.d/x.json",
];

/// Commands that must not run, from a tool that does not tell what they remove.
const COMMANDS: &[&str] = &[
    "rm -rf /",
    "rm -fr /",
    "rm -r -f /",
    "rm --recursive --force /",
    "rm -rf -- /",
    "rm a /",
    "rm -rf ~",
    "rm -rf ~/",
    "rm -rf $HOME",
    "rm -rf ${HOME}/",
    "rm -rf $PWD",
    "rm -rf .",
    "rm -rf ..",
    "rm -rf ./../..",
    "rm -rf $D/*",
    "rm -rf $D/",
    "rm -rf $D",
    "rm -rf ${D}/*",
    "rm -rf ~you",
    "rm -rf /etc",
    "rm -rf /*",
    "rm -rf ../../etc",
    "rmdir /w/p",
    "sudo rm -rf /",
    "env A=b rm -rf /",
    "timeout -k 5 30 rm -rf /",
    "/bin/rm -rf /",
    "rm -rf {/etc,/usr}",
    "shred /w",
    "A=b rm -rf ~",
    "rm -rf *",
    "$x -rf /",
    "/bin/r? -rf ..",
    "git config core.fsmonitor x",
    "git config --global alias.x !y",
    "git config --add include.path x",
    "git config --unset core.pager",
    "git config -e",
    "git config set core.hooksPath x",
    "git -C x config core.editor y",
    "git -c a.b=c config core.editor y",
    "env git config core.editor y",
    "git config -f x user.name y",
    "git log --output=.git/config",
    "git checkout -- .bashrc",
    "dd if=x of=.git/config",
    "install x .git/hooks/pre-commit",
    "curl -o .git/config u",
    "curl -o.claude/settings.json u",
    "tar xf x .bashrc",
    "rsync x ~/.profile",
    "unzip x -d .GIT/hooks",
    "rsync -a x/ .git",
    "rsync --exclude=y -a x .git/config",
    "env dd of=.git/config",
    "patch .git/./config x",
    "scp h:x .zshrc",
    "rm -rf ./../..",
    "rm -fr -- /",
    "rm -- -x /",
    "rm --no-preserve-root -r /",
    "rm -rf /.",
    "rm -rf //",
    "rm -rf /..",
    "rm -rf /../../",
    "rm -rf ./",
    "rm -rf ./.",
    "rm -rf ../.",
    "rm -rf src/..",
    "rm -rf src/../..",
    "rm -rf a/b/../../..",
    "rm -rf ~/.",
    "rm -rf ~/x/..",
    "rm -rf ~/*",
    "rm -rf ~me",
    "rm -rf ~/../you",
    "rm -rf $HOME/.",
    "rm -rf $HOME/*",
    "rm -rf ${HOME}/x/..",
    "rm -rf /home/me/",
    "rm -rf /home/*",
    "rm -rf /Users/you",
    "rm -rf ${PWD}/",
    "rm -rf $PWD/*",
    "rm -rf $PWD/..",
    "rm -rf $OLDPWD",
    "rm -rf $D/.",
    "rm -rf $D/..",
    "rm -rf $D/.*",
    "rm -rf ${D}",
    "rm -rf ${D:-x}",
    "rm -rf `x`",
    "rm -rf /w/more/*",
    "rm -rf /private/etc",
    "rm -rf /private/var/",
    "rm -rf /private/tmp/*",
    "rm -rf /e*",
    "rm -rf a b c /usr",
    "rm -r /usr a",
    "rmdir ..",
    "rmdir -p ../..",
    "unlink /etc",
    "shred -u /usr",
    "rimraf /",
    "trash ~",
    "mv / x",
    "mv /etc x",
    "mv -f ~ x",
    "mv $HOME x",
    "mv ../../w x",
    "mv -t x /usr",
    "mv --target-directory=x /usr a",
    "mv a .. b",
    "find / -delete",
    "find /etc -name x -delete",
    "find -L ~ -delete",
    "find . -delete",
    "find .. -type f -delete",
    "find / -exec rm {} ;",
    "find a /usr -execdir /bin/rm -rf {} +",
    "find $D/ -delete",
    "doas rm -rf /",
    "nice -n 5 ionice -c 3 rm -rf /",
    "xargs rm -rf /",
    "busybox rm -rf /",
    "command rm -rf /",
    "exec rm -rf /",
    "RM -rf /",
];

/// Text that was not understood and could do the same.
const UNREAD: &[&str] = &[
    "echo \"$(rm -rf ~)\"",
    "r''m -rf /",
    "\\rm -rf $x",
    "x | xargs rm /y",
    "find / -delete",
    "a; rm -rf `b`",
    "python -c 'shutil.rmtree(\"/\")'",
    "echo x > .git/config $(y)",
    "tee \".git/\"hooks/pre-commit <<< $x",
    "cd .git && echo $x > config",
    "echo $x >> ~/.bashrc",
    "echo $x >> ~/.bash*",
    "cp $x .claude/settings.json",
    "cp $x .c*/settings.json",
    "echo $x > .GIT/CONFIG",
    "echo $x > .git//config",
    "echo $x > .git/./config",
    "d=.git; echo > $d/$x",
    "rm -rf ${D:-/}",
    "$'\\x72m' -rf ../p",
    "r=rm; $r -rf ../p",
    "a='r';b='m'; $a$b -rf /w/p",
    "/bin/r? -rf ../p",
    "/bin/r[m] -rf ../p",
    "${a:-r''m} -rf ../p",
    "$(echo r''m) -rf ../p",
    "`echo r''m` -rf ../p",
    "{r''m,-rf,../p}",
    "${0%bash}r''m -rf ../p",
    "if true; then $a -rf ..; fi",
    "sudo $a -rf ..",
    "sudo -u me $a -rf ..",
    "A=b $a -rf ..",
    "A=$(x) $a -rf ..",
    "f() { $a -rf ..; }; f",
    "2>/dev/null > x $a -rf ..",
    "case x in x) $a -rf ..;; esac",
    "\"$a\" -rf $x",
];

/// Calls that the killswitch stops.
fn stopped() -> Vec<Case> {
    let mut cases: Vec<Case> = REMOVED.iter().map(|at| Case::new(path(Effect::Remove, at))).collect();
    cases.extend(WRITTEN.iter().map(|at| Case::new(path(Effect::Write, at))));
    cases.extend(COMMANDS.iter().map(|text| Case::new(command(text, false))));
    cases.extend(UNREAD.iter().map(|raw| Case::unknown(raw)));
    cases.push(Case::unknown(Box::leak("x".repeat(100_000).into_boxed_str())));
    cases
}

/// Everything that might open a call, at once.
fn opened(mut case: Case) -> Case {
    case.form.default_permission = DefaultPermission::Allow;
    case.flags.read_only = true;
    case.hook = HookSays::Allow("fine".to_owned());
    case.opinion = Opinion::Allow;
    let case = case.rule(Behavior::Allow, Source::CliArg, "Some");
    let case = case.rule(Behavior::Allow, Source::CliArg, "Bash(rm *)");
    case.rule(Behavior::Allow, Source::PolicySettings, "Edit(//**)")
}

#[test]
fn nothing_but_a_person_lets_it_through_in_any_mode() {
    for case in stopped() {
        for profile in PROFILES {
            for mode in MODES {
                let case = opened(Case { profile, ..case.clone() }).mode(mode);
                let is_closed = matches!(mode, Mode::BypassPermissions | Mode::DontAsk);
                let expected = if is_closed { "deny" } else { "person" };
                assert_eq!(case.word(), expected, "{mode} {:?}", case.effects);
                let alone = Case { has_person: false, ..case };
                assert_eq!(
                    (alone.word(), alone.by().as_str()),
                    ("deny", "killswitch"),
                    "{mode} {:?}",
                    alone.effects
                );
            }
        }
    }
}

#[test]
fn it_stops_nothing_else() {
    let remove = |at| Case::new(path(Effect::Remove, at));
    let write = |at| Case::new(path(Effect::Write, at));
    let cases = [
        remove("/w/p/a"),
        remove("/w/p/src"),
        remove("/w/more/a"),
        remove("/w/pp"),
        remove("/home/me/x"),
        remove("/etc/x"),
        remove("/w/p/*.log"),
        write("/w/p/.gitignore"),
        write("/w/p/.github/hooks/x"),
        write("/w/p/.git/HEAD"),
        write("/w/p/x.git/src/config"),
        write("/w/p/.claude/commands/x.md"),
        write("/w/p/bashrc"),
        write("/"),
        Case::new(command("rm a", false)),
        Case::new(command("rm -rf build/x", false)),
        Case::new(command("rm -rf $D/build", false)),
        Case::new(command("rm *.log", false)),
        Case::new(command("mv a b", false)),
        Case::new(command("mv a /etc", false)),
        Case::new(command("mv a ..", false)),
        Case::new(command("mv -t .. a", false)),
        Case::new(command("find src -delete", false)),
        Case::new(command("find . -name x", true)),
        Case::new(command("find src -exec rm {} ;", false)),
        Case::new(command("rm -rf src/../build/x", false)),
        Case::new(command("rm -rf -- -x", false)),
        Case::new(command("rmdir build/x", false)),
        Case::new(command("rm -rf /home/me/x", false)),
        Case::new(command("rm -rf ~/x/y", false)),
        Case::new(command("make rm", false)),
        Case::new(command("echo rm /", true)),
        Case::new(command("git rm /w/p", false)),
        Case::new(path(Effect::Read, "/w/p/.git/config")),
        Case::new(command("git config user.email me@x", false)),
        Case::new(command("git config --global init.defaultBranch main", false)),
        Case::new(command("git config --get core.editor", false)),
        Case::new(command("git config core.editor", false)),
        Case::new(command("git config --list", false)),
        Case::new(command("git remote add config x", false)),
        Case::new(command("git add .bashrc .claude/settings.json", false)),
        Case::new(command("git commit -m .git/config", false)),
        Case::new(command("rsync --exclude .git a b", false)),
        Case::new(command("jq . .claude/settings.json", false)),
        Case::new(command("dd of=config", false)),
        Case::unknown("$CC -o x y.c"),
        Case::unknown("\"$VENV/bin/python\" -m pytest tests"),
        Case::unknown("echo $(date) \"$x\" \"$y\""),
        Case::unknown("git commit -m \"$(cat x)\" $a $b"),
        Case::unknown("if [ -f \"$x\" ]; then cargo build; fi"),
        Case::unknown("A=$(x) cargo test $y"),
        Case::unknown("echo $x"),
        Case::unknown("for f in *; do cargo test $f; done"),
        Case::unknown("rm x"),
        Case::unknown("git log --format=$x | cat .gitignore .github/x"),
        Case::unknown(""),
    ];
    for case in cases {
        let case = case.mode(Mode::BypassPermissions).allow("Some");
        assert_eq!(case.by().replace("ask", "mode"), "mode", "{:?}", case.effects);
    }
}

#[test]
fn names_are_read_from_the_working_directory() {
    let mut case = Case::new(command("dd of=config", false)).mode(Mode::BypassPermissions);
    case.context.cwd = "/w/p/.git".into();
    assert_eq!(case.by(), "killswitch");
}

#[test]
fn it_sees_where_links_lead() {
    let links = with_links(&[("/w/p/out", "/etc"), ("/w/p/repo", "/srv/x/.git"), ("/real", "/w")]);
    for effect in [
        path(Effect::Remove, "/w/p/out"),
        path(Effect::Write, "/w/p/repo/config"),
        path(Effect::Remove, "/real/p"),
    ] {
        let case = Case { links: links.clone(), ..Case::new(effect) };
        assert_eq!(
            opened(case.clone()).mode(Mode::BypassPermissions).by(),
            "killswitch",
            "{:?}",
            case.effects
        );
    }
    // A working directory that is a link may be meant by either of its names, and so may home.
    let links = with_links(&[("/w/p", "/data/me/p"), ("/home/me", "/data/me")]);
    for at in ["/data/me/p", "/data/me", "/w/p"] {
        let case = Case { links: links.clone(), ..Case::new(path(Effect::Remove, at)) };
        assert_eq!(opened(case).mode(Mode::BypassPermissions).by(), "killswitch", "{at}");
    }
}

#[test]
fn with_home_unknown_everyones_is_kept() {
    for text in ["rm -rf ~", "rm -rf $HOME", "rm -rf /home/me"] {
        let mut case = Case::new(command(text, false)).mode(Mode::BypassPermissions);
        case.context.home = None;
        assert_eq!(case.by(), "killswitch", "{text}");
    }
}

#[test]
fn one_effect_among_many_is_enough() {
    let effects =
        Effects::Known(vec![command("ls", true), path(Effect::Remove, "/etc"), command("make", false)]);
    assert_eq!(Case { effects, ..Case::unknown("") }.mode(Mode::BypassPermissions).by(), "killswitch");
}

#[tokio::test]
async fn a_persons_yes_counts_once_and_is_asked_for_each_time() {
    let person = Person::yes();
    let world = World::new(|builder, _| {
        builder.prompter(person.clone()).rule(Behavior::Allow, Source::CliArg, "Bash")
    });
    for times in 1..=3 {
        let done = world.call("Bash", json!({"command": "rm -rf /etc"})).await;
        assert!(done.ran() && !done.is_error, "{done:?}");
        assert_eq!((person.count(), done.decided()[0].by.as_str()), (times, "person"));
    }
}

#[tokio::test]
async fn where_no_person_is_asked_nothing_runs() {
    for (mode, has_person) in MODES.into_iter().flat_map(|mode| [(mode, true), (mode, false)]) {
        let is_closed = matches!(mode, Mode::BypassPermissions | Mode::DontAsk);
        if has_person && !is_closed {
            continue;
        }
        let person = Person::yes();
        let world = World::new(|builder, _| {
            let builder = builder.mode(mode).rule(Behavior::Allow, Source::CliArg, "Bash");
            if has_person { builder.prompter(person.clone()) } else { builder }
        });
        let done = world.call("Bash", json!({"command": "rm -rf /etc"})).await;
        assert!(!done.ran() && done.is_error && !done.asked() && person.count() == 0, "{mode}");
        assert_eq!(done.decided()[0].by, "killswitch");
    }
}
