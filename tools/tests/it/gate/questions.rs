//! Which questions are asked and which are needless: what only looks, what shows the environment, and where commands run.

use std::fs;

use toolwright::contract::Context;
use toolwright::permission::{Mode, Profile};

use super::{Rules, answer, answer_in, assert_answers};

/// Commands in the default mode without a rule, and the answer.
const ROWS: &[(&str, &str)] = &[
    ("/bin/ls", "allow"),
    ("/usr/bin/cat x", "allow"),
    ("./cat x", "ask"),
    ("/tmp/cat x", "ask"),
    ("rg --files", "allow"),
    ("rg --files src", "allow"),
    ("rg --pre id --files", "ask"),
    ("find . -type f | xargs wc -l", "allow"),
    ("find . -name '*.rs' -exec grep -l x {} +", "allow"),
    ("find . -exec wc -l {} \\;", "allow"),
    ("find . -exec rm {} +", "ask"),
    ("find . -ok cat {} \\;", "ask"),
    ("find . -exec sh -c x {} \\;", "ask"),
    ("git diff $(git merge-base main HEAD)", "allow"),
    ("git diff $(git merge-base main HEAD)..HEAD", "allow"),
    ("git log $(git rev-parse HEAD)", "allow"),
    ("git diff $(git merge-base --all x y)", "ask"),
    ("git diff $(cat x)", "ask"),
    ("hostname", "allow"),
    ("hostname -f", "allow"),
    ("hostname new", "ask"),
    ("hostname -F x", "ask"),
    ("free -h", "allow"),
    ("free -s 1", "ask"),
    ("locale", "allow"),
    ("locale -a", "allow"),
    ("lscpu", "allow"),
    ("base64 x", "allow"),
    ("base64 -d x", "allow"),
    ("base64 -o y x", "ask"),
    ("xxd x", "allow"),
    ("xxd -l 10 x | head", "allow"),
    ("xxd x y", "ask"),
    ("xxd -r in out", "ask"),
    ("column -t x", "allow"),
    ("column -t -s , x", "allow"),
    ("less x", "allow"),
    ("less -N x", "allow"),
    ("less +'!id' x", "ask"),
    ("less -o log x", "ask"),
    ("less -k keys x", "ask"),
    ("less *", "ask"),
    ("man ls", "allow"),
    ("man 3 printf", "allow"),
    ("man -P id ls", "ask"),
    ("man ./x", "ask"),
    ("ss -tlnp", "allow"),
    ("ss -K", "ask"),
    ("ss -D x", "ask"),
    ("npm ls --depth=0", "allow"),
    ("npm ls -g", "allow"),
    ("npm install", "ask"),
    ("npm ls --script-shell=x", "ask"),
    ("pip list", "allow"),
    ("pip show x", "allow"),
    ("pip list --log x", "ask"),
    ("pip install x", "ask"),
    // They run what the project names: a toolchain, a compiler, what stands around it.
    ("cargo --version", "ask"),
    ("cargo -V", "ask"),
    ("cargo tree", "ask"),
    ("cargo tree -i x", "ask"),
    ("cargo tree --config x", "ask"),
    ("rustc --version", "ask"),
    ("rustc -V", "ask"),
    ("go version", "ask"),
    ("go env", "ask"),
    ("go env GOPATH", "ask"),
    ("go env -w A=b", "ask"),
    ("go env -u A", "ask"),
    ("ls | xargs ls", "allow"),
    ("ls | xargs cat", "allow"),
    ("ls | xargs rm", "ask"),
    ("grep -rl x src | xargs wc -l", "allow"),
    ("grep -rl x /etc | xargs cat", "ask"),
    ("grep -r x src | xargs cat", "ask"),
    // What a person has in their environment is theirs.
    ("set", "ask"),
    ("set -e", "allow"),
    ("set | grep x", "ask"),
    ("declare -p", "ask"),
    ("declare -p X", "ask"),
    ("declare", "ask"),
    ("declare -x", "ask"),
    ("typeset -p", "ask"),
    ("export -p", "ask"),
    ("export", "ask"),
    ("readonly -p", "ask"),
    ("env", "ask"),
    ("env -0", "ask"),
    ("printenv", "ask"),
    ("printenv SECRET", "ask"),
    ("printenv PATH", "allow"),
    ("printenv HOME USER", "allow"),
    ("printenv PATH SECRET", "ask"),
    ("compgen -v", "ask"),
    ("cat /proc/self/environ", "ask"),
];

