//! What serde takes besides what a schema says is closed, for types that derive serde and schemars by themselves.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::prelude::*;
use toolwright::testing::parse_input;

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "what is read is looked at as a whole")]
struct Point {
    x: i32,
    y: i32,
}

#[derive(Debug, Deserialize, JsonSchema)]
enum Side {
    Left,
    Right,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "what is read is looked at as a whole")]
enum Either {
    Point(Point),
    Text(String),
}

/// Holds types with derives of their own.
#[tool]
#[derive(Debug)]
#[expect(dead_code, reason = "what is read is looked at as a whole")]
struct Lenient {
    /// A struct.
    point: Option<Point>,
    /// An enum.
    side: Option<Side>,
    /// A map.
    map: Option<BTreeMap<String, u8>>,
    /// A float.
    ratio: Option<f64>,
    /// A short float.
    short: Option<f32>,
    /// Either.
    either: Option<Either>,
    /// Anything.
    any: Option<serde_json::Value>,
}

impl Tool for Lenient {
    type Output = String;

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok(String::new())
    }
}

/// Holds what is read on the fast way.
#[tool]
#[derive(Debug)]
#[expect(dead_code, reason = "what is read is looked at as a whole")]
struct Plain {
    /// A float.
    ratio: f64,
    /// A number.
    count: u8,
}

impl Tool for Plain {
    type Output = String;

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok(String::new())
    }
}

fn refused(json: &str) -> String {
    parse_input::<Lenient>(json, &()).expect_err(json).to_string()
}

#[test]
fn an_array_is_no_struct() {
    refused(r#"{"point":[1,2]}"#);
    refused(r#"{"either":[1,2]}"#);
    refused("[null,null]");
}

#[test]
fn an_object_is_no_name_of_a_variant() {
    refused(r#"{"side":{"Left":null}}"#);
    assert!(parse_input::<Lenient>(r#"{"side":"Left"}"#, &()).is_ok());
}

#[test]
fn a_key_stands_once() {
    for json in [
        r#"{"map":{"a":1,"a":2}}"#,
        r#"{"any":{"a":1,"a":2}}"#,
        r#"{"any":[{"b":{"a":1,"a":2}}]}"#,
        r#"{"side":"Left","side":"Right"}"#,
    ] {
        assert!(refused(json).contains("twice"), "{json}");
    }
}

#[test]
fn a_number_that_would_be_rounded_is_refused() {
    for json in [
        r#"{"ratio":0.12345678901234567890}"#,
        r#"{"ratio":9007199254740993}"#,
        r#"{"ratio":1e400}"#,
        r#"{"ratio":1e-400}"#,
        r#"{"short":16777217}"#,
        r#"{"short":0.123456789}"#,
        r#"{"short":1e39}"#,
        r#"{"any":0.12345678901234567890}"#,
        r#"{"any":[123456789012345678901234567890]}"#,
    ] {
        refused(json);
    }
    for json in
        [r#"{"ratio":0.1}"#, r#"{"ratio":1e300}"#, r#"{"short":0.1}"#, r#"{"ratio":3.141592653589793}"#]
    {
        assert!(parse_input::<Lenient>(json, &()).is_ok(), "{json}");
    }
}

#[test]
fn the_fast_way_refuses_them_too() {
    for json in [
        r#"[0.5,1]"#,
        r#"{"ratio":0.12345678901234567890,"count":1}"#,
        r#"{"ratio":9007199254740993,"count":1}"#,
        r#"{"ratio":1e400,"count":1}"#,
        r#"{"ratio":1,"count":256}"#,
        r#"{"ratio":1,"count":1,"count":1}"#,
        r#"{"ratio":1,"count":1,"more":1}"#,
        r#"{"ratio":1,"count":1} x"#,
    ] {
        assert!(parse_input::<Plain>(json, &()).is_err(), "{json}");
    }
    assert!(parse_input::<Plain>(r#"{"ratio":0.1,"count":1}"#, &()).is_ok());
}
