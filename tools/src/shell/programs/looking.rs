//! Commands of git that change nothing with the options listed here, and what they show of files.

/// What a command shows of what files hold, or held once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shows {
    /// Nothing.
    Nothing,
    /// What was changed in them, if an option asks for it.
    Asked,
    /// What was changed in them, unless an option wants less.
    Changes,
    /// What they hold.
    Contents,
}

/// Which operands a command may have without changing anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    /// Any.
    Any,
    /// None.
    None,
    /// One.
    One,
    /// Any, where one of these options is among the words; otherwise none.
    With(&'static [&'static str]),
    /// One that has a dot in it, or up to two where one of these options is among the words.
    Key(&'static [&'static str]),
}

/// One command that looks, or one way of using it.
#[derive(Debug)]
pub(super) struct Looking {
    /// Its words: the command, and what must stand behind it.
    pub(super) words: &'static [&'static str],
    /// Its options that write nothing, run nothing and name no file; those that end in `=` take a value. `*` stands for
    /// those of [`OPTIONS`].
    pub(super) options: &'static str,
    pub(super) takes: Takes,
    pub(super) shows: Shows,
}

const fn row(words: &'static [&'static str], options: &'static str, takes: Takes, shows: Shows) -> Looking {
    Looking { words, options, takes, shows }
}

use Shows::{Asked, Changes, Contents, Nothing};
use Takes::{Any, Key, None, One, With};

