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
    ("gtar", TAR),
    ("less", &["+", "-k", "--lesskey"]),
    ("man", &["-P", "-H", "--pager", "--html"]),
    ("npm", &["--script-shell", "--node-options"]),
    ("pnpm", &["--script-shell", "--node-options"]),
    ("rsync", &["-e", "--rsh", "--rsync-path"]),
    ("scp", &["-S", "-F", "-o"]),
    ("sftp", &["-S", "-F", "-o", "-D"]),
    ("ssh", &["-F", "-o"]),
    ("tar", TAR),
    ("wget", &["--use-askpass", "-e", "--execute", "--config"]),
    ("yarn", &["--script-shell"]),
    ("zip", &["-TT", "--unzip-command"]),
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
    for word in behind_own.filter(|word| running.iter().any(|option| is_option(&word.value, option))) {
        ask(name, word, targets);
    }
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
        let runs = OF_GIT.iter().any(|option| is_option(value, option))
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
    }
    written(name, arguments, targets)
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
