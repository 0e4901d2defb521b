//! From the grammar's tree to statements: each kind of node that is known, and no other.

use std::cell::Cell;

use tree_sitter::Node;

use super::ast::{Assigned, Assignment, Item, Link, Redirect, Script, Simple, Statement, Text};
use super::doubt::Doubt;
use super::words::Words;

/// How deep pieces may stand in one another.
const DEPTH_MAX: usize = 60;

/// Words that stand between the statements of a compound one.
const KEYWORDS: &[&str] = &["do", "done", "then", "else", "elif", "{", "}", "(", ")", "$(", "`", "<(", ">("];

/// Nodes in which no line may end.
const ON_ONE_LINE: &[&str] = &[
    "command",
    "concatenation",
    "declaration_command",
    "file_redirect",
    "herestring_redirect",
    "negated_command",
    "redirected_statement",
    "unset_command",
    "variable_assignment",
    "variable_assignments",
];

/// Reads the nodes of one tree.
pub(super) struct Reader<'a> {
    pub(super) source: &'a str,
    pub(super) root: Node<'a>,
    depth: Cell<usize>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(source: &'a str, root: Node<'a>) -> Reader<'a> {
        Reader { source, root, depth: Cell::new(0) }
    }

    fn doubt(&self, node: Node<'_>) -> Doubt {
        Doubt::at(self.source, node.byte_range(), "is not understood")
    }

    /// The children of a node, comments left out; every byte between them must be blank.
    pub(super) fn children(&self, node: Node<'a>) -> Result<Vec<Node<'a>>, Doubt> {
        self.children_and_dash(node, false).map(|(children, _has_dash)| children)
    }

    /// The same, with whether a `-` stands behind the first child: the grammar leaves that word out before some
    /// here-documents.
    fn children_and_dash(&self, node: Node<'a>, may_have_dash: bool) -> Result<(Vec<Node<'a>>, bool), Doubt> {
        let mut cursor = node.walk();
        let children: Vec<Node<'a>> = node.children(&mut cursor).collect();
        let mut at = node.start_byte();
        let mut has_dash = false;
        let first_end = children.first().map(Node::end_byte).filter(|_| may_have_dash);
        let is_one_line = ON_ONE_LINE.contains(&node.kind());
        let may_join = matches!(node.kind(), "list" | "pipeline");
        let end = node.end_byte();
        for (child, range) in
            children.iter().map(|child| (Some(child), child.byte_range())).chain([(None, end..end)])
        {
            let gap = self.source.get(at..range.start).ok_or_else(|| self.doubt(node))?;
            let joined = gap.replace("\\\n", "");
            // A line end in a command would end it, and so would one before an operator.
            let is_operator = child.is_some_and(|child| !child.is_named() && child.kind() != "\n");
            let may_end_line = !(is_one_line || (may_join && is_operator));
            let is_blank = joined.chars().all(|c| matches!(c, ' ' | '\t') || (c == '\n' && may_end_line));
            if gap.starts_with([' ', '\t']) && gap.trim() == "-" && first_end == Some(at) {
                has_dash = true;
            } else if !is_blank {
                let is_line_end = gap.trim().is_empty() && node.kind() == "command";
                let piece = if gap.trim().is_empty() { node.byte_range() } else { at..range.start };
                let doubt = Doubt::at(self.source, piece, "is not understood");
                let line_end = gap.match_indices('\n').find(|(at, _)| !gap[..*at].ends_with('\\'));
                let line_end = line_end.filter(|_| is_line_end).map(|(offset, _)| at + offset);
                return Err(Doubt { line_end, ..doubt });
            }
            at = range.end;
        }
        Ok((children.into_iter().filter(|child| child.kind() != "comment").collect(), has_dash))
    }

    /// The statements in a substitution.
    pub(super) fn inside(&self, node: Node<'a>) -> Result<Script, Doubt> {
        self.deeper(node, || {
            let children = self.children(node)?;
            if let [_open, redirect, _close] = children.as_slice()
                && redirect.kind() == "file_redirect"
            {
                let (redirect, words) = self.file_redirect(*redirect)?;
                if !words.is_empty() {
                    return Err(self.doubt(node));
                }
                let redirects = vec![redirect];
                return Ok(alone(Statement::Simple(Simple { redirects, ..Simple::default() })));
            }
            self.items(node, &children)
        })
    }

    /// The statements that a node holds.
    pub(super) fn script(&self, node: Node<'a>) -> Result<Script, Doubt> {
        let children = self.children(node)?;
        self.items(node, &children)
    }

    fn items(&self, node: Node<'a>, children: &[Node<'a>]) -> Result<Script, Doubt> {
        let mut items: Vec<Item> = Vec::new();
        // Where the last statement ended, unless something came since that separates.
        let mut open: Option<usize> = None;
        for child in children {
            match child.kind() {
                "\n" => open = None,
                ";" => {
                    if open.take().is_none() {
                        return Err(self.doubt(*child));
                    }
                }
                "&" => {
                    let last =
                        items.last_mut().filter(|_| open.is_some()).ok_or_else(|| self.doubt(*child))?;
                    last.in_background = true;
                    open = None;
                }
                keyword if !child.is_named() && KEYWORDS.contains(&keyword) => open = None,
                _statement if child.is_named() => {
                    let gap = open.and_then(|end| self.source.get(end..child.start_byte()));
                    let is_separated = gap.is_none_or(|gap| gap.replace("\\\n", "").contains('\n'));
                    // A here-document ends with its line.
                    let after_document = items.last().is_some_and(|_| self.ends_with_document(open));
                    if !is_separated && !after_document {
                        return Err(self.doubt(*child));
                    }
                    items.push(Item { statement: self.statement(*child)?, in_background: false });
                    open = Some(child.end_byte());
                }
                _other => return Err(self.doubt(*child)),
            }
        }
        if items.is_empty() && node.kind() != "program" && node.kind() != "case_item" {
            return Err(self.doubt(node));
        }
        Ok(Script(items))
    }

    fn ends_with_document(&self, end: Option<usize>) -> bool {
        end.is_some_and(|end| self.source[..end].ends_with('\n'))
    }

    fn deeper<T>(&self, node: Node<'_>, read: impl FnOnce() -> Result<T, Doubt>) -> Result<T, Doubt> {
        let depth = self.depth.get();
        if depth >= DEPTH_MAX {
            return Err(Doubt::at(self.source, node.byte_range(), "stands too deep in other pieces"));
        }
        self.depth.set(depth + 1);
        let result = read();
        self.depth.set(depth);
        result
    }

    fn statement(&self, node: Node<'a>) -> Result<Statement, Doubt> {
        self.deeper(node, || match node.kind() {
            "command" | "declaration_command" | "unset_command" => self.simple(node).map(Statement::Simple),
            "variable_assignment" => self.assignments(&[node]),
            "variable_assignments" => self.assignments(&self.children(node)?),
            "list" => self.chain(node),
            "pipeline" => self.pipeline(node),
            "negated_command" => match self.children(node)?.as_slice() {
                [mark, inner] if mark.kind() == "!" => Ok(Statement::Not(Box::new(self.statement(*inner)?))),
                _other => Err(self.doubt(node)),
            },
            "redirected_statement" => self.redirected(node),
            "subshell" => self.script(node).map(Statement::Subshell),
            "compound_statement" if self.source[node.byte_range()].starts_with("((") => {
                self.arithmetic(node).map(Statement::Arithmetic)
            }
            "compound_statement" => self.script(node).map(Statement::Group),
            "if_statement" => self.condition(node),
            "while_statement" => self.repeated(node),
            "for_statement" => self.each(node),
            "c_style_for_statement" => self.counted(node),
            "case_statement" => self.case(node),
            "function_definition" => self.function(node),
            "test_command" => self.test(node),
            _other => Err(self.doubt(node)),
        })
    }

    fn simple(&self, node: Node<'a>) -> Result<Simple, Doubt> {
        let mut simple = Simple::default();
        for child in self.children(node)? {
            match child.kind() {
                "variable_assignment" if node.kind() == "command" && simple.words.is_empty() => {
                    simple.assignments.push(self.assignment(child)?);
                }
                "file_redirect" => {
                    let (redirect, words) = self.file_redirect(child)?;
                    simple.redirects.push(redirect);
                    simple.words.extend(words);
                }
                "herestring_redirect" => simple.redirects.push(self.here_string(child)?),
                _word => simple.words.push(self.word(child)?),
            }
        }
        if simple.words.is_empty() {
            return Err(self.doubt(node));
        }
        Ok(simple)
    }

    fn word(&self, node: Node<'a>) -> Result<Text, Doubt> {
        Words::new(self, node.byte_range()).only()
    }

    fn assignments(&self, nodes: &[Node<'a>]) -> Result<Statement, Doubt> {
        let assignments = nodes.iter().map(|node| self.assignment(*node)).collect::<Result<_, _>>()?;
        Ok(Statement::Simple(Simple { assignments, ..Simple::default() }))
    }

    fn assignment(&self, node: Node<'a>) -> Result<Assignment, Doubt> {
        let typed = &self.source[node.byte_range()];
        let end = typed.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        let name = &typed[..end.ok_or_else(|| self.doubt(node))?];
        let from = node.start_byte() + name.len();
        if let Some(value) = typed[name.len()..].strip_prefix('=')
            && !value.starts_with('(')
        {
            let value = Words::new(self, from + 1..node.end_byte()).only()?;
            let typed = Text { typed: typed.to_owned(), parts: value.parts.clone() };
            return Ok(Assignment { name: name.to_owned(), value: Assigned::Word(value), typed });
        }
        let is_added = typed[name.len()..].starts_with("+=");
        let list = typed[name.len()..].trim_start_matches('+').strip_prefix('=');
        let parts = match list {
            Some(list) if list.starts_with('(') => {
                let open = from + usize::from(is_added) + 1;
                let mut words = Words::new(self, open + 1..node.end_byte() - 1);
                let mut parts = Vec::new();
                words.skip_blanks();
                while !words.rest().is_empty() {
                    let before = words.at;
                    parts.push(words.word()?);
                    if words.at == before {
                        return Err(self.doubt(node));
                    }
                    words.skip_blanks();
                }
                // A subscript in it would be evaluated.
                let is_odd = !typed.ends_with(')') || parts.iter().any(|part| part.typed.starts_with('['));
                if is_odd { return Err(self.doubt(node)) } else { parts }
            }
            Some(_value) if is_added => vec![Words::new(self, from + 2..node.end_byte()).only()?],
            _other => return Err(self.doubt(node)),
        };
        let typed = Text { typed: typed.to_owned(), parts: Vec::new() };
        Ok(Assignment { name: name.to_owned(), value: Assigned::Other(parts), typed })
    }

    fn chain(&self, node: Node<'a>) -> Result<Statement, Doubt> {
        let children = self.children(node)?;
        let [left, operator, right] = children.as_slice() else { return Err(self.doubt(node)) };
        let link = match operator.kind() {
            "&&" => Link::And,
            "||" => Link::Or,
            _other => return Err(self.doubt(*operator)),
        };
        // What the grammar hangs on a here-document at the right may belong to the whole.
        if right.kind() == "redirected_statement" && self.goes_on_behind_document(*right) {
            return Err(self.doubt(*right));
        }
        let (left, right) = (Box::new(self.statement(*left)?), Box::new(self.statement(*right)?));
        Ok(Statement::Chain { left, link, right })
    }

    fn goes_on_behind_document(&self, node: Node<'a>) -> bool {
        let mut cursor = node.walk();
        node.children(&mut cursor).any(|child| {
            let mut inner = child.walk();
            child.kind() == "heredoc_redirect"
                && child.children(&mut inner).any(|piece| matches!(piece.kind(), "pipeline" | "&&" | "||"))
        })
    }

    fn pipeline(&self, node: Node<'a>) -> Result<Statement, Doubt> {
        let mut parts = Vec::new();
        let mut wants_part = true;
        for child in self.children(node)? {
            match (child.kind(), wants_part) {
                ("|" | "|&", false) => wants_part = true,
                (_statement, true) if child.is_named() => {
                    parts.push(self.statement(child)?);
                    wants_part = false;
                }
                _other => return Err(self.doubt(child)),
            }
        }
        if wants_part || parts.len() < 2 { Err(self.doubt(node)) } else { Ok(Statement::Pipeline(parts)) }
    }

    fn redirected(&self, node: Node<'a>) -> Result<Statement, Doubt> {
        let mut statement = None;
        let (children, has_dash) = self.children_and_dash(node, true)?;
        for child in children {
            statement = Some(match (child.kind(), statement) {
                ("file_redirect", body) => {
                    let (target, words) = self.file_redirect(child)?;
                    let body = with_words(body, words).ok_or_else(|| self.doubt(child))?;
                    redirect(body, vec![target])
                }
                ("herestring_redirect", body) => redirect(body, vec![self.here_string(child)?]),
                ("heredoc_redirect", Some(body)) => self.document(child, body)?,
                (_body, None) => {
                    let body = self.statement(child)?;
                    let dash = has_dash.then(|| Text::literal("-", "-")).into_iter().collect();
                    with_words(Some(body), dash).flatten().ok_or_else(|| self.doubt(node))?
                }
                (_other, Some(_)) => return Err(self.doubt(child)),
            });
        }
        statement.ok_or_else(|| self.doubt(node))
    }

    /// A here-document, and what the grammar hangs on it: redirections, the rest of a pipe, the rest of a chain.
    fn document(&self, node: Node<'a>, body: Statement) -> Result<Statement, Doubt> {
        let (mut start, mut text, mut end) = (None, None, None);
        let (mut redirects, mut piped, mut link, mut right) = (Vec::new(), None, None, None);
        let children = self.children(node)?;
        for child in &children {
            match child.kind() {
                "<<" | "<<-" if start.is_none() => {}
                "heredoc_start" if start.is_none() => start = Some(*child),
                "heredoc_body" if text.is_none() => text = Some(*child),
                "heredoc_end" if end.is_none() => end = Some(*child),
                "file_redirect" if text.is_none() => match self.file_redirect(*child)? {
                    (redirect, words) if words.is_empty() => redirects.push(redirect),
                    _with_words => return Err(self.doubt(*child)),
                },
                "pipeline" if piped.is_none() && link.is_none() => piped = Some(*child),
                "&&" if link.is_none() => link = Some(Link::And),
                "||" if link.is_none() => link = Some(Link::Or),
                _right if child.is_named() && link.is_some() && right.is_none() => right = Some(*child),
                _other => return Err(self.doubt(*child)),
            }
        }
        let (Some(start), Some(end)) = (start, end) else { return Err(self.doubt(node)) };
        let line = self.source[start.end_byte()..].find('\n').ok_or_else(|| self.doubt(node))?;
        let on_line = |piece: Node<'_>| piece.end_byte() <= start.end_byte() + line;
        if let Some(far) = [piped, right].into_iter().flatten().find(|piece| !on_line(*piece)) {
            return Err(self.doubt(far));
        }
        redirects.insert(0, Redirect::Text(self.here_document(start, text, end)?));
        let mut statement = redirect(Some(body), redirects);
        if let Some(piped) = piped {
            statement = piped_into(statement, self.piped(piped)?);
        }
        match (link, right) {
            (Some(link), Some(right)) => {
                let right = Box::new(self.statement(right)?);
                Ok(Statement::Chain { left: Box::new(statement), link, right })
            }
            (None, None) => Ok(statement),
            _other => Err(self.doubt(node)),
        }
    }

    /// What stands behind the `|` of a pipe that a here-document begins.
    fn piped(&self, node: Node<'a>) -> Result<Statement, Doubt> {
        match self.children(node)?.as_slice() {
            [pipe, right] if matches!(pipe.kind(), "|" | "|&") => self.statement(*right),
            [pipe, first, rest @ ..] if matches!(pipe.kind(), "|" | "|&") => {
                let mut parts = vec![self.statement(*first)?];
                for pair in rest.chunks(2) {
                    match pair {
                        [pipe, part] if matches!(pipe.kind(), "|" | "|&") => {
                            parts.push(self.statement(*part)?)
                        }
                        _other => return Err(self.doubt(node)),
                    }
                }
                Ok(Statement::Pipeline(parts))
            }
            _other => Err(self.doubt(node)),
        }
    }

    pub(super) fn bodies(&self, node: Node<'a>) -> Result<Script, Doubt> {
        self.deeper(node, || self.script(node))
    }

    pub(super) fn items_of(&self, node: Node<'a>, children: &[Node<'a>]) -> Result<Script, Doubt> {
        self.items(node, children)
    }

    pub(super) fn any_statement(&self, node: Node<'a>) -> Result<Statement, Doubt> {
        self.statement(node)
    }

    pub(super) fn unknown(&self, node: Node<'_>) -> Doubt {
        self.doubt(node)
    }
}

