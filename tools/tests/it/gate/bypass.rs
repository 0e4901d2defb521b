//! What no mode lifts, and what is not stopped where nothing asks.

use toolwright::permission::{Mode, Profile};

use super::{Rules, answer, needs_a_person};

/// Commands that no mode runs without a person's word, whatever the rules allow.
const STOPPED: &[&str] = &[
    // What must not be removed, by programs that remove by an option, and in scripts for other programs.
    "rsync -a --delete empty/ ~/",
    "tar --remove-files -cf x.tar ~",
    "zip -rm x.zip ~",
    "gio trash ~",
    "xargs -a list rm -rf",
    "ssh host rm -rf /",
    "python3 -c \"import shutil; shutil.rmtree('/')\"",
    "node -e \"fs.rmSync('/', {recursive: true})\"",
    "awk 'BEGIN{system(\"rm -rf ~\")}'",
    "sed -n '1e rm -rf ~' x",
    "vim -c '!rm -rf ~' x",
    "git -c alias.x='!rm -rf ~' x",
    "tar xf x.tar --to-command='rm -rf ~'",
    "rm -rf /proc/self/cwd/",
    "rm -rf /proc/self/root",
    // What steers git, the shell and the agent, by a wildcard, in a script, or where it is not told what is written.
    "rm .git/*",
    "rm .git/c*",
    "cp f .g?t/hooks/x",
    "cp f .gi[t]/hooks/x",
    "cp f $'.g\\x69t/hooks/x'",
    "find .git -type f -exec rm {} +",
    "awk 'BEGIN{print \"x\" > \".git/config\"}'",
    "echo y > .git/hooks/$(echo x)",
    "echo y > \"$(echo .git/hooks/x)\"",
    "echo .git/hooks/x | xargs touch",
    "echo .git/hooks/x | xargs -I% cp f %",
    "cd \"$(echo .git)\" && cp f hooks/x",
    "cd .gi* && cp f hooks/x",
    "ln -s .git/hooks g && cp f g/x",
    "tee ~/.bash{rc,_profile}",
    "mv d/.[!.]* .",
    "git checkout -- .claude",
    // What writes whole folders may write what steers in them.
    "cp -r x .",
    "cp -rT a .git",
    "cp -a a/. .",
    "cp -R --no-target-directory a .",
    "cp -r a ~",
    "cp -r a ~/",
    "rsync -a src/ ./",
    "rsync -a src/ ~",
    "tar xf a.tar",
    "tar -xzf a.tgz -C ~",
    "tar xzfC a.tgz .",
    "tar --extract --file a.tar",
    "tar --get -f a.tar --directory=..",
    "tar xPf a.tar -C sub",
    "curl -s x | tar xz",
    "unzip a.zip",
    "unzip -oq a.zip -d .",
    "7z x a.7z",
    "cpio -idm < a.cpio",
    "bsdtar -xf a.tar",
    "patch -p0 < x.patch",
    "docker cp a:/x .",
    "wget -r http://x/",
    "ln -s c .claude",
    "ln -sfn c .claude",
    "cd .claude && tar xf ../a.tar",
    "install -m 644 s .claude/settings.json",
    "chmod -R 000 /",
    "chmod 000 /",
    "chown -R x ~",
    "chown -hR x ..",
    "chgrp --recursive x /home",
    "chmod -R a-x .git",
    "find . -name config | xargs sed -i s/a/b/",
    "find . -type f | xargs sed -i s/a/b/",
    "find . -type f -exec sed -i s/a/b/ {} +",
    "find . -name 'conf*' -exec cp x {} ;",
    "find ~ -name '.bash*' -delete",
    "find . -name '.g*' -exec rm -rf {} +",
    "find / -name w -exec rm -rf {} +",
    "fd -x rm",
    "echo x > ~/.bash{rc,_profile}",
    "tee {.git,x}/config",
    "tee ~/{.bash\"rc\",x}",
    // Code that is read is looked at like code that is given.
    "python3 - <<'EOF'\nimport shutil; shutil.rmtree('/')\nEOF",
    "python3 <<< \"open('.git/hooks/x', 'w')\"",
    "echo \"open('.git/config', 'w')\" | python3 -",
    "cat <<'EOF' | node\nfs.rmSync('/', {recursive: true})\nEOF",
    "make -f - <<'EOF'\nall:\n\trm -rf /\nEOF",
    "ed -s f <<'EOF'\nr x\nw .git/config\nEOF",
    "patch -p1 <<'EOF'\n--- a/.git/config\n+++ b/.git/config\nEOF",
    "ssh h <<'EOF'\nrm -rf /\nEOF",
    "awk -f - x <<'EOF'\nBEGIN{system(\"rm -rf ~\")}\nEOF",
    "source /dev/stdin <<< 'rm -rf ~'",
    "timeout 5 python3 - <<'EOF'\nimport shutil; shutil.rmtree('/')\nEOF",
    // A setting for one command steers it as one in a file would.
    "git -c core.hooksPath=x commit",
    "git -c alias.x='!id' x",
    "git -c core.pager=x log",
    "git -c core.fsmonitor=x status",
    "git --config-env=core.pager=X log",
    "git clone -c core.hooksPath=x y",
    "git clone --config core.hooksPath=x y",
    // What a container is given to write in.
    "docker run -v /:/x a",
    "docker run -v/:/x a",
    "docker run --volume=/etc:/x a",
    "docker run -v ~:/x a",
    "docker run -v \"$HOME\":/x a",
    "podman run --mount type=bind,source=/,target=/x a",
    "cp -rt. x",
    "cp -r --target-directory=. x",
    "cp -r --target . x",
    "mv -t .claude settings.json",
    "ln -sT c .claude",
    "python3 -m zipfile -e a.zip .",
    "setfacl -R -m u:x:r ~",
    "chmod -R 777 \"$X\"",
    "{ echo \"open('.git/config', 'w')\"; } | python3",
    "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.pager GIT_CONFIG_VALUE_0=id git log",
    "cp x ~/.bashr{a..c}",
    "tee .gi{t..t}/config",
    "find ~ -type f | xargs chmod 000",
    "find . -name config | sort | xargs sed -i s/a/b/",
    "find . -name config | grep -v x | head -5 | xargs sed -i s/a/b/",
    "find . -name config | while read -r f; do sed -i s/a/b/ \"$f\"; done",
    "for f in $(find . -name config); do sed -i s/a/b/ \"$f\"; done",
    "sed -i s/a/b/ $(find . -name 'c*g')",
    "dd if=/dev/zero of=/dev/sda",
    "cat f > /dev/nvme0n1",
];

