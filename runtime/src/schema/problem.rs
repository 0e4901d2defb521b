//! Problems of an input, in words that a model can act on.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::Value;

use super::Schema;
use super::example::{BYTES_MAX, Shown, shown};
use super::path::steps_of;

/// One problem of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where, such as `questions[0].header`; empty for the whole input.
    pub path: String,
    /// What was expected there.
    pub expected: String,
    /// What came, shortened.
    pub received: String,
    /// What to do about it, where that is known.
    pub hint: Option<String>,
}

impl Problem {
    /// A value that is not what was expected: the value is told by its type and its beginning, secrets veiled.
    #[must_use]
    pub fn unexpected(path: impl Into<String>, expected: impl Into<String>, value: &Value) -> Problem {
        Problem { path: path.into(), expected: expected.into(), received: received(value), hint: None }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "`{}`: ", self.path)?;
        }
        write!(f, "expected {}, received {}", self.expected, self.received)?;
        self.hint.iter().try_for_each(|hint| write!(f, "; {hint}"))
    }
}

/// Every problem of one input, and what a valid one looks like.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct InputErrors {
    /// The problems in the order of the input; in each object the fields that are missing come last.
    pub problems: Vec<Problem>,
    /// Whether there are more problems than are told.
    pub has_more: bool,
    /// An input that fits the schema, as JSON: an example of the tool's author, or the smallest. It has what is wrong,
    /// right, where it is short all the same.
    pub example: String,
    /// Where the example has not what is wrong: the parts that are, by path, as JSON.
    pub parts: Vec<(String, String)>,
    is_authored: bool,
}

impl InputErrors {
    /// The errors of one input of a tool with this schema.
    #[must_use]
    pub fn new(problems: Vec<Problem>, schema: &Value) -> InputErrors {
        InputErrors::of(problems, &Schema::new(schema.clone()), None)
    }

    /// The errors of one input that came, as far as it could be read.
    pub(crate) fn of(problems: Vec<Problem>, schema: &Schema, came: Option<&Value>) -> InputErrors {
        let places: Vec<_> = problems.iter().map(|problem| steps_of(&problem.path)).collect();
        let Shown { whole, is_authored, parts } = shown(&places, schema, came);
        InputErrors { problems, has_more: false, example: whole, parts, is_authored }
    }

    /// The same where there are more problems than are told.
    pub(crate) fn and_more(self) -> InputErrors {
        InputErrors { has_more: true, ..self }
    }
}

impl fmt::Display for InputErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut told = BTreeSet::new();
        for problem in &self.problems {
            // A long hint, such as a list of names, says the same the second time.
            let is_new = |hint: &String| hint.len() <= HINT_BYTES_SHORT || told.insert(hint.clone());
            let hint = problem.hint.clone().filter(is_new);
            writeln!(f, "- {}", Problem { hint, ..problem.clone() })?;
        }
        if self.has_more {
            writeln!(f, "- and more: only the first {} problems are told", self.problems.len())?;
        }
        let kind = if self.is_authored { "valid" } else { "minimal valid" };
        let is_whole_told = self.parts.is_empty() || self.example.len() <= BYTES_MAX;
        let whole = is_whole_told.then(|| format!("a {kind} input: {}", self.example));
        let part = |(path, example): &(String, String)| format!("a minimal valid `{path}`: {example}");
        let told: Vec<String> = whole.into_iter().chain(self.parts.iter().map(part)).collect();
        f.write_str(&told.join("\n"))
    }
}

/// How long a hint is that is told each time.
const HINT_BYTES_SHORT: usize = 60;
/// How many characters of a received value are shown.
const SHOWN_CHARS_MAX: usize = 60;
/// How many characters of what looks like a secret are shown.
const SECRET_CHARS_SHOWN: usize = 4;
/// From how many characters on a word of letters and digits looks like a secret.
const SECRET_CHARS_MIN: usize = 20;

/// A received value in words: its type, and the beginning of it.
pub(super) fn received(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => format!("the boolean {value}"),
        Value::Number(number) => number_told(&number.to_string()),
        Value::String(text) => {
            let beginning: String = text.chars().take(SHOWN_CHARS_MAX * 2).collect();
            let quoted = Value::from(beginning).to_string();
            let is_cut = text.chars().nth(SHOWN_CHARS_MAX).is_some();
            let length =
                if is_cut { format!(" ({} characters)", text.chars().count()) } else { String::new() };
            format!("the string {}{length}", shortened(&quoted))
        }
        Value::Array(items) if items.is_empty() => "an empty array".to_owned(),
        Value::Array(_) => format!("the array {}", beginning(value)),
        Value::Object(fields) if fields.is_empty() => "an empty object".to_owned(),
        Value::Object(_) => format!("the object {}", beginning(value)),
    }
}

