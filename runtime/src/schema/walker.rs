//! The schema-guided walker: converts without loss what a model sent in another JSON type, and collects every problem.
//!
//! It works for our own types and for tools whose schema is known only at run time. A value that is valid as it came
//! is never changed.

use serde::Serialize;
use serde_json::{Map, Number, Value};

use super::marks;
use super::problem::{Problem, received};
use crate::nearest::nearest;

/// One value that was converted without loss.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Coercion {
    /// Where, such as `questions[0].header`.
    pub path: String,
    /// What came.
    pub from: Value,
    /// What it became.
    pub to: Value,
}

/// What a walk found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Walked {
    /// The conversions made.
    pub coercions: Vec<Coercion>,
    /// The problems that remain.
    pub problems: Vec<Problem>,
}

/// How deep a value is followed; what is deeper is left as it is.
const DEPTH_MAX: usize = 100;
/// How many problems are reported at once.
const PROBLEMS_MAX: usize = 20;

/// Walks `value` along `schema` (JSON Schema 2020-12, inlined), converting in place.
#[must_use]
pub fn walk(value: &mut Value, schema: &Value) -> Walked {
    let mut walker = Walker { out: Walked::default(), path: String::new(), depth: 0 };
    walker.value(value, schema);
    walker.out
}

struct Walker {
    out: Walked,
    path: String,
    depth: usize,
}

impl Walker {
    fn value(&mut self, value: &mut Value, schema: &Value) {
        if self.depth > DEPTH_MAX || self.out.problems.len() >= PROBLEMS_MAX {
            return;
        }
        if let Some(branches) = schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Value::as_array)
        {
            return self.branches(value, branches);
        }
        if let Some(fixed) = schema.get("const") {
            if value != fixed {
                self.problem(value, fixed.to_string());
            }
            return;
        }
        if let Some(listed) = schema.get("enum").and_then(Value::as_array) {
            if !listed.contains(value) {
                self.not_listed(value, listed);
            }
            return;
        }
        let kinds = kinds(schema);
        let may_convert = schema.get(marks::COERCE) != Some(&Value::Bool(false));
        let fits = kinds.is_empty() || kinds.iter().any(|kind| is(value, kind));
        let is_mended = !fits && may_convert && self.convert(value, &kinds);
        if !fits && !is_mended {
            return self
                .problem(value, kinds.iter().map(|kind| in_words(kind)).collect::<Vec<_>>().join(" or "));
        }
        self.inside(value, schema);
    }

    /// What a value of the right type must fulfil besides.
    fn inside(&mut self, value: &mut Value, schema: &Value) {
        match value {
            Value::Number(number) => {
                if let Some(bound) = broken_bound(number, schema) {
                    self.problem(value, bound);
                }
            }
            Value::Array(items) => {
                let Some(schema) = schema.get("items") else { return };
                for (index, item) in items.iter_mut().enumerate() {
                    self.below(&format!("[{index}]"), |walker| walker.value(item, schema));
                }
            }
            Value::Object(fields) => self.fields(fields, schema),
            Value::Null | Value::Bool(_) | Value::String(_) => {}
        }
    }

    fn fields(&mut self, fields: &mut Map<String, Value>, schema: &Value) {
        let none = Map::new();
        let known = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
        let others = schema.get("additionalProperties");
        for (name, value) in fields.iter_mut() {
            let dotted = if self.path.is_empty() { name.clone() } else { format!(".{name}") };
            self.below(&dotted, |walker| match (known.get(name), others) {
                (Some(schema), _) => walker.value(value, schema),
                (None, Some(Value::Bool(false))) => walker.unknown(name, value, known),
                (None, Some(schema)) => walker.value(value, schema),
                (None, None) => {}
            });
        }
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        for name in required.filter_map(Value::as_str).filter(|name| !fields.contains_key(*name)) {
            let dotted = if self.path.is_empty() { name.to_owned() } else { format!(".{name}") };
            let expected = known.get(name).map_or_else(|| "a value".to_owned(), expectation);
            self.below(&dotted, |walker| {
                walker.push(Problem {
                    path: walker.path.clone(),
                    expected,
                    received: "nothing".to_owned(),
                    hint: Some("the parameter is required".to_owned()),
                });
            });
        }
    }

    fn unknown(&mut self, name: &str, value: &Value, known: &Map<String, Value>) {
        let hint = match nearest(name, known.keys().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None if known.is_empty() => "it takes no parameters".to_owned(),
            None => format!(
                "the parameters are `{}`",
                known.keys().map(String::as_str).collect::<Vec<_>>().join("`, `")
            ),
        };
        let path = self.path.clone();
        self.push(Problem {
            path,
            expected: "no such parameter".to_owned(),
            received: received(value),
            hint: Some(hint),
        });
    }

    /// A value that fits a branch as it is stays; else the first branch that it can be converted to wins.
    fn branches(&mut self, value: &mut Value, branches: &[Value]) {
        let mut attempts: Vec<(Value, Walked)> = Vec::with_capacity(branches.len());
        for branch in branches {
            let mut changed = value.clone();
            let mut walker =
                Walker { out: Walked::default(), path: self.path.clone(), depth: self.depth + 1 };
            walker.value(&mut changed, branch);
            attempts.push((changed, walker.out));
        }
        if attempts.iter().any(|(_, out)| out.problems.is_empty() && out.coercions.is_empty()) {
            return;
        }
        if let Some((changed, out)) = attempts.iter().find(|(_, out)| out.problems.is_empty()) {
            *value = changed.clone();
            self.out.coercions.extend(out.coercions.iter().cloned());
            return;
        }
        // A branch that fails inside the value says more than one that fails at its type.
        let deepest =
            attempts.iter().find(|(_, out)| out.problems.iter().all(|problem| problem.path != self.path));
        match deepest {
            Some((_, out)) => self.out.problems.extend(out.problems.iter().cloned()),
            None => self.problem(value, branches.iter().map(expectation).collect::<Vec<_>>().join(", or ")),
        }
    }

    /// Converts a value to the first of the types that it can become without loss.
    fn convert(&mut self, value: &mut Value, kinds: &[&str]) -> bool {
        let Some(to) = kinds.iter().find_map(|kind| converted(value, kind)) else { return false };
        let from = std::mem::replace(value, to.clone());
        self.out.coercions.push(Coercion { path: self.path.clone(), from, to });
        true
    }

    fn not_listed(&mut self, value: &Value, listed: &[Value]) {
        let names: Vec<String> = listed.iter().map(Value::to_string).collect();
        let near = value.as_str().and_then(|wrong| nearest(wrong, listed.iter().filter_map(Value::as_str)));
        let hint = near.map(|near| format!("did you mean `{near}`?"));
        let path = self.path.clone();
        let expected = format!("one of {}", names.join(", "));
        self.push(Problem { path, expected, received: received(value), hint });
    }

    fn problem(&mut self, value: &Value, expected: String) {
        let path = self.path.clone();
        self.push(Problem { path, expected, received: received(value), hint: None });
    }

    fn push(&mut self, problem: Problem) {
        if self.out.problems.len() < PROBLEMS_MAX {
            self.out.problems.push(problem);
        }
    }

    fn below(&mut self, step: &str, visit: impl FnOnce(&mut Walker)) {
        let length = self.path.len();
        self.path.push_str(step);
        self.depth += 1;
        visit(self);
        self.depth -= 1;
        self.path.truncate(length);
    }
}

