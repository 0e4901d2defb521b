//! What users of other tool systems have reported of arguments and schemas, each as a test.

use std::collections::BTreeMap;

use toolwright::contract::{Origin, SessionFacts};
use toolwright::message::RawInput;
use toolwright::prelude::*;
use toolwright::registry::{Catalogue, Pool};
use toolwright::schema::{InputErrors, Schema};
use toolwright::testing::parse_input;

/// Has a number of every type.
#[tool]
#[derive(Debug, PartialEq)]
struct Numbers {
    /// A `u8`.
    a: Option<u8>,
    /// A `u16`.
    b: Option<u16>,
    /// A `u32`.
    c: Option<u32>,
    /// A `u64`.
    d: Option<u64>,
    /// A `usize`.
    e: Option<usize>,
    /// An `i8`.
    f: Option<i8>,
    /// An `i16`.
    g: Option<i16>,
    /// An `i32`.
    h: Option<i32>,
    /// An `i64`.
    i: Option<i64>,
    /// An `isize`.
    j: Option<isize>,
    /// An `f32`.
    k: Option<f32>,
    /// An `f64`.
    l: Option<f64>,
    /// A `bool`.
    m: Option<bool>,
    /// A text.
    n: Option<String>,
}

fn numbers(json: &str) -> Result<Numbers, InputErrors> {
    parse_input(json, &())
}

/// 0xMassi/webclaw#58, nearai/ironclaw#486, SiderealPress/Lobster#1662.
#[test]
fn a_number_in_a_text_is_a_number_for_every_type_but_a_text() {
    for field in "abcdefghijkl".chars() {
        let as_text = numbers(&format!(r#"{{"{field}":"5"}}"#));
        let plain = numbers(&format!(r#"{{"{field}":5}}"#));
        assert_eq!(as_text.ok(), plain.ok(), "{field}");
    }
    assert_eq!(numbers(r#"{"m":"true"}"#).ok().and_then(|numbers| numbers.m), Some(true));
    assert_eq!(numbers(r#"{"n":"5"}"#).ok().and_then(|numbers| numbers.n).as_deref(), Some("5"));
    assert!(numbers(r#"{"n":5}"#).is_err());
}

/// dmtrKovalenko/fff#323.
#[test]
fn a_float_without_a_fraction_is_an_integer() {
    assert_eq!(numbers(r#"{"e":30.0}"#).ok().and_then(|numbers| numbers.e), Some(30));
}

/// delinoio/oss#130, Perseus perseus-vault#60.
#[test]
fn nothing_is_lost_and_nothing_is_made_up() {
    for wrong in [
        r#"{"c":0.5}"#,
        r#"{"c":1e30}"#,
        r#"{"c":-1}"#,
        r#"{"c":"-1"}"#,
        r#"{"a":256}"#,
        r#"{"a":"256"}"#,
        r#"{"f":-129}"#,
        r#"{"i":9223372036854775808}"#,
        r#"{"m":"yes"}"#,
        r#"{"m":1}"#,
    ] {
        assert!(numbers(wrong).is_err(), "{wrong}");
    }
}

#[derive(Debug, PartialEq, Params)]
struct Point {
    /// From the left.
    x: u32,
}

/// Has what is larger than a number.
#[tool]
#[derive(Debug, PartialEq)]
struct Larger {
    /// A point.
    point: Option<Point>,
    /// Points.
    points: Option<Vec<Point>>,
    /// Names.
    names: Option<Vec<String>>,
    /// Points by name.
    named: Option<BTreeMap<String, Point>>,
}

/// anthropics/claude-code#3084, #22394, #59227, PrefectHQ/fastmcp#932, dcdpr/jp#789.
#[test]
fn json_in_a_text_is_read_where_an_object_or_a_list_is_wanted() {
    let larger = |json: &str| parse_input::<Larger>(json, &()).ok();
    for (as_text, plain) in [
        (r#"{"point":"{\"x\":1}"}"#, r#"{"point":{"x":1}}"#),
        (r#"{"points":"[{\"x\":1}]"}"#, r#"{"points":[{"x":1}]}"#),
        (r#"{"points":[{"x":"1"}]}"#, r#"{"points":[{"x":1}]}"#),
        (r#"{"names":"[\"a\"]"}"#, r#"{"names":["a"]}"#),
        (r#"{"named":"{\"a\":{\"x\":1}}"}"#, r#"{"named":{"a":{"x":1}}}"#),
    ] {
        assert!(larger(plain).is_some(), "{plain}");
        assert_eq!(larger(as_text), larger(plain), "{as_text}");
    }
    for wrong in [r#"{"names":"[x"}"#, r#"{"names":"a"}"#, r#"{"names":"[1]"}"#, r#"{"point":"{\"y\":1}"}"#] {
        assert!(larger(wrong).is_none(), "{wrong}");
    }
}

/// Takes nothing.
#[tool]
struct Nothing;

impl Tool for Nothing {
    type Output = ();

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<(), ToolError> {
        Ok(())
    }
}

/// 0xPlaygrounds/rig#1437, sigoden/aichat#1217; rust-sdk#445, joshrotenberg/tower-mcp#175.
#[test]
fn a_tool_without_parameters_takes_nothing_however_it_is_written() {
    let mut catalogue = Catalogue::new();
    catalogue.add::<Nothing>();
    let pool = Pool::new(&catalogue, &SessionFacts::default(), |_name| true);
    let nothing = pool.find("Nothing").expect("it was listed");
    for written in ["", " \n", "null", "\"\"", "{}"] {
        assert!(nothing.parse(&RawInput::new(written), Origin::Model).is_ok(), "{written:?}");
    }
    let schema = nothing.schema().text();
    assert_eq!(schema.as_ref(), r#"{"type":"object","properties":{},"additionalProperties":false}"#);
}

/// 0xPlaygrounds/rig#2447.
#[test]
fn json_that_ends_too_early_is_an_error() {
    for cut in [r#"{"c":"#, r#"{"c":5"#, r#"{"n":"5"#, r#"{"c":5}}"#] {
        assert!(numbers(cut).is_err(), "{cut}");
    }
}

/// brightwave-inc/tidebreak#1084.
#[test]
fn an_error_says_where_what_was_wanted_and_what_came() {
    let told = numbers(r#"{"c":"many"}"#).expect_err("it is no number").to_string();
    assert!(told.contains("`c`") && told.contains("an integer") && told.contains(r#""many""#), "{told}");
}

#[derive(Debug, Params)]
#[serde(rename_all = "lowercase")]
enum Order {
    /// The newest first.
    Newest,
    Oldest,
}

/// Lists things.
#[tool]
struct List {
    /// In which order.
    order: Option<Order>,
}

/// rust-sdk#354, rust-sdk#135, MikkoParkkola/nab#61.
#[test]
fn an_enum_of_names_is_a_list_of_names_and_optional_is_not_null() {
    let text = Schema::of::<List>(&SessionFacts::default()).text().to_string();
    assert!(text.contains(r#""enum":["#) && text.contains("newest") && text.contains("oldest"), "{text}");
    assert!(!text.contains("oneOf") && !text.contains("anyOf") && !text.contains("null"), "{text}");
    let list: List = parse_input(r#"{"order":"oldest"}"#, &()).expect("it is valid");
    assert!(matches!(list.order, Some(Order::Oldest)));
}
