//! Command lines run for real, where every program is a stub that writes itself down: none runs that was not told of.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use toolwright::contract::{Effect, Effects};

use crate::corpus::{effects, recorded};

/// What a real shell does with each command line.
const DRIVER: &str = include_str!("driver.sh");
/// How long all of them may take.
const TIME_MAX: Duration = Duration::from_secs(900);
/// What the shell does itself, and the stubs do not see.
const OWN: &[&str] = &[
    ":", "[", "[[", "break", "builtin", "command", "continue", "declare", "eval", "exec", "exit", "export",
    "false", "local", "read", "readonly", "return", "set", "shift", "time", "true", "type", "typeset",
    "unset", "wait",
];

/// Where a shell runs alone: a root of its own, without programs and without a network.
struct Cell(tempfile::TempDir);

impl Cell {
    /// Nothing where no such place can be made.
    fn new() -> Option<Cell> {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let bash = ["/bin/bash", "/usr/bin/bash"].into_iter().find(|path| Path::new(path).is_file())?;
        let listed = Command::new("ldd").arg(bash).output().ok()?;
        let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
        for library in listed.split_whitespace().filter(|word| word.starts_with('/')) {
            let copy = folder.path().join(library.trim_start_matches('/'));
            fs::create_dir_all(copy.parent()?).ok()?;
            fs::copy(library, copy).ok()?;
        }
        for name in ["dev", "w", "log", "commands"] {
            fs::create_dir(folder.path().join(name)).ok()?;
        }
        fs::write(folder.path().join("dev/null"), "").ok()?;
        fs::copy(bash, folder.path().join("shell")).ok()?;
        fs::write(folder.path().join("driver"), DRIVER).ok()?;
        let cell = Cell(folder);
        cell.shell(&["-c", ":"]).status().is_ok_and(|status| status.success()).then_some(cell)
    }

    fn shell(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "--net", "--pid", "--fork", "chroot"]);
        command.arg(self.0.path()).args(["/shell", "--norc", "--noprofile"]).args(arguments);
        command.env_clear().env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// What ran of each command line.
    fn run(&self, commands: &[String]) -> Vec<Vec<Vec<String>>> {
        for (at, command) in commands.iter().enumerate() {
            fs::write(self.0.path().join(format!("commands/{at:06}")), command)
                .expect("files can be written");
        }
        let mut shell = self.shell(&["/driver"]).spawn().expect("it ran before");
        let began = Instant::now();
        while shell.try_wait().expect("it is our child").is_none() {
            if began.elapsed() > TIME_MAX {
                shell.kill().expect("it is our child");
                panic!("the commands run longer than {TIME_MAX:?}");
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        let mut ran = vec![Vec::new(); commands.len()];
        for log in fs::read_dir(self.0.path().join("log")).expect("it was made") {
            let log = log.expect("it can be listed").path();
            let at = log.file_stem().and_then(|name| name.to_str()?.parse::<usize>().ok());
            add_runs(
                &mut ran[at.expect("named by the command's number")],
                &fs::read(&log).expect("it can be read"),
            );
        }
        ran
    }
}

/// Adds the programs with their arguments that one process wrote into its log.
fn add_runs(found: &mut Vec<Vec<String>>, log: &[u8]) {
    let mut words = Vec::new();
    for word in log.split(|byte| *byte == 0) {
        if word == [1] {
            let run = std::mem::take(&mut words);
            if !found.contains(&run) {
                found.push(run);
            }
        } else {
            words.push(String::from_utf8_lossy(word).into_owned());
        }
    }
}

/// Whether a command that was told of may be one that ran. What is not literal in it may be any number of words.
fn may_be(told: &[String], ran: &[String]) -> bool {
    match (told.split_first(), ran.split_first()) {
        (None, None) => true,
        // What `xargs` puts in.
        (None, Some((word, []))) => word == "out",
        (None, Some(_)) => false,
        (Some((word, rest)), _) if word.contains(['$', '`', '*', '?', '[', '{', '~']) || is_stream(word) => {
            (0..=ran.len()).any(|taken| may_be(rest, &ran[taken..]))
                || (!ran.is_empty() && may_be_literal(word, ran, rest))
        }
        (Some((word, rest)), Some((first, behind))) => word == first && may_be(rest, behind),
        (Some(_), None) => false,
    }
}

/// Whether a word stands for the other end of a command that runs beside.
fn is_stream(word: &str) -> bool {
    word.starts_with("<(") || word.starts_with(">(")
}

fn may_be_literal(word: &str, ran: &[String], rest: &[String]) -> bool {
    word == ran[0] && may_be(rest, &ran[1..])
}

fn is_setting(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
}

/// Why a command that was told of did not run.
fn class(told: &[String]) -> &'static str {
    let name = told.first().map_or("", String::as_str);
    if is_setting(name) {
        "settings, alone or before a command"
    } else if OWN.contains(&name) {
        "what the shell does itself"
    } else if name.starts_with(['/', '.', '<', '>']) {
        "programs named by their path, which are not there"
    } else if name == "git" {
        "git by its command alone, for rules that name it so; or not reached"
    } else {
        "not reached: behind a condition, in a loop without turns, in a function that is not called, or another way"
    }
}

