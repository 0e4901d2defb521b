//! Inputs and types that nobody meant well: each is read as it was meant, or is one clear problem with its path.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::Duration;

use toolwright::prelude::*;
use toolwright::testing::parse_input;

/// Has types whose parsers refuse more than a schema can say, and types that lose when read carelessly.
#[tool]
#[derive(Debug)]
#[expect(dead_code, reason = "what is read is looked at as a whole")]
struct Odd {
    /// By number.
    by_number: Option<BTreeMap<i32, u8>>,
    /// By yes and no.
    by_flag: Option<BTreeMap<bool, u8>>,
    /// How long.
    times: Option<Vec<Duration>>,
    /// Where.
    address: Option<IpAddr>,
    /// A wide number.
    wide: Option<u128>,
    /// A number.
    number: Option<u64>,
    /// A float before an integer.
    loose: Option<Loose>,
    /// The same, deeper.
    deep: Option<Deep>,
    /// A text.
    s: Option<String>,
    #[tool(internal)]
    secret: bool,
}

#[derive(Debug, Params)]
#[serde(untagged)]
#[expect(dead_code, reason = "what is read is looked at as a whole")]
enum Loose {
    Float(f64),
    Integer(i64),
}

#[derive(Debug, Params)]
#[serde(untagged)]
#[expect(dead_code, reason = "what is read is looked at as a whole")]
enum Deep {
    Wide {
        /// A wide number.
        x: u128,
        /// Another.
        y: u8,
    },
    Single {
        /// A float.
        x: f32,
    },
    Whole {
        /// An integer.
        x: u64,
    },
}

fn told(json: &str) -> String {
    let errors = parse_input::<Odd>(json, &()).expect_err(json);
    assert_eq!(errors.problems.len(), 1, "{json}: {errors}");
    errors.problems[0].to_string()
}

#[test]
fn what_only_the_parser_refuses_is_told_with_its_path() {
    for (json, begins, says) in [
        (
            r#"{"by_number":{"1":1,"01":1}}"#,
            r#"`by_number["01"]`: expected a value that the tool can read"#,
            "`01`",
        ),
        (r#"{"by_number":{"99999999999":1}}"#, r#"`by_number["99999999999"]`: "#, "expected i32"),
        (r#"{"by_flag":{"true":1,"x":1}}"#, "`by_flag.x`: ", "expected a boolean"),
        (
            r#"{"times":[{"secs":1,"nanos":1},{"secs":18446744073709551615,"nanos":4000000000}]}"#,
            "`times[1]`: ",
            "overflow",
        ),
        (r#"{"times":"[{\"secs\":18446744073709551615,\"nanos\":4000000000}]"}"#, "`times[0]`: ", "overflow"),
        (r#"{"address":"nowhere"}"#, "`address`: ", "received the string \"nowhere\"; invalid IP address"),
        (r#"{"wide":340282366920938463463374607431768211456}"#, "`wide`: ", "number out of range"),
        (r#"{"by_number":{"x":1}}"#, "`by_number.x`: ", r"names match `^-?\d+$`"),
    ] {
        let told = told(json);
        assert!(told.starts_with(begins) && told.contains(says), "{json}: {told}");
    }
}

#[test]
fn a_number_that_does_not_fit_is_one_problem_with_the_number_as_it_was_written() {
    for number in ["18446744073709551616", "9007199254740993.0", "-0.40000000000000000001", "1e-999999999999"]
    {
        let told = told(&format!(r#"{{"number":{number}}}"#));
        assert!(
            told.starts_with("`number`: expected") && told.contains(&format!("received the number {number}")),
            "{told}"
        );
    }
    assert!(told(r#"{"number":1e400}"#).contains("the number is too large"));
}

#[test]
fn a_parser_that_takes_the_first_branch_rounds_nothing() {
    for json in [
        r#"{"loose":9007199254740993}"#,
        r#"{"loose":"9007199254740993"}"#,
        r#"{"deep":{"x":16777217}}"#,
        r#"{"deep":{"x":"16777217"}}"#,
    ] {
        let told = told(json);
        assert!(
            told.starts_with("`loose`: expected") || told.starts_with("`deep.x`: expected"),
            "{json}: {told}"
        );
    }
    let errors =
        parse_input::<Odd>(r#"{"deep":{"x":18446744073709551617}}"#, &()).expect_err("no branch holds it");
    assert!(errors.to_string().contains("`deep.x`: expected a number that a 64-bit float holds"), "{errors}");
    for (json, read) in [
        (r#"{"loose":9007199254740992}"#, "Float(9007199254740992.0)"),
        (r#"{"loose":0.1}"#, "Float(0.1)"),
        (r#"{"deep":{"x":16777216}}"#, "Single { x: 16777216.0 }"),
    ] {
        let odd = parse_input::<Odd>(json, &()).unwrap_or_else(|errors| panic!("{json}: {errors}"));
        assert!(format!("{odd:?}").contains(read), "{json}: {odd:?}");
    }
}

#[test]
fn what_a_model_sends_is_never_told_back_at_length() {
    let long = "x".repeat(1 << 20);
    for json in [
        format!(r#"{{"{long}":1}}"#),
        format!(r#"{{"by_number":{{"{long}":1}}}}"#),
        format!(r#"{{"by_number":{{"{}":1}}}}"#, "1".repeat(1 << 20)),
        format!(r#"{{"number":"{long}"}}"#),
        format!(r#"{{"number":1{}}}"#, "0".repeat(1 << 20)),
        format!(r#"{{"number":0.{}}}"#, "1".repeat(1 << 20)),
        format!(r#"{{"address":"{long}"}}"#),
        "[".repeat(1 << 20),
        r#"{"by_number":"#.repeat(1 << 16),
        "`".repeat(1 << 20),
        long.clone(),
    ] {
        let told = told(&json);
        assert!(told.len() < 1_000, "{} bytes: {}", told.len(), &told[..200]);
    }
}

#[test]
fn a_hidden_field_is_any_unknown_name() {
    for json in [r#"{"secret":true}"#, r#"{"sec\u0072et":true}"#, r#"{"__proto__":true}"#] {
        let told = told(json);
        assert!(told.contains("expected no such parameter") && !told.contains("did you mean"), "{told}");
    }
}

#[test]
fn text_that_could_mean_two_things_is_refused_and_nothing_is_invented() {
    for json in [
        r#"{"s":"a","s":"b"}"#,
        r#"{"s":"a","\u0073":"b"}"#,
        r#"{"s":"a"}{"s":"b"}"#,
        r#"[{"s":"a"}]"#,
        r#""\"{\\\"s\\\":1}\"""#,
        r#"{"s":"\ud800"}"#,
        r#"{"s":"a"#,
        r#"{"times":"[{"}"#,
        r#"{"by_number":"{\"1\":1,\"1\":2}"}"#,
        "{\"s\":\"a\0b\"}",
        "\0{}",
        "{'s':'a'}",
        "true",
    ] {
        let told = told(json);
        assert!(told.contains("expected ") && told.contains("received "), "{json}: {told}");
    }
    let odd = parse_input::<Odd>("\u{feff}```json\n{\"s\":\"a\\u0000\",}\n```", &()).expect("it is plain");
    assert_eq!(odd.s.as_deref(), Some("a\0"));
}