/// The types a schema allows; none means any.
fn kinds(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(kind)) => vec![kind],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        _other => Vec::new(),
    }
}

fn is(value: &Value, kind: &str) -> bool {
    match (value, kind) {
        (Value::Number(number), "integer") => number.is_i64() || number.is_u64(),
        (Value::Null, "null")
        | (Value::Bool(_), "boolean")
        | (Value::Number(_), "number")
        | (Value::String(_), "string")
        | (Value::Array(_), "array")
        | (Value::Object(_), "object") => true,
        _other => false,
    }
}

/// The value as another type, when nothing is lost by it.
fn converted(value: &Value, kind: &str) -> Option<Value> {
    match (value, kind) {
        (Value::Number(number), "integer") => integral(number).map(Value::Number),
        (Value::String(text), "integer" | "number" | "boolean" | "array" | "object") => {
            let inner: Value = serde_json::from_str(text).ok()?;
            if is(&inner, kind) { exact(text, inner) } else { None }
        }
        _other => None,
    }
}

/// Refuses numbers that a double cannot hold as they were written.
fn exact(text: &str, value: Value) -> Option<Value> {
    match &value {
        Value::Number(number) if number.is_f64() => {
            let significant = text.chars().filter(char::is_ascii_digit).count();
            (significant <= 15 && number.as_f64().is_some_and(f64::is_finite)).then_some(value)
        }
        _other => Some(value),
    }
}

