//! Programs that run the program behind them: with which options, and where it begins.

use super::pipes::Input;
use super::word::Word;
use crate::shell::syntax::Doubt;

/// What stands behind a wrapper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Inner {
    /// It is no wrapper, or runs nothing.
    None,
    /// A command by its words. The wrapper is transparent where it adds nothing to what that command does.
    Command { words: Vec<Word>, is_transparent: bool, settings: Vec<String> },
    /// A text for a shell.
    Script { text: String },
}

/// One wrapper.
struct Wrapper {
    name: &'static str,
    /// Options of one letter that stand alone.
    flags: &'static str,
    /// Options of one letter with a value.
    valued: &'static str,
    /// Long options; `=` marks those with a value.
    long: &'static str,
    /// How many operands come before the command.
    operands: usize,
    is_transparent: bool,
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
const NOT_FOLLOWED: &[&str] = &[
    "alias",
    "bind",
    "chroot",
    "compgen",
    "complete",
    "compopt",
    "coproc",
    "disown",
    "enable",
    "expect",
    "fc",
    "getopts",
    "hash",
    "history",
    "jobs",
    "let",
    "mapfile",
    "nsenter",
    "parallel",
    "pkexec",
    "popd",
    "pushd",
    "readarray",
    "rlwrap",
    "script",
    "setarch",
    "shopt",
    "strace",
    "su",
    "taskset",
    "trap",
    "ulimit",
    "umask",
    "unalias",
    "unshare",
];

/// What a program runs. `is_fed` where it reads from something.
pub(super) fn inner(name: &str, arguments: &[Word], input: &Input) -> Result<Inner, Doubt> {
    if NOT_FOLLOWED.contains(&name) {
        return Err(Doubt::new(format!("`{name}` runs another command or changes the shell")));
    }
    let Some(row) = WRAPPERS.iter().find(|row| row.name == name) else { return Ok(Inner::None) };
    if name == "command" && arguments.first().is_some_and(|word| matches!(word.value.as_str(), "-v" | "-V")) {
        return Ok(Inner::None);
    }
    let mut replaced: Option<String> = None;
    let mut rest = arguments;
    let mut settings = Vec::new();
    let mut had_options = false;
    let mut is_fed = *input != Input::Nothing;
    let mut reading = Reading::default();
    while let [word, after @ ..] = rest {
        if word.value == "--" {
            rest = after;
            break;
        }
        let Some(option) = word.value.strip_prefix('-').filter(|option| !option.is_empty()) else {
            let is_setting = matches!(name, "env" | "sudo" | "doas") && is_setting(&word.value);
            if !is_setting {
                break;
            }
            settings.push(word.value.clone());
            rest = after;
            continue;
        };
        had_options = true;
        if name == "xargs" {
            reading.note(option);
            is_fed |= reading.takes_file;
        }
        let taken = taken(row, option)
            .filter(|_| word.is_known())
            .ok_or_else(|| Doubt::new(format!("the option `{}` of `{name}` is not known", word.typed)))?;
        if name == "xargs" && option.starts_with('I') {
            replaced = Some(
                if option == "I" { after.first().map_or("{}", |it| &it.value) } else { &option[1..] }
                    .to_owned(),
            );
        }
        rest = if taken { after.get(1..).unwrap_or_default() } else { after };
    }
    if name == "flock" && rest.get(1).is_some_and(|word| word.value == "-c") {
        return script(name, rest.get(2..).unwrap_or_default());
    }
    let words = rest.get(row.operands..).unwrap_or_default();
    if name == "watch" {
        return script(name, words);
    }
    if words.is_empty() {
        return Ok(Inner::None);
    }
    let found = input.found().filter(|_| name == "xargs").and_then(|found| reading.given(found));
    let knows_words = found.is_some();
    let words = filled(words, replaced.as_deref(), found, name == "xargs" && is_fed);
    let is_transparent = row.is_transparent && !(name == "xargs" && had_options && !knows_words);
    Ok(Inner::Command { words, is_transparent, settings })
}

/// The words of a command with what `xargs` puts in: for a mark, or at their end.
fn filled(words: &[Word], mark: Option<&str>, found: Option<Vec<Word>>, is_fed: bool) -> Vec<Word> {
    let mut words = words.to_vec();
    let Some(mark) = mark else {
        words.extend(found.unwrap_or_else(|| is_fed.then(Word::given).into_iter().collect()));
        return words;
    };
    let is_whole = words.iter().all(|word| word.value == mark || !word.value.contains(mark));
    let only = found.filter(|found| is_whole && found.len() == 1).and_then(|found| found.into_iter().next());
    words.iter_mut().filter(|word| word.value.contains(mark)).for_each(|word| match &only {
        Some(found) => *word = found.clone(),
        None => {
            let typed = word.typed.clone();
            *word = Word { typed: typed.clone(), ..Word::default() };
            word.add_unknown(super::word::Origin::Computed, false, &typed);
        }
    });
    words
}

/// How `xargs` makes words of what it reads.
#[derive(Clone, Copy, Debug, Default)]
struct Reading {
    takes_file: bool,
    ends_with_zero: bool,
    /// Whether names are cut where others do not end, so that they become other names.
    cuts_elsewhere: bool,
}

impl Reading {
    fn note(&mut self, option: &str) {
        self.takes_file |= option.starts_with('a') || option.contains("arg-file");
        self.cuts_elsewhere |= option.contains(['d', 'E']) && !option.starts_with('-');
        self.cuts_elsewhere |= option.starts_with("-delimiter");
        self.ends_with_zero |= matches!(option, "0" | "-null" | "0r" | "r0" | "0n" | "0P" | "0I");
    }

    /// What is found, as the command gets it: what shows names with a zero behind each must be read so.
    fn given(self, found: &[Word]) -> Option<Vec<Word>> {
        let shows_zero = |word: &Word| word.found.is_some_and(|found| !found.may_split);
        let fits = found.iter().all(|word| shows_zero(word) == self.ends_with_zero);
        (fits && !self.takes_file && !self.cuts_elsewhere).then(|| found.to_vec())
    }
}

/// Words that are joined and run by a shell.
fn script(name: &str, words: &[Word]) -> Result<Inner, Doubt> {
    if words.is_empty() {
        return Ok(Inner::None);
    }
    if let Some(odd) = words.iter().find(|word| !word.is_known() || word.has_wildcard || word.has_tilde) {
        return Err(Doubt::new(format!("`{name}` runs `{}`, which is not told", odd.typed)));
    }
    Ok(Inner::Script { text: words.iter().map(|word| word.value.as_str()).collect::<Vec<_>>().join(" ") })
}

/// Whether the next word is an option's value; nothing where the option is not known.
fn taken(row: &Wrapper, option: &str) -> Option<bool> {
    if let Some(long) = option.strip_prefix('-') {
        let (name, has_value) = long.split_once('=').map_or((long, false), |(name, _)| (name, true));
        return row.long.split_whitespace().find_map(|listed| match listed.strip_suffix('=') {
            Some(valued) if valued == name => Some(!has_value),
            None if listed == name && !has_value => Some(false),
            _other => None,
        });
    }
    for (at, letter) in option.char_indices() {
        if row.valued.contains(letter) {
            return Some(at + 1 == option.len());
        }
        if !row.flags.contains(letter) {
            return None;
        }
    }
    Some(false)
}

fn is_setting(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}
