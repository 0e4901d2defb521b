//! What `git` would do, as far as that is told: some of its commands are known to change nothing with some options.

use toolwright::permission::git_command_at;

use super::{Told, running};
use crate::shell::commands::{Targets, Use, Word};
use crate::shell::syntax::Doubt;

/// Commands that change nothing with the options below.
const LOOKING: &[&str] = &["blame", "diff", "log", "ls-files", "rev-parse", "show", "status"];

/// Options of those commands that write nothing, run nothing and name no file. Those that end in `=` take a value.
const OPTIONS: &[&str] = &[
    "--",
    "--abbrev-commit",
    "--abbrev-ref",
    "--after=",
    "--all",
    "--author=",
    "--before=",
    "--branch",
    "--cached",
    "--color",
    "--color=",
    "--date=",
    "--decorate",
    "--decorate=",
    "--deleted",
    "--diff-filter=",
    "--exclude-standard",
    "--first-parent",
    "--follow",
    "--format=",
    "--git-dir",
    "--graph",
    "--grep=",
    "--ignored",
    "--is-inside-work-tree",
    "--max-count=",
    "--merges",
    "--modified",
    "--name-only",
    "--name-status",
    "--no-color",
    "--no-ext-diff",
    "--no-merges",
    "--no-patch",
    "--no-renames",
    "--no-textconv",
    "--numstat",
    "--oneline",
    "--others",
    "--patch",
    "--porcelain",
    "--porcelain=",
    "--pretty=",
    "--raw",
    "--reverse",
    "--short",
    "--short=",
    "--shortstat",
    "--show-toplevel",
    "--since=",
    "--staged",
    "--stat",
    "--stat=",
    "--summary",
    "--unified=",
    "--until=",
    "--untracked-files",
    "--untracked-files=",
    "--verify",
    "--word-diff",
    "-1",
    "-M",
    "-b",
    "-i",
    "-m",
    "-n",
    "-p",
    "-q",
    "-s",
    "-sb",
    "-u",
    "-uall",
    "-uno",
    "-v",
    "-w",
    "-z",
];

/// Options of `git branch` that only list.
const LISTING: &[&str] = &["--all", "--list", "--remotes", "--show-current", "-a", "-av", "-r", "-v", "-vv"];

/// Settings that keep git from running what the settings of a repository name, while it only looks: a folder laid out
/// like a bare repository may be of the agent's own making.
pub(crate) const DISARMED: &[(&str, &str)] =
    &[("core.fsmonitor", "false"), ("safe.bareRepository", "explicit")];

/// Reads the arguments of `git`; answers whether it is known to change nothing. What it is not known to do is not
/// doubted: rules name the commands of `git` that may run.
pub(super) fn read(arguments: &[Word], targets: &mut Targets<'_>) -> Result<Told, Doubt> {
    let mut rest = arguments;
    // Elsewhere, the settings of another repository may name programs to run.
    let mut is_here = targets.spot.is_start();
    loop {
        match rest {
            [option, after @ ..] if option.value == "--no-pager" => rest = after,
            [option, folder, after @ ..] if option.value == "-C" => {
                targets.add(folder, Use::List)?;
                is_here = false;
                rest = after;
            }
            _command => break,
        }
    }
    let also = without_place(arguments);
    running::git(arguments, targets)?;
    let Some((command, arguments)) = rest.split_first() else { return Ok(Told { also, ..Told::default() }) };
    let is_listed = match command.value.as_str() {
        "branch" => arguments.iter().all(|word| LISTING.contains(&word.value.as_str())),
        command => LOOKING.contains(&command) && arguments.iter().all(is_harmless),
    };
    let looked_at = if LOOKING.contains(&command.value.as_str()) { arguments } else { &[] };
    for word in looked_at.iter().filter(|word| leads_elsewhere(word)) {
        targets.add(word, Use::Read)?;
    }
    let has_wildcard = rest.iter().any(|word| word.has_wildcard);
    Ok(Told { read_only: is_listed && is_here && !has_wildcard, also, ..Told::default() })
}

/// The command without the options before it, if there are any.
fn without_place(arguments: &[Word]) -> Option<Vec<Word>> {
    let at = git_command_at(arguments.iter().map(|word| word.value.as_str())).filter(|at| *at > 0)?;
    let rest = &arguments[at..];
    Some(std::iter::once(Word::plain("git")).chain(rest.iter().cloned()).collect())
}

fn is_harmless(word: &Word) -> bool {
    let value = word.value.as_str();
    if !word.is_known() {
        // At its beginning it may be any option.
        return word.unknown.is_some_and(|unknown| !unknown.leads && !unknown.splits)
            && !value.starts_with('-');
    }
    let Some(option) = value.strip_prefix('-') else { return true };
    let is_count = !option.is_empty() && option.bytes().all(|byte| byte.is_ascii_digit());
    let is_attached =
        option.strip_prefix(['n', 'U']).is_some_and(|count| count.bytes().all(|b| b.is_ascii_digit()));
    let name = value.split_inclusive('=').next().unwrap_or_default();
    is_count || (is_attached && option != "U") || OPTIONS.contains(&name)
}

/// Whether an operand may name a file outside the repository: `git diff` shows any two files.
fn leads_elsewhere(word: &Word) -> bool {
    let value = word.value.as_str();
    word.has_tilde || value.starts_with('/') || value.split('/').any(|part| part == "..")
}
