//! The text of a settings file as a tree in which each value knows its place.

use std::ops::Range;
use std::str::FromStr;

use jsonc_parser::ast::Value as Ast;
use jsonc_parser::common::Ranged;
use jsonc_parser::errors::{ParseError, ParseErrorKind};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde::de::IgnoredAny;
use serde_json::{Map, Number, Value};

/// A value and its place.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) range: Range<usize>,
    pub(super) value: NodeValue,
}

#[derive(Clone, Debug)]
pub(super) enum NodeValue {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Node>),
    Object(Vec<Member>),
}

/// One entry of an object. A name may stand there more than once.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) name_range: Range<usize>,
    pub(super) node: Node,
    /// Whether another entry of this name comes later.
    pub(super) is_repeated: bool,
}

/// Something about a text, and where.
#[derive(Clone, Debug)]
pub(super) struct Remark {
    pub(super) range: Range<usize>,
    pub(super) message: String,
}

/// What comments and trailing commas are read with; everything else is strict.
pub(super) const LENIENT: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// Reads a text, comments and trailing commas included; says where it is not strict JSON.
///
/// # Errors
/// What cannot be read, and where. A text without a value is such a one.
pub(super) fn read(text: &str) -> Result<(Node, Vec<Remark>), Remark> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &LENIENT).map_err(|error| remark(&error))?;
    let Some(value) = parsed.value else {
        return Err(Remark { range: 0..0, message: "it holds no JSON value".to_owned() });
    };
    Ok((node(value)?, not_strict(text)))
}

/// Where a text that can be read is not strict JSON.
fn not_strict(text: &str) -> Vec<Remark> {
    let Err(error) = serde_json::from_str::<IgnoredAny>(text) else { return Vec::new() };
    let strictly = |options: ParseOptions| parse_to_ast(text, &CollectOptions::default(), &options).err();
    let comment = strictly(ParseOptions { allow_comments: false, ..LENIENT });
    let comma = strictly(ParseOptions { allow_trailing_commas: false, ..LENIENT });
    let mut remarks: Vec<Remark> = Vec::new();
    for (found, message) in [(comment, "a comment"), (comma, "a comma before a closing bracket")] {
        let message = format!("{message} is not JSON: other programs may refuse the file");
        remarks.extend(found.map(|error| Remark { range: range(&error), message }));
    }
    if remarks.is_empty() && !error.to_string().contains("recursion limit") {
        let at = offset(text, error.line(), error.column());
        remarks.push(Remark { range: at..at, message: format!("this is not strict JSON: {error}") });
    }
    remarks
}

/// The byte of a line and a column, both from 1.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let begins = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum::<usize>();
    (begins + column.saturating_sub(1)).min(text.len())
}

fn range(error: &ParseError) -> Range<usize> {
    error.range().start..error.range().end
}

pub(super) fn remark(error: &ParseError) -> Remark {
    let message = match error.kind() {
        ParseErrorKind::NestingDepthExceeded => "it is nested too deep".to_owned(),
        ParseErrorKind::MultipleRootJsonValues => "there is text behind the end of the value".to_owned(),
        ParseErrorKind::UnterminatedObject => "a `{` is not closed".to_owned(),
        ParseErrorKind::UnterminatedArray => "a `[` is not closed".to_owned(),
        ParseErrorKind::UnterminatedCommentBlock => "a `/*` is not closed".to_owned(),
        ParseErrorKind::ExpectedComma => "a comma is missing".to_owned(),
        ParseErrorKind::ExpectedColonAfterObjectKey => "a `:` is missing behind a name".to_owned(),
        ParseErrorKind::SingleQuotedStringsNotAllowed => "write strings in `\"`".to_owned(),
        ParseErrorKind::ExpectedStringObjectProperty => "write names in `\"`".to_owned(),
        other => {
            let mut text = other.to_string();
            if let Some(first) = text.get_mut(..1) {
                first.make_ascii_lowercase();
            }
            text
        }
    };
    Remark { range: range(error), message }
}

/// The parser keeps values from being nested so deep that this could not follow.
fn node(value: Ast<'_>) -> Result<Node, Remark> {
    let range = value.range().start..value.range().end;
    let value = match value {
        Ast::NullKeyword(_) => NodeValue::Null,
        Ast::BooleanLit(bool) => NodeValue::Bool(bool.value),
        Ast::StringLit(text) => NodeValue::Text(text.value.into_owned()),
        Ast::NumberLit(number) => match Number::from_str(number.value) {
            Ok(number) => NodeValue::Number(number),
            Err(_) => return Err(Remark { range, message: format!("`{}` is no number", number.value) }),
        },
        Ast::Array(array) => NodeValue::List(array.elements.into_iter().map(node).collect::<Result<_, _>>()?),
        Ast::Object(object) => {
            let mut members = Vec::with_capacity(object.properties.len());
            for property in object.properties {
                let name_range = property.name.range();
                members.push(Member {
                    name_range: name_range.start..name_range.end,
                    name: property.name.into_string(),
                    node: node(property.value)?,
                    is_repeated: false,
                });
            }
            let mut seen = std::collections::BTreeSet::new();
            for member in members.iter_mut().rev() {
                member.is_repeated = !seen.insert(member.name.clone());
            }
            NodeValue::Object(members)
        }
    };
    Ok(Node { range, value })
}

impl Node {
    /// What kind of value it is, in words.
    pub(super) fn kind(&self) -> &'static str {
        match &self.value {
            NodeValue::Null => "null",
            NodeValue::Bool(_) => "a boolean",
            NodeValue::Number(_) => "a number",
            NodeValue::Text(_) => "a string",
            NodeValue::List(_) => "an array",
            NodeValue::Object(_) => "an object",
        }
    }

    /// Its value; of entries with one name the last counts.
    pub(super) fn to_json(&self) -> Value {
        match &self.value {
            NodeValue::Null => Value::Null,
            NodeValue::Bool(bool) => Value::Bool(*bool),
            NodeValue::Number(number) => Value::Number(number.clone()),
            NodeValue::Text(text) => Value::String(text.clone()),
            NodeValue::List(items) => Value::Array(items.iter().map(Node::to_json).collect()),
            NodeValue::Object(members) => Value::Object(
                members
                    .iter()
                    .map(|member| (member.name.clone(), member.node.to_json()))
                    .collect::<Map<_, _>>(),
            ),
        }
    }

    /// The value at a JSON pointer below it, or the nearest one above that is there.
    pub(super) fn nearest_at(&self, pointer: &str) -> &Node {
        let mut at = self;
        for step in pointer.split('/').skip(1) {
            let step = step.replace("~1", "/").replace("~0", "~");
            let next = match &at.value {
                NodeValue::Object(members) => {
                    members.iter().rev().find(|member| member.name == step).map(|member| &member.node)
                }
                NodeValue::List(items) => step.parse::<usize>().ok().and_then(|index| items.get(index)),
                NodeValue::Null | NodeValue::Bool(_) | NodeValue::Number(_) | NodeValue::Text(_) => None,
            };
            match next {
                Some(next) => at = next,
                None => break,
            }
        }
        at
    }
}
