//! Arguments and variables, filled into a skill's text. What was filled in is not looked at again.

use std::collections::BTreeMap;

/// What is filled in.
#[derive(Clone, Debug, Default)]
pub struct Fill {
    /// The arguments, as they were given.
    pub arguments: String,
    /// The names of the arguments.
    pub names: Vec<String>,
    /// `${NAME}` and what it stands for.
    pub variables: BTreeMap<String, String>,
}

impl Fill {
    /// Fills a text in. `$ARGUMENTS` is all arguments as they were given, `$ARGUMENTS[N]` and `$N` the N-th from 0 on,
    /// `$name` the one of this name; `\$` is a `$` that means nothing. An argument that was not given leaves its number
    /// as it is, and its name empty. A `$` that is none of these stays.
    #[must_use]
    pub fn text(&self, text: &str) -> String {
        self.filled(text, &self.words()).0
    }

    /// Fills several pieces of one text in. Where none of them asks for the arguments, the last gets them at its end.
    #[must_use]
    pub fn texts(&self, pieces: &[&str]) -> Vec<String> {
        let words = self.words();
        let mut asks = false;
        let mut filled: Vec<String> = pieces
            .iter()
            .map(|piece| {
                let (text, is_asked) = self.filled(piece, &words);
                asks |= is_asked;
                text
            })
            .collect();
        if !asks && !self.arguments.trim().is_empty() {
            let last = format!("\n\nARGUMENTS: {}", self.arguments);
            match filled.last_mut() {
                Some(text) => text.push_str(&last),
                None => filled.push(last),
            }
        }
        filled
    }

    /// Fills in variables and nothing else.
    pub(super) fn places(&self, text: &str) -> String {
        let mut out = text.to_owned();
        for (name, value) in &self.variables {
            out = out.replace(&format!("${{{name}}}"), value);
        }
        out
    }

    fn words(&self) -> Vec<String> {
        words(&self.arguments)
    }

    /// The text filled in, and whether it asks for arguments.
    fn filled(&self, text: &str, words: &[String]) -> (String, bool) {
        let mut out = String::with_capacity(text.len());
        let mut asks = false;
        let mut rest = text;
        while let Some(at) = rest.find(['$', '\\']) {
            out.push_str(&rest[..at]);
            rest = &rest[at..];
            if let Some(after) = rest.strip_prefix("\\$") {
                out.push('$');
                rest = after;
            } else if let Some((value, length, is_argument)) = self.at(rest, words) {
                asks |= is_argument;
                out.push_str(&value);
                rest = &rest[length..];
            } else {
                out.push_str(&rest[..1]);
                rest = &rest[1..];
            }
        }
        out.push_str(rest);
        (out, asks)
    }

    /// What stands here, how long it is, and whether it is an argument.
    fn at(&self, text: &str, words: &[String]) -> Option<(String, usize, bool)> {
        let rest = text.strip_prefix('$')?;
        if let Some(inner) = rest.strip_prefix('{') {
            let name = &inner[..inner.find('}')?];
            return Some((self.variables.get(name)?.clone(), name.len() + 3, false));
        }
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 {
            let written = &text[..=digits];
            return Some((
                nth(words, &rest[..digits]).unwrap_or_else(|| written.to_owned()),
                digits + 1,
                true,
            ));
        }
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let longest = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        // The longest name that there is: `$file-x` may be `$file` and then `-x`.
        let named = self.names.iter().enumerate().filter(|(_, name)| {
            rest[..longest]
                .strip_prefix(name.as_str())
                .is_some_and(|more| more.is_empty() || more.starts_with('-'))
        });
        if let Some((index, name)) = named.max_by_key(|(_, name)| name.len()) {
            return Some((words.get(index).cloned().unwrap_or_default(), name.len() + 1, true));
        }
        let after = rest.strip_prefix("ARGUMENTS")?;
        if after.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_') {
            return None;
        }
        let all = "$ARGUMENTS".len();
        if let Some((index, _)) = after.strip_prefix('[').and_then(|inner| inner.split_once(']'))
            && !index.is_empty()
            && index.bytes().all(|byte| byte.is_ascii_digit())
        {
            let length = all + index.len() + 2;
            return Some((nth(words, index).unwrap_or_else(|| text[..length].to_owned()), length, true));
        }
        Some((self.arguments.clone(), all, true))
    }
}

fn nth(words: &[String], index: &str) -> Option<String> {
    words.get(index.parse::<usize>().ok()?).cloned()
}

/// The words of arguments, as a shell would see them. A quote that does not end goes to the end.
fn words(arguments: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut chars = arguments.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None | Some('"'), '\\') => {
                let escaped = chars.next();
                let word = word.get_or_insert_default();
                match (quote, escaped) {
                    (Some(_), Some(c)) if !matches!(c, '"' | '\\' | '$' | '`') => word.extend(['\\', c]),
                    (_, Some(c)) => word.push(c),
                    (_, None) => word.push('\\'),
                }
            }
            (Some(_), c) => word.get_or_insert_default().push(c),
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}
