//! What programs would do with their arguments, as command lines tell it.

use std::path::{Path, PathBuf};

use toolwright::contract::{Effect, Effects, EffectsContext};

use crate::corpus::call;

/// The effects in the folder `/w` of somebody at home in `/h`, one line: `c` for a command that changes nothing, `C`
/// for another, `r`, `b`, `w` and `x` for paths read, read below, written and removed, `m` for what may be written; `?` and the reason where they are unknown; `n` for what somebody must be asked about.
pub(crate) fn effects(command: &str) -> String {
    let directories = [PathBuf::from("/more")];
    let cx = EffectsContext {
        root: Path::new("/w"),
        cwd: Path::new("/w"),
        additional_directories: &directories,
        home: Some(Path::new("/h")),
    };
    match call(command).effects(&cx) {
        Effects::Unknown { reason, raw } => {
            assert_eq!(raw, command, "what is not understood is handed on whole");
            format!("? {reason}")
        }
        Effects::Known(effects) => effects.iter().map(line).collect::<Vec<_>>().join(" | "),
    }
}

fn line(effect: &Effect) -> String {
    match effect {
        Effect::Command { text, read_only: true, .. } => format!("c {text}"),
        Effect::Command { text, read_only: false, .. } => format!("C {text}"),
        Effect::Read(path) => format!("r {}", path.display()),
        Effect::ReadBelow(path) => format!("b {}", path.display()),
        Effect::Write(path) => format!("w {}", path.display()),
        Effect::Remove(path) => format!("x {}", path.display()),
        Effect::MayWrite(path) => format!("m {}", path.display()),
        Effect::Contact(host) => format!("h {host}"),
        Effect::Name(name) => format!("n {name}"),
    }
}

