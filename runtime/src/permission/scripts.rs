//! Code for an interpreter, an editor or another shell among the words of a command: nobody reads it as code.
//!
//! What is promised of it, in every mode: a text that has a word for removing, and names a place that must not be removed as
//! it is written or by a usual way to ask for home or the working directory, is stopped. A name that code puts together,
//! decodes or reads elsewhere is not seen; neither is what a file does that was there before. Rules that close commands and
//! files are held against what stands in such a text as well.

use super::killswitch::{REMOVERS, REMOVING_PARTS, may_be_critical};
use super::raw::{RawText, spaced};
use super::subject::Subject;
use super::words::{arguments, is_setting, pieces_within, program};

/// Programs that run code of a language of their own, which they are given as a word or read; in order.
const LANGUAGES: &[&str] = &[
    "Rscript",
    "awk",
    "bun",
    "deno",
    "ed",
    "emacs",
    "ex",
    "gawk",
    "gdb",
    "irb",
    "julia",
    "lua",
    "mawk",
    "mysql",
    "node",
    "nodejs",
    "nvim",
    "osascript",
    "perl",
    "php",
    "powershell",
    "psql",
    "pwsh",
    "pypy",
    "python",
    "ruby",
    "sqlite3",
    "tclsh",
    "ts-node",
    "tsx",
    "vi",
    "vim",
];

/// The texts of code among the words of a command.
pub(super) fn scripts(words: &[String]) -> impl Iterator<Item = &String> {
    let is_language = |word: &String| {
        let name = program(word).trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        LANGUAGES.binary_search(&name).is_ok()
    };
    let runs_code = words.iter().find(|word| !is_setting(word)).is_some_and(is_language);
    arguments(words).filter(move |word| runs_code && is_script(word))
}

/// What of a text of code may be a command: what stands between its marks, and each of its quoted texts.
pub(super) fn stretches(script: &str) -> Vec<String> {
    let mut stretches = RawText::new(script).into_stretches();
    stretches.extend(script.split(['\'', '"', '`']).map(spaced).filter(|piece| !piece.is_empty()));
    stretches
}

fn is_script(word: &str) -> bool {
    word.contains(|c: char| c.is_whitespace() || "('\"".contains(c))
}

/// How scripts for interpreters name home or the working directory without writing it, in small letters and without
/// quotes.
const KEPT_IN_SCRIPTS: &[&str] = &[
    "dir.home()",
    "dir.home",
    "dir.pwd",
    "env.home",
    "env[home]",
    "env{home}",
    "environ.get(home)",
    "environ[home]",
    "file.expand_path(~)",
    "getcwd()",
    "getcwd",
    "getenv(home)",
    "home_dir()",
    "homedir()",
    "path.cwd()",
    "path.home()",
    "process.cwd()",
    "userhomedir()",
];

/// What a script among the words of a command may remove: text for an interpreter, an editor, or another shell.
pub(super) fn removed_by_script(subject: &Subject<'_>, words: &[String]) -> Option<String> {
    arguments(words).filter(|word| is_script(word)).find_map(|script| {
        // `printf` writes white space by its name.
        let script = script.to_lowercase().replace("\\n", " ").replace("\\t", " ");
        let removes = |piece: &str| {
            let name = program(piece.trim_start_matches(['!', '+', '%']));
            REMOVERS.contains(&name) || REMOVING_PARTS.iter().any(|part| piece.contains(part))
        };
        let names_far = |piece: &&str| {
            let is_named =
                piece.starts_with(['/', '~']) || piece.starts_with("$home") || piece.starts_with("..");
            (is_named || *piece == ".") && may_be_critical(subject, &piece.replace("$home", "$HOME"))
        };
        let target = pieces_within(&script).find(names_far).or_else(|| kept_in_script(&script));
        let target = target.map(str::to_owned);
        target.filter(|_| pieces_within(&script).any(removes))
    })
}

/// What a script says for home or the working directory, where nothing is added to it there.
fn kept_in_script(script: &str) -> Option<&'static str> {
    let dense = script.replace(['\'', '"', '`'], "");
    let is_whole = |name: &&&str| {
        let stands_alone = |(at, name): (usize, &str)| {
            let (before, behind) = (&dense[..at], dense[at + name.len()..].trim_start());
            let goes_on = before.ends_with(|c: char| c.is_alphanumeric() || c == '_')
                || behind.starts_with(|c: char| c.is_alphanumeric() || "_/.+(".contains(c));
            let is_part = behind.starts_with(',') && is_joined(before);
            !(goes_on || is_part)
        };
        dense.match_indices(**name).any(stands_alone)
    };
    KEPT_IN_SCRIPTS.iter().find(is_whole).copied()
}

/// Whether a script ends within the brackets of something that joins paths.
fn is_joined(before: &str) -> bool {
    let mut depth = 0_usize;
    for (at, c) in before.char_indices().rev() {
        match c {
            ')' => depth += 1,
            '(' if depth == 0 => return before[..at].ends_with("join"),
            '(' => depth -= 1,
            _inside => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_found_among_the_words_of_programs_that_run_it() {
        assert!(LANGUAGES.is_sorted());
        for (words, count) in [
            (&["python3.12", "-c", "print(1)"] as &[&str], 1),
            (&["A=b", "perl", "-e", "system 'x'"], 1),
            (&["python3", "x.py"], 0),
            (&["echo", "print (1)"], 0),
            (&["bash", "-c", "echo (1)"], 0),
        ] {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            assert_eq!(scripts(&words).count(), count, "{words:?}");
        }
    }
}
