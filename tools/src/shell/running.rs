//! Programs whose arguments may run something that the table of programs does not see: other programs, code, and what
//! the shell evaluates in the names of variables.

use super::command::Doubt;
use super::programs::{INTERPRETERS, WRAPPERS};
use super::word::Word;

/// Doubts programs that run others, or code.
pub(super) fn check_runs_nothing_else(name: &str, arguments: &[Word]) -> Result<(), Doubt> {
    if WRAPPERS.contains(&name) {
        return Err(Doubt::new(format!("`{name}` runs another command or changes the shell")));
    }
    let base = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    if INTERPRETERS.contains(&name) || INTERPRETERS.contains(&base) {
        let first = arguments.first().map(|word| word.value.as_str());
        let is_awk = base.ends_with("awk");
        let names_code = match first {
            Some("-m" | "--version" | "-V") => !is_awk,
            Some(word) => !word.starts_with('-') && !is_awk,
            None => false,
        };
        let is_stream = first.is_some_and(|word| word.starts_with("/dev/") || word.starts_with("/proc/"));
        if !names_code || is_stream {
            return Err(Doubt::new(format!("`{name}` runs code that is not in a file")));
        }
    }
    check_sets_nothing(name, arguments)
}

/// Doubts builtins that set a variable, since its name may have a subscript that is evaluated.
fn check_sets_nothing(name: &str, arguments: &[Word]) -> Result<(), Doubt> {
    let is_option = |word: &Word| word.value.starts_with('-');
    match (name, arguments) {
        ("printf", [first, ..]) if first.value.starts_with("-v") => {
            Err(Doubt::new("`printf -v` sets a variable"))
        }
        ("printf", [first, format, ..]) if first.value == "--" && counts(&format.value) => {
            Err(Doubt::new("`%n` of `printf` sets a variable"))
        }
        ("printf", [format, ..]) if counts(&format.value) => {
            Err(Doubt::new("`%n` of `printf` sets a variable"))
        }
        ("wait", options) if options.iter().any(is_option) => {
            Err(Doubt::new("an option of `wait` may set a variable"))
        }
        _other => Ok(()),
    }
}

/// Whether a format of `printf` has a `%n`, which sets the variable that its argument names.
fn counts(format: &str) -> bool {
    let is_modifier = |c: char| c.is_ascii_digit() || "-+ #0'*.hlLjztq".contains(c);
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        rest = rest[at + 1..].trim_start_matches(is_modifier);
        if rest.starts_with('n') {
            return true;
        }
        rest = rest.strip_prefix('%').unwrap_or(rest);
    }
    false
}
