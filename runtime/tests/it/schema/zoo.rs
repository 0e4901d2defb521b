//! The zoo against a judge: the schema of a tool, judged by a full validator, accepts exactly what the parser takes
//! without converting anything; what it converts, it converts without loss; what it took comes back from its own text.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use toolwright::contract::{ErasedTool, Origin, Registered, SessionFacts};
use toolwright::message::RawInput;
use toolwright::prelude::*;
use toolwright::schema::{Coercion, InputErrors, ProviderProfile, Schema};
use toolwright::testing::parse_input;

use super::entropy::Entropy;
use super::generate::{fitting, mutate};
use super::types;

/// What a type of the zoo did with an input.
struct Taken {
    coercions: Vec<Coercion>,
    /// The input, conversions made.
    input: Value,
    /// The typed input as JSON again.
    written: Value,
    /// Whether that is read as the same value, with nothing converted.
    is_same: bool,
}

struct Member {
    name: &'static str,
    schema: Schema,
    take: fn(&Schema, &str) -> Result<Taken, InputErrors>,
}

macro_rules! zoo {
    ($($name:ident: $kind:ty),* $(,)?) => {
        #[expect(non_snake_case, unused_imports, reason = "a module a type, and each has all that any needs")]
        mod tools {
            $(pub(super) mod $name {
                use std::borrow::Cow;
                use std::collections::*;
                use std::net::*;
                use std::num::*;
                use std::ops::*;
                use std::path::*;
                use std::sync::*;
                use std::time::*;
                use serde_json::{Map, Value};
                use super::super::super::types::*;
                /// Has a field of the type.
                #[toolwright::tool]
                #[derive(Debug, PartialEq)]
                pub(in super::super) struct Holder {
                    /// The value.
                    pub(in super::super) value: $kind,
                }
            })*
        }

        $(impl Tool for tools::$name::Holder {
            type Output = String;

            async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
                Ok(String::new())
            }
        })*

        fn members() -> Vec<Member> {
            vec![$(Member {
                name: stringify!($name),
                schema: Schema::of::<tools::$name::Holder>(&SessionFacts::default()),
                take: |schema, text| {
                    let tool = Registered::<tools::$name::Holder>::new(());
                    let given = RawInput::new(text);
                    let parsed = tool.parse(&given, Origin::Model, schema)?;
                    let typed: tools::$name::Holder = parse_input(text, &())?;
                    let written = json!({"value": typed.value});
                    let text = wide(&written);
                    let again = tool.parse(&RawInput::new(text.as_str()), Origin::Model, schema)?;
                    let is_same = again.coercions().is_empty() && parse_input::<tools::$name::Holder>(&text, &())? == typed;
                    let input = serde_json::from_str(parsed.input(&given).as_str()).expect("what was taken is JSON");
                    Ok(Taken { coercions: parsed.coercions().to_vec(), input, written, is_same })
                },
            }),*]
        }
    };
}

types::with_zoo!(zoo);

fn wide(value: &Value) -> String {
    value.to_string()
}

/// What the parser may refuse though the schema accepts it: a member each, what is said then, and why.
const STRICTER: &[(&str, &str, &str)] = &[
    ("F32", "32-bit float", "a number that is rounded is not what was sent"),
    ("F64", "64-bit float", "a number that is rounded is not what was sent"),
    ("MaybeFloat", "64-bit float", "a number that is rounded is not what was sent"),
    ("Many", "64-bit float", "a number that is rounded is not what was sent"),
    ("U128", "that the tool can read", "a float beyond 64 bits is not told from an integer by a schema"),
    ("I128", "that the tool can read", "a float beyond 64 bits is not told from an integer by a schema"),
    ("Address", "invalid IP address", "an address is any string to a schema"),
    ("Time", "overflow", "a schema has no word for a sum that overflows"),
    ("Time", "unknown field", "the schema of a duration is open, its parser is not"),
    ("MapByNumber", "invalid type", "a schema bounds the digits of a key no further"),
    ("Outcome", "that the tool can read", "the schema of a result is open, its parser is not"),
    ("Span", "unknown field", "the schema of a range is open, its parser is not"),
];