/// Commands whose programs are understood, and what they would do.
const UNDERSTOOD: &[(&str, &str)] = &[
    ("ls", "c ls | r /w"),
    ("ls -la src", "c ls -la src | r /w/src"),
    ("  cargo   build\t--release ", "C cargo build --release"),
    ("git commit -m \"two words\"", "C git commit -m \"two words\""),
    ("git commit -m 'a; rm -rf / && b'", "C git commit -m 'a; rm -rf / && b'"),
    ("'rm' \"x\"", "C rm x | x /w/x"),
    ("r\\m -rf x", "C rm -rf x | x /w/x"),
    ("/bin/rm -- -x", "C /bin/rm -- -x | x /w/-x"),
    ("rm -rf a b", "C rm -rf a b | x /w/a | x /w/b"),
    ("rm -rf ~", "C rm -rf ~ | x /h"),
    ("rm '~'", "C rm '~' | x /w/~"),
    ("rm \\~/x", "C rm \\~/x | x /w/~/x"),
    ("rm -rf /", "C rm -rf / | x /"),
    ("rm -rf ..", "C rm -rf .. | x /"),
    ("cat a b | grep x | wc -l", "c cat a b | r /w/a | r /w/b | c grep x | c wc -l"),
    ("cat a |& tail -n 5", "c cat a | r /w/a | c tail -n 5"),
    ("a && b || c; d\ne & f", "C a | C b | C c | C d | C e | C f"),
    ("a &&\n\n b;", "C a | C b"),
    ("a \\\n  b", "C a b"),
    ("echo hi > out", "c echo hi | w /w/out"),
    ("echo hi >> /tmp/out 2>&1", "c echo hi | w /tmp/out"),
    ("make 2> err > out", "C make | w /w/err | w /w/out"),
    ("make &> log", "C make | w /w/log"),
    ("make > /dev/null 2>&1", "C make"),
    ("ls > ~/x", "c ls | r /w | w /h/x"),
    ("make >&2", "C make"),
    ("sort < in", "c sort | r /w/in"),
    ("> out echo a2>b", "c echo a2 | w /w/out | w /w/b"),
    ("echo a 2>b", "c echo a | w /w/b"),
    ("git status > /dev/null", "c git status"),
    ("git commit -m x > .git/hooks/post-commit", "C git commit -m x | w /w/.git/hooks/post-commit"),
    ("cp a b c", "C cp a b c | w /w/c | r /w/a | w /w/c/a | r /w/b | w /w/c/b"),
    ("mv a /more/b", "C mv a /more/b | w /more/b | x /w/a | w /more/b/a | w /more/b/* | w /more/b/a/*"),
    ("ln -s /etc/passwd", "C ln -s /etc/passwd | r /etc/passwd | w /w/passwd"),
    ("cp -fp a b", "C cp -fp a b | w /w/b | r /w/a | w /w/b/a"),
    ("cp a b/", "C cp a b/ | w /w/b | r /w/a | w /w/b/a"),
    (
        "mv -n a b && git status",
        "C mv -n a b | w /w/b | x /w/a | w /w/b/a | w /w/b/* | w /w/b/a/* | c git status",
    ),
    ("mkdir -p a/b && touch a/b/c", "C mkdir -p a/b | w /w/a/b | C touch a/b/c | w /w/a/b/c"),
    ("mkdir -p a/b", "C mkdir -p a/b | w /w/a/b"),
    ("touch ../x", "C touch ../x | w /x"),
    ("make | tee -a log", "C make | C tee -a log | w /w/log"),
    ("chmod +x run", "C chmod +x run | w /w/run"),
    ("sed -n 1,20p a", "c sed -n 1,20p a | r /w/a"),
    ("sed -i 's/a/b/g' f", "C sed -i s/a/b/g f | w /w/f"),
    ("grep -rn foo", "c grep -rn foo | b /w"),
    ("grep -r foo src .", "c grep -r foo src . | b /w/src | b /w"),
    ("grep --recursive foo /etc", "c grep --recursive foo /etc | b /etc"),
    ("grep -e a -e b f", "c grep -e a -e b f | r /w/f"),
    ("rg --type rust foo src", "c rg --type rust foo src | b /w/src"),
    ("rg foo", "c rg foo | b /w"),
    ("ls -d src/*.rs", "c ls -d src/*.rs | r /w/src"),
    ("stat src/*", "c stat src/* | r /w/src"),
    ("diff a b", "c diff a b | b /w/a | b /w/b"),
    ("diff -- --no-dereference a", "c diff -- --no-dereference a | b /w/--no-dereference | b /w/a"),
    ("diff --no-dereference -r a b", "c diff --no-dereference -r a b | b /w/a | b /w/b"),
    ("ls *", "c ls * | r /w"),
    ("echo /etc/*", "c echo /etc/* | r /etc"),
    ("find . -name '*.rs' -type f", "c find . -name '*.rs' -type f | r /w"),
    ("find a b \\( -name x -o -name y \\)", "c find a b \\( -name x -o -name y \\) | r /w/a | r /w/b"),
    ("find . ! -newer a", "c find . ! -newer a | r /w | r /w/a"),
    ("cd src && ls", "c cd src | c ls | r /w/src"),
    ("cd src && cat a | wc && rm b", "c cd src | c cat a | r /w/src/a | c wc | C rm b | x /w/src/b"),
    ("cd /w && ls; rm x", "c cd /w | c ls | r /w | C rm x | x /w/x"),
    ("cd src | rm x", "c cd src | C rm x | x /w/x"),
    ("cd src && a & rm x", "c cd src | C a | C rm x | x /w/x"),
    ("cd src; rm /a", "c cd src | C rm /a | x /a"),
    ("cd && ls", "c cd | c ls | r /h"),
    (
        "cd other && git log",
        "c cd other | C git log | n `git` in another folder, whose settings may run programs",
    ),
    ("git -C src status", "C git -C src status | c git status | r /w/src"),
    ("git -C /else status", "C git -C /else status | c git status | r /else"),
    ("git --no-pager -C . log", "C git --no-pager -C . log | c git log | r /w"),
    (
        "git --git-dir=src status",
        "C git --git-dir=src status | c git status | n `--git-dir=src` of `git` may run another program",
    ),
    ("git --git-dir .git status", "C git --git-dir .git status | c git status"),
    ("git --work-tree=src status", "C git --work-tree=src status | c git status"),
    ("git --bare status", "C git --bare status | c git status"),
    (
        "git diff /etc/passwd /dev/null",
        "c git diff /etc/passwd /dev/null | b /etc/passwd | b /dev/null | r /etc/passwd | r /dev/null",
    ),
    ("git log --oneline -5 main..HEAD", "c git log --oneline -5 main..HEAD"),
    ("git log --output=x", "C git log --output=x | w /w/x"),
    ("git log --outp=x", "C git log --outp=x"),
    ("git diff --ext-diff", "C git diff --ext-diff | n `--ext-diff` of `git` may run another program | b /w"),
    (
        "git -c core.pager=x log",
        "C git -c core.pager=x log | c git log | n `core.pager=x` of `git` may run another program",
    ),
    ("git branch", "c git branch"),
    ("git branch new", "C git branch new"),
    ("git show \\--stat", "C git show --stat"),
    ("git diff *", "C git diff * | b /w"),
    ("ls \\-la", "C ls -la | r /w"),
    ("./ls", "C ./ls | r /w"),
    ("date +%s", "c date +%s"),
    ("date 0101000026", "C date 0101000026"),
    ("uniq a b", "C uniq a b | r /w/a | w /w/b"),
    ("sort a | uniq -c", "c sort a | r /w/a | c uniq -c"),
    ("[ -f x ] && echo yes", "c [ -f x ] | r /w/x | c echo yes"),
    ("test -e /else/x", "c test -e /else/x | r /else/x"),
    ("test", "c test"),
    ("[ ]", "c [ ]"),
    ("test -z ''", "c test -z ''"),
    ("printf '%s %%n\\n' x", "c printf '%s %%n\\n' x"),
    ("make & wait", "C make | C wait"),
    ("python3 script.py", "C python3 script.py"),
    ("python3 -m pytest", "C python3 -m pytest"),
    ("echo a#b 'x # y'", "c echo a#b 'x # y'"),
    ("echo \"a \\\" \\\\ b\"", "c echo \"a \\\" \\\\ b\""),
    ("git show HEAD~1", "c git show HEAD~1 | b /w"),
];

