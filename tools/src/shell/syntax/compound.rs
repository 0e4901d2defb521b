//! Compound statements: conditions, loops, cases, functions and tests.

use tree_sitter::Node;

use super::ast::{Item, Script, Statement, Text};
use super::doubt::Doubt;
use super::statements::Reader;
use super::words::Words;

impl<'a> Reader<'a> {
    /// `if … then … elif … else … fi`.
    pub(super) fn condition(&self, node: Node<'a>) -> Result<Statement, Doubt> {
        let mut arms = Vec::new();
        let mut otherwise = Script::default();
        let mut own = Vec::new();
        for child in self.children(node)? {
            match child.kind() {
                "elif_clause" => arms.push(self.arm(child, &self.children(child)?)?),
                "else_clause" => {
                    let children = self.children(child)?;
                    otherwise = self.items_of(child, &children)?;
                }
                "fi" => {}
                _own => own.push(child),
            }
        }
        arms.insert(0, self.arm(node, &own)?);
        Ok(Statement::If { arms, otherwise })
    }

    /// What stands between `if` and `then`, and behind.
    fn arm(&self, node: Node<'a>, children: &[Node<'a>]) -> Result<(Script, Script), Doubt> {
        let is_then = |child: &Node<'_>| child.kind() == "then";
        let (Some(then), Some(first)) = (children.iter().position(is_then), children.first()) else {
            return Err(self.unknown(node));
        };
        if !matches!(first.kind(), "if" | "elif") {
            return Err(self.unknown(*first));
        }
        let condition = self.items_of(node, &children[1..then])?;
        Ok((condition, self.items_of(node, &children[then + 1..])?))
    }

    /// `while … do … done`.
    pub(super) fn repeated(&self, node: Node<'a>) -> Result<Statement, Doubt> {
        let children = self.children(node)?;
        let [first, condition @ .., body] = children.as_slice() else { return Err(self.unknown(node)) };
        if !matches!(first.kind(), "while" | "until") || body.kind() != "do_group" {
            return Err(self.unknown(node));
        }
        let condition = self.items_of(node, condition)?;
        Ok(Statement::While { condition, body: self.bodies(*body)? })
    }

    /// `for NAME in … do … done`.
    pub(super) fn each(&self, node: Node<'a>) -> Result<Statement, Doubt> {
        let children = self.children(node)?;
        let [first, name, rest @ .., body] = children.as_slice() else { return Err(self.unknown(node)) };
        let is_known = matches!(first.kind(), "for" | "select") && name.kind() == "variable_name";
        if !is_known || !matches!(body.kind(), "do_group" | "compound_statement") {
            return Err(self.unknown(node));
        }
        let is_listed = rest.first().is_some_and(|child| child.kind() == "in");
        let mut words = Vec::new();
        for child in rest.iter().skip(usize::from(is_listed)).filter(|child| child.kind() != ";") {
            if !child.is_named() || !is_listed {
                return Err(self.unknown(*child));
            }
            words.push(Words::new(self, child.byte_range()).only()?);
        }
        let variable = self.source[name.byte_range()].to_owned();
        Ok(Statement::For { variable, words: is_listed.then_some(words), body: self.bodies(*body)? })
    }

    /// `for ((…; …; …)) do … done`: like `while ((…))`, with all that is evaluated in it.
    pub(super) fn counted(&self, node: Node<'a>) -> Result<Statement, Doubt> {
        let children = self.children(node)?;
        let is_close = |child: &Node<'_>| child.kind() == "))";
        let close = children.iter().position(is_close).ok_or_else(|| self.unknown(node))?;
        let ([first, open, ..], Some(body)) = (children.as_slice(), children.last()) else {
            return Err(self.unknown(node));
        };
        let between = &children[close + 1..children.len() - 1];
        let is_known =
            first.kind() == "for" && open.kind() == "((" && between.iter().all(|it| it.kind() == ";");
        if !is_known || !matches!(body.kind(), "do_group" | "compound_statement") {
            return Err(self.unknown(node));
        }
        let mut condition = Vec::new();
        let range = open.end_byte()..children[close].start_byte();
        let mut from = range.start;
        for piece in self.source[range].split(';') {
            let arithmetic = self.arithmetic_in(from..from + piece.len())?;
            from += piece.len() + 1;
            condition.push(Item { statement: Statement::Arithmetic(arithmetic), in_background: false });
        }
        Ok(Statement::While { condition: Script(condition), body: self.bodies(*body)? })
    }

    /// `case … in … esac`.
    pub(super) fn case(&self, node: Node<'a>) -> Result<Statement, Doubt> {
        let (mut subject, mut patterns, mut arms) = (None, Vec::new(), Vec::new());
        for child in self.children(node)? {
            match child.kind() {
                "case" | "in" | "esac" | "\n" | ";" => {}
                "case_item" => {
                    let children = self.children(child)?;
                    let is_close = |child: &Node<'_>| child.kind() == ")";
                    let close = children.iter().position(is_close).ok_or_else(|| self.unknown(child))?;
                    for pattern in children[..close].iter().filter(|child| child.is_named()) {
                        patterns.push(Words::new(self, pattern.byte_range()).only()?);
                    }
                    let ends = |child: &&Node<'_>| !matches!(child.kind(), ";;" | ";&" | ";;&");
                    let statements: Vec<Node<'a>> =
                        children[close + 1..].iter().filter(ends).copied().collect();
                    arms.push(self.items_of(child, &statements)?);
                }
                _subject if child.is_named() && subject.is_none() => {
                    subject = Some(Words::new(self, child.byte_range()).only()?);
                }
                _other => return Err(self.unknown(child)),
            }
        }
        let subject = subject.ok_or_else(|| self.unknown(node))?;
        Ok(Statement::Case { subject, patterns, arms })
    }

    /// `NAME() { … }`.
    pub(super) fn function(&self, node: Node<'a>) -> Result<Statement, Doubt> {
        let children = self.children(node)?;
        let mut named = children.iter().filter(|child| child.is_named());
        let (Some(name), Some(body), None) = (named.next(), named.next(), named.next()) else {
            return Err(self.unknown(node));
        };
        let typed = &self.source[name.byte_range()];
        let is_plain = typed.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ':' | '.'));
        if name.kind() != "word" || !is_plain {
            return Err(self.unknown(*name));
        }
        let body = Box::new(self.any_statement(*body)?);
        Ok(Statement::Function { name: typed.to_owned(), body })
    }

    /// `[ … ]`, which is a command like others, and `[[ … ]]`, which has a grammar of its own.
    pub(super) fn test(&self, node: Node<'a>) -> Result<Statement, Doubt> {
        let text = &self.source[node.byte_range()];
        let mut words = Words::new(self, node.byte_range());
        let is_own = text.starts_with("[[");
        if !is_own && text.contains('\n') {
            return Err(self.unknown(node));
        }
        if text.starts_with("((") {
            return self.arithmetic(node).map(Statement::Arithmetic);
        }
        let mut read: Vec<Text> = Vec::new();
        loop {
            words.skip_blanks();
            if words.rest().is_empty() {
                break;
            }
            let operator = ["&&", "||", "(", ")", "<", ">"].iter().find(|it| words.rest().starts_with(**it));
            if let Some(operator) = operator.filter(|_| is_own) {
                words.take(operator);
                read.push(Text::literal(operator, operator));
                continue;
            }
            let before = words.at;
            read.push(words.word()?);
            if words.at == before {
                return Err(self.unknown(node));
            }
        }
        if is_own {
            return Ok(Statement::Condition(read));
        }
        Ok(Statement::Simple(super::ast::Simple { words: read, ..super::ast::Simple::default() }))
    }
}
