//! The patterns of a schema, compiled once: linear in time, bounded in memory.
//!
//! Schemas write patterns as ECMAScript does; what differs here is put into this engine's words. A pattern that it
//! does not know (look-around, back-references) is not checked; tools known only at run time refuse such schemas.

use std::collections::BTreeMap;
use std::sync::Arc;

use regex_automata::meta::{Config, Regex};
use regex_automata::util::syntax;
use serde_json::Value;

/// How large a compiled pattern may be.
const PATTERN_BYTES_MAX: usize = 1 << 20;
/// How deep a schema is searched for patterns.
const DEPTH_MAX: usize = 200;

/// The compiled patterns of one schema.
#[derive(Clone, Debug, Default)]
pub(super) struct Patterns(Arc<BTreeMap<String, Option<Regex>>>);

impl Patterns {
    /// The patterns that stand anywhere in a schema.
    pub(super) fn of(schema: &Value) -> Patterns {
        let mut compiled = BTreeMap::new();
        collect(schema, &mut compiled, 0);
        Patterns(Arc::new(compiled))
    }

    /// Whether the pattern is found in the text; nothing where the pattern cannot be checked.
    pub(super) fn is_match(&self, pattern: &str, text: &str) -> Option<bool> {
        self.0.get(pattern)?.as_ref().map(|regex| regex.is_match(text))
    }

    /// The patterns that cannot be checked.
    pub(super) fn unchecked(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter(|(_, regex)| regex.is_none()).map(|(pattern, _)| pattern.as_str())
    }
}

fn collect(schema: &Value, compiled: &mut BTreeMap<String, Option<Regex>>, depth: usize) {
    if depth > DEPTH_MAX {
        return;
    }
    match schema {
        Value::Object(words) => {
            let alone = words.get("pattern").and_then(Value::as_str);
            let named = words.get("patternProperties").and_then(Value::as_object);
            let named = named.into_iter().flat_map(|named| named.keys()).map(String::as_str);
            for pattern in alone.into_iter().chain(named) {
                compiled.entry(pattern.to_owned()).or_insert_with(|| compile(pattern));
            }
            words.values().for_each(|below| collect(below, compiled, depth + 1));
        }
        Value::Array(list) => list.iter().for_each(|below| collect(below, compiled, depth + 1)),
        _scalar => {}
    }
}

fn compile(pattern: &str) -> Option<Regex> {
    let config =
        Config::new().nfa_size_limit(Some(PATTERN_BYTES_MAX)).onepass_size_limit(Some(PATTERN_BYTES_MAX));
    Regex::builder().configure(config).syntax(syntax::Config::new()).build(&translated(pattern)).ok()
}

/// The pattern with the classes that ECMAScript understands otherwise, `\d` and `\w`, which are ASCII there.
fn translated(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut chars = pattern.chars();
    while let Some(char) = chars.next() {
        if char != '\\' {
            out.push(char);
            continue;
        }
        match chars.next() {
            Some('d') => out.push_str("[0-9]"),
            Some('D') => out.push_str("[^0-9]"),
            Some('w') => out.push_str("[0-9A-Za-z_]"),
            Some('W') => out.push_str("[^0-9A-Za-z_]"),
            Some('c') => match chars.next().filter(char::is_ascii_alphabetic) {
                Some(letter) => {
                    out.push_str(&format!("\\x{:02x}", u32::from(letter.to_ascii_uppercase()) & 0x1f));
                }
                None => out.push_str("\\c"),
            },
            Some(other) => out.extend(['\\', other]),
            None => out.push('\\'),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn patterns_mean_what_ecmascript_means_by_them() {
        for (pattern, text, wanted) in [
            ("^\\d+$", "12", Some(true)),
            ("^\\d+$", "१२", Some(false)),
            ("^[\\w.-]+$", "a_b.c-d", Some(true)),
            ("b", "abc", Some(true)),
            ("^\\cC$", "\u{3}", Some(true)),
            ("^a/b\\/c$", "a/b/c", Some(true)),
            ("\\p{Letter}", "é", Some(true)),
            ("(?=a)", "a", None),
            ("(", "(", None),
        ] {
            assert_eq!(
                Patterns::of(&json!({"pattern": pattern})).is_match(pattern, text),
                wanted,
                "{pattern} {text}"
            );
        }
    }

    #[test]
    fn a_hostile_pattern_takes_neither_time_nor_memory() {
        let (slow, large) = ("^(a+)+$", "((a{1000}){1000}){1000}");
        let patterns =
            Patterns::of(&json!({"anyOf": [{"pattern": slow}, {"patternProperties": {large: true}}]}));
        assert_eq!(patterns.is_match(slow, &format!("{}!", "a".repeat(100_000))), Some(false));
        assert_eq!(patterns.unchecked().collect::<Vec<_>>(), [large]);
    }
}
