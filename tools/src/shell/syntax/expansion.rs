//! `${…}`: a variable by its name, its length, or its value changed in a way that evaluates nothing.

use tree_sitter::Node;

use super::ast::{Arithmetic, Part};
use super::doubt::Doubt;
use super::statements::Reader;
use super::words::Words;

/// Operators whose operand is only text, in which expansions count.
const OPERATORS: &[&str] = &[
    ":-", ":=", ":+", ":?", "-", "=", "+", "?", "##", "#", "%%", "%", "//", "/#", "/%", "/", "^^", "^", ",,",
    ",",
];

impl Reader<'_> {
    /// Reads an `expansion` node.
    pub(super) fn braced(&self, node: Node<'_>, is_quoted: bool) -> Result<Part, Doubt> {
        let doubt = || Doubt::at(self.source, node.byte_range(), "is not understood");
        let text = &self.source[node.byte_range()];
        let inner = text.strip_prefix("${").and_then(|text| text.strip_suffix('}')).ok_or_else(doubt)?;
        let counts = inner.len() > 1 && inner.starts_with('#');
        let named = if counts { &inner[1..] } else { inner };
        let end = named.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(named.len());
        let name = match named.chars().next() {
            Some(c) if c.is_ascii_digit() => {
                &named[..named.find(|c: char| !c.is_ascii_digit()).unwrap_or(named.len())]
            }
            Some(c) if c.is_ascii_alphabetic() || c == '_' => &named[..end],
            Some('@' | '*') => &named[..1],
            _other => return Err(doubt()),
        };
        let mut behind = &named[name.len()..];
        let is_element = behind.starts_with('[');
        if is_element {
            let (index, rest) = behind[1..].split_once(']').ok_or_else(doubt)?;
            let is_plain = matches!(index, "@" | "*")
                || (!index.is_empty() && index.trim_start_matches('-').bytes().all(|b| b.is_ascii_digit()));
            if !is_plain {
                return Err(doubt());
            }
            behind = rest;
        }
        if counts {
            let number = Arithmetic { typed: text.to_owned(), ..Arithmetic::default() };
            return if behind.is_empty() { Ok(Part::Number(number)) } else { Err(doubt()) };
        }
        let changed = |assigns, inner| Part::Changed { name: name.to_owned(), assigns, inner, is_quoted };
        if behind.is_empty() {
            return Ok(match is_element {
                true => changed(false, Vec::new()),
                false => Part::Variable { name: name.to_owned(), is_quoted },
            });
        }
        if is_range(behind) {
            return Ok(changed(false, Vec::new()));
        }
        let operator = OPERATORS.iter().find(|it| behind.starts_with(**it)).ok_or_else(doubt)?;
        let from = node.end_byte() - 1 - (behind.len() - operator.len());
        let operand = Words::new(self, from..node.end_byte() - 1).operand()?;
        Ok(changed(matches!(*operator, "=" | ":="), operand))
    }
}

/// `:1` or `:1:2`, also counted from the end: anything else would be evaluated.
fn is_range(behind: &str) -> bool {
    let is_number = |text: &str| {
        let digits = text.trim_start_matches(' ').trim_start_matches('-');
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    let Some(range) = behind.strip_prefix(':') else { return false };
    // `:-1` would be a default.
    !range.starts_with('-') && range.split(':').count() <= 2 && range.split(':').all(is_number)
}
