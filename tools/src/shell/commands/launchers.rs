//! The table of programs that run the program behind them: with which options, and how many operands before it.

use super::word::Word;

/// One wrapper.
pub(super) struct Wrapper {
    name: &'static str,
    /// Options of one letter that stand alone.
    pub(super) flags: &'static str,
    /// Options of one letter with a value.
    pub(super) valued: &'static str,
    /// Long options; `=` marks those with a value, `?` those with one behind `=` or none, and `*` stands for any of these.
    pub(super) long: &'static str,
    /// How many operands come before the command.
    pub(super) operands: usize,
    pub(super) is_transparent: bool,
}

const fn row(
    name: &'static str,
    [flags, valued, long]: [&'static str; 3],
    operands: usize,
    is_transparent: bool,
) -> Wrapper {
    Wrapper { name, flags, valued, long, operands, is_transparent }
}

const WRAPPERS: &[Wrapper] = &[
    row("builtin", ["", "", ""], 0, true),
    row("busybox", ["", "", ""], 0, false),
    row("command", ["p", "", ""], 0, true),
    row("doas", ["ns", "u", ""], 0, false),
    row("env", ["i", "u", "ignore-environment unset="], 0, false),
    row("exec", ["cl", "a", ""], 0, false),
    row("flock", ["esnxuFo", "wE", "exclusive shared nonblock timeout= wait="], 1, false),
    row("ionice", ["t", "cn", "class= classdata= ignore"], 0, false),
    row("nice", ["0123456789", "n", "adjustment="], 0, true),
    row("noglob", ["", "", ""], 0, true),
    row("nohup", ["", "", ""], 0, true),
    row("setsid", ["cfw", "", "ctty fork wait"], 0, false),
    row("caffeinate", ["dimsu", "tw", ""], 0, false),
    row("catchsegv", ["", "", ""], 0, false),
    row("cross-env", ["", "", ""], 0, false),
    row("chroot", ["", "", "userspec= groups= skip-chdir"], 1, false),
    row(
        "chrt",
        [
            "abdfiormv",
            "TPD",
            "batch deadline fifo idle other rr reset-on-fork all-tasks verbose sched-runtime= sched-deadline= \
             sched-period=",
        ],
        1,
        false,
    ),
    row("eatmydata", ["", "", ""], 0, false),
    row("fakeroot", ["u", "", ""], 0, false),
    row(
        "ld.so",
        ["", "", "inhibit-cache list verify library-path= preload= argv0= inhibit-rpath= audit="],
        0,
        false,
    ),
    row("linux32", ["RvZ", "", "addr-no-randomize verbose"], 0, false),
    row("linux64", ["RvZ", "", "addr-no-randomize verbose"], 0, false),
    row("ltrace", ["bCcfhiLrStTV", "aAeDlnpsuwxX", ""], 0, false),
    row(
        "nsenter",
        [
            "aCeFimnpTUuZ",
            "tSG",
            "target= mount uts ipc net pid cgroup user time all preserve-credentials no-fork",
        ],
        0,
        false,
    ),
    row(
        "numactl",
        [
            "abl",
            "iCNmpP",
            "interleave= cpunodebind= physcpubind= membind= preferred= localalloc all balancing",
        ],
        0,
        false,
    ),
    row(
        "prlimit",
        [
            "",
            "",
            "as? core? cpu? data? fsize? locks? memlock? msgqueue? nice? nofile? nproc? rss? rtprio? rttime? \
             sigpending? stack? noheadings raw verbose",
        ],
        0,
        false,
    ),
    row("runuser", ["", "ugG", "user= group= supp-group="], 0, false),
    row("setarch", ["BFILRSTXZ3v", "", "addr-no-randomize 32bit 3gb verbose"], 1, false),
    row(
        "setpriv",
        [
            "",
            "",
            "ambient-caps= apparmor-profile= bounding-set= clear-groups egid= euid= groups= inh-caps= \
             init-groups keep-groups nnp no-new-privs pdeathsig= regid= reset-env reuid= rgid= ruid= \
             securebits= selinux-label=",
        ],
        0,
        false,
    ),
    row(
        "strace",
        ["CcDdFfhiknqrTtvwxyZz", "aeEIOPpsSuUX", "follow-forks trace= string-limit= summary-only"],
        0,
        false,
    ),
    row(
        "systemd-run",
        [
            "dGPqrSt",
            "Eup",
            "collect no-block pipe property= pty quiet scope setenv= shell slice= uid= gid= nice= unit= user wait \
             description= remain-after-exit same-dir",
        ],
        0,
        false,
    ),
    row("taskset", ["ac", "", "all-tasks cpu-list"], 1, false),
    row(
        "unshare",
        [
            "CcfimnprTuU",
            "",
            "cgroup? fork ipc? keep-caps kill-child? map-auto map-current-user map-group= map-root-user map-user= \
             mount-proc? mount? net? pid? propagation= setgroups= time? user? uts?",
        ],
        0,
        false,
    ),
    row("valgrind", ["qv", "", "*"], 0, false),
    row("ssh-agent", ["D", "taE", ""], 0, false),
    row("sshpass", ["ev", "dfpP", ""], 0, false),
    row("stdbuf", ["", "ioe", "input= output= error="], 0, true),
    row("sudo", ["AEHknPS", "ugCT", "user= group= non-interactive preserve-env"], 0, false),
    row("time", ["p", "", ""], 0, true),
    row("timeout", ["v", "ks", "foreground preserve-status verbose kill-after= signal="], 1, true),
    row("toybox", ["", "", ""], 0, false),
    row("watch", ["bcdegtxw", "n", "interval= differences color errexit no-title"], 0, false),
    row(
        "xargs",
        [
            "0rtx",
            "aEdILnPs",
            "null no-run-if-empty verbose max-args= max-procs= max-lines= delimiter= replace=",
        ],
        0,
        true,
    ),
];

/// Programs that run others, or change how the shell reads what follows, in ways that are not followed.
pub(super) const NOT_FOLLOWED: &[&str] = &[
    "abduco",
    "alias",
    "at",
    "batch",
    "bind",
    "bwrap",
    "byobu",
    "cgexec",
    "choom",
    "chpst",
    "compgen",
    "complete",
    "compopt",
    "coproc",
    "cpulimit",
    "crontab",
    "daemonize",
    "dbus-launch",
    "dbus-run-session",
    "disown",
    "dtach",
    "dumb-init",
    "enable",
    "entr",
    "envdir",
    "expect",
    "fakechroot",
    "faketime",
    "fc",
    "firejail",
    "getopts",
    "gosu",
    "hash",
    "history",
    "hyperfine",
    "jobs",
    "let",
    "machinectl",
    "mapfile",
    "nq",
    "parallel",
    "perf",
    "pkexec",
    "popd",
    "proot",
    "proxychains",
    "proxychains4",
    "pushd",
    "readarray",
    "rlwrap",
    "rr",
    "run-parts",
    "runcon",
    "sem",
    "setuidgid",
    "shopt",
    "softlimit",
    "start-stop-daemon",
    "su-exec",
    "systemd-inhibit",
    "tini",
    "torsocks",
    "trap",
    "trickle",
    "tsocks",
    "tsp",
    "ulimit",
    "umask",
    "unalias",
    "unbuffer",
    "watchexec",
    "xdotool",
    "xvfb-run",
    "ydotool",
    "zellij",
];

/// Programs that run a text for a shell behind `-c`, and whether they do nothing that is followed without it.
pub(super) const RUNNING_TEXT: &[(&str, bool)] =
    &[("flock", false), ("runuser", false), ("script", true), ("sg", true), ("su", true)];

/// Programs that give what they run another root, with which every path leads elsewhere.
const WITH_OTHER_ROOT: &[&str] = &["chroot", "nsenter"];
/// Programs that run something as somebody else, or without what is in the environment.
const WITH_OTHER_HOME: &[&str] =
    &["chroot", "doas", "nsenter", "runuser", "setpriv", "sg", "su", "sudo", "systemd-run"];

/// Whether what a program runs has another root.
pub(super) fn has_other_root(name: &str) -> bool {
    WITH_OTHER_ROOT.contains(&name)
}

/// Whether what a program runs begins in another folder than the program.
pub(super) fn runs_elsewhere(name: &str, arguments: &[Word]) -> bool {
    let has = |options: &[&str]| arguments.iter().any(|word| options.contains(&word.value.as_str()));
    match name {
        "screen" | "tmux" => true,
        "systemd-run" => !has(&["--scope", "--same-dir", "-d"]),
        "runuser" | "su" => has(&["-", "-l", "--login"]),
        other => has_other_root(other),
    }
}

/// Whether what a program runs may have another home, or none.
pub(super) fn has_other_home(name: &str, arguments: &[Word]) -> bool {
    match name {
        "env" => arguments.iter().any(|word| word.value.starts_with('-')),
        "exec" => arguments.iter().any(|word| word.value.starts_with('-') && word.value.contains('c')),
        other => WITH_OTHER_HOME.contains(&other),
    }
}

/// The row of a program. The loader of programs is one, whatever it is called.
pub(super) fn wrapper(name: &str) -> Option<&'static Wrapper> {
    let is_loader = name.starts_with("ld-") && name.contains(".so");
    let name = if is_loader { "ld.so" } else { name };
    WRAPPERS.iter().find(|row| row.name == name)
}
