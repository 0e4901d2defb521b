//! Where in a value something is: `questions[0].header`, `["a b"].x`.

use std::fmt::Write as _;

use serde_json::Value;

/// One step into a value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Step {
    /// Into a field of an object.
    Field(String),
    /// Into an item of an array.
    Item(usize),
}

/// A place in a value while it is walked: steps on the stack, so that a path costs nothing until it is told.
#[derive(Clone, Copy, Debug)]
pub(super) struct Path<'p> {
    last: Option<(&'p Path<'p>, StepRef<'p>)>,
}

#[derive(Clone, Copy, Debug)]
enum StepRef<'p> {
    Field(&'p str),
    Item(usize),
}

impl<'p> Path<'p> {
    /// The whole value.
    pub(super) const ROOT: Path<'static> = Path { last: None };

    /// A field of what is here.
    pub(super) fn field(&'p self, name: &'p str) -> Path<'p> {
        Path { last: Some((self, StepRef::Field(name))) }
    }

    /// An item of what is here.
    pub(super) fn item(&'p self, index: usize) -> Path<'p> {
        Path { last: Some((self, StepRef::Item(index))) }
    }

    /// The steps from the whole value to here.
    pub(super) fn steps(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut at = self;
        while let Some((above, step)) = &at.last {
            steps.push(match step {
                StepRef::Field(name) => Step::Field((*name).to_owned()),
                StepRef::Item(index) => Step::Item(*index),
            });
            at = above;
        }
        steps.reverse();
        steps
    }
}

/// How many characters of a name are told: a model may send any name.
const NAME_CHARS_MAX: usize = 80;

/// Steps as text.
pub(super) fn render<'a>(steps: impl Iterator<Item = &'a Step>) -> String {
    let mut out = String::new();
    for step in steps {
        match step {
            Step::Item(index) => write!(out, "[{index}]"),
            Step::Field(name) if let Some((end, _)) = name.char_indices().nth(NAME_CHARS_MAX) => {
                write!(out, "[{}]", Value::from(format!("{}…", &name[..end])))
            }
            Step::Field(name) if is_identifier(name) && out.is_empty() => write!(out, "{name}"),
            Step::Field(name) if is_identifier(name) => write!(out, ".{name}"),
            Step::Field(name) => write!(out, "[{}]", Value::from(name.as_str())),
        }
        .unwrap_or_default();
    }
    out
}

/// A JSON pointer as a path. A step of digits is taken for an index.
#[must_use]
pub fn path_of_pointer(pointer: &str) -> String {
    let step = |step: &str| match step.parse() {
        Ok(index) => Step::Item(index),
        Err(_name) => Step::Field(step.replace("~1", "/").replace("~0", "~")),
    };
    let steps: Vec<Step> = pointer.split('/').skip(1).map(step).collect();
    render(steps.iter())
}

/// The steps of a path as it was rendered. A name that was too long to be told whole stays short.
pub(super) fn steps_of(path: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        let (step, after) = match rest.strip_prefix('[') {
            Some(inner) => {
                let mut written = serde_json::Deserializer::from_str(inner).into_iter::<Value>();
                let Some(Ok(step)) = written.next() else { break };
                let after = inner[written.byte_offset()..].strip_prefix(']').unwrap_or_default();
                match (step.as_str(), step.as_u64().and_then(|index| usize::try_from(index).ok())) {
                    (Some(name), _) => (Step::Field(name.to_owned()), after),
                    (None, Some(index)) => (Step::Item(index), after),
                    (None, None) => break,
                }
            }
            None => {
                let name = rest.strip_prefix('.').unwrap_or(rest);
                let end = name.find(['.', '[']).unwrap_or(name.len());
                (Step::Field(name[..end].to_owned()), &name[end..])
            }
        };
        steps.push(step);
        rest = after;
    }
    steps
}

fn is_identifier(name: &str) -> bool {
    let starts = |c: char| c.is_alphabetic() || c == '_' || c == '$';
    name.starts_with(starts) && name.chars().all(|c| starts(c) || c.is_numeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_read_like_code() {
        let questions = Path::ROOT.field("questions");
        let first = questions.item(0);
        let (header, spaced) = (first.field("header"), first.field("a \"b"));
        assert_eq!(render(header.steps().iter()), "questions[0].header");
        assert_eq!(render(spaced.steps().iter()), r#"questions[0]["a \"b"]"#);
        assert_eq!(render(Path::ROOT.field("a-b").steps().iter()), r#"["a-b"]"#);
        assert_eq!(render(Path::ROOT.steps().iter()), "");
    }

    #[test]
    fn a_path_is_read_as_it_was_rendered() {
        for name in ["a", "a-b", "a.b", "a]b", "[\"a\"]", "é", "", "a\\\"b", "0", "x\ny"] {
            for steps in [
                vec![Step::Field(name.to_owned())],
                vec![Step::Field("in".to_owned()), Step::Field(name.to_owned()), Step::Item(3)],
                vec![Step::Item(0), Step::Field(name.to_owned()), Step::Field(name.to_owned())],
            ] {
                assert_eq!(steps_of(&render(steps.iter())), steps);
            }
        }
        for broken in ["[", "[]", "[\"a", "[1", "[-1]", "..", "a..b", "[1e99]", "[\u{e9}]"] {
            assert!(steps_of(broken).len() < 4, "{broken}");
        }
    }
}