#[test]
fn no_mode_lifts_what_needs_a_persons_word() {
    needs_a_person(STOPPED);
}

#[test]
fn everyday_changes_are_not_stopped_where_nothing_asks() {
    for command in [
        "git commit -m 'never rm -rf / again, see .git/config'",
        "gh pr create --title x --body 'do not remove /etc'",
        "rm src/*.orig",
        "rm -f .git/index.lock",
        "rm -rf target node_modules/.cache",
        "rm .*.swp",
        "cargo build > \"$LOG\" 2>&1",
        "find . -name '*.rs' | xargs sed -i s/a/b/",
        "python3 -c \"print('a / b')\"",
        "tar czf /tmp/x.tgz src",
        "zip -r x.zip src",
        "rsync -a --delete dist/ out/",
        "git checkout main",
        "make > /dev/null",
        "cp -r src out",
        "cp -r a/. out",
        "rsync -a src/ out/",
        "tar xf a.tar -C vendor",
        "tar xzf a.tgz -C /tmp/x",
        "unzip -l a.zip",
        "unzip a.zip -d out",
        "chmod -R u+w target",
        "chmod +x run.sh",
        "find . -name '*.pyc' -delete",
        "find . -name '*.rs' -exec sed -i s/a/b/ {} +",
        "find . -name node_modules -prune -exec rm -rf {} +",
        "find . -name '*.sh' | xargs chmod +x",
        "for f in $(find . -name '*.rs'); do sed -i s/a/b/ \"$f\"; done",
        "mv -t out a b",
        "python3 - <<'EOF'\nprint(1)\nEOF",
        "curl -d @- http://x <<'EOF'\n{\"run\": \"rm -rf /\"}\nEOF",
        "git -c user.name=me commit -m x",
        "git -c core.pager=cat diff",
        "docker run --rm -v \"$PWD\":/w -w /w a make",
        "docker run -v /etc/ssl:/x:ro a",
        "docker run -v data:/x a",
    ] {
        let (given, reason) = answer(&[], command, Mode::BypassPermissions, Profile::Current, false);
        assert_eq!(given, "allow", "{command}: {reason}");
    }
}

#[test]
fn rules_about_the_agents_own_files_and_about_pushing_hold_in_every_mode() {
    type Row = (Rules, &'static str, Mode, &'static str);
    const ROWS: &[Row] = &[
        (&["+Edit(.claude/**)", "+Bash"], "echo x > .claude/settings.json", Mode::Default, "ask"),
        (&["+Edit(.claude/**)", "+Bash"], "echo x > .claude/settings.json", Mode::DontAsk, "deny"),
        (&["+Edit(.claude/**)", "+Bash"], "echo x > .claude/settings.json", Mode::BypassPermissions, "deny"),
        (&["-Bash(git push *)"], "git push", Mode::BypassPermissions, "deny"),
        (&["?Bash(git push *)"], "git push", Mode::BypassPermissions, "ask"),
        (&["?Bash(git push *)"], "git push", Mode::DontAsk, "deny"),
    ];
    for (rules, command, mode, expected) in ROWS {
        for profile in [Profile::V2_1_88, Profile::Current] {
            let (given, reason) = answer(rules, command, *mode, profile, true);
            assert_eq!(given, *expected, "{command} {mode:?} {profile:?}: {reason}");
        }
    }
}
