//! The grammar's tree of a command line, within bounds.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use tree_sitter::{Node, ParseOptions, Parser, Tree};

use toolwright::visible::first_unseen;

use super::ast::Script;
use super::doubt::Doubt;
use super::statements::Reader;

/// How many characters a command may have to be read.
const COMMAND_CHARS_MAX: usize = 10_000;
/// How many pipes it may have: the grammar's time grows with their square.
const PIPES_MAX: usize = 500;
/// How many lines may be ended for the grammar.
const LINE_ENDS_MAX: usize = 16;
/// How many hundred steps the parser may take: twice what the longest command needs that it understands.
const PROGRESS_MAX: usize = 2_000;
/// How long it may take: some texts of a few thousand pipes have slow steps. What is understood takes a hundredth.
const TIME_MAX: Duration = Duration::from_millis(500);

/// Reads a command line.
pub(crate) fn parse(command: &str) -> Result<Script, Doubt> {
    if command.chars().nth(COMMAND_CHARS_MAX).is_some() {
        return Err(Doubt::new(format!("the command is longer than {COMMAND_CHARS_MAX} characters")));
    }
    if let Some(unseen) = first_unseen(command) {
        let code = u32::from(unseen);
        return Err(Doubt::new(format!("the invisible character U+{code:04X} may hide something")));
    }
    if command.matches('|').count() > PIPES_MAX {
        return Err(Doubt::new(format!("the command has more than {PIPES_MAX} pipes")));
    }
    let began = Instant::now();
    let mut text = command.to_owned();
    for _line in 0..LINE_ENDS_MAX {
        match read(&text, began) {
            // The grammar sometimes goes on with a command on the next line; a mark that it knows ends it as well.
            Err(Doubt { line_end: Some(at), .. }) if !line_of(&text, at).contains("<<") => {
                text.replace_range(at..=at, ";");
            }
            result => return result,
        }
    }
    Err(Doubt::new("the command has too many lines that are not understood"))
}

/// The line that ends at a place.
fn line_of(text: &str, end: usize) -> &str {
    text[..end].rsplit('\n').next().unwrap_or_default()
}

fn read(command: &str, began: Instant) -> Result<Script, Doubt> {
    let tree = tree(command, began).ok_or_else(|| Doubt::new("the command takes too long to be read"))?;
    let root = tree.root_node();
    if let Some(wrong) = first_wrong(root) {
        let what = if wrong.is_missing() { "comes where something is missing" } else { "is not understood" };
        let end = wrong.end_byte().max((wrong.start_byte() + 1).min(command.len()));
        return Err(Doubt::at(command, wrong.start_byte()..end, what));
    }
    let script = Reader::new(command, root).script(root)?;
    if script.0.is_empty() {
        return Err(Doubt::new("the command is empty"));
    }
    Ok(script)
}

fn tree(command: &str, began: Instant) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).ok()?;
    let mut steps = 0;
    let mut progress = |_state: &_| {
        steps += 1;
        let is_too_much = steps > PROGRESS_MAX || began.elapsed() > TIME_MAX;
        if is_too_much { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let bytes = command.as_bytes();
    parser.parse_with_options(&mut |at, _point| bytes.get(at..).unwrap_or_default(), None, Some(options))
}

/// The first node that the grammar could not place.
fn first_wrong(root: Node<'_>) -> Option<Node<'_>> {
    if !root.has_error() {
        return None;
    }
    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        if node.is_error() || node.is_missing() {
            return Some(node);
        }
        if (node.has_error() && cursor.goto_first_child()) || cursor.goto_next_sibling() {
            continue;
        }
        loop {
            if !cursor.goto_parent() {
                return Some(root);
            }
            if cursor.goto_next_sibling() {
                break;
            }
        }
    }
}
