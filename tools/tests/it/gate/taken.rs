//! Files that git takes from commits, stashes, patches and other repositories, and programs that variables lead elsewhere:
//! which files those are is not told, so rules that close one of them are asked.

use std::fs;

use toolwright::contract::Context;
use toolwright::permission::{Mode, Profile};

use super::{Rules, answer, answer_in, needs_a_person};

/// Commands that take files from elsewhere into those of the repository.
const TAKING: &[&str] = &[
    "git pull",
    "git pull --rebase origin main",
    "git checkout main",
    "git checkout -b new origin/main",
    "git checkout -f",
    "git checkout -",
    "git checkout --detach HEAD~3",
    "git switch main",
    "git switch -",
    "git switch -c new HEAD~1",
    "git switch --discard-changes main",
    "git stash",
    "git stash push -u",
    "git stash -u",
    "git stash pop",
    "git stash apply stash@{1}",
    "git stash branch new",
    "git reset --hard",
    "git reset --hard origin/main",
    "git reset --har HEAD~1",
    "git reset --keep HEAD~1",
    "git reset --merge",
    "git merge main",
    "git merge --abort",
    "git rebase main",
    "git rebase --continue",
    "git rebase -i HEAD~3",
    "git cherry-pick abc123",
    "git revert HEAD",
    "git am x.patch",
    "git am --abort",
    "git apply x.patch",
    "git clean -fdx",
    "git submodule update --init --recursive",
    "git submodule --quiet update",
    "git submodule add http://x/ y",
    "git submodule deinit -f y",
    "git worktree add kept",
    "git worktree move a kept",
    "git read-tree -mu HEAD",
    "git read-tree -m -u HEAD",
    "git checkout-index -a -f",
    "git checkout-index --prefix=./ -a",
    "git sparse-checkout set src",
    "git bisect start HEAD v1",
    "git bisect good",
    "git bisect reset",
    "git lfs pull",
    "git subtree pull --prefix x y main",
    "git rerere",
    "git svn rebase",
    // An alias may be any of these.
    "git co main",
    "git up",
    "git clone http://x/kept",
    "git clone git@x:y/kept.git",
    "git clone http://x/y kept",
    "git clone --depth 1 http://x/y kept",
    "git init kept",
    // Options before the command, and where they lead.
    "git -c user.name=x pull",
    "git --no-pager checkout main",
    "git -C . checkout main",
    "git --work-tree=. checkout main",
    "git --work-tree . reset --hard",
    "git -C .. -C w pull",
    "(cd . && git pull)",
    "timeout 9 git pull",
    "bash -c 'git pull'",
    "echo main | xargs git checkout",
    "GIT_WORK_TREE=. git read-tree HEAD",
    "GIT_WORK_TREE=/nowhere/w git status",
    "env GIT_WORK_TREE=. git status",
    "export GIT_WORK_TREE=.; git status",
];

/// Commands of git that leave the files alone.
const LEAVING: &[&str] = &[
    "git fetch --all",
    "git commit -m 'x y'",
    "git commit --amend --no-edit",
    "git push origin main",
    "git add -A",
    "git branch new",
    "git branch -D old",
    "git checkout -b new",
    "git switch -c new",
    "git reset",
    "git reset HEAD~1",
    "git reset --soft HEAD~1",
    "git stash drop",
    "git stash list",
    "git tag v1",
    "git remote add x http://y/",
    "git submodule status",
    "git submodule init",
    "git worktree list",
    "git worktree prune",
    "git bisect log",
    "git sparse-checkout list",
    "git lfs ls-files",
    "git gc",
    "git --version",
    "git init",
];