/// The schema with the bounds that `format` names put into words that the judge reads: it takes `int32` for a remark.
fn with_bounds(schema: &mut Value) {
    match schema {
        Value::Object(words) => {
            let bounds = match words.get("format").and_then(Value::as_str) {
                Some("int32") => Some((json!(i32::MIN), json!(i32::MAX))),
                Some("uint32") => Some((json!(0), json!(u32::MAX))),
                Some("int64" | "int") => Some((json!(i64::MIN), json!(i64::MAX))),
                Some("uint64" | "uint") => Some((json!(0), json!(u64::MAX))),
                _other => None,
            };
            if let Some((low, high)) = bounds {
                words.entry("minimum").or_insert(low);
                words.entry("maximum").or_insert(high);
            }
            words.values_mut().for_each(with_bounds);
        }
        Value::Array(list) => list.iter_mut().for_each(with_bounds),
        _scalar => {}
    }
}

/// A float without a fraction that becomes the integer it is: the schema takes it as it came.
fn is_same_number(coercion: &Coercion) -> bool {
    coercion.from.is_f64() && coercion.from.as_f64() == coercion.to.as_f64()
}

/// Whether a field or a variant came by another of its names.
fn is_rename(coercion: &Coercion) -> bool {
    let said = |value: &Value, what: &str| value.as_str().is_some_and(|said| said.starts_with(what));
    ["the parameter `", "the variant `"]
        .iter()
        .any(|what| said(&coercion.from, what) && said(&coercion.to, what))
}

/// Whether a conversion kept everything: a text became the value it writes out, or a number the same number.
fn is_lossless(coercion: &Coercion) -> bool {
    if is_rename(coercion) {
        return true;
    }
    let is_nothing =
        coercion.from.is_null() || coercion.from.as_str().is_some_and(|text| text.trim().is_empty());
    if coercion.path.is_empty() && is_nothing {
        return coercion.to == json!({});
    }
    let meant = match &coercion.from {
        Value::String(text) => serde_json::from_str(text).expect("only JSON is converted"),
        other => other.clone(),
    };
    meant == coercion.to || (meant.is_f64() && meant.as_f64() == coercion.to.as_f64())
}

fn is_excused(member: &Member, errors: &InputErrors) -> bool {
    let told = errors.to_string();
    STRICTER.iter().any(|(name, said, _why)| *name == member.name && told.contains(said))
}

fn check(member: &Member, judge: &jsonschema::Validator, input: &Value) -> Result<(), String> {
    let text = input.to_string();
    let is_valid = judge.is_valid(input);
    match (member.take)(&member.schema, &text) {
        Ok(taken) => {
            if taken.coercions.is_empty() && !is_valid {
                return Err(format!("{text} is taken as it is, and the schema refuses it"));
            }
            if is_valid && !taken.coercions.iter().all(is_same_number) {
                return Err(format!("{text} is valid, and was changed: {:?}", taken.coercions));
            }
            if let Some(lossy) = taken.coercions.iter().find(|coercion| !is_lossless(coercion)) {
                return Err(format!("{text} lost something: {lossy:?}"));
            }
            if !judge.is_valid(&taken.input) {
                return Err(format!("{text} became {}, which the schema refuses", taken.input));
            }
            if !taken.is_same {
                return Err(format!(
                    "{text} is written as {}, which is read as something else",
                    taken.written
                ));
            }
            Ok(())
        }
        Err(_) if !is_valid => Ok(()),
        Err(errors) if is_excused(member, &errors) => Ok(()),
        Err(errors) => Err(format!("{text} is valid, and was refused: {errors}")),
    }
}

/// How many inputs a schema is tried with: a few, unless the environment says how many, as for other tests with proptest.
fn cases(few: u32) -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(few)
}

