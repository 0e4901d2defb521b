//! The strings within a text of JSON, so that one can be replaced and all else stays byte for byte.

use std::ops::Range;

/// One string of a text of JSON.
#[derive(Debug, PartialEq)]
pub(super) struct Literal {
    /// Where it stands, its quotes included.
    pub(super) at: Range<usize>,
    /// What it says.
    pub(super) text: String,
    /// Whether it is the name of a field.
    pub(super) is_name: bool,
}

/// The strings of a text that is JSON.
pub(super) fn literals(json: &str) -> Vec<Literal> {
    let bytes = json.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = bytes[at..].iter().position(|&byte| byte == b'"').map(|skipped| at + skipped) {
        let mut end = start + 1;
        while end < bytes.len() && bytes[end] != b'"' {
            end += if bytes[end] == b'\\' { 2 } else { 1 };
        }
        let end = (end + 1).min(bytes.len());
        let text = json.get(start..end).and_then(|literal| serde_json::from_str(literal).ok());
        let is_name = bytes[end..].trim_ascii_start().starts_with(b":");
        found.extend(text.map(|text| Literal { at: start..end, text, is_name }));
        at = end;
    }
    found
}

/// What stands behind the name of a field.
#[derive(Debug, PartialEq)]
pub(super) enum Behind {
    /// A number, with its place.
    Number(Range<usize>),
    /// A list, with its place; of one that is not closed, up to the end.
    List(Range<usize>),
    /// Anything else.
    Other,
}

/// What stands behind a name that ends here.
pub(super) fn behind(json: &str, name_end: usize) -> Behind {
    let bytes = json.as_bytes();
    let skip = |from: usize| {
        let blank = bytes[from..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        from + blank
    };
    let colon = skip(name_end);
    let start = skip((colon + 1).min(bytes.len()));
    match bytes.get(start) {
        Some(b'-' | b'0'..=b'9') => {
            let ends = |byte: &u8| !matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9');
            Behind::Number(
                start..bytes[start..].iter().position(ends).map_or(bytes.len(), |length| start + length),
            )
        }
        Some(b'[') => Behind::List(start..list_end(bytes, start)),
        _other => Behind::Other,
    }
}

/// Where the list ends that begins here.
fn list_end(bytes: &[u8], start: usize) -> usize {
    let (mut depth, mut at) = (0_usize, start);
    while at < bytes.len() {
        match bytes[at] {
            b'[' => depth += 1,
            b']' if depth == 1 => return at,
            b']' => depth -= 1,
            b'"' => {
                at += 1;
                while at < bytes.len() && bytes[at] != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
            }
            _other => {}
        }
        at += 1;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_found_where_they_are() {
        let json = r#"{"a\"b": ["c\\", 1, "\u0041"], "d" : null}"#;
        let found: Vec<(String, bool)> =
            literals(json).into_iter().map(|literal| (literal.text, literal.is_name)).collect();
        let want = [("a\"b", true), ("c\\", false), ("A", false), ("d", true)];
        assert_eq!(found, want.map(|(text, is_name)| (text.to_owned(), is_name)));
    }
}
