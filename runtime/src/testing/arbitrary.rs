//! What must hold of every input that a tool's type can hold, where such inputs can be generated.

use proptest::arbitrary::{Arbitrary, any};
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};
use serde::Serialize;
use serde_json::Value;

use super::parse_input;
use crate::contract::{SessionFacts, Stateless, ToolForm};
use crate::schema::{Schema, fits};

/// How many inputs are looked at.
const CASES: u32 = 256;

/// Checks that the schema of a tool accepts whatever its type serialises, and that parsing gives it back. The same
/// inputs are looked at each time; one that fails is made small before it is told.
///
/// ```
/// use proptest::arbitrary::{Arbitrary, any};
/// use proptest::strategy::{BoxedStrategy, Strategy};
/// use toolwright::prelude::*;
///
/// /// Looks for text.
/// #[tool(read_only)]
/// #[derive(Debug, serde::Serialize)]
/// struct Look {
///     /// What to look for.
///     text: String,
///     /// How many lines.
///     limit: Option<u32>,
/// }
/// #
/// # impl Tool for Look {
/// #     type Output = String;
/// #
/// #     async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
/// #         Ok(String::new())
/// #     }
/// # }
///
/// impl Arbitrary for Look {
///     type Parameters = ();
///     type Strategy = BoxedStrategy<Look>;
///
///     fn arbitrary_with((): ()) -> BoxedStrategy<Look> {
///         any::<(String, Option<u32>)>().prop_map(|(text, limit)| Look { text, limit }).boxed()
///     }
/// }
///
/// // In a test:
/// toolwright::testing::check_arbitrary::<Look>();
/// ```
///
/// # Panics
/// With the smallest input found for which it does not hold.
#[track_caller]
pub fn check_arbitrary<T: ToolForm<State: Stateless> + Serialize + Arbitrary>() {
    let schema = Schema::of::<T>(&SessionFacts::default());
    let config = Config { cases: CASES, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let outcome = runner.run(&any::<T>(), |input| holds(&input, &schema).map_err(TestCaseError::fail));
    if let Err(error) = outcome {
        panic!("`{}`: {error}", T::form().name);
    }
}

fn holds<T: ToolForm<State: Stateless> + Serialize>(input: &T, schema: &Schema) -> Result<(), String> {
    let written = serde_json::to_value(input).map_err(|error| format!("it cannot be written: {error}"))?;
    if !fits(&written, schema) {
        return Err(format!("it is written as {written}, which the schema refuses"));
    }
    let text = serde_json::to_string(input).map_err(|error| format!("it cannot be written: {error}"))?;
    let read: T = parse_input(&text, &Stateless::nothing())
        .map_err(|errors| format!("it is written as {text}, which is refused: {errors}"))?;
    let again: Value =
        serde_json::to_value(&read).map_err(|error| format!("it cannot be written: {error}"))?;
    if again == written { Ok(()) } else { Err(format!("it is written as {text}, which is read as {again}")) }
}
