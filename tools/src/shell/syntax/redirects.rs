//! Redirections: to and from files, of one stream to another, and from texts.

use tree_sitter::Node;

use super::ast::{Direction, Redirect, Text};
use super::doubt::Doubt;
use super::statements::Reader;
use super::words::Words;

impl<'a> Reader<'a> {
    /// Reads a `file_redirect` node, and the words of the command that the grammar takes for its targets too.
    pub(super) fn file_redirect(&self, node: Node<'a>) -> Result<(Redirect, Vec<Text>), Doubt> {
        let doubt = || Doubt::at(self.source, node.byte_range(), "is not understood");
        // `{NAME}>` opens a stream of its own and sets a variable.
        if self.source[..node.start_byte()].ends_with('}') {
            return Err(doubt());
        }
        let mut operator = None;
        let mut target = None;
        let mut words = Vec::new();
        let mut is_numbered = false;
        for child in self.children(node)? {
            match child.kind() {
                "file_descriptor" => {
                    is_numbered = self.source[child.byte_range()].bytes().all(|byte| byte.is_ascii_digit());
                    if !is_numbered || operator.is_some() {
                        return Err(doubt());
                    }
                }
                kind if !child.is_named() && operator.is_none() => operator = Some(kind),
                _target if child.is_named() && target.is_none() => target = Some(child),
                _word if child.is_named() && operator.is_some() => {
                    words.push(Words::new(self, child.byte_range()).only()?);
                }
                _other => return Err(doubt()),
            }
        }
        let (operator, target) = (operator.ok_or_else(doubt)?, target);
        if matches!(operator, ">&-" | "<&-") {
            return if target.is_none() { Ok((Redirect::Join, words)) } else { Err(doubt()) };
        }
        let target = Words::new(self, target.ok_or_else(doubt)?.byte_range()).only()?;
        let direction = match operator {
            ">&" | "<&" => {
                let joins = target.typed.len() == 1 && target.typed.bytes().all(|byte| byte.is_ascii_digit());
                // Any other word behind `>&` is a file in some shells and not in others.
                return if joins { Ok((Redirect::Join, words)) } else { Err(doubt()) };
            }
            "<" => Direction::In,
            // A number before `&>` is a word of its own.
            ">" | ">>" | ">|" => Direction::Out,
            "&>" | "&>>" if !is_numbered => Direction::Out,
            _other => return Err(doubt()),
        };
        Ok((Redirect::File { direction, target }, words))
    }

    /// Reads a `herestring_redirect` node.
    pub(super) fn here_string(&self, node: Node<'a>) -> Result<Redirect, Doubt> {
        match self.children(node)?.as_slice() {
            [operator, text] if operator.kind() == "<<<" && !self.is_behind_a_number(*operator) => {
                Ok(Redirect::Text(Words::new(self, text.byte_range()).only()?))
            }
            _other => Err(Doubt::at(self.source, node.byte_range(), "is not understood")),
        }
    }

    /// Whether a number stands right before an operator: it is a stream, though the grammar may take it for a word.
    fn is_behind_a_number(&self, operator: Node<'_>) -> bool {
        let before = &self.source[..operator.start_byte()];
        let word = before.trim_end_matches(|c: char| c.is_ascii_digit());
        word.len() < before.len() && word.chars().next_back().is_none_or(|c| !c.is_alphanumeric())
    }

    /// The text of a here-document, from the nodes of its beginning, its body and its end.
    pub(super) fn here_document(
        &self,
        start: Node<'a>,
        body: Option<Node<'a>>,
        end: Node<'a>,
    ) -> Result<Text, Doubt> {
        let doubt = |node: Node<'_>| Doubt::at(self.source, node.byte_range(), "is not understood");
        let typed = &self.source[start.byte_range()];
        let is_quoted = typed.contains(['\'', '"', '\\']);
        let name = typed.replace(['\'', '"', '\\'], "");
        let is_name = !name.is_empty()
            && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
        let marked = &self.source[end.byte_range()];
        if !is_name || marked != name {
            return Err(doubt(start));
        }
        let Some(body) = body else { return Ok(Text::literal("", "")) };
        // The grammar may leave out what stands first in a body, and ends it at the first line of its end's name.
        let after_line = self.source[start.end_byte()..].find('\n').ok_or_else(|| doubt(start))?;
        let range = start.end_byte() + after_line + 1..end.start_byte();
        let text = self.source.get(range.clone()).ok_or_else(|| doubt(start))?;
        let is_right = body.start_byte() >= range.start
            && body.end_byte() <= end.start_byte()
            && self.source[start.end_byte()..range.start].matches("<<").count() == 0
            && text.lines().all(|line| line.trim_start_matches('\t') != name)
            && (text.is_empty() || text.ends_with('\n') || text.ends_with('\t'));
        if !is_right {
            return Err(doubt(start));
        }
        if is_quoted { Ok(Text::literal(text, text)) } else { Words::new(self, range).document() }
    }
}
