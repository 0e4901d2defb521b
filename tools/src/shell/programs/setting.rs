//! Builtins whose arguments may set a variable: its name may have a subscript, which is evaluated.

use crate::shell::commands::Word;
use crate::shell::syntax::Doubt;

/// Doubts builtins that set a variable, since its name may have a subscript that is evaluated.
pub(super) fn check_sets_nothing(name: &str, arguments: &[Word]) -> Result<(), Doubt> {
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
        ("printf", [first, ..]) if !first.is_known() => {
            Err(Doubt::new(format!("the format `{}` of `printf` may set a variable", first.typed)))
        }
        ("printf", [first, format, ..]) if first.value == "--" && !format.is_known() => {
            Err(Doubt::new(format!("the format `{}` of `printf` may set a variable", format.typed)))
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
