//! What `test` and `[` would do: they look at files and compare words. In `bash` some of their operators evaluate their
//! operands, subscripts with commands in them included, so only plain operators with plain operands are understood.

use crate::shell::commands::{Targets, Use, Word, is_number};
use crate::shell::syntax::Doubt;

/// Operators before a file.
const OF_FILES: &[&str] = &["-d", "-e", "-f", "-h", "-L", "-r", "-s", "-w", "-x"];
/// Operators before a text.
const OF_TEXTS: &[&str] = &["-n", "-z"];
/// Operators between texts.
const OF_TWO_TEXTS: &[&str] = &["!=", "=", "=="];
/// Operators between numbers.
const OF_TWO_NUMBERS: &[&str] = &["-eq", "-ge", "-gt", "-le", "-lt", "-ne"];

/// Reads the words behind `test` or `[`. They are taken strictly, so that every shell groups them in the same way.
pub(super) fn read(name: &str, arguments: &[Word], targets: &mut Targets<'_>) -> Result<bool, Doubt> {
    let words = match arguments {
        [words @ .., last] if name == "[" && last.typed == "]" => words,
        words if name == "test" => words,
        _open => return Err(Doubt::new("`[` is not closed by a `]` of its own")),
    };
    if let Some(word) = words.iter().find(|word| may_be_evaluated(word)) {
        return Err(Doubt::new(format!("`{}` of `{name}` may be evaluated", word.typed)));
    }
    let doubt = |word: &Word| Doubt::new(format!("`{}` of `{name}` is not understood", word.typed));
    let ends_early = || Doubt::new(format!("`{name}` ends where an operand is expected"));
    let mut depth = 0_usize;
    let mut wants_term = true;
    let mut rest = words.iter().peekable();
    while let Some(word) = rest.next() {
        match (word.value.as_str(), wants_term) {
            ("!", true) => {}
            ("(", true) => depth += 1,
            ("-a" | "-o", false) => wants_term = true,
            (")", false) if depth > 0 => depth -= 1,
            (operator, true) if OF_FILES.contains(&operator) => {
                let file = operand(rest.next().ok_or_else(ends_early)?).map_err(doubt)?;
                targets.add(file, Use::Read)?;
                wants_term = false;
            }
            (operator, true) if OF_TEXTS.contains(&operator) => {
                operand(rest.next().ok_or_else(ends_early)?).map_err(doubt)?;
                wants_term = false;
            }
            (_operand, true) => {
                let left = operand(word).map_err(doubt)?;
                if let Some(operator) = rest.next_if(|next| is_between(&next.value)) {
                    let right = operand(rest.next().ok_or_else(ends_early)?).map_err(doubt)?;
                    let numbers = OF_TWO_NUMBERS.contains(&operator.value.as_str());
                    if let Some(word) = [left, right]
                        .into_iter()
                        .find(|word| numbers && word.is_known() && !is_number(&word.value))
                    {
                        return Err(doubt(word));
                    }
                }
                wants_term = false;
            }
            (_other, false) => return Err(doubt(word)),
        }
    }
    if depth > 0 || (wants_term && !words.is_empty()) {
        return Err(ends_early());
    }
    Ok(true)
}

/// Whether a word may be an operator, or name something that is evaluated. What is quoted stays one operand.
fn may_be_evaluated(word: &Word) -> bool {
    match word.unknown {
        Some(unknown) => unknown.splits || word.has_wildcard,
        None => word.has_wildcard || word.value.contains(['[', '$', '`']),
    }
}

/// A word that is an operand and nothing else; otherwise the word itself.
fn operand(word: &Word) -> Result<&Word, &Word> {
    let value = word.value.as_str();
    let is_operator = matches!(value, "!" | "(" | ")") || is_between(value);
    let is_option = value.starts_with('-') && !is_number(value) && word.is_known();
    if is_operator || is_option { Err(word) } else { Ok(word) }
}

fn is_between(value: &str) -> bool {
    OF_TWO_TEXTS.contains(&value) || OF_TWO_NUMBERS.contains(&value)
}
