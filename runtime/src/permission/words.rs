//! The words of a simple command, as far as the gate reads them itself: a second look behind what tools tell.

/// Programs that run the program behind them.
pub(super) const WRAPPERS: &[&str] = &[
    "sudo", "doas", "env", "command", "builtin", "exec", "nohup", "time", "timeout", "nice", "ionice",
    "setsid", "stdbuf", "xargs", "busybox", "watch", "flock", "noglob", "ssh",
];
/// Further programs that run the program behind them, which nobody means by the beginning of their names.
const LAUNCHERS: &[&str] = &[
    "alacritty",
    "bunx",
    "bwrap",
    "caffeinate",
    "catchsegv",
    "cgexec",
    "chpst",
    "choom",
    "chroot",
    "chrt",
    "cpulimit",
    "dbus-launch",
    "dbus-run-session",
    "direnv",
    "dumb-init",
    "eatmydata",
    "entr",
    "envdir",
    "expect",
    "fakechroot",
    "fakeroot",
    "faketime",
    "firejail",
    "gdb",
    "gnome-terminal",
    "gosu",
    "gtimeout",
    "hyperfine",
    "kitty",
    "konsole",
    "linux32",
    "linux64",
    "ltrace",
    "mise",
    "nsenter",
    "npx",
    "numactl",
    "parallel",
    "perf",
    "pipenv",
    "pipx",
    "pkexec",
    "pnpx",
    "poetry",
    "prlimit",
    "proot",
    "proxychains",
    "proxychains4",
    "rlwrap",
    "rr",
    "runcon",
    "runuser",
    "screen",
    "script",
    "sem",
    "setarch",
    "setpriv",
    "setuidgid",
    "sg",
    "softlimit",
    "strace",
    "su",
    "su-exec",
    "systemd-inhibit",
    "systemd-run",
    "taskset",
    "tini",
    "tmux",
    "toybox",
    "torsocks",
    "trickle",
    "tsocks",
    "unbuffer",
    "unshare",
    "uv",
    "uvx",
    "valgrind",
    "xterm",
    "xvfb-run",
];

/// Whether a program runs the program behind it. The loader of programs does, whatever it is called.
pub(super) fn runs_another(name: &str) -> bool {
    let is_loader = name == "ld.so" || (name.starts_with("ld-") && name.contains(".so"));
    is_loader || WRAPPERS.contains(&name) || LAUNCHERS.contains(&name)
}
/// Programs that run what they are given as text, or a file of it.
pub(super) const INTERPRETERS: &[&str] = &[
    "awk",
    "bash",
    "bun",
    "cmd",
    "csh",
    "dash",
    "deno",
    "eval",
    "fish",
    "gawk",
    "julia",
    "ksh",
    "lua",
    "node",
    "osascript",
    "perl",
    "php",
    "powershell",
    "pwsh",
    "python",
    "ruby",
    "sh",
    "source",
    "tclsh",
    "ts-node",
    "tsx",
    "zsh",
];
/// Programs that no allow rule approves with anything left open: what they run may be anything.
const ONLY_EXACTLY: &[&str] = &["watch", "setsid", "ionice", "flock"];
/// Options with which `find` runs others, or removes what it finds.
const FIND_ACTIONS: &[&str] = &["-exec", "-execdir", "-ok", "-okdir", "-delete"];
/// How many words of a command that runs others are read.
const WORDS_READ_MAX: usize = 200;

/// The name of a program without the folder it is in.
pub(super) fn program(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// The command, and what it might run: without the settings and wrappers before it, from each word on that may name
/// the program that is meant, and behind each action of `find`. Nothing when there are too many words to be read.
pub(super) fn readings(words: &[String]) -> Option<Vec<&[String]>> {
    let Some(first) = words.first() else { return Some(Vec::new()) };
    let is_wrapped = is_setting(first) || runs_another(program(first));
    let acts = program(first) == "find";
    if !is_wrapped && !acts {
        return Some(vec![words]);
    }
    let may_begin = |at: usize| at == 0 || is_wrapped || FIND_ACTIONS.contains(&words[at - 1].as_str());
    let begins = || (0..words.len()).filter(|at| may_begin(*at));
    (words.len() <= WORDS_READ_MAX).then(|| begins().map(|at| &words[at..]).collect())
}

/// Whether a command runs others that are not seen in it, so that only its exact text can be approved.
pub(super) fn is_approved_only_exactly(words: &[String]) -> bool {
    let name = words.first().map_or("", |word| program(word));
    let acts = || words.iter().any(|word| FIND_ACTIONS.contains(&word.as_str()));
    ONLY_EXACTLY.contains(&name) || (name == "find" && acts())
}

/// What stands between the marks of a word: the pieces of a list or an option, and the texts in a script.
pub(super) fn pieces_within(word: &str) -> impl Iterator<Item = &str> {
    let is_mark = |c: char| c.is_whitespace() || "=:,@<>;|&'\"`()[]{}".contains(c);
    word.split(is_mark).filter(|piece| !piece.is_empty())
}

/// Options behind which stands a text for people.
const MESSAGES: &[&str] =
    &["--body", "--description", "--message", "--notes", "--subject", "--title", "-am", "-m"];

/// The words of a command without those that are texts for people, such as what a commit is for.
pub(super) fn without_messages(words: &[String]) -> impl Iterator<Item = &String> {
    let is_text = |word: &str| word.contains(char::is_whitespace);
    let tells = matches!(words.first().map(|word| program(word)), Some("git" | "gh" | "glab" | "hg" | "jj"));
    words.iter().enumerate().filter_map(move |(at, word)| {
        let before = at.checked_sub(1).map_or("", |before| words[before].as_str());
        let is_attached = word.split_once('=').is_some_and(|(name, _)| MESSAGES.contains(&name));
        let is_message = tells && is_text(word) && (MESSAGES.contains(&before) || is_attached);
        (!is_message).then_some(word)
    })
}

/// The words of a command but for the name of its program, texts for people left out: what stands before the name counts.
pub(super) fn arguments(words: &[String]) -> impl Iterator<Item = &String> {
    let is_first_set = words.first().is_some_and(|first| is_setting(first));
    without_messages(words).skip(usize::from(!is_first_set))
}

/// `NAME=value` before a command.
pub(super) fn is_setting(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_+".contains(c))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrappers_and_settings_are_looked_behind() {
        for (command, is_behind) in [
            ("rm x", true),
            ("sudo -u me rm x", true),
            ("A=b C=d rm x", true),
            ("timeout -k 5 30 nice rm x", true),
            ("xargs -I {} rm {}", true),
            ("/usr/bin/env rm x", true),
            ("find . -name x -exec rm {} ;", true),
            ("strace -f rm x", true),
            ("/lib64/ld-linux-x86-64.so.2 /bin/true rm x", true),
            ("find . -name rm", false),
            ("git rm x", false),
            ("make A=b rm", false),
            ("", false),
        ] {
            let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
            let read = readings(&words).expect("there are few words");
            let found = read.iter().any(|words| words.first().is_some_and(|word| word == "rm"));
            assert_eq!(found, is_behind, "{command}");
        }
        assert_eq!(readings(&vec!["env".to_owned(); 100_000]), None);
        assert!(readings(&vec!["ls".to_owned(); 100_000]).is_some());
    }
}
