//! Options with which a program runs another one, or code that it is given: a rule about the program's name does not
//! mean that, so somebody is asked.

use toolwright::permission::{git_command_at, is_plain_git_setting};

use crate::shell::commands::{Targets, Use, Word};
use crate::shell::syntax::Doubt;

/// Options of programs that run something: each stands alone, before `=`, or with its value attached where it has one
/// letter.
const RUNNING: &[(&str, &[&str])] = &[
    ("bsdtar", TAR),
    ("cargo", &["--config"]),
    ("curl", &["-K", "--config"]),
    ("ex", EDITOR),
    ("gmake", MAKE),
    ("gtar", TAR),
    ("less", &["+", "-k", "--lesskey"]),
    ("make", MAKE),
    ("man", &["-P", "-H", "--pager", "--html"]),
    ("nc", NETCAT),
    ("ncat", NETCAT),
    ("netcat", NETCAT),
    ("nodemon", &["-x", "--exec"]),
    ("nvim", EDITOR),
    ("npm", &["--script-shell", "--node-options"]),
    ("pnpm", &["--script-shell", "--node-options"]),
    ("rsync", &["-e", "--rsh", "--rsync-path"]),
    ("scp", &["-S", "-F", "-o"]),
    ("sftp", &["-S", "-F", "-o", "-D"]),
    ("ssh", &["-F", "-o"]),
    ("socat", SOCAT),
    ("sort", &["--compress-program"]),
    ("split", &["--filter"]),
    ("tar", TAR),
    ("vi", EDITOR),
    ("view", EDITOR),
    ("vim", EDITOR),
    ("vimdiff", EDITOR),
    ("wget", &["--use-askpass", "-e", "--execute", "--config"]),
    ("yarn", &["--script-shell"]),
    ("zip", &["-TT", "--unzip-command"]),
];

const NETCATS: &[&str] = &["nc", "ncat", "netcat"];
const NETCAT: &[&str] = &["-c", "-e", "--exec", "--lua-exec", "--sh-exec"];
const SOCAT: &[&str] =
    &["EXEC:", "SHELL:", "SYSTEM:", "exec:", "shell:", "system:", "Exec:", "Shell:", "System:"];

const EDITOR: &[&str] = &["+", "-c", "--cmd", "-S", "-s", "-u", "-W", "-w"];

const MAKE: &[&str] = &["SHELL=", ".SHELLFLAGS=", "--eval"];

/// Variables with a command that `make` runs.
const OF_MAKE: &[&str] = &[
    "AR=", "AS=", "CC=", "CPP=", "CXX=", "FC=", "INSTALL=", "LD=", "LEX=", "MAKE=", "PERL=", "PYTHON=",
    "RM=", "SHELL=", "YACC=",
];

/// Options whose value is a command for a shell, or may have one in it.
const TEXTS: &[(&str, &[&str])] = &[
    ("bsdtar", TAR),
    ("ex", TYPED),
    ("gtar", TAR),
    ("gmake", OF_MAKE),
    ("less", &["+"]),
    ("make", OF_MAKE),
    ("man", &["-P", "--pager", "-H", "--html"]),
    ("nc", NETCAT),
    ("ncat", NETCAT),
    ("netcat", NETCAT),
    ("nodemon", &["-x", "--exec"]),
    ("nvim", TYPED),
    ("rsync", &["-e", "--rsh"]),
    ("scp", &["-S", "-o"]),
    ("sftp", &["-S", "-o"]),
    ("socat", SOCAT),
    ("sort", &["--compress-program"]),
    ("split", &["--filter"]),
    ("ssh", &["-o"]),
    ("tar", TAR),
    ("vi", TYPED),
    ("view", TYPED),
    ("vim", TYPED),
    ("vimdiff", TYPED),
    ("zip", &["-TT", "--unzip-command"]),
];

/// Options of editors that run what a person could type.
const TYPED: &[&str] = &["+", "-c", "--cmd"];

/// The same of commands of git.
const TEXTS_OF_GIT: &[(&str, &[&str])] = &[
    ("clone", &["-u", "--upload-pack"]),
    ("difftool", &["-x", "--extcmd"]),
    ("fetch", &["--upload-pack"]),
    (
        "filter-branch",
        &[
            "--commit-filter",
            "--env-filter",
            "--index-filter",
            "--msg-filter",
            "--parent-filter",
            "--setup",
            "--tag-name-filter",
            "--tree-filter",
        ],
    ),
    ("grep", &["-O", "--open-files-in-pager"]),
    ("ls-remote", &["-u", "--upload-pack"]),
    ("pull", &["--upload-pack"]),
    ("push", &["--exec", "--receive-pack"]),
    ("rebase", &["-x", "--exec"]),
    ("send-email", &["--sendmail-cmd", "--smtp-server"]),
];

