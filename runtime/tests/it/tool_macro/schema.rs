//! The schema that the model sees, byte for byte: a file in `schemas` for each kind of struct.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::contract::{SessionFacts, ToolForm};
use toolwright::prelude::*;
use toolwright::schema::Schema;

use super::names;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Order {
    Newest,
    Oldest,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Case {
    /// Tells `a` from `A`.
    Exact,
    /// Does not.
    Any,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "the schema is looked at, not the input")]
struct Range {
    /// The first line; the first of all is 1.
    #[schemars(range(min = 1))]
    from: u32,
    /// The last line.
    to: Option<u32>,
}

/// Has a field of every kind.
#[tool]
#[expect(dead_code, reason = "the schema is looked at, not the input")]
struct EveryKind {
    /// Comes first, although its name is last.
    zone: String,
    /// A number of either sign.
    offset: i64,
    /// A number that is not negative.
    limit: Option<u32>,
    /// A number with a fraction.
    ratio: f64,
    /// Yes or no.
    #[serde(default)]
    deep: bool,
    /// One of two.
    order: Order,
    /// One of two,
    /// or none.
    case: Option<Case>,
    /// Lines.
    range: Range,
    /// More lines.
    ranges: Vec<Range>,
    /// Names and values.
    variables: BTreeMap<String, u32>,
    /// Where.
    path: Option<PathBuf>,
    /// Comes last, although its name is first.
    a_last: Option<Vec<String>>,
}

/// Has names that are not the fields'.
#[tool(rename_all = "camelCase")]
#[expect(dead_code, reason = "the schema is looked at, not the input")]
struct Renamed {
    /// By the rule.
    old_string: String,
    /// By itself.
    #[serde(rename = "new")]
    new_string: String,
    /// By itself, where it is read.
    #[serde(rename(deserialize = "all", serialize = "every"))]
    replace_all: bool,
    /// Not there.
    #[serde(skip)]
    told: u32,
}

/// Has names by serde's rule.
#[tool]
#[serde(rename_all = "kebab-case")]
#[expect(dead_code, reason = "the schema is looked at, not the input")]
struct Kebab {
    /// By the rule.
    old_string: String,
}

/// Has no parameters.
#[tool]
struct Unit;

/// Has none either.
#[tool]
struct Empty {}

/// Has fields that depend on how it is compiled.
#[tool]
#[expect(dead_code, reason = "the schema is looked at, not the input")]
struct Conditional {
    /// Is always there.
    text: String,
    /// Is never there.
    #[cfg(not(test))]
    #[serde(rename = "nothing")]
    never: NoSuchType,
    /// Is there too.
    #[cfg(test)]
    also: u32,
}

/// Is not there at all.
#[tool(state = NoSuchType)]
#[cfg(not(test))]
struct Never {
    /// Neither is this.
    text: NoSuchType,
}

#[test]
fn schemas_are_the_same_bytes_always() {
    let cases = [
        (schema::<EveryKind>(), include_str!("schemas/every_kind.json")),
        (schema::<Renamed>(), include_str!("schemas/renamed.json")),
        (schema::<Kebab>(), include_str!("schemas/kebab.json")),
        (schema::<Conditional>(), include_str!("schemas/conditional.json")),
        (schema::<Unit>(), include_str!("schemas/no_parameters.json")),
        (schema::<Empty>(), include_str!("schemas/no_parameters.json")),
    ];
    for (schema, golden) in cases {
        assert_eq!(schema, golden.trim_end());
    }
}

#[test]
fn fields_are_listed_as_they_are_on_the_wire() {
    assert_eq!(names::<Renamed>(), ["oldString", "new", "all"]);
    assert_eq!(names::<Kebab>(), ["old-string"]);
    assert_eq!(names::<Conditional>(), ["text", "also"]);
    assert!(names::<Unit>().is_empty() && names::<Empty>().is_empty());
}

fn schema<T: ToolForm>() -> String {
    Schema::of::<T>(&SessionFacts::default()).text().to_string()
}