/// A number as it was written, or the beginning of it. It is no secret, however long.
pub(super) fn number_told(text: &str) -> String {
    match text.char_indices().nth(SHOWN_CHARS_MAX) {
        Some((end, _)) => format!("the number {}…", &text[..end]),
        None => format!("the number {text}"),
    }
}

/// The beginning of a value's JSON, keys by name, without writing much more of it than is shown.
fn beginning(value: &Value) -> String {
    let mut out = String::new();
    write_beginning(value, &mut out);
    shortened(&out)
}

fn write_beginning(value: &Value, out: &mut String) {
    let is_full = |out: &String| out.len() > SHOWN_CHARS_MAX * 8;
    match value {
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if is_full(out) {
                    return;
                }
                out.push_str(if index > 0 { "," } else { "" });
                write_beginning(item, out);
            }
            out.push(']');
        }
        Value::Object(fields) => {
            let mut entries: Vec<(&String, &Value)> = fields.iter().collect();
            entries.sort_by_key(|(name, _)| *name);
            out.push('{');
            for (index, (name, field)) in entries.into_iter().enumerate() {
                if is_full(out) {
                    return;
                }
                out.push_str(if index > 0 { "," } else { "" });
                write_beginning(&Value::from(name.as_str()), out);
                out.push(':');
                write_beginning(field, out);
            }
            out.push('}');
        }
        Value::String(text) => {
            let beginning: String = text.chars().take(SHOWN_CHARS_MAX * 2).collect();
            out.push_str(&Value::from(beginning).to_string());
        }
        scalar => out.push_str(&scalar.to_string()),
    }
}

/// The beginning of a text, on one line, without what looks like a secret.
pub(super) fn shortened(text: &str) -> String {
    let end = text.char_indices().nth(SHOWN_CHARS_MAX + SECRET_CHARS_MIN).map_or(text.len(), |(end, _)| end);
    let veiled = veiled(&text[..end]);
    let mut chars = veiled.chars();
    let mut short: String =
        chars.by_ref().take(SHOWN_CHARS_MAX).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if chars.next().is_some() || (end < text.len() && !short.ends_with('…')) {
        short.push('…');
    }
    short
}

/// The text with only the beginning of each word that looks like a secret: long, of letters and digits mixed.
fn veiled(text: &str) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '+' | '=');
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_part) {
        let (before, from_word) = rest.split_at(start);
        let end = from_word.find(|c| !is_part(c)).unwrap_or(from_word.len());
        let (word, after) = from_word.split_at(end);
        let is_mixed =
            word.contains(|c: char| c.is_ascii_digit()) && word.contains(|c: char| c.is_ascii_alphabetic());
        out.push_str(before);
        if is_mixed && word.len() >= SECRET_CHARS_MIN {
            out.push_str(&word[..SECRET_CHARS_SHOWN]);
            out.push('…');
        } else {
            out.push_str(word);
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn received_values_are_short() {
        for (value, told) in [
            (json!(null), "null"),
            (json!(true), "the boolean true"),
            (json!(-1.5), "the number -1.5"),
            (json!("a\nb"), r#"the string "a\nb""#),
            (json!([]), "an empty array"),
            (json!({"a": [1]}), r#"the object {"a":[1]}"#),
            (
                json!("a b ".repeat(50)),
                &format!("the string \"{}… (200 characters)", &"a b ".repeat(50)[..59]),
            ),
        ] {
            assert_eq!(received(&value), told);
        }
        assert!(received(&json!([json!("ä".repeat(1_000_000)), 1])).len() < 300);
        assert!(received(&json!(vec!["x"; 1_000_000])).len() < 300);
    }

    #[test]
    fn what_looks_like_a_secret_is_veiled() {
        let key = "sk-ant-api03-AbCdEfGh0123456789AbCdEfGh0123456789";
        assert_eq!(received(&json!(key)), r#"the string "sk-a…""#);
        let inside = received(&json!({"token": "ghp_0123456789abcdefghijABCDEFGHIJ0123456789", "n": 1}));
        assert_eq!(inside, r#"the object {"n":1,"token":"ghp_…"}"#);
        assert_eq!(
            received(&json!("src/main.rs and tests/it/main.rs")),
            r#"the string "src/main.rs and tests/it/main.rs""#
        );
        assert!(!received(&json!(format!("{} {key}", "word ".repeat(11)))).contains("api03"));
    }
}