const TAR: &[&str] = &[
    "-F",
    "-I",
    "--checkpoint-action",
    "--info-script",
    "--new-volume-script",
    "--rmt-command",
    "--rsh-command",
    "--to-command",
    "--use-compress-program",
];

/// Options of git, before or behind its command, that run something or lead it to settings that may.
const OF_GIT: &[&str] = &[
    "--config-env",
    "--exec",
    "--exec-path",
    "--ext-diff",
    "--extcmd",
    "--open-files-in-pager",
    "--receive-pack",
    "--sendmail-cmd",
    "--smtp-server",
    "--template",
    "--upload-pack",
];
/// Options of one letter that do, by command of git.
const OF_COMMANDS: &[(&str, &str)] =
    &[("clone", "-u"), ("difftool", "-x"), ("grep", "-O"), ("ls-remote", "-u"), ("rebase", "-x")];
/// Commands of git that run what they are given.
const RUNNERS: &[&str] = &["daemon", "filter-branch", "hook", "instaweb", "mergetool", "shell"];
/// Asks about options of a program that run another.
pub(super) fn options(name: &str, arguments: &[Word], targets: &mut Targets<'_>) {
    let Some((_, running)) = RUNNING.iter().find(|(known, _)| *known == name) else { return };
    let behind_own = arguments.iter().take_while(|word| word.value != "--");
    // An editor only goes to a line.
    let is_line =
        |word: &Word| word.value.strip_prefix('+').is_some_and(|at| at.bytes().all(|b| b.is_ascii_digit()));
    let runs = |word: &&Word| running.iter().any(|option| is_option(&word.value, option)) && !is_line(word);
    for word in behind_own.filter(runs) {
        ask(name, word, targets);
    }
    if let Some((_, options)) = TEXTS.iter().find(|(known, _)| *known == name) {
        tell_texts(name, options, arguments, targets);
    }
}

/// Hands on the commands for a shell that options give.
fn tell_texts(name: &str, options: &[&str], arguments: &[Word], targets: &mut Targets<'_>) {
    for (at, word) in arguments.iter().enumerate().take_while(|(_, word)| word.value != "--") {
        let Some(option) = options.iter().find(|option| is_option(&word.value, option)) else { continue };
        let attached = if option.starts_with("--") {
            word.value.split_once('=').map(|(_, value)| value)
        } else {
            Some(&word.value[option.len()..]).filter(|value| !value.is_empty())
        };
        let (value, of) = match (attached, arguments.get(at + 1)) {
            (Some(value), _) => (value, word),
            (None, Some(next)) => (next.value.as_str(), next),
            (None, None) => continue,
        };
        if let Some(text) = text_in(name, option, value).filter(|_| of.is_known()) {
            targets.scripts.push(text.to_owned());
        }
    }
}

/// The command for a shell in the value of an option.
fn text_in<'v>(name: &str, option: &str, value: &'v str) -> Option<&'v str> {
    match option {
        "--checkpoint-action" => value.strip_prefix("exec="),
        "-o" => {
            let (key, text) = value.split_once(['=', ' '])?;
            key.to_lowercase().ends_with("command").then_some(text)
        }
        // What a person types begins a command for a shell with `!`.
        "+" | "-c" | "--cmd" if !NETCATS.contains(&name) => value.split_once('!').map(|(_, text)| text),
        _whole => Some(value),
    }
    .filter(|text| !text.trim().is_empty())
}

