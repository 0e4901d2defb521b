//! What may stand around JSON and be left out: a byte order mark, white space, one code fence around the whole.
//!
//! Nothing that changes a value is ever mended: text that ends too early, comments, single quotes and names without
//! quotes stay errors, for nobody can know what was meant.

use std::borrow::Cow;

use super::read::{Commas, Fault, Read, read};

/// A text that was read, and what had to be left out of it.
#[derive(Debug)]
pub(in crate::schema) struct Repaired<'t> {
    /// What it says.
    pub(in crate::schema) read: Read,
    /// The JSON in it.
    pub(in crate::schema) json: &'t str,
    /// What was left out, in words.
    pub(in crate::schema) left_out: Vec<Cow<'static, str>>,
}

/// Reads a text in which JSON stands, and nothing else that means anything.
///
/// # Errors
/// As [`read`], whose places are those in the JSON that is left.
pub(in crate::schema) fn repaired(text: &str) -> Result<Repaired<'_>, (Fault, &str)> {
    let mut left_out = Vec::new();
    let json = unwrapped(text, &mut left_out);
    let read = read(json, Commas::Trailing).map_err(|fault| (fault, json))?;
    match read.commas {
        0 => {}
        1 => left_out.push("a comma behind the last entry".into()),
        many => left_out.push(format!("{many} commas behind last entries").into()),
    }
    Ok(Repaired { read, json, left_out })
}

/// The JSON within white space, a byte order mark and a fence.
pub(in crate::schema) fn unwrapped<'t>(text: &'t str, left_out: &mut Vec<Cow<'static, str>>) -> &'t str {
    let mut inner = trimmed(text, left_out);
    if let Some(unmarked) = inner.strip_prefix('\u{feff}') {
        left_out.push("a byte order mark".into());
        inner = trimmed(unmarked, left_out);
    }
    if let Some(fenced) = inner.strip_prefix("```").and_then(|rest| rest.strip_suffix("```")) {
        left_out.push("a code fence".into());
        let body = fenced.strip_prefix("json").or_else(|| fenced.strip_prefix("JSON")).unwrap_or(fenced);
        inner = trimmed(body, left_out);
    }
    inner
}

/// White space that JSON knows needs no word; other white space is told.
fn trimmed<'t>(text: &'t str, left_out: &mut Vec<Cow<'static, str>>) -> &'t str {
    let trimmed = text.trim();
    let known = text.trim_matches([' ', '\n', '\r', '\t']);
    if trimmed.len() < known.len() {
        left_out.push("white space that JSON does not know".into());
    }
    trimmed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Option<String> {
        repaired(text).ok().map(|repaired| repaired.left_out.join(", "))
    }

    #[test]
    fn what_stands_around_json_is_left_out_and_told() {
        for (text, said) in [
            ("{\"a\":1}", ""),
            (" \n{\"a\":1}\t", ""),
            ("\u{feff}{\"a\":1}", "a byte order mark"),
            ("```json\n{\"a\":1}\n```\n", "a code fence"),
            ("```\n{\"a\":1}\n```", "a code fence"),
            ("\u{a0}{\"a\":1}", "white space that JSON does not know"),
            ("{\"a\":[1,],}", "2 commas behind last entries"),
            (
                "\u{feff}```json\n{\"a\":1,}\n```",
                "a byte order mark, a code fence, a comma behind the last entry",
            ),
        ] {
            assert_eq!(told(text).as_deref(), Some(said), "{text:?}");
        }
    }

    #[test]
    fn what_could_mean_something_else_is_never_mended() {
        for text in [
            "{\"a\":1",
            "{\"a\":\"x",
            "{'a':1}",
            "{a:1}",
            "{\"a\":1} // note",
            "/* note */{\"a\":1}",
            "{\"a\":NaN}",
            "{\"a\":1}{\"a\":2}",
            "```json\n{\"a\":1}\n```\n```json\n{\"a\":2}\n```",
            "Here it is:\n```json\n{\"a\":1}\n```",
            "```yaml\n{\"a\":1}\n```",
            "``````{\"a\":1}``````",
            "{\"a\":1,,}",
            "{\"a\":True}",
            "{\"a\":undefined}",
            "{\"a\" 1}",
            "\"a\":1",
        ] {
            assert_eq!(told(text), None, "{text:?}");
        }
    }
}
