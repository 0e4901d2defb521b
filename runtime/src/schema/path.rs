//! Where in a value something is: `questions[0].header`, `["a b"].x`.

use std::fmt::Write as _;

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
                write!(out, "[{}]", serde_json::Value::from(format!("{}…", &name[..end])))
            }
            Step::Field(name) if is_identifier(name) && out.is_empty() => write!(out, "{name}"),
            Step::Field(name) if is_identifier(name) => write!(out, ".{name}"),
            Step::Field(name) => write!(out, "[{}]", serde_json::Value::from(name.as_str())),
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
}