#[test]
fn the_schema_accepts_what_the_parser_takes_and_nothing_is_lost() {
    let mut failures = Vec::new();
    let members = members();
    assert!(members.len() >= 40, "{} types", members.len());
    for member in &members {
        let mut bounded = member.schema.walkable().clone();
        with_bounds(&mut bounded);
        let judge = jsonschema::draft202012::new(&bounded).expect("our own schemas are schemas");
        let mut runner =
            TestRunner::new(Config { cases: cases(100), failure_persistence: None, ..Config::default() });
        let strategy = (prop::collection::vec(any::<u16>(), 0..60), 0_usize..4);
        let outcome = runner.run(&strategy, |(choices, mutations)| {
            let mut entropy = Entropy::new(&choices);
            let mut input = fitting(member.schema.walkable(), member.schema.walkable(), &mut entropy, 0);
            (0..mutations).for_each(|_| mutate(&mut input, &mut entropy));
            check(member, &judge, &input).map_err(TestCaseError::fail)
        });
        failures.extend(
            outcome.err().map(|error| format!("{}: {error}\n  {}", member.name, member.schema.walkable())),
        );
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn another_name_says_what_the_own_name_says() {
    for member in members().iter().filter(|member| member.name.starts_with("Aliased")) {
        let (schema, mut renamed) = (member.schema.walkable(), 0);
        let judge = jsonschema::draft202012::new(schema).expect("our own schemas are schemas");
        for seed in 0..200_u16 {
            let choices: Vec<u16> = (0..40_u16)
                .map(|n| seed.wrapping_mul(7919).wrapping_add(n.wrapping_mul(seed ^ 31)))
                .collect();
            let input = fitting(schema, schema, &mut Entropy::new(&choices), 0);
            // The generator also makes integers that are too wide.
            let Ok(taken) = (member.take)(&member.schema, &input.to_string()) else { continue };
            let count = taken.coercions.iter().filter(|coercion| is_rename(coercion)).count();
            assert_eq!(count == 0, judge.is_valid(&input), "{input}: {:?}", taken.coercions);
            assert!(judge.is_valid(&taken.input), "{input} became {}", taken.input);
            renamed += usize::from(count > 0);
        }
        assert!(renamed > 20, "{}: only {renamed} inputs had other names", member.name);
    }
}

#[test]
fn every_example_of_a_refusal_is_valid() {
    for member in members() {
        let errors = (member.take)(&member.schema, r#"{"nothing":0}"#).err().map(|errors| errors.example);
        let example = errors.unwrap_or_else(|| "{}".to_owned());
        let needs_a_word_of_its_own = matches!(member.name, "Address" | "Bounded");
        if !needs_a_word_of_its_own && let Err(errors) = (member.take)(&member.schema, &example) {
            panic!("{}: {example} is no example: {errors}", member.name);
        }
    }
}

#[test]
fn what_fits_a_providers_schema_fits_the_tool() {
    let (mut shaped, mut failures) = (0, Vec::new());
    for member in &members() {
        for profile in ProviderProfile::ALL {
            let Ok(text) = member.schema.for_profile(profile) else { continue };
            shaped += 1;
            let schema: Value = serde_json::from_str(&text).expect("schemas are JSON");
            let judge = jsonschema::draft202012::new(&schema).expect("it is a schema still");
            let mut runner =
                TestRunner::new(Config { cases: cases(20), failure_persistence: None, ..Config::default() });
            let outcome = runner.run(&prop::collection::vec(any::<u16>(), 0..60), |choices| {
                let input = fitting(&schema, &schema, &mut Entropy::new(&choices), 0);
                // Widths of integers are not said to a model: only what the tool's own schema takes is looked at.
                let is_in_width = !judge.is_valid(&input) || in_width(&input);
                match (member.take)(&member.schema, &input.to_string()) {
                    Err(errors) if is_in_width && judge.is_valid(&input) && !is_excused(member, &errors) => {
                        Err(TestCaseError::fail(format!("{input} is refused: {errors}")))
                    }
                    _fits => Ok(()),
                }
            });
            failures
                .extend(outcome.err().map(|error| format!("{} {profile}: {error}\n  {text}", member.name)));
        }
    }
    assert!(shaped > 150, "only {shaped} schemas could be shaped");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Whether every number fits an integer of 8 bits of either sign.
fn in_width(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.as_f64().is_some_and(|float| (0.0..128.0).contains(&float)),
        Value::Array(items) => items.iter().all(in_width),
        Value::Object(fields) => fields.values().all(in_width),
        _other => true,
    }
}
