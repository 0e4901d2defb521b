//! An example of an input is a JSON object of the parameters there are.

use toolwright::prelude::*;


/// Finds things.
#[tool(examples = [
    r#"{"what": "x"}"#,
    r#"{"what": "x",}"#,
    "[1]",
    r#"{"what": 'x'}"#,
    r#"{"waht": "x"}"#,
    3,
])]
struct Find {
    /// What to find.
    what: String,
}

/// Finds others.
#[tool(examples = r#"{"what": "x"}"#)]
struct FindOthers {}

/// Finds nothing.
#[tool(examples = [r#"{"what": "x"}"#, r#"{"#])]
struct FindNothing {}

fn main() {}