/// Words as a shell would read them back.
fn joined(words: &[Word]) -> String {
    let quoted = |word: &Word| format!("'{}'", word.value.replace('\'', "'\\''"));
    words.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// Asks about what git would run, and tells what it writes by an option.
pub(super) fn git(arguments: &[Word], targets: &mut Targets<'_>) -> Result<(), Doubt> {
    let command_at = git_command_at(arguments.iter().map(|word| word.value.as_str()));
    let name = command_at.map_or("", |at| arguments[at].value.as_str());
    let own = OF_COMMANDS.iter().find(|(command, _)| *command == name).map(|(_, option)| *option);
    let is_before = |at: usize| command_at.is_none_or(|command| at < command);
    for (at, word) in arguments.iter().enumerate() {
        let value = word.value.as_str();
        let gives_setting = value == "-c" && (is_before(at) || name == "clone");
        let setting = if gives_setting || (name == "clone" && value == "--config") {
            arguments.get(at + 1).map(|word| word.value.as_str())
        } else {
            value.strip_prefix("--config=").filter(|_| name == "clone")
        };
        let leads_elsewhere = is_before(at) && leads_to_settings(word, arguments.get(at + 1));
        let runs = leads_elsewhere
            || OF_GIT.iter().any(|option| is_option(value, option))
            || own.is_some_and(|option| !is_before(at) && is_option(value, option))
            || setting.is_some_and(|setting| !is_plain_git_setting(setting))
            || value.contains("ext::");
        if runs {
            ask("git", arguments.get(at + 1).filter(|_| setting.is_some()).unwrap_or(word), targets);
        }
    }
    let runs_words =
        match (name, command_at.and_then(|at| arguments.get(at + 1)).map(|word| word.value.as_str())) {
            ("bisect", Some("run")) | ("submodule", Some("foreach")) => true,
            (name, _) => RUNNERS.contains(&name),
        };
    if let Some(at) = command_at.filter(|_| runs_words) {
        ask("git", &arguments[at], targets);
        let behind = arguments.get(at + 2..).unwrap_or_default();
        let options = behind.iter().take_while(|word| word.value.starts_with('-')).count();
        let words = &behind[options..];
        match (name, words) {
            _unknown if !words.iter().all(Word::is_known) || words.is_empty() => {}
            ("submodule", [only]) => targets.scripts.push(only.value.clone()),
            ("bisect" | "submodule", words) => targets.scripts.push(joined(words)),
            _other => {}
        }
    }
    if let Some((_, options)) = TEXTS_OF_GIT.iter().find(|(command, _)| *command == name) {
        tell_texts(name, options, arguments, targets);
    }
    // What a template holds is copied into the repository, hooks and settings included.
    let is_template = |word: &Word| is_option(&word.value, "--template");
    if matches!(name, "init" | "clone") && arguments.iter().any(is_template) {
        targets.add(&Word::plain(".git/hooks"), Use::WriteBelow)?;
        targets.add(&Word::plain(".git/config"), Use::Write)?;
    }
    written(name, arguments, targets)
}

/// Whether an option before git's command names a repository by its own folder: its settings may name programs, and no
/// other repository is known to be nobody's trap.
fn leads_to_settings(word: &Word, next: Option<&Word>) -> bool {
    let folder = match word.value.strip_prefix("--git-dir") {
        Some("") => next.map(|next| next.value.as_str()),
        Some(attached) => attached.strip_prefix('='),
        None => None,
    };
    folder.is_some_and(|folder| !is_own_repository(folder))
}

/// Whether a path is where the repository of the working directory usually is.
pub(crate) fn is_own_repository(folder: &str) -> bool {
    matches!(folder.trim_end_matches('/'), ".git" | "./.git")
}

/// The files that git writes because an option names them.
fn written(name: &str, arguments: &[Word], targets: &mut Targets<'_>) -> Result<(), Doubt> {
    let short = matches!(name, "archive" | "format-patch").then_some("-o");
    for (at, word) in arguments.iter().enumerate() {
        let value = word.value.as_str();
        let attached = ["--output=", "--output-directory="].iter().find_map(|it| value.strip_prefix(it));
        if let Some(file) = attached {
            targets.add(&Word { value: file.to_owned(), has_tilde: false, ..word.clone() }, Use::Write)?;
        } else if let Some(file) = arguments
            .get(at + 1)
            .filter(|_| matches!(value, "--output" | "--output-directory") || Some(value) == short)
        {
            targets.add(file, Use::Write)?;
        }
    }
    Ok(())
}

fn ask(name: &str, word: &Word, targets: &mut Targets<'_>) {
    targets.open.push(format!("`{}` of `{name}` may run another program", word.typed));
}

/// Whether a word is an option, in whole, before its value, or shortened as long options may be.
fn is_option(word: &str, option: &str) -> bool {
    let Some(long) = option.strip_prefix("--") else { return word.starts_with(option) };
    let Some(given) = word.strip_prefix("--") else { return false };
    let given = given.split('=').next().unwrap_or_default();
    given == long || (given.len() >= 3 && long.starts_with(given) && word.contains('='))
}
