//! Other names that fields and variants are read by: everywhere, reported, and never shown to the model.

use serde::Serialize;
use serde_json::{Value, json};
use toolwright::contract::{ErasedTool as _, Origin, Registered, SessionFacts};
use toolwright::message::RawInput;
use toolwright::prelude::*;
use toolwright::schema::{InputErrors, Schema};
use toolwright::testing::parse_input;

/// Looks for something.
#[tool]
#[derive(Debug, PartialEq, Serialize)]
struct Look {
    /// Where.
    #[serde(alias = "file", alias = "file_name")]
    path: String,
    /// How many.
    #[serde(alias = "max")]
    limit: Option<u32>,
    /// Anything.
    #[serde(alias = "any", default)]
    value: Value,
    /// What else.
    #[serde(default, alias = "more")]
    inner: Option<Inner>,
    /// In which way.
    #[serde(default)]
    way: Option<Way>,
    /// In which shape.
    #[serde(default)]
    shape: Option<Shape>,
    #[serde(flatten)]
    flat: Flat,
}

/// Nested.
#[derive(Debug, PartialEq, Serialize, Params)]
struct Inner {
    /// A number.
    #[serde(alias = "n")]
    number: u8,
}

/// Without a level of its own.
#[derive(Debug, PartialEq, Serialize, Params)]
struct Flat {
    /// Yes or no.
    #[serde(default, alias = "hidden", alias = "dotfiles")]
    all: bool,
}

/// A way.
#[derive(Debug, PartialEq, Serialize, Params)]
#[serde(rename_all = "snake_case")]
enum Way {
    /// Up.
    #[serde(alias = "north")]
    Up,
    /// By steps.
    #[serde(alias = "steps")]
    By(u8),
}

/// A shape.
#[derive(Debug, PartialEq, Serialize, Params)]
#[serde(tag = "kind")]
enum Shape {
    /// Round.
    #[serde(alias = "Ball")]
    Round {
        /// How wide.
        #[serde(alias = "r")]
        radius: u8,
    },
    /// Another.
    Other,
}

tools!(Look);

/// The input as it was taken, and how many things were told.
fn taken(input: &Value, origin: Origin) -> Result<(Value, Vec<String>), InputErrors> {
    let given = RawInput::from_value(input);
    let parsed =
        Registered::<Look>::new(()).parse(&given, origin, &Schema::of::<Look>(&SessionFacts::default()))?;
    let read = serde_json::from_str(parsed.input(&given).as_str()).expect("what was taken is JSON");
    Ok((read, parsed.coercions().iter().map(|told| told.to.to_string()).collect()))
}

#[test]
fn another_name_is_read_wherever_it_stands() {
    for (given, wanted) in [
        (json!({"file": "a"}), json!({"path": "a"})),
        (json!({"file_name": "a", "limit": "5"}), json!({"path": "a", "limit": 5})),
        (json!({"path": "a", "max": "5"}), json!({"path": "a", "limit": 5})),
        (json!({"path": "a", "any": [1]}), json!({"path": "a", "value": [1]})),
        (json!({"path": "a", "more": {"n": "3"}}), json!({"path": "a", "inner": {"number": 3}})),
        (json!({"path": "a", "more": "{\"n\":3}"}), json!({"path": "a", "inner": {"number": 3}})),
        (json!({"path": "a", "way": "north"}), json!({"path": "a", "way": "up"})),
        (json!({"path": "a", "way": {"steps": "3"}}), json!({"path": "a", "way": {"by": 3}})),
        (
            json!({"path": "a", "shape": {"kind": "Ball", "r": 3.0}}),
            json!({"path": "a", "shape": {"kind": "Round", "radius": 3}}),
        ),
        (json!({"path": "a", "dotfiles": "true"}), json!({"path": "a", "all": true})),
    ] {
        let (read, told) = taken(&given, Origin::Model).unwrap_or_else(|errors| panic!("{given}: {errors}"));
        assert_eq!(read, wanted, "hooks and rules see a field's own name");
        assert!(!told.is_empty(), "{given}");
        let typed = |input: &Value| parse_input::<Look>(&input.to_string(), &()).ok();
        assert!(typed(&given).is_some() && typed(&given) == typed(&wanted), "{given}");
    }
}

#[test]
fn a_field_by_two_of_its_names_is_a_problem_that_names_both() {
    for given in [
        json!({"path": "a", "file": "b"}),
        json!({"file": "a", "file_name": "b"}),
        json!({"path": "a", "file": 5}),
        json!({"path": "a", "inner": {"number": 1, "n": 1}}),
        json!({"path": "a", "all": true, "hidden": false}),
        json!({"path": "a", "shape": {"kind": "Round", "radius": 1, "r": 2}}),
    ] {
        let errors = taken(&given, Origin::Model).expect_err("it is told twice").to_string();
        assert!(errors.contains("a second value for `") && errors.contains("send one"), "{given}: {errors}");
    }
}

#[test]
fn other_names_are_not_shown_and_are_no_excuse_for_code() {
    let schema = Schema::of::<Look>(&SessionFacts::default());
    for hidden in ["file", "max", "more", "dotfiles", "north", "Ball", "x-aliases", "x-variants"] {
        assert!(!schema.text().contains(&format!("\"{hidden}\"")), "{hidden}: {}", schema.text());
    }
    assert!(taken(&json!({"path": "a"}), Origin::Trusted).is_ok());
    assert!(taken(&json!({"file": "a"}), Origin::Trusted).is_err());
    let (_read, told) = taken(&json!({"path": "a", "limit": 5}), Origin::Model).expect("it is valid");
    assert!(told.is_empty());
}