#[test]
fn what_git_takes_from_elsewhere_asks_where_a_rule_closes_a_file_there() {
    let mut wrong = Vec::new();
    for (commands, is_open) in [(TAKING, false), (LEAVING, true)] {
        for rules in [&["+Bash", "-Edit(kept)"] as Rules, &["+Bash(*)", "?Edit(kept)"]] {
            for command in commands {
                for profile in [Profile::V2_1_88, Profile::Current] {
                    let (given, reason) = answer(rules, command, Mode::Default, profile, true);
                    if (given == "allow") != is_open {
                        wrong.push(format!("{rules:?} {command:?} {profile:?}: {given}: {reason}"));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_git_takes_from_elsewhere_needs_no_rule_but_its_own() {
    let is_told = |command: &&&str| {
        ![
            "-C ..",
            "am x",
            "apply",
            "clean",
            "worktree add",
            "worktree move",
            "checkout-index --prefix",
            "GIT_",
            "xargs",
        ]
        .iter()
        .any(|it| command.contains(it))
    };
    let ours: Rules = &["+Bash(git *)", "+Bash(timeout *)", "+Bash(bash -c *)"];
    let mut wrong = Vec::new();
    for command in TAKING.iter().filter(is_told) {
        for (mode, has_person) in
            [(Mode::Default, true), (Mode::DontAsk, false), (Mode::BypassPermissions, false)]
        {
            for profile in [Profile::V2_1_88, Profile::Current] {
                let (given, reason) = answer(ours, command, mode, profile, has_person);
                if given != "allow" {
                    wrong.push(format!("{command:?} {mode:?} {profile:?}: {given}: {reason}"));
                }
            }
        }
        let (given, _) = answer(&[], command, Mode::Default, Profile::Current, true);
        if given != "ask" {
            wrong.push(format!("{command:?} without a rule: {given}"));
        }
        let (given, _) = answer(ours, command, Mode::Plan, Profile::Current, true);
        if given != "ask" {
            wrong.push(format!("{command:?} while planning: {given}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_git_takes_from_elsewhere_asks_where_there_are_protected_places() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let root = folder.path().canonicalize().expect("it is there");
    fs::create_dir_all(root.join("repo/.git")).expect("folders can be made");
    fs::create_dir_all(root.join("repo/sub")).expect("folders can be made");
    let ours: Rules = &["+Bash(git *)"];
    let context = |cwd: &str, mode: Mode| {
        let mut context = Context::new(root.join(cwd));
        context.mode = mode;
        context
    };
    let given = |cwd: &str, command: &str, mode: Mode, profile: Profile| {
        answer_in(&context(cwd, mode), ours, command, profile, true).0
    };
    for profile in [Profile::V2_1_88, Profile::Current] {
        assert_eq!(given("repo", "git pull", Mode::Default, profile), "allow");
    }
    fs::create_dir_all(root.join("repo/.vscode")).expect("folders can be made");
    for (mode, profile, expected) in [
        (Mode::Default, Profile::V2_1_88, "ask"),
        (Mode::Default, Profile::Current, "ask"),
        (Mode::AcceptEdits, Profile::Current, "ask"),
        (Mode::DontAsk, Profile::Current, "deny"),
        (Mode::BypassPermissions, Profile::V2_1_88, "ask"),
        (Mode::BypassPermissions, Profile::Current, "allow"),
    ] {
        for (cwd, command) in
            [("repo", "git pull"), ("repo/sub", "git checkout main"), ("repo", "git stash pop")]
        {
            assert_eq!(given(cwd, command, mode, profile), expected, "{cwd} {command} {mode:?} {profile:?}");
        }
        assert_eq!(given("repo", "git fetch", Mode::Default, profile), "allow");
    }
    // A rule that closes a file beside the session's folder means the same repository.
    let closed = format!("-Edit(/{}/other/**)", root.join("repo").display());
    let closed: &'static [&'static str] = Box::leak(vec!["+Bash", closed.leak() as &str].into_boxed_slice());
    let (given, reason) =
        answer_in(&context("repo/sub", Mode::Default), closed, "git pull", Profile::Current, true);
    assert_eq!(given, "ask", "{reason}");
}

/// Variables before a command, and what their value leads it to.
const LED: &[(Rules, &str, &str)] = &[
    (&["+Bash", "-Bash(evil *)"], "TAR_OPTIONS='--to-command=\"evil x\"' tar xf a -C out", "ask"),
    (&["+Bash", "-Edit(kept)"], "TAR_OPTIONS='-C kept' tar xf a", "ask"),
    (&["+Bash", "-Bash(grep -f *)"], "GREP_OPTIONS='-f x' grep y z", "deny"),
    (&["+Bash", "-Read(.env)"], "GREP_OPTIONS='-f .env' grep y z", "deny"),
    (&["+Bash", "-Bash(node --require *)"], "NODE_OPTIONS='--require ./x.js' node y.js", "deny"),
    (&["+Bash", "-Read(.env)"], "NODE_OPTIONS='--require ./.env' node y.js", "deny"),
    (&["+Bash", "-Read(.env)"], "PYTHONSTARTUP=.env python3", "deny"),
    (&["+Bash", "-Read(.env)"], "LD_PRELOAD=./.env ls", "deny"),
    (&["+Bash", "-Read(.env)"], "PERL5OPT=-M.env perl x", "deny"),
    (&["+Bash", "-Read(.env)"], "RIPGREP_CONFIG_PATH=.env rg x", "deny"),
    (&["+Bash", "-Read(.env)"], "env PYTHONSTARTUP=.env python3", "deny"),
    (&["+Bash", "-Read(.env)"], "WGETRC=.env wget http://x/", "deny"),
    (&["+Bash", "-Bash(evil *)"], "RSYNC_RSH='evil x' rsync a b:", "deny"),
    (&["+Bash", "-Bash(evil *)"], "MANPAGER='evil x' man ls", "deny"),
    (&["+Bash", "-Bash(evil *)"], "LESSOPEN='|evil x' less y", "deny"),
    (&["+Bash", "-Bash(evil *)"], "CC='evil x' make", "deny"),
    (&["+Bash", "-Bash(evil *)"], "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER='evil x' cargo test", "deny"),
    (&["+Bash", "-Bash(evil *)"], "FZF_DEFAULT_COMMAND='evil x' fzf", "deny"),
    (&["+Bash", "-Bash(evil *)"], "VIMINIT='!evil x' vim y", "deny"),
    (&["+Bash", "-Bash(evil *)"], "export RSYNC_RSH='evil x'; rsync a b:", "deny"),
    (&["+Bash", "-Bash(evil *)"], "GIT_SSH_COMMAND='evil x' git fetch", "deny"),
    (&["+Bash", "-Edit(kept/**)"], "CARGO_TARGET_DIR=kept cargo build", "deny"),
    (&["+Bash", "-Edit(kept/**)"], "HOME=kept git config --global user.name x", "deny"),
    (&["+Bash", "-Edit(kept/**)"], "PIP_TARGET=kept pip install x", "deny"),
    (&["+Bash", "-Edit(kept)"], "SSLKEYLOGFILE=kept curl http://x/", "deny"),
    (&["+Bash", "-Edit(kept)"], "COVERAGE_FILE=kept pytest", "deny"),
    (&["+Bash(git *)"], "git --git-dir=x status", "ask"),
    (&["+Bash(git *)"], "git --git-dir x log", "ask"),
    (&["+Bash(git *)"], "git --git-dir=.git tag v1", "ask"),
    (&["+Bash(* *)"], "GIT_DIR=x git status", "ask"),
    (&["+Bash(* *)"], "env GIT_DIR=x git status", "ask"),
    (&["+Bash(* *)"], "GIT_DIR=.git git tag v1", "allow"),
    (&["+Bash(* *)"], "BASH_ENV=x bash -c ls", "ask"),
    (&["+Bash(* *)"], "PROMPT_COMMAND=x bash -c ls", "ask"),
    (&["+Bash"], "SHELL=/bin/bash make", "allow"),
    (&["+Bash", "-Bash(evil)"], "SHELL=./evil make", "ask"),
    (&["+Bash", "-Read(.env)"], "docker run -v $PWD:/x a cat /x/y", "ask"),
    (&["+Bash", "-Read(.env)"], "docker run -v .:/x:ro a", "ask"),
    (&["+Bash", "-Edit(kept)"], "podman run --mount type=bind,src=$PWD,dst=/x a", "ask"),
    (&["+Bash", "-Edit(kept)"], "docker run -v data:/x a", "allow"),
    (&["+Bash", "-Bash(evil *)"], "python3 -c 'import os; os.system(\"evil x\")'", "deny"),
    (&["+Bash", "-Bash(evil *)"], "awk 'BEGIN{system(\"evil x\")}'", "deny"),
    (&["+Bash", "-Bash(evil *)"], "perl -e 'system(\"evil x\")'", "deny"),
    (&["+Bash", "-Bash(evil *)"], "python3 <<'EOF'\nimport os\nos.system('evil x')\nEOF", "deny"),
    (&["+Bash", "-Bash(evil *)"], "ruby -e 'system \"evil x\"'", "deny"),
    (&["+Bash", "-Bash(evil *)"], "python3 -c 'print(1)'", "allow"),
    (&["+Bash", "-Edit(kept)"], "python3 -c 'open(\"kept\", \"w\")'", "deny"),
    (&["+Bash", "-Edit(kept)"], "node -e 'fs.writeFileSync(\"kept\", \"\")'", "deny"),
    (&["+Bash", "-Edit(kept)"], "python3 -c 'open(\"other\", \"w\")'", "allow"),
    (&["+Bash", "-Edit(kept)"], "setfacl -m u:x:r kept", "deny"),
    (&["+Bash", "-Edit(kept)"], "chattr +i kept", "deny"),
    (&["+Bash", "-Edit(kept)"], "mknod kept p", "deny"),
    (&["+Bash", "-Read(.env)"], "exec 3<.; cat /proc/self/fd/3/.env", "ask"),
    (&["+Bash", "-Read(.env)"], "cat /proc/self/task/1/cwd/.env", "deny"),
    (&["+Bash", "-Edit(kept)"], "CARGO_TERM_COLOR=never cargo build", "allow"),
];

#[test]
fn variables_before_a_command_are_told_by_what_they_lead_it_to() {
    let mut wrong = Vec::new();
    for (rules, command, expected) in LED {
        for profile in [Profile::V2_1_88, Profile::Current] {
            let (given, reason) = answer(rules, command, Mode::Default, profile, true);
            let is_as_strict = given == *expected || (*expected == "ask" && given == "deny");
            if !is_as_strict {
                wrong.push(format!("{rules:?} {command:?} {profile:?}: {given}, not {expected}: {reason}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Commands that hide what they remove, change or run: in variables, other shells, terminals, codes and other names.
const HIDING: &[&str] = &[
    "TAR_OPTIONS='--to-command=rm -rf ~' tar xf a -C out",
    "TAR_OPTIONS='--checkpoint=1 --checkpoint-action=exec=rm -rf /' tar cf a b",
    "TAR_OPTIONS='-C .' tar xf a",
    "export TAR_OPTIONS='--remove-files'; tar cf a.tar ~",
    "RSYNC_RSH='rm -rf ~' rsync a b:",
    // What another shell has of the variables here, and which home.
    "X=/tmp/a; bash -c 'rm -rf $X/etc'",
    "X=/tmp/a; sh -c 'rm -rf \"$X\"/'",
    "X=/tmp/a; xargs -I{} sh -c 'rm -rf $X/usr' < l",
    "X=/tmp/a; bash <<< 'rm -rf $X/etc'",
    "X=/tmp/a; bash <<'EOF'\nrm -rf $X/etc\nEOF",
    "X=/tmp/a; find . -name x -exec sh -c 'rm -rf $X/etc' ;",
    "X=/tmp/a; timeout 5 bash -c 'rm -rf $X/var'",
    "X=/tmp/a; script -qc 'rm -rf $X/etc' out",
    "f() { bash -c 'rm -rf $1/etc'; }; f /tmp/a",
    "HOME=/ bash -c 'rm -rf ~/etc'",
    "HOME=/ sh -c 'rm -rf $HOME/etc'",
    "env HOME=/ bash -c 'rm -rf ~/etc'",
    "env -i bash -c 'rm -rf $HOME/etc'",
    "env -u HOME bash -c 'rm -rf $HOME/usr'",
    "HOME=/ bash -c 'cd && rm -rf etc'",
    "sudo bash -c 'rm -rf ~/x'",
    "systemd-run rm -rf etc",
    "systemd-run --user --wait rm -rf x",
    "su - me -c 'rm -rf x'",
    "chroot sub rm -rf x",
    // Texts that are typed into a terminal.
    "tmux send-keys 'rm -rf ~' Enter",
    "tmux send-keys -t a rm Space -rf Space / Enter",
    "tmux send-keys -l 'rm -rf /'",
    "tmux new-session -d 'rm -rf ~'",
    "tmux new -d -s x -c sub 'rm -rf x'",
    "tmux pipe-pane -t x 'rm -rf ~'",
    "tmux run-shell 'rm -rf ~'",
    "tmux new -d ls \\; split-window 'rm -rf ~'",
    "tmux if-shell 'rm -rf ~' x",
    "tmux display-message '#(rm -rf ~)'",
    "screen -S x -X stuff 'rm -rf ~\\n'",
    "screen -dmS x bash -c 'rm -rf ~'",
    "screen -S x -X exec rm -rf /",
    "echo 'rm -rf ~' | at now",
    "at now + 1 minute <<< 'rm -rf /'",
    "batch <<'EOF'\nrm -rf ~\nEOF",
    "echo '* * * * * rm -rf ~' | crontab -",
    "nc -l 1 -e 'rm -rf ~'",
    "socat TCP-LISTEN:1 EXEC:'rm -rf ~'",
    // What is decoded first cannot be searched.
    "echo cm0gLXJmIH4= | base64 -d | sh",
    "echo cm0gLXJmIH4= | base64 --decode | bash -s",
    "base64 -d <<< cm0gLXJmIH4= | tac | bash",
    "bash -c \"$(echo cm0gLXJmIH4= | base64 -d)\"",
    "eval \"$(echo cm0gLXJmIH4= | base64 -d)\"",
    "bash <(echo cm0gLXJmIH4= | base64 -d)",
    ". <(base64 -d <<< cm0gLXJmIH4=)",
    "bash <<< \"$(base64 -d <<< cm0gLXJmIH4=)\"",
    "echo 726d202d7266207e | xxd -r -p | sh",
    "rev <<< '~ fr- mr' | sh",
    "printf '\\x72\\x6d\\x20\\x2d\\x72\\x66\\x20\\x7e' | sh",
    "echo -e '\\162\\155\\040\\055\\162\\146\\040\\176' | sh",
    "echo aW1wb3J0IG9z | base64 -d | python3",
    "echo aW1wb3J0IG9z | base64 -d | python3 -",
    "python3 -c \"$(echo aW1wb3J0IG9z | base64 -d)\"",
    "python3 <(base64 -d <<< aW1wb3J0IG9z)",
    "base64 -d <<< aW1wb3J0IG9z > x.py; python3 x.py",
    "echo cm0gLXJmIH4= | base64 -d > x.sh; sh x.sh",
    "echo cm0gLXJmIH4= | base64 -d | tee x.sh; chmod +x x.sh; ./x.sh",
    "base64 -d <<< cm0gLXJmIH4= > x.sh; . ./x.sh",
    "openssl enc -d -base64 <<< cm0gLXJmIH4= | sh",
    // Other names for git's own folder, for programs and for places.
    "cp x \"$(git rev-parse --git-dir)/hooks/a\"",
    "cp x `git rev-parse --git-path hooks`/a",
    "cp x \"$(git rev-parse --git-path hooks/pre-commit)\"",
    "cd \"$(git rev-parse --absolute-git-dir)\" && cp x hooks/a",
    "cp /bin/rm x; ./x -rf /",
    "ln -s /usr/bin/rm x; ./x -rf /",
    "install -m 755 /bin/rm sub/x && sub/x -rf ~",
    "mount --bind / m; rm -rf m/etc",
    "shred /dev/sda",
    "xargs --arg-file=l rm -rf",
    "xargs -I% sh -c 'rm -rf %' < l",
    "rm -rf .claude",
];

#[test]
fn no_mode_lifts_what_a_variable_or_another_shell_hides() {
    needs_a_person(HIDING);
}

#[test]
fn everyday_uses_of_these_are_not_stopped_where_nothing_asks() {
    let mut wrong = Vec::new();
    for command in [
        "TAR_OPTIONS=--no-same-owner tar xf a -C out",
        "NODE_OPTIONS=--max-old-space-size=4096 npm run build",
        "MAKEFLAGS=-j8 make",
        "CC=clang CXX=clang++ make",
        "X=/tmp/a; rm -rf \"$X\"/b",
        "X=a; bash -c 'ls src'",
        "HOME=/tmp/h npm ci",
        "sudo bash -c 'ls src'",
        "tmux ls",
        "tmux new -d -s server 'npm run dev'",
        "tmux send-keys -t server C-c",
        "tmux send-keys -t server 'npm test' Enter",
        "tmux capture-pane -p -t server",
        "tmux kill-session -t server",
        "screen -ls",
        "screen -dmS server npm run dev",
        "crontab -l",
        "echo aGk= | base64 -d",
        "base64 -d x.b64 > x.bin",
        "kubectl get secret x -o jsonpath='{.data.p}' | base64 -d",
        "curl -s http://x/ | base64 -d | python3 -m json.tool",
        "base64 -d x.b64 | tar xz -C out",
        "curl -fsSL http://x/install | sh",
        "nc -z localhost 80",
        "socat - TCP:localhost:80",
        "git pull",
        "git checkout main",
        "git rebase main",
        "git reset --hard HEAD",
        "cp /bin/ls x; ./x src",
        "docker run --rm -v $PWD:/x a make",
        "cd \"$(git rev-parse --show-toplevel)\" && make",
    ] {
        let (given, reason) = answer(&[], command, Mode::BypassPermissions, Profile::Current, false);
        if given != "allow" {
            wrong.push(format!("{command:?}: {given}: {reason}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_name_in_brackets_is_a_name_where_only_another_is_closed() {
    let rows: &[(Rules, &str, &str)] = &[
        (&["+Bash", "-Edit(kept)"], "touch 'app/[id]/page.tsx'", "allow"),
        (&["+Bash", "-Edit(kept)"], "echo x > 'app/[...slug]/page.tsx'", "allow"),
        (&["+Bash", "-Edit(kept)", "-Read(.env)"], "sed -i s/a/b/ 'app/[id]/page.tsx'", "allow"),
        (&["+Bash", "-Edit(app/\\[id\\]/page.tsx)"], "touch 'app/[id]/page.tsx'", "deny"),
        (&["+Bash", "-Edit(app/\\[id\\]/**)"], "touch 'app/[id]/page.tsx'", "deny"),
        (&["+Bash", "-Edit(app/i/page.tsx)"], "touch app/[id]/page.tsx", "ask"),
        (&["+Bash", "-Edit(page.tsx)"], "touch 'app/[id]/page.tsx'", "deny"),
        (&["+Bash", "-Edit(kept)"], "touch 'app/[id]/kept'", "deny"),
        (&["+Bash", "-Edit(kept)"], "touch app/[jk]ept", "ask"),
        (&["+Bash", "-Edit(kept)"], "rm -rf app/[id]", "ask"),
        (&["-Read(.env)"], "cat 'app/[id]/page.tsx'", "allow"),
        (&["-Read(app/\\[id\\]/x)"], "cat 'app/[id]/x'", "deny"),
        (&["+Bash", "+Edit"], "touch 'app/[id]/config'", "allow"),
        (&["+Bash", "+Edit"], "touch 'app/[id].git/config'", "ask"),
    ];
    super::assert_answers(rows);
}
