//! What models send in place of what was asked for, and what becomes of it. Each case was reported by users of some
//! framework.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::prelude::*;
use toolwright::schema::{InputErrors, PROBLEMS_MAX};
use toolwright::testing::parse_input;

macro_rules! numbers {
    ($($field:ident: $kind:ty),*) => {
        /// Has a field of each numeric type.
        #[tool]
        #[derive(Debug, Default, PartialEq)]
        struct Numbers {
            $(
                /// A number.
                #[serde(default)]
                $field: $kind,
            )*
            /// Yes or no.
            #[serde(default)]
            flag: bool,
        }

        const TYPES: &[&str] = &[$(stringify!($kind)),*];

        /// An input with the same text for each number.
        fn all(text: &str) -> String {
            let fields: Vec<String> = [$(stringify!($field)),*].iter().map(|name| format!("\"{name}\":{text}")).collect();
            format!("{{{}}}", fields.join(","))
        }

        fn numbers(value: &str) -> Numbers {
            Numbers { $($field: value.parse().expect("it is a small number"),)* flag: false }
        }
    };
}

numbers!(a: u8, b: u16, c: u32, d: u64, e: u128, f: usize, g: i8, h: i16, i: i32, j: i64, k: i128, l: isize, m: f32, n: f64);

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Question {
    header: String,
    options: Vec<u8>,
}

/// Has nested fields.
#[tool]
#[derive(Debug, PartialEq)]
struct Nested {
    /// A text.
    text: String,
    /// A list.
    #[serde(default)]
    list: Vec<String>,
    /// A struct.
    question: Option<Question>,
    /// A map.
    #[serde(default)]
    map: BTreeMap<String, u8>,
    /// Structs.
    #[serde(default)]
    questions: Vec<Question>,
}

/// Has no parameters.
#[tool]
#[derive(Debug)]
struct Nothing;

tools!(Numbers, Nested, Nothing);

fn nested(json: &str) -> Result<Nested, InputErrors> {
    parse_input(json, &())
}