/// The largest magnitude below which every integer is a double of its own.
const INTEGRAL_MAX: f64 = 9_007_199_254_740_991.0;

/// A float without a fraction, as the integer it is.
fn integral(number: &Number) -> Option<Number> {
    let float = number.as_f64()?;
    #[expect(clippy::cast_possible_truncation, reason = "the value is integral and within 53 bits")]
    (float.fract() == 0.0 && float.abs() <= INTEGRAL_MAX).then(|| Number::from(float as i64))
}

/// The bound that a number breaks, in words.
fn broken_bound(number: &Number, schema: &Value) -> Option<String> {
    let bound = |name: &str| schema.get(name).and_then(Value::as_f64);
    let value = number.as_f64()?;
    let low = bound("minimum").filter(|low| value < *low).map(|low| format!("a number of at least {low}"));
    low.or_else(|| {
        bound("maximum").filter(|high| value > *high).map(|high| format!("a number of at most {high}"))
    })
}

/// What a schema expects, in words.
fn expectation(schema: &Value) -> String {
    if let Some(listed) = schema.get("enum").and_then(Value::as_array) {
        return format!("one of {}", listed.iter().map(Value::to_string).collect::<Vec<_>>().join(", "));
    }
    if let Some(fixed) = schema.get("const") {
        return fixed.to_string();
    }
    let kinds = kinds(schema);
    if kinds.is_empty() {
        "a value".to_owned()
    } else {
        kinds.iter().map(|kind| in_words(kind)).collect::<Vec<_>>().join(" or ")
    }
}

fn in_words(kind: &str) -> String {
    match kind {
        "null" => "null".to_owned(),
        "integer" | "array" | "object" => format!("an {kind}"),
        other => format!("a {other}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn schema() -> Value {
        json!({
            "type": "object",
            "properties": {
                "count": {"type": "integer", "minimum": 0},
                "ratio": {"type": ["number", "null"]},
                "deep": {"type": "boolean"},
                "names": {"type": "array", "items": {"type": "string"}},
                "either": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
                "kind": {"enum": ["file", "folder"]},
            },
            "required": ["count"],
            "additionalProperties": false,
        })
    }

    #[test]
    fn lossless_conversions_are_made_and_reported() {
        for (given, wanted) in [
            (json!({"count": "5000"}), json!({"count": 5000})),
            (json!({"count": 30.0}), json!({"count": 30})),
            (json!({"count": 1, "ratio": "0.5"}), json!({"count": 1, "ratio": 0.5})),
            (json!({"count": 1, "deep": "true"}), json!({"count": 1, "deep": true})),
            (json!({"count": 1, "names": "[\"a\"]"}), json!({"count": 1, "names": ["a"]})),
        ] {
            let mut value = given.clone();
            let walked = walk(&mut value, &schema());
            assert_eq!((value, walked.problems.len(), walked.coercions.len()), (wanted, 0, 1), "{given}");
        }
    }

    #[test]
    fn what_would_lose_something_stays_an_error() {
        for given in [
            json!({"count": 0.5}),
            json!({"count": 1e30}),
            json!({"count": -1}),
            json!({"count": "-1"}),
            json!({"count": "0x10"}),
            json!({"count": " 5"  , "deep": "yes"}),
            json!({"count": true}),
            json!({"count": 1, "names": "[x"}),
            json!({"count": 1, "names": {"a": 1}}),
            json!({"count": 1, "names": [1]}),
        ] {
            let walked = walk(&mut given.clone(), &schema());
            assert!(!walked.problems.is_empty(), "{given}");
        }
    }

    #[test]
    fn a_string_is_never_converted_where_a_string_is_valid() {
        let given = json!({"count": 1, "either": "5", "names": ["5", "true"]});
        let mut value = given.clone();
        assert_eq!(walk(&mut value, &schema()), Walked::default());
        assert_eq!(value, given);
    }

    #[test]
    fn every_problem_is_reported_at_once_with_the_nearest_name() {
        let walked = walk(&mut json!({"cuont": 1, "kind": "fil", "deep": 3}), &schema());
        let said: Vec<String> = walked.problems.iter().map(Problem::to_string).collect();
        assert_eq!(
            said,
            [
                "`cuont`: expected no such parameter, received the number 1; did you mean `count`?",
                "`deep`: expected a boolean, received the number 3",
                "`kind`: expected one of \"file\", \"folder\", received the string \"fil\"; did you mean `file`?",
                "`count`: expected an integer, received nothing; the parameter is required",
            ]
        );
    }
}