/// Compares what was told of command lines with what runs of them.
fn compare(commands: &[String], what: &str) {
    let Some(cell) = Cell::new() else {
        eprintln!("skipped: no place of its own can be made for a shell here");
        return;
    };
    let mut told = Vec::new();
    let mut opaque = 0;
    for command in commands {
        match effects(command) {
            Effects::Unknown { .. } => opaque += 1,
            Effects::Known(effects) => told.push((command.clone(), words(effects))),
        }
    }
    let texts: Vec<String> = told.iter().map(|(command, _)| command.clone()).collect();
    let (mut ran_in_all, mut hidden) = (0, Vec::new());
    let mut beyond: BTreeMap<&str, usize> = BTreeMap::new();
    for ((command, told), ran) in told.iter().zip(cell.run(&texts)) {
        ran_in_all += ran.len();
        for run in &ran {
            if !told.iter().any(|told| may_be(told, run)) {
                hidden.push(format!("{run:?} runs, and was not told of:\n{command}\n{told:?}"));
            }
        }
        for told in told.iter().filter(|told| !ran.iter().any(|run| may_be(told, run))) {
            *beyond.entry(class(told)).or_default() += 1;
        }
    }
    println!("{what}: {} command lines, {opaque} asked as opaque; {ran_in_all} commands ran", commands.len());
    beyond.iter().for_each(|(class, count)| println!("told of beyond that: {count} × {class}"));
    assert!(hidden.is_empty(), "{} hidden:\n{}", hidden.len(), hidden[..hidden.len().min(30)].join("\n\n"));
    assert!(ran_in_all > commands.len() / 4, "commands run: {ran_in_all}");
}

fn words(effects: Vec<Effect>) -> Vec<Vec<String>> {
    let command = |effect| match effect {
        Effect::Command { words, .. } => Some(words),
        Effect::Read(_)
        | Effect::ReadBelow(_)
        | Effect::Write(_)
        | Effect::Remove(_)
        | Effect::MayWrite(_)
        | Effect::Contact(_)
        | Effect::Name(_) => None,
    };
    effects.into_iter().filter_map(command).collect()
}

#[test]
fn no_recorded_command_runs_that_was_not_told_of() {
    let Some(commands) = recorded() else { return };
    compare(&commands, "recorded");
}

/// Command lines made from a small grammar, the same on every run.
pub(crate) struct Maker(u64);

impl Maker {
    /// A maker that begins with a number.
    pub(crate) fn new(seed: u64) -> Maker {
        Maker(seed)
    }

    fn next(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).expect("it is smaller than a usize")
    }

    fn one_of(&mut self, pieces: &[&str]) -> String {
        pieces[self.next(pieces.len())].to_owned()
    }

    fn word(&mut self, depth: usize) -> String {
        match self.next(if depth == 0 { 7 } else { 11 }) {
            0..=4 => self.one_of(&[
                "x", "-y", "'a b'", "\"c;d\"", "e\\ f", "g=h", "2", "{i,j}", "~/k", "*.l", "#m", "n#",
            ]),
            5 => self.one_of(&["$V", "\"$W\"", "${X:-y}", "\"${Z}z\"", "$?", "$'q\\n'"]),
            6 => self
                .one_of(&["'$(no)'", "\"it's\"", "\\$(", "a\\\nb", "\"\\`no\\`\""])
                .replace("\\$(", "'$('"),
            7 | 8 => format!("$({})", self.list(depth - 1)),
            9 => format!("\"$({})\"", self.list(depth - 1)),
            _ten => format!("<({})", self.list(depth - 1)),
        }
    }

    fn simple(&mut self, depth: usize) -> String {
        let name = self.one_of(&[
            "p1",
            "p2",
            "p3",
            "rm",
            "cat",
            "git",
            "echo",
            "timeout 5 p4",
            "xargs p5",
            "env p6",
            "cd",
        ]);
        let words: Vec<String> = (0..self.next(4)).map(|_| self.word(depth)).collect();
        let before = self.one_of(&["", "", "", "", "A=1 ", "! ", "2>&1 "]);
        let behind =
            self.one_of(&["", "", "", "", " > o", " 2>/dev/null", " < /dev/null", " <<< r", " &> o"]);
        format!("{before}{name} {}{behind}", words.join(" "))
    }

    /// A command line with pieces in it, some levels deep.
    pub(crate) fn list(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.simple(0);
        }
        match self.next(14) {
            0..=4 => self.simple(depth),
            5..=8 => {
                let link = self.one_of(&[" && ", " || ", "; ", " | ", "\n", " & ", " |& ", ";"]);
                format!("{}{link}{}", self.list(depth - 1), self.list(depth - 1))
            }
            9 => format!("({})", self.list(depth - 1)),
            10 => format!(
                "if {}; then {}; else {}; fi",
                self.list(depth - 1),
                self.list(depth - 1),
                self.list(0)
            ),
            11 => format!("for v in a b $(p7); do {}; done", self.list(depth - 1)),
            12 => format!("bash -c '{}'", self.list(depth - 1).replace('\'', "'\\''")),
            _thirteen => {
                let mark = self.one_of(&["EOF", "'EOF'"]);
                format!("cat <<{mark}\n{} $(p8)\nEOF\n", self.word(0).replace('`', ""))
            }
        }
    }
}

#[test]
fn no_made_up_command_runs_that_was_not_told_of() {
    let mut maker = Maker::new(0x9E37_79B9_7F4A_7C15);
    let commands: Vec<String> = (0..1_500).map(|at| maker.list(1 + at % 3)).collect();
    compare(&commands, "made up");
}
