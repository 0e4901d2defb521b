//! Types to nest that are written in unusual ways.

use std::marker::PhantomData;

use toolwright::contract::SessionFacts;
use toolwright::prelude::*;
use toolwright::schema::Schema;
use toolwright::testing::parse_input;

/// Reads a type from JSON as a tool's only parameter.
macro_rules! read {
    ($kind:ty, $json:expr) => {{
        /// Takes one value.
        #[tool]
        struct Takes {
            /// The value.
            value: $kind,
        }

        let schema = Schema::of::<Takes>(&SessionFacts::default()).text().to_string();
        let read = parse_input::<Takes>(&format!(r#"{{"value":{}}}"#, $json), &()).map(|takes| takes.value);
        (read.map_err(|errors| errors.to_string()), schema)
    }};
}

#[derive(Debug, PartialEq, Params)]
#[serde(default)]
struct WithDefaults<T: Default = u32> {
    /// How many.
    r#type: T,
    /// How wide.
    #[serde(rename = "a \"quoted\" name", alias = "width")]
    wide: u32,
}

impl<T: Default> Default for WithDefaults<T> {
    fn default() -> Self {
        WithDefaults { r#type: T::default(), wide: 9 }
    }
}

#[test]
fn a_struct_can_have_defaults_and_odd_names() {
    let (read, schema) = read!(WithDefaults, r#"{"type":3}"#);
    assert_eq!(read, Ok(WithDefaults { r#type: 3, wide: 9 }));
    assert!(schema.contains(r#""type":{"type":"integer","description":"How many.""#), "{schema}");
    let (read, _) = read!(WithDefaults<u8>, r#"{"a \"quoted\" name":"1"}"#);
    assert_eq!(read, Ok(WithDefaults { r#type: 0, wide: 1 }));
    let (read, _) = read!(WithDefaults, r#"{"width":1}"#);
    assert_eq!(read, Ok(WithDefaults { r#type: 0, wide: 1 }));
}

#[derive(Debug, PartialEq, Params)]
struct Marked<T, U> {
    /// Some.
    #[serde(default)]
    some: T,
    #[serde(skip)]
    mark: PhantomData<U>,
}

#[test]
fn a_skipped_mark_asks_nothing_of_its_type() {
    #[derive(Debug, PartialEq, Params)]
    struct Inner {
        /// Anything.
        any: u32,
    }
    let (read, _) = read!(Marked<u32, Inner>, "{}");
    assert_eq!(read, Ok(Marked { some: 0, mark: PhantomData }));
}

#[derive(Debug, PartialEq, Params)]
#[serde(rename_all_fields = "camelCase")]
#[repr(u8)]
enum Numbered<T> {
    First = 1,
    Second {
        /// How many.
        #[serde(default)]
        how_many: T,
    } = 2,
}

#[test]
fn an_enum_can_have_numbers_and_parameters() {
    assert_eq!(read!(Numbered<u32>, r#""First""#).0, Ok(Numbered::First));
    assert_eq!(read!(Numbered<u32>, r#"{"Second":{"howMany":"2"}}"#).0, Ok(Numbered::Second { how_many: 2 }));
    assert_eq!(read!(Numbered<u32>, r#"{"Second":{}}"#).0, Ok(Numbered::Second { how_many: 0 }));
    assert!(read!(Numbered<u32>, r#"{"Second":{"how_many":2}}"#).0.is_err());
    assert!(read!(Numbered<u32>, "1").0.is_err());
}

#[derive(Debug, PartialEq, Params)]
struct Inner {
    /// The innermost.
    inner: u32,
}

#[derive(Debug, PartialEq, Params)]
struct Middle {
    /// In between.
    middle: Option<u32>,
    #[serde(flatten)]
    inner: Inner,
}

#[derive(Debug, PartialEq, Params)]
#[serde(tag = "kind")]
enum Tagged {
    Middle(Middle),
    Nothing,
}

#[test]
fn what_is_flattened_can_flatten_and_be_tagged() {
    let middle = || Middle { middle: Some(1), inner: Inner { inner: 2 } };
    assert_eq!(read!(Middle, r#"{"middle":1,"inner":2}"#).0, Ok(middle()));
    let (read, schema) = read!(Tagged, r#"{"kind":"Middle","middle":"1","inner":2}"#);
    assert_eq!(read, Ok(Tagged::Middle(middle())));
    assert!(
        schema.contains(r#""properties":{"kind":{"type":"string","const":"Middle"},"middle":"#),
        "{schema}"
    );
    assert_eq!(read!(Option<Tagged>, r#"{"kind":"Nothing"}"#).0, Ok(Some(Tagged::Nothing)));
    for wrong in [r#"{"kind":"Middle","inner":2,"x":1}"#, r#"{"kind":"Middle"}"#, r#"{"inner":2}"#] {
        assert!(read!(Tagged, wrong).0.is_err(), "{wrong}");
    }

    #[derive(Debug, PartialEq, Params)]
    struct Outer {
        #[serde(flatten)]
        middle: Middle,
        /// The last.
        last: bool,
    }
    let (read, _) = read!(Outer, r#"{"last":true,"inner":2,"middle":1}"#);
    assert_eq!(read, Ok(Outer { middle: middle(), last: true }));
    assert!(read!(Outer, r#"{"last":true,"inner":2,"outer":1}"#).0.is_err());
}

mod halves {
    use serde::Deserialize;

    pub(super) fn deserialize<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
        u32::deserialize(deserializer).map(|number| number / 2)
    }
}

#[derive(Debug, PartialEq, Params)]
struct Halved {
    /// A number.
    #[serde(with = "halves")]
    #[schemars(with = "u32")]
    number: u32,
    /// Another.
    #[serde(deserialize_with = "halves::deserialize")]
    #[schemars(with = "u32", range(max = 9))]
    other: u32,
}

#[test]
fn a_function_of_the_users_own_reads_what_the_schema_allows() {
    assert_eq!(read!(Halved, r#"{"number":4,"other":"8"}"#).0, Ok(Halved { number: 2, other: 4 }));
    assert!(read!(Halved, r#"{"number":4,"other":10}"#).0.is_err());
    assert!(read!(Halved, r#"{"number":4.5,"other":8}"#).0.is_err());
}

#[derive(Debug, PartialEq, Params)]
enum r#Match {
    r#If,
    #[cfg(not(test))]
    Never(NoSuchType),
    #[serde(alias = "otherwise")]
    r#Else(#[cfg(test)] u32),
}

#[test]
fn raw_names_and_conditions_are_taken_as_they_are_meant() {
    assert_eq!(read!(Match, r#""If""#).0, Ok(Match::If));
    assert_eq!(read!(Match, r#"{"Else":1}"#).0, Ok(Match::Else(1)));
    assert!(!read!(Match, r#""If""#).1.contains("Never"));
}

#[derive(Debug, PartialEq, Params)]
#[tool(recursive)]
enum Expression {
    Number(i64),
    Sum(Vec<Expression>),
    Negative(Box<Self>),
}

#[test]
fn an_enum_can_be_recursive() {
    let (read, _) = read!(Expression, r#"{"Sum":[{"Number":1},{"Negative":{"Number":2}}]}"#);
    let negative = Expression::Negative(Box::new(Expression::Number(2)));
    assert_eq!(read, Ok(Expression::Sum(vec![Expression::Number(1), negative])));
}
