//! Reading one input along its schema: what may be left out around it, what can be converted, every problem.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::json::{DEPTH_MAX, Fault, FaultKind, Order, repaired, unwrapped};
use super::problem::{Problem, shortened};
use super::walk::{Coercion, Walked, fits, walk_read};
use super::{InputErrors, Schema};
use crate::contract::Origin;
use crate::message::RawInput;

/// An input that fits its schema.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// The input, conversions made.
    pub value: Value,
    /// The same as JSON text; the bytes that came, where nothing was converted.
    pub text: RawInput,
    /// The conversions, and what was left out around the JSON.
    pub coercions: Vec<Coercion>,
}

/// A full validator, for schemas that say more than the walker follows. It has the last word: what it takes as it came
/// is not changed, and what it refuses in the end is refused.
pub trait Judge {
    /// Whether the value fits.
    fn is_valid(&self, value: &Value) -> bool;

    /// Why it does not fit.
    fn problems(&self, value: &Value) -> Vec<Problem>;
}

/// Reads an input along its schema. Only the model's inputs are converted: code in this process has no excuse.
///
/// # Errors
/// Every problem at once.
pub fn read(
    input: &RawInput,
    origin: Origin,
    schema: &Schema,
    judge: Option<&dyn Judge>,
) -> Result<Input, InputErrors> {
    let mut whole =
        whole(input.as_str(), schema).map_err(|problem| InputErrors::of(vec![problem], schema, None))?;
    let walked = walked(&mut whole, schema, judge);
    let (mut coercions, mut problems) = (whole.coercions, walked.problems);
    coercions.extend(walked.coercions);
    if origin == Origin::Trusted {
        problems.extend(coercions.iter().map(not_exact));
    }
    if !problems.is_empty() {
        let errors = InputErrors::of(problems, schema, Some(&whole.value));
        return Err(if walked.has_more { errors.and_more() } else { errors });
    }
    let text = if coercions.is_empty() { input.clone() } else { RawInput::from_value(&whole.value) };
    Ok(Input { value: whole.value, text, coercions })
}

fn walked(whole: &mut Whole<'_>, schema: &Schema, judge: Option<&dyn Judge>) -> Walked {
    let came = judge.map(|judge| (judge, whole.value.clone()));
    let is_exact = whole.rounded.is_empty();
    let json = &whole.json;
    let walked = walk_read(&mut whole.value, schema, &mut whole.rounded, |value| {
        let written = Order::of(json);
        // A whole input that came in a string has the order of what is in it.
        if matches!(written, Order::Plain) { Order::of(&value.to_string()) } else { written }
    });
    let Some((judge, came)) = came else { return walked };
    let is_changed = !walked.coercions.is_empty();
    if is_exact
        && !walked.is_exhausted
        && (is_changed || !walked.problems.is_empty())
        && judge.is_valid(&came)
    {
        whole.value = came;
        return Walked::default();
    }
    if walked.problems.is_empty() {
        return Walked { problems: judge.problems(&whole.value), ..walked };
    }
    walked
}

/// The whole of an input as it was read.
struct Whole<'t> {
    value: Value,
    json: Cow<'t, str>,
    rounded: Vec<super::json::Rounded>,
    coercions: Vec<Coercion>,
}

/// The input as JSON: as it is, without what stands around it, or from nothing where nothing is needed.
fn whole<'t>(text: &'t str, schema: &Schema) -> Result<Whole<'t>, Problem> {
    let nothing = |from: Value| {
        let to = Value::Object(Map::new());
        let coercion = Coercion { path: String::new(), from, to: to.clone() };
        Whole { value: to, json: Cow::Borrowed("{}"), rounded: Vec::new(), coercions: vec![coercion] }
    };
    if unwrapped(text, &mut Vec::new()).is_empty() {
        return Ok(nothing(Value::from("")));
    }
    let repaired = repaired(text).map_err(|(fault, json)| not_json(json, &fault))?;
    let value = repaired.read.value;
    let is_nothing = value.is_null() || value.as_str().is_some_and(|inner| inner.trim().is_empty());
    if is_nothing && !fits(&value, schema) && fits(&Value::Object(Map::new()), schema) {
        return Ok(nothing(value));
    }
    let left_out = |what: &Cow<'static, str>| Coercion {
        path: String::new(),
        from: Value::from(what.as_ref()),
        to: Value::from("left out"),
    };
    let coercions = repaired.left_out.iter().map(left_out).collect();
    // Where commas were left out, the order is that of the value: the text is no JSON.
    let json = if repaired.read.commas == 0 { repaired.json.into() } else { without_commas(repaired.json) };
    Ok(Whole { value, json, rounded: repaired.read.rounded, coercions })
}

/// The text with spaces in the place of commas behind last entries.
fn without_commas(json: &str) -> Cow<'_, str> {
    let mut out = String::with_capacity(json.len());
    let (mut in_string, mut is_escaped) = (false, false);
    let mut comma: Option<usize> = None;
    for char in json.chars() {
        if in_string {
            in_string = char != '"' || is_escaped;
            is_escaped = char == '\\' && !is_escaped;
        } else {
            match char {
                '"' => (in_string, comma) = (true, None),
                ',' => comma = Some(out.len()),
                ']' | '}' => {
                    if let Some(at) = comma.take() {
                        out.replace_range(at..=at, " ");
                    }
                }
                ' ' | '\n' | '\r' | '\t' => {}
                _other => comma = None,
            }
        }
        out.push(char);
    }
    Cow::Owned(out)
}

fn not_json(json: &str, fault: &Fault) -> Problem {
    let path = fault.path();
    let place = fault.place(json);
    match &fault.kind {
        FaultKind::Twice(key) => Problem {
            path,
            expected: "an object with each name once".to_owned(),
            received: format!("`{}` twice ({place})", shortened(key)),
            hint: None,
        },
        FaultKind::End => Problem {
            path: String::new(),
            expected: "a JSON object".to_owned(),
            received: format!("`{}`, which ends too early ({place})", shortened(json)),
            hint: Some("send it again, whole".to_owned()),
        },
        FaultKind::TooLarge => Problem {
            path,
            expected: "a number that a 64-bit float can hold".to_owned(),
            received: format!("a larger one ({place})"),
            hint: Some("the number is too large".to_owned()),
        },
        FaultKind::TooDeep => Problem {
            path: String::new(),
            expected: format!("arrays and objects nested at most {DEPTH_MAX} deep"),
            received: format!("deeper ones ({place})"),
            hint: Some("close some earlier".to_owned()),
        },
        FaultKind::Syntax(said) => Problem {
            path: String::new(),
            expected: "a JSON object".to_owned(),
            received: format!("`{}`, which is not valid JSON ({place}: {said})", shortened(json)),
            hint: Some("send one JSON object".to_owned()),
        },
    }
}

fn not_exact(coercion: &Coercion) -> Problem {
    Problem {
        path: coercion.path.clone(),
        expected: format!("exactly {}", shortened(&coercion.to.to_string())),
        received: shortened(&coercion.from.to_string()),
        hint: Some("inputs from code are not converted".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_a_text_with_commas_too_many_can_be_had() {
        let text = r#"{"b":[1,"x,]\"",],"a":{"c":1 , } , }"#;
        let json = without_commas(text);
        assert_eq!(json, r#"{"b":[1,"x,]\"" ],"a":{"c":1   }   }"#);
        assert!(serde_json::from_str::<Value>(&json).is_ok());
    }
}