#[test]
fn what_only_looks_asks_nothing_and_its_other_options_do() {
    let mut wrong = Vec::new();
    for (command, expected) in ROWS {
        for profile in [Profile::V2_1_88, Profile::Current] {
            let (given, reason) = answer(&[], command, Mode::Default, profile, true);
            if given != *expected {
                wrong.push(format!("{command:?} {profile:?}: {given}, not {expected}: {reason}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn edits_that_are_approved_are_so_in_every_plain_spelling() {
    let rows: &[(&str, &str)] = &[
        ("sed -i 's/a/b/g' src/x", "allow"),
        ("sed -i -e 's/a$/b/' x y", "allow"),
        ("sed -i s/a/b/ /elsewhere/x", "ask"),
        ("sed -i s/a/b/ .vscode/x", "ask"),
        ("sed -i s/a/b/e x", "ask"),
        ("sed -i 's/a/b/w /elsewhere/x' x", "ask"),
        ("sed -i -f script x", "ask"),
        ("sed -i 1e x", "ask"),
        ("sed -i.bak s/a/b/ x", "ask"),
        ("env touch x", "allow"),
        ("env A=b touch x", "ask"),
        ("env -i touch x", "ask"),
        ("env rm -rf ~", "ask"),
        ("/bin/touch x", "allow"),
        ("/usr/bin/mkdir -p a/b", "allow"),
        ("./touch x", "ask"),
        ("/tmp/touch x", "ask"),
        ("/bin/touch /elsewhere/x", "ask"),
    ];
    for (command, expected) in rows {
        for profile in [Profile::V2_1_88, Profile::Current] {
            let (given, reason) = answer(&[], command, Mode::AcceptEdits, profile, true);
            assert_eq!(given, *expected, "{command} {profile:?}: {reason}");
        }
    }
}

#[test]
fn wildcards_ask_only_where_they_may_stand_for_what_is_closed() {
    let rows: &[(Rules, &str, &str)] = &[
        (&["-Read(.env)"], "cat src/*.rs", "allow"),
        (&["-Read(.env)"], "wc -l src/*.rs tests/*.rs", "allow"),
        (&["-Read(.env)"], "head -3 *.toml", "allow"),
        (&["-Read(**/*.pem)", "-Read(.env)"], "cat src/*.rs", "allow"),
        (&["-Read(secrets/**)"], "cat src/*.rs", "allow"),
        (&["-Read(.env)"], "cat *", "ask"),
        (&["-Read(.env)"], "cat src/*", "ask"),
        (&["-Read(.env)"], "cat src/.e*", "ask"),
        (&["-Read(.env)"], "cat src/*nv", "ask"),
        (&["-Read(.env)"], "cat src/[.]env", "ask"),
        (&["-Read(.ENV)"], "cat src/.e*", "ask"),
        (&["-Read(*.pem)"], "cat k*", "ask"),
        (&["-Read(key.*)"], "cat *.pem", "ask"),
        (&["-Read(*.pem)"], "cat *.pem", "deny"),
        (&["-Read(src/**)"], "cat src/*.rs", "deny"),
        (&["-Read(secrets/**)"], "cat */x.rs", "ask"),
        (&["-Read(src/a/x.rs)"], "cat src/*/x.rs", "ask"),
        (&["-Read(src/a/y.rs)"], "cat src/*/x.rs", "allow"),
        (&["-Read(.env)"], "grep x src/*.rs", "allow"),
        (&["-Read(.env)"], "grep -r x src/*.d", "ask"),
        (&["?Read(.env)"], "cat src/.e*", "ask"),
        // An allow of one character is none for any number of them.
        (&["+Read(//else/?)"], "cat /else/*", "ask"),
        (&["+Read(//else/*)"], "cat /else/*", "allow"),
        (&["+Bash(rm *)", "+Edit(//else/?)"], "rm /else/*", "ask"),
    ];
    assert_answers(rows);
}

#[test]
fn git_in_another_folder_asks_whatever_allows_its_command() {
    let rows: &[(Rules, &str, &str)] = &[
        (&["+Bash(git log *)"], "cd /tmp && git log", "ask"),
        (&["+Bash(git log *)", "+Bash(cd *)"], "cd sub && git log -1", "ask"),
        (&["+Bash(git log *)"], "cd . && git log -1", "allow"),
        (&["+Bash(git log *)"], "git log -1", "allow"),
        (&["+Bash"], "cd sub && git log", "allow"),
        (&["-Bash(git push *)"], "cd sub && git push", "deny"),
    ];
    assert_answers(rows);
}

#[test]
fn git_is_at_home_in_the_folders_of_its_repository() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let root = folder.path().canonicalize().expect("it is there");
    for path in ["w/.git", "w/src/deep", "w/other/.git", "w/other/src", "w/bare", "elsewhere"] {
        fs::create_dir_all(root.join(path)).expect("folders can be made");
    }
    fs::write(root.join("w/bare/HEAD"), "ref: x").expect("files can be made");
    std::os::unix::fs::symlink(root.join("elsewhere"), root.join("w/link")).expect("links can be made");
    let context = Context::new(root.join("w"));
    for (command, expected) in [
        ("git -C src status", "allow"),
        ("git -C src/deep log --oneline", "allow"),
        ("git -C . status", "allow"),
        ("git -C other status", "ask"),
        ("git -C other/src status", "ask"),
        ("git -C bare log", "ask"),
        ("git -C link status", "ask"),
        ("git -C ../elsewhere status", "ask"),
        ("git -C missing status", "ask"),
        ("git -C src -C ../other status", "ask"),
        ("git -C src commit -m x", "ask"),
    ] {
        let (given, reason) = answer_in(&context, &[], command, Profile::Current, true);
        assert_eq!(given, expected, "{command}: {reason}");
    }
}
