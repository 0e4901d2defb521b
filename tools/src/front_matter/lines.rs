//! Front matter that is not YAML, a line at a time: a key stands at the beginning of its line, and whatever is further
//! in belongs to the key above.

use super::Value;

/// Reads keys and values.
pub(super) fn read(text: &str) -> Vec<(String, Value)> {
    let mut fields: Vec<(String, Vec<&str>)> = Vec::new();
    for line in text.lines() {
        match key_of(line) {
            Some((key, rest)) => fields.push((key.to_owned(), vec![rest])),
            None => {
                if let Some((_key, lines)) = fields.last_mut() {
                    lines.push(line);
                }
            }
        }
    }
    fields.into_iter().map(|(key, lines)| (key, value_of(&lines))).collect()
}

/// The key that a line begins with, and what is behind its colon.
fn key_of(line: &str) -> Option<(&str, &str)> {
    let (key, rest) = line.split_once(':')?;
    let is_key =
        !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    (is_key && (rest.is_empty() || rest.starts_with([' ', '\t']))).then(|| (key, rest.trim()))
}

fn value_of(lines: &[&str]) -> Value {
    let (first, more) = lines.split_first().map_or(("", &[][..]), |(first, more)| (*first, more));
    let more: Vec<&str> = more.iter().copied().filter(|line| !line.trim_start().starts_with('#')).collect();
    let inner: Vec<&str> = more.iter().map(|line| line.trim()).filter(|line| !line.is_empty()).collect();
    let items: Option<Vec<Value>> = inner
        .iter()
        .map(|line| line.strip_prefix('-').map(|item| Value::plain(unquoted(item.trim()))))
        .collect();
    match (first, items) {
        ("" | "~" | "null", _) if inner.is_empty() => Value::Null,
        ("", Some(items)) => Value::List(items),
        ("|" | "|-" | "|+", _) => Value::Text { text: inner.join("\n"), is_quoted: true },
        (">" | ">-" | ">+" | "", _) => Value::plain(inner.join(" ")),
        (first, _) if inner.is_empty() => {
            let text = unquoted(first);
            Value::Text { is_quoted: text.len() != first.len(), text: text.to_owned() }
        }
        (first, _) => Value::plain(std::iter::once(first).chain(inner).collect::<Vec<_>>().join(" ")),
    }
}

/// The text without the quotes around it.
fn unquoted(text: &str) -> &str {
    let within = |quote: char| text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    within('"').or_else(|| within('\'')).unwrap_or(text)
}
