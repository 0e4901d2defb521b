//! The full validator of one schema, compiled once.

use jsonschema::{PatternOptions, ValidationError, Validator};
use serde_json::Value;
use toolwright::schema::{Judge, PROBLEMS_MAX, Problem};

/// How large a schema may be, as JSON text.
const SCHEMA_BYTES_MAX: usize = 1 << 20;
/// How deep a schema may be nested.
const SCHEMA_DEPTH_MAX: usize = 100;
/// How many references a schema may have where some are by name or dynamic: the walker does not follow those, so only
/// their number bounds the steps of the validator.
const NAMED_REFERENCES_MAX: usize = 16;
/// How large a compiled pattern may be.
const PATTERN_BYTES_MAX: usize = 1 << 20;

/// A schema that no tool can have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SchemaError {
    /// It is not valid JSON Schema, refers to what is not in it, or has a pattern that cannot be matched in linear time.
    #[error("the schema is wrong at `{path}`: {reason}")]
    Wrong {
        /// Where, as a JSON pointer into the schema.
        path: String,
        /// Why.
        reason: String,
    },
    /// Tools take objects.
    #[error("the schema does not describe an object: give it `\"type\": \"object\"`")]
    NotAnObject,
    /// It is larger or deeper than what is looked at.
    #[error(
        "the schema is too large: at most {SCHEMA_BYTES_MAX} bytes and {SCHEMA_DEPTH_MAX} levels are read"
    )]
    TooLarge,
}

/// A compiled schema. References lead nowhere outside it, and patterns match in linear time.
#[derive(Debug)]
pub(super) struct Compiled(Validator);

impl Compiled {
    pub(super) fn new(schema: &Value) -> Result<Compiled, SchemaError> {
        if depth(schema, 0) > SCHEMA_DEPTH_MAX || schema.to_string().len() > SCHEMA_BYTES_MAX {
            return Err(SchemaError::TooLarge);
        }
        let mut references = References::default();
        references.count(schema, true);
        if references.has_named && references.count > NAMED_REFERENCES_MAX {
            return Err(SchemaError::Wrong {
                path: String::new(),
                reason: format!(
                    "it has {} references, and some are dynamic or by name, of which at most {NAMED_REFERENCES_MAX} are followed: \
                     write them as `#/$defs/…`",
                    references.count
                ),
            });
        }
        let patterns =
            PatternOptions::regex().size_limit(PATTERN_BYTES_MAX).dfa_size_limit(PATTERN_BYTES_MAX);
        let options =
            jsonschema::options().offline().should_validate_formats(false).with_pattern_options(patterns);
        options.build(schema).map(Compiled).map_err(|error| SchemaError::Wrong {
            path: error.instance_path().to_string(),
            reason: error.to_string(),
        })
    }
}

impl Judge for Compiled {
    fn is_valid(&self, value: &Value) -> bool {
        self.0.is_valid(value)
    }

    fn problems(&self, value: &Value) -> Vec<Problem> {
        self.0.iter_errors(value).take(PROBLEMS_MAX).map(|error| problem(&error)).collect()
    }
}

/// A validator's error in the words of problems. The value stands in the problem already, shortened.
fn problem(error: &ValidationError<'_>) -> Problem {
    let told = error.masked_with("the value").to_string();
    let expected = format!("a value that fits the word `{}` of the schema", error.kind().keyword());
    Problem { hint: Some(told), ..Problem::unexpected(path(error), expected, error.instance()) }
}

/// A JSON pointer as a path.
fn path(error: &ValidationError<'_>) -> String {
    toolwright::schema::path_of_pointer(&error.instance_path().to_string())
}

/// The references of a schema. Names in data count too: that costs a schema, and opens nothing.
#[derive(Default)]
struct References {
    count: usize,
    has_named: bool,
}

impl References {
    fn count(&mut self, schema: &Value, is_root: bool) {
        match schema {
            Value::Object(words) => {
                for (word, value) in words {
                    let Some(target) = value.as_str() else {
                        self.count(value, false);
                        continue;
                    };
                    match word.as_str() {
                        "$ref" => {
                            self.count += 1;
                            self.has_named |= target != "#" && !target.starts_with("#/");
                        }
                        "$dynamicRef" | "$recursiveRef" => {
                            (self.count, self.has_named) = (self.count + 1, true)
                        }
                        "$id" => self.has_named |= !is_root,
                        _other => {}
                    }
                }
            }
            Value::Array(list) => list.iter().for_each(|below| self.count(below, false)),
            _scalar => {}
        }
    }
}

fn depth(schema: &Value, above: usize) -> usize {
    if above > SCHEMA_DEPTH_MAX {
        return above;
    }
    match schema {
        Value::Object(words) => words.values().map(|below| depth(below, above + 1)).max().unwrap_or(above),
        Value::Array(list) => list.iter().map(|below| depth(below, above + 1)).max().unwrap_or(above),
        _scalar => above,
    }
}
