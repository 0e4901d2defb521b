//! Programs that run a small script on files: they only look where the script cannot do more.

use crate::shell::commands::{Targets, Use, Word};
use crate::shell::syntax::Doubt;

/// Reads the arguments of `awk` or `jq`; answers whether it changes nothing.
pub(super) fn read(name: &str, arguments: &[Word], targets: &mut Targets<'_>) -> Result<bool, Doubt> {
    let is_jq = name == "jq";
    let (mut script, mut is_plain) = (None, true);
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
            "-F" | "-v" if !is_jq => drop(rest.next()),
            option if !is_jq && is_option && option.starts_with("-F") => {}
            option if !is_jq && is_option && option.starts_with("-v") => {}
            _other if is_option => is_plain = false,
            _script if script.is_none() => script = Some(word),
            _file if is_jq || !value.contains('=') => targets.add(word, Use::Read)?,
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

/// Whether a filter of `jq` reads nothing but its input.
fn looks_with_jq(filter: &str) -> bool {
    let odd = ["import", "include", "input_filename", "$ENV", "env", "get_search_list", "$__loc__"];
    !odd.iter().any(|odd| filter.contains(odd))
}
