//! Programs that run a small script on files: they only look where the script cannot do more.

use crate::shell::commands::{Targets, Use, Word};
use crate::shell::syntax::Doubt;

/// Reads the arguments of `awk` or `jq`; answers whether it changes nothing.
pub(super) fn read(name: &str, arguments: &[Word], targets: &mut Targets<'_>) -> Result<bool, Doubt> {
    let is_jq = name == "jq";
    let (mut script, mut is_plain, mut in_place, mut set) = (None, true, false, Vec::new());
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        let value = word.value.as_str();
        let is_option = value.starts_with('-') && value != "-" && script.is_none() && word.is_known();
        match value {
            "-r" | "-c" | "-e" | "-s" | "-n" | "-M" | "-C" | "-S" | "-j" | "-a" | "-rc" | "-cr" | "-rn"
            | "-nr" | "-rs" | "-er" | "-re" | "-sr" | "--raw-output" | "--compact-output"
            | "--exit-status" | "--slurp" | "--null-input" | "--sort-keys" | "--tab" | "-rj" | "-R"
            | "-rR"
                if is_jq => {}
            "--arg" | "--argjson" if is_jq => drop((rest.next(), rest.next())),
            "-F" if !is_jq => drop(rest.next()),
            "-v" if !is_jq => set.extend(rest.next()),
            "-i" | "--include" if !is_jq => {
                in_place |= rest.next().is_some_and(|library| library.value.starts_with("inplace"));
                is_plain = false;
            }
            "-iinplace" | "--include=inplace" if !is_jq => (in_place, is_plain) = (true, false),
            option if !is_jq && is_option && option.starts_with("-F") => {}
            option if !is_jq && is_option && option.starts_with("-v") => {}
            _other if is_option => is_plain = false,
            _script if script.is_none() => script = Some(word),
            _file if is_jq || !value.contains('=') => {
                targets.add(word, if in_place { Use::Write } else { Use::Read })?;
            }
            _assignment => {}
        }
        if word.has_wildcard && script.is_some_and(|script| std::ptr::eq(script, word)) {
            is_plain = false;
        }
    }
    let does_no_more = script.is_some_and(|script| {
        script.is_known() && if is_jq { looks_with_jq(&script.value) } else { looks_with_awk(&script.value) }
    });
    // What else a script does is not told, so that no rule about the program's name can be meant to approve it.
    let odd = script.filter(|script| !is_jq && script.is_known() && does_more(&script.value));
    if let Some(script) = odd {
        targets
            .open
            .push(format!("the script `{}` of `{name}` may write files or run commands", script.typed));
    }
    if let Some(script) = script.filter(|_| !is_jq) {
        // What is set from outside may be the name of a file.
        let set = set.iter().filter_map(|word| word.value.split_once('=').map(|(_, value)| value));
        let set = set.filter(|value| pipes(&script.value) && !value.is_empty());
        for file in written(&script.value).into_iter().chain(set) {
            let file =
                Word { value: file.to_owned(), has_tilde: false, has_wildcard: false, ..script.clone() };
            targets.add(&file, Use::Write)?;
        }
    }
    // A file name that a wildcard stands for may be an option, or set a variable.
    let has_wildcard = arguments.iter().any(Word::may_become_option);
    Ok(is_plain && does_no_more && !has_wildcard)
}

/// Whether a script of `awk` reads and writes nothing by itself. It names further inputs by setting `ARGV`.
fn looks_with_awk(script: &str) -> bool {
    let odd = ["system", "getline", "close", "fflush", "|", ">", "<", "@", "ENVIRON", "PROCINFO", "ARG"];
    !odd.iter().any(|odd| script.contains(odd))
}

/// Whether a script of `awk` may run commands, or read or write files, as far as its words tell.
fn does_more(script: &str) -> bool {
    let shows = script.replace("||", "");
    ["system", "getline", "ARG", "@"].iter().any(|odd| shows.contains(odd)) || pipes(&shows)
}

/// Whether something is sent elsewhere: `|` and `>` behind `print`, and not within a comparison before it.
fn pipes(script: &str) -> bool {
    script.contains('|')
        || script.match_indices("print").any(|(at, _)| {
            script[at..].split(['}', ';', '\n']).next().is_some_and(|statement| statement.contains('>'))
        })
}

/// The files that a script of `awk` names behind `>`.
fn written(script: &str) -> Vec<&str> {
    let behind = script.match_indices('>').map(|(at, _)| script[at..].trim_start_matches('>').trim_start());
    behind
        .filter_map(|rest| rest.strip_prefix('"')?.split('"').next())
        .filter(|file| !file.is_empty())
        .collect()
}

/// Whether a filter of `jq` reads nothing but its input.
fn looks_with_jq(filter: &str) -> bool {
    let odd = ["import", "include", "input_filename", "$ENV", "env", "get_search_list", "$__loc__"];
    !odd.iter().any(|odd| filter.contains(odd))
}
