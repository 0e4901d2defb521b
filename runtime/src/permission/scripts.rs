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

/// Where a program finds the code that it runs, besides its options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Code {
    /// In the file that it is given first, or in what it reads where there is none.
    FirstFile,
    /// Elsewhere, such as in its first word or in files of certain names.
    Elsewhere,
}

/// Programs that run code of a language of their own, in order; without the numbers of versions behind their names.
const LANGUAGES: &[(&str, Code)] = &[
    ("Rscript", Code::FirstFile),
    ("awk", Code::Elsewhere),
    ("bun", Code::FirstFile),
    ("deno", Code::FirstFile),
    ("ed", Code::Elsewhere),
    ("emacs", Code::Elsewhere),
    ("ex", Code::Elsewhere),
    ("gawk", Code::Elsewhere),
    ("gdb", Code::Elsewhere),
    ("irb", Code::FirstFile),
    ("julia", Code::FirstFile),
    ("lua", Code::FirstFile),
    ("mawk", Code::Elsewhere),
    ("mysql", Code::Elsewhere),
    ("node", Code::FirstFile),
    ("nodejs", Code::FirstFile),
    ("nvim", Code::Elsewhere),
    ("osascript", Code::FirstFile),
    ("perl", Code::FirstFile),
    ("php", Code::FirstFile),
    ("powershell", Code::FirstFile),
    ("psql", Code::Elsewhere),
    ("pwsh", Code::FirstFile),
    ("pypy", Code::FirstFile),
    ("python", Code::FirstFile),
    ("ruby", Code::FirstFile),
    ("sqlite3", Code::Elsewhere),
    ("tclsh", Code::FirstFile),
    ("ts-node", Code::FirstFile),
    ("tsx", Code::FirstFile),
    ("vi", Code::Elsewhere),
    ("vim", Code::Elsewhere),
];

/// Where a program finds its code, if it runs code of a language of its own.
fn language(name: &str) -> Option<Code> {
    let unnumbered = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let found = |name: &str| LANGUAGES.binary_search_by_key(&name, |(known, _)| known).ok();
    found(name).or_else(|| found(unnumbered)).map(|at| LANGUAGES[at].1)
}

/// Whether a program, by its bare name, is an interpreter that runs the file it is given first, or what it reads where it
/// is given none: of a language of its own, no shell.
#[must_use]
pub fn runs_first_file(name: &str) -> bool {
    language(name) == Some(Code::FirstFile)
}

/// The texts of code among the words of a command.
pub(super) fn scripts(words: &[String]) -> impl Iterator<Item = &String> {
    let is_language = |word: &String| language(program(word)).is_some();
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
    fn interpreters_of_files_are_known_by_their_names_with_and_without_a_version() {
        for (name, is_so) in [
            ("python3.12", true),
            ("node", true),
            ("lua5.4", true),
            ("sqlite3", false),
            ("bash", false),
            ("", false),
        ] {
            assert_eq!(runs_first_file(name), is_so, "{name}");
        }
    }

    #[test]
    fn code_is_found_among_the_words_of_programs_that_run_it() {
        assert!(LANGUAGES.is_sorted_by_key(|(name, _)| name));
        for (words, count) in [
            (&["python3.12", "-c", "print(1)"] as &[&str], 1),
            (&["A=b", "perl", "-e", "system 'x'"], 1),
            (&["sqlite3", "a.db", ".shell 'x'"], 1),
            (&["python3", "x.py"], 0),
            (&["echo", "print (1)"], 0),
            (&["bash", "-c", "echo (1)"], 0),
        ] {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            assert_eq!(scripts(&words).count(), count, "{words:?}");
        }
    }
}
