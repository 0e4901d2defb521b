//! What a command line of git says before git's own command, and which of its settings run nothing: for the killswitch,
//! and for tools that tell what git would do.

/// Options of git before its command that take a value as the next word.
const VALUED: &[&str] = &[
    "--attr-source",
    "--config-env",
    "--git-dir",
    "--namespace",
    "--super-prefix",
    "--work-tree",
    "-C",
    "-c",
];
/// Settings of git that run nothing and lead nowhere else; those that end in `.` stand for all below them.
const PLAIN_SETTINGS: &[&str] = &[
    "advice.",
    "color.",
    "commit.gpgsign",
    "core.abbrev",
    "core.autocrlf",
    "core.eol",
    "core.filemode",
    "core.ignorecase",
    "core.longpaths",
    "core.quotepath",
    "fetch.prune",
    "gc.auto",
    "http.postbuffer",
    "init.defaultbranch",
    "log.",
    "merge.conflictstyle",
    "protocol.version",
    "pull.ff",
    "pull.rebase",
    "push.autosetupremote",
    "push.default",
    "rebase.autostash",
    "tag.gpgsign",
    "user.email",
    "user.name",
    "user.signingkey",
];
/// Settings that name a program, with the values that run none worth a question.
const PAGERS: &[&str] = &["core.pager=", "core.pager=cat", "pager.diff=false", "pager.log=false"];

/// Where git's own command stands among the words behind `git`, if there is one.
#[must_use]
pub fn git_command_at<'w>(words: impl IntoIterator<Item = &'w str>) -> Option<usize> {
    let mut is_value = false;
    words.into_iter().position(|word| {
        let is_option = is_value || word.starts_with('-');
        is_value = !is_value && VALUED.contains(&word);
        !is_option
    })
}

/// Whether a setting of git, alone or as `NAME=value`, runs nothing and leads nowhere else.
#[must_use]
pub fn is_plain_git_setting(setting: &str) -> bool {
    let setting = setting.to_lowercase();
    let key = setting.split('=').next().unwrap_or_default();
    let is_plain = |plain: &&str| if plain.ends_with('.') { key.starts_with(*plain) } else { key == *plain };
    PLAIN_SETTINGS.iter().any(is_plain) || PAGERS.contains(&setting.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_stands_behind_the_options_and_their_values() {
        for (words, at) in [
            ("status", Some(0)),
            ("-C a status", Some(2)),
            ("-c a=b --no-pager -C x log -c y", Some(5)),
            ("-C -c log", Some(2)),
            ("--git-dir=x log", Some(1)),
            ("-c", None),
            ("--version", None),
            ("", None),
        ] {
            assert_eq!(git_command_at(words.split_whitespace()), at, "{words}");
        }
    }

    #[test]
    fn settings_that_may_run_something_are_not_plain() {
        for setting in ["user.name=a", "User.Name", "advice.detachedHead=false", "core.pager=cat"] {
            assert!(is_plain_git_setting(setting), "{setting}");
        }
        for setting in
            ["core.pager", "core.pager=less", "alias.x=!y", "core.hooksPath=x", "diff.external=x", ""]
        {
            assert!(!is_plain_git_setting(setting), "{setting}");
        }
    }
}