fn alone(statement: Statement) -> Script {
    Script(vec![Item { statement, in_background: false }])
}

/// Puts redirections on what they belong to: the last command of a chain or a pipe.
fn redirect(body: Option<Statement>, redirects: Vec<Redirect>) -> Statement {
    match body {
        None => Statement::Simple(Simple { redirects, ..Simple::default() }),
        Some(Statement::Simple(mut simple)) => {
            simple.redirects.extend(redirects);
            Statement::Simple(simple)
        }
        Some(Statement::Chain { left, link, right }) => {
            Statement::Chain { left, link, right: Box::new(redirect(Some(*right), redirects)) }
        }
        Some(Statement::Pipeline(mut parts)) => {
            let last = parts.pop();
            parts.push(redirect(last, redirects));
            Statement::Pipeline(parts)
        }
        Some(Statement::Not(inner)) => Statement::Not(Box::new(redirect(Some(*inner), redirects))),
        Some(Statement::Redirected { body, redirects: mut before }) => {
            before.extend(redirects);
            Statement::Redirected { body, redirects: before }
        }
        Some(body) => Statement::Redirected { body: Box::new(body), redirects },
    }
}

/// Adds words to the last command of a chain or a pipe; nothing where that is none.
fn with_words(body: Option<Statement>, words: Vec<Text>) -> Option<Option<Statement>> {
    if words.is_empty() {
        return Some(body);
    }
    let again = |inner: Statement, words| with_words(Some(inner), words).flatten().map(Box::new);
    Some(Some(match body? {
        Statement::Simple(mut simple) if !simple.words.is_empty() => {
            simple.words.extend(words);
            Statement::Simple(simple)
        }
        Statement::Chain { left, link, right } => {
            Statement::Chain { left, link, right: again(*right, words)? }
        }
        Statement::Not(inner) => Statement::Not(again(*inner, words)?),
        Statement::Pipeline(mut parts) => {
            let last = parts.pop()?;
            parts.push(*again(last, words)?);
            Statement::Pipeline(parts)
        }
        _compound => return None,
    }))
}

/// Joins two statements by a pipe, which binds closer than chains.
fn piped_into(left: Statement, right: Statement) -> Statement {
    match (left, right) {
        (left, Statement::Chain { left: first, link, right }) => {
            Statement::Chain { left: Box::new(piped_into(left, *first)), link, right }
        }
        (Statement::Chain { left, link, right: last }, right) => {
            Statement::Chain { left, link, right: Box::new(piped_into(*last, right)) }
        }
        (Statement::Not(inner), right) => Statement::Not(Box::new(piped_into(*inner, right))),
        (Statement::Pipeline(mut parts), right) => {
            parts.push(right);
            Statement::Pipeline(parts)
        }
        (left, right) => Statement::Pipeline(vec![left, right]),
    }
}