#[test]
fn a_number_in_a_string_is_the_number_for_each_numeric_type() {
    assert_eq!(TYPES.len(), 14);
    assert_eq!(parse_input::<Numbers>(&all("\"5\""), &()).expect("all are meant"), numbers("5"));
    assert!(parse_input::<Numbers>(r#"{"flag":"true"}"#, &()).expect("it is meant").flag);
}

#[test]
fn a_float_without_a_fraction_is_an_integer() {
    assert_eq!(parse_input::<Numbers>(&all("30.0"), &()).expect("all are meant"), numbers("30"));
    assert_eq!(parse_input::<Numbers>(&all("3e1"), &()).expect("all are meant"), numbers("30"));
}

#[test]
fn nothing_is_ever_cut_off_a_number() {
    for (text, refusing) in [
        ("0.5", 12),
        ("\"0.5\"", 12),
        ("1e30", 12),
        ("-1", 6),
        ("\"-1\"", 6),
        ("1e400", 14),
        ("\"NaN\"", 14),
        ("\"\"", 14),
        ("true", 14),
    ] {
        let refused = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n"]
            .iter()
            .filter(|field| parse_input::<Numbers>(&format!("{{\"{field}\":{text}}}"), &()).is_err())
            .count();
        assert_eq!(refused, refusing, "{text}");
    }
}

#[test]
fn wide_integers_are_read_whole_and_beyond_their_width_refused() {
    let text = u128::MAX.to_string();
    assert_eq!(parse_input::<Numbers>(&format!("{{\"e\":{text}}}"), &()).expect("it fits").e, u128::MAX);
    assert!(parse_input::<Numbers>(&format!("{{\"e\":{text}0}}"), &()).is_err());
    assert!(parse_input::<Numbers>(&format!("{{\"d\":{text}}}"), &()).is_err());
    assert_eq!(
        parse_input::<Numbers>(&format!("{{\"d\":\"{}\"}}", u64::MAX), &()).expect("it fits").d,
        u64::MAX
    );
}

#[test]
fn an_object_or_a_list_in_a_string_is_parsed_once_where_it_is_asked_for() {
    let value = nested(r#"{"text":"[1]","list":"[\"a\"]","question":"{\"header\":\"h\",\"options\":\"[1]\"}","map":"{\"a\":\"1\"}"}"#)
        .expect("all are meant");
    assert_eq!(value.text, "[1]");
    assert_eq!(value.list, ["a"]);
    assert_eq!(value.question, Some(Question { header: "h".to_owned(), options: vec![1] }));
    assert_eq!(value.map, BTreeMap::from([("a".to_owned(), 1)]));
    for untouched in [r#""[x""#, r#""a""#, r#""\"[]\"""#, r#""{}""#, r#""[\"a\",]""#] {
        nested(&format!(r#"{{"text":"x","list":{untouched}}}"#)).expect_err(untouched);
    }
}

#[test]
fn a_whole_input_in_a_string_is_that_input() {
    assert_eq!(nested(r#""{\"text\":\"x\"}""#).expect("it is meant").text, "x");
}

#[test]
fn nothing_means_no_parameters_where_none_is_needed() {
    for nothing in ["", "  ", "\n", "null", "\"\"", "\" \"", "{}"] {
        parse_input::<Nothing>(nothing, &()).expect(nothing);
        nested(nothing).expect_err("a parameter is needed");
    }
}

#[test]
fn an_argument_that_cannot_be_converted_never_becomes_a_default() {
    for field in [
        r#""list":7"#,
        r#""list":null"#,
        r#""map":"x""#,
        r#""map":null"#,
        r#""question":"x""#,
        r#""question":"""#,
    ] {
        nested(&format!(r#"{{"text":"x",{field}}}"#)).expect_err(field);
    }
}

#[test]
fn text_that_ends_too_early_is_an_error_that_says_so() {
    let told = nested(r#"{"text":"rm -rf /tmp/x"#).expect_err("it ends too early").to_string();
    assert_eq!(
        told,
        "- expected a JSON object, received `{\"text\":\"rm -rf /tmp/x`, which ends too early (line 1, column 23); send it again, whole\na minimal valid input: {\"text\":\"…\"}"
    );
}

#[test]
fn what_stands_around_the_json_is_left_out() {
    for text in [
        "```json\n{\"text\":\"x\"}\n```",
        "\u{feff}{\"text\":\"x\"}",
        "{\"text\":\"x\",}",
        " {\"text\":\"x\"} ",
    ] {
        assert_eq!(nested(text).expect(text).text, "x");
    }
    for text in [
        "{'text':'x'}",
        "{text:\"x\"}",
        "{\"text\":\"x\"} // c",
        "{\"text\":\"x\"}{\"text\":\"y\"}",
        "{\"text\":\"x\"",
        "{\"text\":\"x",
    ] {
        nested(text).expect_err(text);
    }
}

#[test]
fn all_problems_are_told_at_once_in_the_order_they_came() {
    let input = r#"{"questions":[{"header":1,"options":[300,"x"]},{"heading":"h","options":"[1"}],"txt":"x","map":{"a b":-1},"question":{"header":"h"},"list":null}"#;
    let told = nested(input).expect_err("much is wrong").to_string();
    assert_eq!(told, include_str!("all_problems.txt").trim_end(), "{told}");
}

#[test]
fn problems_are_told_up_to_a_limit() {
    let items: Vec<String> = (0..50).map(|_| "\"x\"".to_owned()).collect();
    let errors =
        nested(&format!(r#"{{"text":"x","question":{{"header":"h","options":[{}]}}}}"#, items.join(",")))
            .expect_err("50 problems");
    assert_eq!((errors.problems.len(), errors.has_more), (PROBLEMS_MAX, true));
    assert!(errors.to_string().contains("- and more: only the first 20 problems are told"));
}

#[test]
fn a_secret_in_the_wrong_place_is_not_repeated() {
    let key = "sk-ant-api03-AbCdEfGh0123456789AbCdEfGh0123456789";
    for input in [
        format!(r#"{{"text":"x","list":"{key}"}}"#),
        format!(r#"{{"text":"x","{key}":1"#),
        format!(r#"{{"text":"x","key":{{"a":"{key}"}}}}"#),
    ] {
        let told = nested(&input).expect_err("it is wrong").to_string();
        assert!(!told.contains("AbCdEf"), "{told}");
    }
}

#[test]
fn hostile_inputs_are_refused_in_bounded_time() {
    let long = format!(r#"{{"text":5,"list":"{}"}}"#, "x".repeat(10_000_000));
    assert!(nested(&long).expect_err("they do not fit").to_string().len() < 2_000);
    let names: Vec<String> = (0..100_000).map(|n| format!("\"k{n}\":1")).collect();
    assert!(
        nested(&format!("{{{}}}", names.join(","))).expect_err("they are unknown").to_string().len() < 10_000
    );
    let deep = format!(r#"{{"text":{}}}"#, "[".repeat(1_000_000));
    nested(&deep).expect_err("it is too deep");
}