#[test]
fn commands_that_are_understood() {
    for (command, expected) in UNDERSTOOD {
        assert_eq!(effects(command), *expected, "{command}");
    }
}

#[test]
fn only_commands_that_change_nothing_run_beside_others() {
    for (command, looks, beside) in [
        ("ls ~/x /etc", true, true),
        ("git log --oneline | head", true, true),
        ("grep x f > /dev/null", true, true),
        // It changes no file, but where later commands run.
        ("cd a && ls | sort | head -3", true, false),
        ("cd a", true, false),
        ("grep x f > out", false, false),
        ("ls; rm x", false, false),
        ("cargo test", false, false),
        ("echo $(rm x)", false, false),
        ("echo $(ls)", true, true),
        ("cat *.rs", true, true),
        ("if test -f a; then cat a; fi", true, true),
        ("X=a; ls", false, false),
        ("echo $SECRET", false, false),
    ] {
        let flags = call(command).flags();
        assert_eq!((flags.read_only, flags.concurrency_safe), (looks, beside), "{command}");
    }
}

/// Pseudo-random texts from pieces that matter to a shell, the same on every run.
fn texts(pieces: &'static [&'static str], pieces_max: usize) -> impl Iterator<Item = String> {
    let mut state: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut next = move |bound: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % bound as u64).expect("it is smaller than a usize")
    };
    std::iter::repeat_with(move || {
        let length = next(pieces_max);
        (0..length).map(|_| pieces[next(pieces.len())]).collect()
    })
}

#[test]
fn no_text_makes_the_splitter_panic() {
    const PIECES: &[&str] = &[
        "a", "ls", "rm", "-", "--", "=", "~", "/", "..", "*", "?", "[", "]", "'", "\"", "\\", "\n", " ",
        "\t", ";", "&", "|", "<", ">", "1", "2", "$", "`", "(", ")", "{", "}", "#", "!", "cd", "find", "git",
        "sed", "ü", "🦀", "\u{200B}", "\0", "\r", "&&", ">&", "2>&1", "sort", "s/a/b/", "-e", "-C", "uniq",
    ];
    let mut known = 0;
    for command in texts(PIECES, 12).take(5_000) {
        let told = effects(&command);
        known += usize::from(!told.starts_with('?'));
        assert!(!(call(&command).flags().read_only && told.contains("x /")), "{command}");
    }
    assert!(known > 100, "some of them are understood: {known}");
}

/// Words are what `bash` makes of them, or doubted.
#[test]
fn words_are_read_as_the_shell_reads_them() {
    const PIECES: &[&str] = &[
        "a", "b", " ", " ", "'", "'", "\"", "\"", "\\", "\n", "\t", "*", "?", "[", "]", "~", "/", "=", ":",
        "#", "!", "1", "-", ",", "%", "^", "@", "+", "\\\n", "ü", "''", "\"\"", ";", ">", "2>", "&1", "&",
    ];
    const PRINTED: &str = "p() { printf '<%s>' \"$@\"; }; HOME='~'; set -f; eval \"$0\"";
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let mut compared = 0;
    for text in texts(PIECES, 10).take(4_000) {
        let command = format!("p {text}");
        let cx = EffectsContext {
            root: Path::new("/w"),
            cwd: Path::new("/w"),
            additional_directories: &[],
            home: None,
        };
        let Effects::Known(effects) = call(&command).effects(&cx) else { continue };
        let [Effect::Command { words, .. }] = effects.as_slice() else { continue };
        let run =
            std::process::Command::new("bash").args(["-c", PRINTED, &command]).current_dir(&folder).output();
        let output = run.expect("bash runs");
        let expected: String = words[1..].iter().map(|word| format!("<{word}>")).collect();
        let expected = if words.len() == 1 { "<>".to_owned() } else { expected };
        let printed = [output.stdout, output.stderr].concat();
        assert_eq!(String::from_utf8_lossy(&printed), expected, "{command:?}");
        compared += 1;
    }
    assert!(compared > 500, "many of them are understood: {compared}");
}
