//! What `sed` would do: only scripts of addresses, printing, deleting and plain replacements are understood, since
//! others write files and run commands.

use toolwright::permission::is_plain_replacement;

use crate::shell::commands::{Targets, Use, Word};
use crate::shell::syntax::Doubt;

/// Reads the arguments of `sed`; answers whether it changes nothing.
pub(super) fn read(arguments: &[Word], targets: &mut Targets<'_>) -> Result<bool, Doubt> {
    let mut scripts = Vec::new();
    let mut files = Vec::new();
    let mut in_place = false;
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        if word.may_become_option() {
            return Err(Doubt::about_arguments(format!(
                "the wildcard in `{}` may become an option of `sed`",
                word.typed
            )));
        }
        match word.value.as_str() {
            "-n" | "-E" | "-r" | "-s" | "-u" | "-z" | "-nE" | "-En" | "-nr" | "--quiet" | "--silent" => {}
            "-i" | "--in-place" => in_place = true,
            "-e" => scripts.extend(rest.next()),
            option if option.starts_with('-') && option != "-" => {
                return Err(Doubt::about_arguments(format!(
                    "the option `{}` of `sed` is not known",
                    word.typed
                )));
            }
            _operand => files.push(word),
        }
    }
    if scripts.is_empty() && !files.is_empty() {
        scripts.push(files.remove(0));
    }
    if let Some(script) = scripts.iter().find(|script| !script.is_known() || !is_plain(&script.value)) {
        return Err(Doubt::about_arguments(format!(
            "the script `{}` of `sed` may write files or run commands",
            script.typed
        )));
    }
    for file in files.iter().filter(|file| file.value != "-") {
        targets.add(file, if in_place { Use::Write } else { Use::Read })?;
    }
    Ok(!in_place)
}

/// Whether a script is commands such as `1,20p`, `$d` or `s/a/b/g`, joined by `;`.
fn is_plain(script: &str) -> bool {
    if script.contains(['\n', '\\', '/']) && script.contains(';') && !script.starts_with('s') {
        return false;
    }
    if script.contains(['\n', '\\']) && script.contains(';') {
        return false;
    }
    let commands = if script.starts_with('s') { vec![script] } else { script.split(';').collect() };
    commands.into_iter().all(|command| is_plain_command(command.trim()))
}

fn is_plain_command(command: &str) -> bool {
    let Some(command) = behind_addresses(command) else { return false };
    is_plain_replacement(command) || matches!(command, "" | "p" | "d" | "q" | "=")
}

/// What stands behind the lines that a command is for: numbers, and patterns without anything that hides a slash.
fn behind_addresses(command: &str) -> Option<&str> {
    let mut rest = command;
    loop {
        let is_address = |c: char| c.is_ascii_digit() || matches!(c, ',' | '$' | '~' | '+' | ' ');
        rest = rest.trim_start_matches(is_address);
        let Some(pattern) = rest.strip_prefix('/') else { return Some(rest) };
        let (inside, behind) = pattern.split_once('/')?;
        if inside.contains(['\\', '[', '\n']) {
            return None;
        }
        rest = behind.strip_prefix('I').unwrap_or(behind);
    }
}

#[cfg(test)]
mod tests {
    use super::is_plain;

    #[test]
    fn only_scripts_that_show_and_replace_are_plain() {
        for script in [
            "1,20p",
            "$p",
            "/^fn/,/^}/p",
            "/a/d",
            "10,/b/I p",
            "10q",
            "1d;3d",
            "s/a/b/",
            "s|a/b|c|g",
            "s/a\\/b/c/2p",
            "5,$s/x/y/",
            "1~2p",
        ] {
            assert!(is_plain(script), "{script}");
        }
        for script in [
            "w out",
            "1w out",
            "s/a/b/w out",
            "s/a/b/e",
            "e ls",
            "1e",
            "r f",
            "s/a/b/;w x",
            "s/a/b",
            "/x/w y",
            "/[/]/w y/p",
            "/a\\/w y/p",
            "{p}",
            "1!d",
            "s/a/b/\nw x",
            "1p;e",
            "s/[/]/x/;e/",
            "y/a/b/",
            "s\\a\\b\\",
            "s/a/b/gw x",
            "1p\nw x",
        ] {
            assert!(!is_plain(script), "{script}");
        }
    }
}