/// The rows, each before those whose words begin it.
pub(super) const LOOKING: &[Looking] = &[
    row(&["blame"], "* -l -t -c -e -f -C -L --show-email --line-porcelain", Any, Contents),
    row(
        &["branch"],
        "--all --list --remotes --show-current -a -av -avv -r -rv -v -vv --sort= --format= --merged \
         --no-merged --contains --no-color --column",
        With(&["--list", "--merged", "--no-merged", "--contains"]),
        Nothing,
    ),
    row(&["cat-file"], "-p -t -s -e", Any, Contents),
    row(&["check-ignore"], "-v -q -n --verbose --quiet --no-index", Any, Nothing),
    row(
        &["config", "list"],
        "--global --local --system --worktree --show-origin --show-scope --name-only -z",
        None,
        Nothing,
    ),
    row(
        &["config"],
        "--get --get-all --get-regexp --get-urlmatch --list -l --global --local --system --worktree \
         --show-origin --show-scope --name-only -z --null --bool --int --path --type= --includes \
         --no-includes",
        Key(&["--get", "--get-all", "--get-regexp", "--get-urlmatch"]),
        Nothing,
    ),
    row(&["count-objects"], "-v -H -vH --verbose --human-readable", None, Nothing),
    row(
        &["describe"],
        "--tags --all --always --dirty --dirty= --abbrev= --long --exact-match --match= --exclude= \
         --contains --first-parent --candidates= --broken",
        Any,
        Nothing,
    ),
    row(&["diff"], "*", Any, Changes),
    row(
        &["for-each-ref"],
        "--format= --sort= --count= --contains --merged --no-merged --points-at=",
        Any,
        Nothing,
    ),
    row(
        &["grep"],
        "-- -n -i -l -L -c -w -v -E -F -G -P -h -H -o -q -z -W -I -a -e -A -B -C -r -p -ni -in -nE -En \
         -il -li -ln -nw -rn -lE -nF -niE -nP --line-number --ignore-case --files-with-matches \
         --name-only --files-without-match --count --word-regexp --invert-match --extended-regexp \
         --fixed-strings --perl-regexp --cached --untracked --heading --break --no-color --color \
         --color= --and --or --not --all-match --context= --after-context= --before-context= \
         --max-depth= --show-function --function-context --only-matching --quiet --full-name --column \
         --no-textconv --text --recursive",
        Any,
        Contents,
    ),
    row(
        &["log"],
        "* -L -S -G -c --cc --source --no-walk --simplify-by-decoration --tags --branches --remotes \
         --ancestry-path --full-history --topo-order --date-order --skip= --committer= --left-right \
         --cherry-pick --dirstat --log-size --no-decorate --no-abbrev-commit --parents --boundary \
         --cherry-mark --author-date-order --relative-date --show-pulls",
        Any,
        Asked,
    ),
    row(
        &["ls-files"],
        "* -c -d -o -s -t -k --stage --full-name --directory --eol --error-unmatch --exclude= -x \
         --killed --unmerged --no-empty-directory",
        Any,
        Nothing,
    ),
    row(
        &["ls-tree"],
        "-r -t -d -l -z -rl -lr --name-only --name-status --long --full-name --full-tree --object-only \
         --abbrev= --abbrev",
        Any,
        Nothing,
    ),
    row(&["merge-base"], "--all -a --is-ancestor --octopus --independent --fork-point", Any, Nothing),
    row(&["name-rev"], "--tags --name-only --always --no-undefined --refs= --exclude=", Any, Nothing),
    row(&["reflog", "show"], "*", Any, Asked),
    row(&["reflog"], "*", None, Asked),
    row(&["remote", "get-url"], "--all --push", One, Nothing),
    row(&["remote"], "-v --verbose", None, Nothing),
    row(
        &["rev-list"],
        "--count --all --branches --tags --remotes --max-count= -n --no-merges --merges --first-parent \
         --since= --until= --after= --before= --author= --left-right --reverse --oneline --abbrev-commit \
         --max-parents= --min-parents= --ancestry-path --objects --",
        Any,
        Nothing,
    ),
    row(
        &["rev-parse"],
        "* --git-common-dir --symbolic-full-name --symbolic --show-prefix --show-cdup \
         --is-bare-repository --is-inside-git-dir --is-shallow-repository --quiet --abbrev-ref= \
         --absolute-git-dir --show-superproject-working-tree --branches --tags --remotes --git-path \
         --show-object-format",
        Any,
        Nothing,
    ),
    row(
        &["shortlog"],
        "-s -n -e -sn -ns -se -sne -nse --summary --numbered --email --all --no-merges --merges --since= \
         --until= --after= --before= --author= --group= --branches --",
        Any,
        Nothing,
    ),
    row(&["show"], "* -c --cc", Any, Changes),
    row(
        &["show-ref"],
        "--heads --branches --tags --head --hash --hash= --abbrev --abbrev= --verify --quiet -q -s -d \
         --dereference",
        Any,
        Nothing,
    ),
    row(&["stash", "list"], "*", Any, Asked),
    row(&["stash", "show"], "*", Any, Asked),
    row(&["status"], "* --long --ahead-behind --no-ahead-behind --show-stash", Any, Nothing),
    row(&["submodule", "status"], "--recursive --cached", Any, Nothing),
    row(&["symbolic-ref"], "--short -q --quiet", One, Nothing),
    row(
        &["tag"],
        "-l --list -n --sort= --format= --contains --no-contains --merged --no-merged --points-at \
         --points-at= --column --no-column -i --ignore-case",
        With(&["-l", "--list", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at"]),
        Nothing,
    ),
    row(&["version"], "--build-options", None, Nothing),
    row(&["worktree", "list"], "--porcelain -v --verbose -z", None, Nothing),
];

/// Commands that show what files hold and change something, or may.
pub(super) const SHOWING: &[&str] = &[
    "archive",
    "bundle",
    "diff-files",
    "diff-index",
    "diff-tree",
    "difftool",
    "fast-export",
    "format-patch",
    "range-diff",
    "send-email",
    "whatchanged",
];

/// Options that make a command show what was changed in files.
pub(super) const ASKING: &[&str] = &[
    "--binary",
    "--cc",
    "--color-words",
    "--combined",
    "--diff-merges",
    "--ext-diff",
    "--function-context",
    "--patch",
    "--remerge-diff",
    "--textconv",
    "--unified",
    "--word-diff",
    "-L",
    "-U",
    "-W",
    "-c",
    "-p",
    "-u",
];

/// Options with which a command shows less than what was changed in files.
pub(super) const WANTING_LESS: &[&str] = &[
    "--check",
    "--dirstat",
    "--name-only",
    "--name-status",
    "--no-patch",
    "--numstat",
    "--quiet",
    "--raw",
    "--shortstat",
    "--stat",
    "--summary",
    "-q",
    "-s",
];

/// Options that several commands have, and that write nothing, run nothing and name no file. Those that end in `=` take
/// a value.
pub(super) const OPTIONS: &str = "-- --abbrev-commit --abbrev-ref --after= --all --author= --before= --branch --cached --color \
     --color= --date= --decorate --decorate= --deleted --diff-filter= --exclude-standard \
     --first-parent --follow --format= --git-dir --graph --grep= --ignored --is-inside-work-tree \
     --max-count= --merges --modified --name-only --name-status --no-color --no-ext-diff --no-merges \
     --no-patch --no-renames --no-textconv --numstat --oneline --others --patch --porcelain \
     --porcelain= --pretty= --raw --reverse --short --short= --shortstat --show-toplevel --since= \
     --staged --stat --stat= --summary --unified= --until= --untracked-files --untracked-files= \
     --verify --word-diff -1 -M -b -i -m -n -p -q -s -sb -u -uall -uno -v -w -z";
