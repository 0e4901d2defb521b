//! The check of inputs that can be generated, as a user of the library writes it.

use proptest::arbitrary::{Arbitrary, any};
use proptest::strategy::{BoxedStrategy, Strategy};
use serde::{Serialize, Serializer};
use toolwright::prelude::*;
use toolwright::testing::check_arbitrary;

/// Nested.
#[derive(Debug, Serialize, Params)]
struct Range {
    /// From here.
    from: i64,
    /// To there.
    to: Option<u8>,
}

/// Is written as it is read.
#[tool]
#[derive(Debug, Serialize)]
struct Faithful {
    /// A text.
    text: String,
    /// Ranges.
    ranges: Vec<Range>,
}

/// Writes numbers that its schema refuses.
#[tool]
#[derive(Debug, Serialize)]
struct Unfaithful {
    /// A number.
    #[serde(serialize_with = "negated")]
    number: u8,
}

/// Is read as another value.
#[tool]
#[derive(Debug, Serialize)]
struct Forgetful {
    /// A number.
    #[serde(serialize_with = "halved")]
    number: u32,
}

fn negated<S: Serializer>(number: &u8, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_i64(-1 - i64::from(*number))
}

fn halved<S: Serializer>(number: &u32, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u32(number / 2)
}

macro_rules! arbitrary {
    ($($name:ident: $from:ty => $make:expr;)*) => { $(
        impl Tool for $name {
            type Output = String;

            async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
                Ok(String::new())
            }
        }

        impl Arbitrary for $name {
            type Parameters = ();
            type Strategy = BoxedStrategy<$name>;

            fn arbitrary_with((): ()) -> BoxedStrategy<$name> {
                any::<$from>().prop_map($make).boxed()
            }
        }
    )* };
}

arbitrary! {
    Faithful: (String, Vec<(i64, Option<u8>)>) => |(text, ranges)| {
        Faithful { text, ranges: ranges.into_iter().map(|(from, to)| Range { from, to }).collect() }
    };
    Unfaithful: u8 => |number| Unfaithful { number };
    Forgetful: u32 => |number| Forgetful { number };
}

#[test]
fn a_type_that_is_read_as_it_is_written_passes() {
    check_arbitrary::<Faithful>();
}

#[test]
#[should_panic(expected = "which the schema refuses")]
fn a_type_that_writes_what_its_schema_refuses_is_told_with_the_input() {
    check_arbitrary::<Unfaithful>();
}

#[test]
#[should_panic(expected = "which is read as {\"number\":")]
fn a_type_that_is_read_as_something_else_is_told_with_the_input() {
    check_arbitrary::<Forgetful>();
}
