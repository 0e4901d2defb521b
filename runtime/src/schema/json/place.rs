//! Where in a value a place of its text is: parsers tell lines and columns, models read paths.

use crate::schema::path::Step;

/// What stands at a place of a text.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::schema) struct Place {
    /// The steps to the value that the place is in.
    pub(in crate::schema) steps: Vec<Step>,
    /// Whether it is in the name of that field, not in its value.
    pub(in crate::schema) is_name: bool,
}

/// An array or object that the place may be in.
struct Level {
    is_object: bool,
    /// The entry that was begun last.
    step: Option<Step>,
    /// Whether that entry is only a name so far.
    is_name: bool,
}

/// What stands at a line and a column of a text that is JSON, as `serde_json` counts both: from 1, columns in bytes.
pub(in crate::schema) fn place(text: &str, line: usize, column: usize) -> Place {
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let at = before + column.saturating_sub(1);
    let bytes = text.as_bytes();
    let mut levels: Vec<Level> = Vec::new();
    let mut next = 0;
    while next <= at && next < bytes.len() {
        let start = next;
        next += 1;
        match bytes[start] {
            b'{' | b'[' => {
                begin_item(&mut levels);
                if start < at {
                    levels.push(Level { is_object: bytes[start] == b'{', step: None, is_name: false });
                }
            }
            b'}' | b']' => {
                levels.pop();
            }
            b'"' => {
                next = string_end(bytes, next);
                begin_string(&mut levels, &text[start..next]);
            }
            b':' => name_ends(&mut levels),
            b',' if start == at => {}
            b',' => entry_ends(&mut levels),
            b' ' | b'\n' | b'\r' | b'\t' => {}
            _scalar => {
                begin_item(&mut levels);
                while bytes.get(next).is_some_and(|byte| !b" \n\r\t,]}".contains(byte)) {
                    next += 1;
                }
            }
        }
    }
    let is_name = levels.last().is_some_and(|level| level.is_name);
    Place { steps: levels.into_iter().filter_map(|level| level.step).collect(), is_name }
}

/// A value begins: in an array, it is the next item.
fn begin_item(levels: &mut [Level]) {
    if let Some(level) = levels.last_mut().filter(|level| !level.is_object) {
        level.step.get_or_insert(Step::Item(0));
    }
}

fn begin_string(levels: &mut [Level], quoted: &str) {
    match levels.last_mut() {
        Some(level) if level.is_object && level.step.is_none() => {
            level.step = serde_json::from_str(quoted).ok().map(Step::Field);
            level.is_name = true;
        }
        _value => begin_item(levels),
    }
}

fn name_ends(levels: &mut [Level]) {
    if let Some(level) = levels.last_mut() {
        level.is_name = false;
    }
}

fn entry_ends(levels: &mut [Level]) {
    let Some(level) = levels.last_mut() else { return };
    level.step = match level.step.take() {
        Some(Step::Item(index)) => Some(Step::Item(index + 1)),
        Some(Step::Field(_)) | None => None,
    };
}

/// Behind the quote that ends a string.
fn string_end(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _other => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::path::render;

    #[test]
    fn a_place_in_a_text_is_a_place_in_its_value() {
        let text = "{\"a\": [1, {\"b\\\"\": \"x]}\"}, [ ]],\n \"c\" : {\"d\":-1.5e3, \"e\":null}}";
        for (part, path, is_name) in [
            ("{\"a\"", "", false),
            ("\"a\"", "a", true),
            ("[1", "a", false),
            ("1,", "a[0]", false),
            ("{\"b", "a[1]", false),
            ("\"b\\", r#"a[1]["b\""]"#, true),
            ("\"x]", r#"a[1]["b\""]"#, false),
            ("[ ]", "a[2]", false),
            ("],\n", "a", false),
            ("\"c\"", "c", true),
            ("{\"d", "c", false),
            ("\"d", "c.d", true),
            ("5e3", "c.d", false),
            ("null", "c.e", false),
            ("}}", "c", false),
        ] {
            let at = text.find(part).expect("it is in the text");
            let line = text[..at].matches('\n').count() + 1;
            let column = at - text[..at].rfind('\n').map_or(0, |end| end + 1) + 1;
            let found = place(text, line, column);
            assert_eq!((render(found.steps.iter()).as_str(), found.is_name), (path, is_name), "{part}");
        }
        assert_eq!(place("", 0, 0), Place { steps: Vec::new(), is_name: false });
        assert_eq!(place("{\"a", 9, 9).steps, []);
    }
}
