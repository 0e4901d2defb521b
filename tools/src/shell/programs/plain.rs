//! Small questions about programs that the table has no place for: ways of using them that change nothing, and whether
//! they run what they read.

use crate::shell::commands::Word;

/// Programs with the options, standing alone, for which they show their version and do nothing else. Those that run what
/// a project names even then are not among them.
const VERSIONS: &[(&str, &[&str])] = &[
    ("cargo", &["--version", "-V"]),
    ("cc", &["--version"]),
    ("clang", &["--version"]),
    ("cmake", &["--version"]),
    ("curl", &["--version"]),
    ("docker", &["--version"]),
    ("g++", &["--version"]),
    ("gcc", &["--version"]),
    ("gh", &["--version"]),
    ("go", &["version"]),
    ("java", &["--version", "-version"]),
    ("javac", &["--version", "-version"]),
    ("jq", &["--version"]),
    ("make", &["--version"]),
    ("node", &["--version", "-v"]),
    ("npm", &["--version", "-v"]),
    ("perl", &["--version", "-v"]),
    ("php", &["--version"]),
    ("pip", &["--version"]),
    ("pip3", &["--version"]),
    ("python", &["--version", "-V"]),
    ("python3", &["--version", "-V"]),
    ("rg", &["--version", "-V"]),
    ("ruby", &["--version"]),
    ("rustc", &["--version", "-V"]),
    ("tar", &["--version"]),
    ("uv", &["--version"]),
];

/// Whether a program is only asked for its version.
pub(super) fn shows_version(name: &str, arguments: &[Word]) -> bool {
    let [only] = arguments else { return false };
    let mut listed = VERSIONS.iter().filter(|(known, _)| *known == name);
    only.is_known() && listed.any(|(_, options)| options.contains(&only.value.as_str()))
}

/// Whether `ps` lists processes without what is in their environment.
pub(super) fn is_list_of_processes(arguments: &[Word]) -> bool {
    const WAYS: &[&str] = &["a", "au", "aux", "auxw", "auxww", "ax", "axu", "u", "ux", "x"];
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        let value = word.value.as_str();
        let is_plain = match value.strip_prefix('-') {
            Some("o" | "p" | "u" | "U" | "C" | "-sort" | "-pid" | "-ppid") => {
                rest.next().is_some_and(Word::is_known)
            }
            Some(option) if option.starts_with('-') => {
                ["-sort=", "-pid=", "-ppid=", "-no-headers", "-forest"]
                    .iter()
                    .any(|it| option.starts_with(it))
            }
            Some(flags) => !flags.is_empty() && flags.chars().all(|flag| "AefFlTuxaw".contains(flag)),
            None => WAYS.contains(&value) || value.bytes().all(|byte| byte.is_ascii_digit()),
        };
        if !is_plain || word.has_wildcard || !word.is_known() {
            return false;
        }
    }
    true
}

/// Whether a program may run what it reads from its input. What is a message, or goes elsewhere, is none.
pub(crate) fn may_run_input(name: &str, arguments: &[Word]) -> bool {
    const READERS_OF_TEXT: &[&str] =
        &["curl", "gh", "git", "glab", "hg", "http", "jj", "less", "mail", "more", "nc", "wget"];
    let names_script = || {
        let is_file = |word: &Word| {
            word.value.starts_with("-f") || word.value.starts_with("--file") || word.value.starts_with("-E")
        };
        matches!(name, "awk" | "gawk" | "mawk" | "sed") && arguments.iter().any(is_file)
    };
    names_script() || !(super::is_known(name) || READERS_OF_TEXT.contains(&name))
}
