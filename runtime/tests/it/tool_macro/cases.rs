//! What users of other tool systems have reported of schemas and nested arguments, each as a test.

use std::collections::BTreeMap;

use toolwright::contract::{Origin, SessionFacts};
use toolwright::message::RawInput;
use toolwright::prelude::*;
use toolwright::registry::{Catalogue, Pool};
use toolwright::schema::Schema;
use toolwright::testing::parse_input;

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
