//! What stands under the problems of an input: an example that shows what is wrong right.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use toolwright::contract::{ErasedTool, Origin, Registered, SessionFacts};
use toolwright::message::RawInput;
use toolwright::prelude::*;
use toolwright::schema::{InputErrors, Schema, read};
use toolwright::testing::parse_input;

/// Plans a trip.
#[tool]
#[derive(Debug)]
#[expect(dead_code, reason = "what is read is not looked at")]
struct Trip {
    /// What it is called.
    name: String,
    /// Where it goes.
    #[serde(default)]
    stops: Vec<Stop>,
    /// Who leads it.
    leader: Option<Person>,
    /// How one travels.
    by: Option<Vehicle>,
    /// What it costs, by kind.
    #[serde(default)]
    costs: BTreeMap<String, Money>,
    /// What each day costs.
    #[serde(default)]
    days: BTreeMap<u8, Money>,
    /// What is done.
    task: Option<Task>,
    /// A note, or notes.
    note: Option<Note>,
    /// Where what is packed belongs.
    bag: Option<Bag>,
    /// In which order.
    #[serde(default)]
    order: Order,
    /// How many may come.
    #[serde(default = "twelve")]
    seats: u32,
    /// How it is told.
    #[tool(when = "telling")]
    tell: Option<Telling>,
    #[tool(internal)]
    checked: Option<bool>,
}

fn twelve() -> u32 {
    12
}

#[derive(Debug, Params)]
#[expect(dead_code, reason = "what is read is not looked at")]
struct Stop {
    /// Where.
    place: String,
    /// For how many nights.
    nights: u8,
    /// Who is met.
    #[serde(default)]
    people: Vec<Person>,
}

#[derive(Debug, Params)]
#[expect(dead_code, reason = "what is read is not looked at")]
struct Person {
    /// How they are called.
    name: String,
    /// How old they are.
    age: Option<u8>,
}

#[derive(Debug, Params)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[expect(dead_code, reason = "what is read is not looked at")]
enum Vehicle {
    /// On rails.
    Train {
        /// Which one.
        number: u32,
    },
    /// On the road.
    Car {
        /// How many may sit in it.
        seats: u8,
        /// Whose.
        owner: Option<Person>,
    },
}

#[derive(Debug, Params)]
#[expect(dead_code, reason = "what is read is not looked at")]
enum Task {
    Rest,
    Walk {
        /// How far.
        km: f64,
    },
    Meet(Person),
}

#[derive(Debug, Params)]
#[serde(untagged)]
#[expect(dead_code, reason = "what is read is not looked at")]
enum Note {
    Short(String),
    Long {
        /// The title.
        title: String,
        /// The lines.
        lines: Vec<String>,
    },
}

#[derive(Debug, Params)]
#[expect(dead_code, reason = "what is read is not looked at")]
struct Money {
    /// How much.
    amount: f64,
    /// Of which.
    currency: String,
}

#[derive(Debug, Params)]
#[tool(recursive)]
#[expect(dead_code, reason = "what is read is not looked at")]
struct Bag {
    /// What it is called.
    label: String,
    /// What is in it.
    #[serde(default)]
    bags: Vec<Bag>,
}

#[derive(Debug, Default, Params)]
enum Order {
    #[default]
    Given,
    Shortest,
}

#[derive(Debug, Params)]
#[expect(dead_code, reason = "what is read is not looked at")]
struct Telling {
    /// To whom.
    whom: String,
}

tools!(Trip);

fn refused(json: &str) -> InputErrors {
    parse_input::<Trip>(json, &()).expect_err(json)
}

/// An input of [`Trip`] with these fields besides what is required.
fn trip(fields: &str) -> String {
    format!(r#"{{"name":"a",{fields}}}"#)
}

/// What is wrong in some fields, and how they stand in the example.
const NESTED: &[(&str, &str)] = &[
    // A struct in an option.
    (r#""leader":"Ann""#, r#""leader":{"name":"…"}"#),
    (r#""leader":["Ann"]"#, r#""leader":{"name":"…"}"#),
    (r#""leader":{"nam":"Ann"}"#, r#""leader":{"name":"…"}"#),
    (r#""leader":{"age":3}"#, r#""leader":{"name":"…"}"#),
    (r#""leader":{"name":"Ann","age":"old"}"#, r#""leader":{"age":1,"name":"…"}"#),
    (r#""leader":"{\"name\":\"Ann\",\"age\":\"old\"}""#, r#""leader":{"age":1,"name":"…"}"#),
    // Structs in a list.
    (r#""stops":"Rome""#, r#""stops":[{"nights":1,"place":"…"}]"#),
    (r#""stops":["Rome"]"#, r#""stops":[{"nights":1,"place":"…"}]"#),
    (r#""stops":{"place":"Rome","nights":1}"#, r#""stops":[{"nights":1,"place":"…"}]"#),
    (r#""stops":[[{"place":"Rome","nights":1}]]"#, r#""stops":[{"nights":1,"place":"…"}]"#),
    (
        r#""stops":[{"place":"Rome","nights":1},{"place":"Bari","nights":1,"people":["Ann"]},{"place":1}]"#,
        r#""stops":[{"nights":1,"people":[{"name":"…"}],"place":"…"},{"nights":1,"place":"…"}]"#,
    ),
    // Maps: the key is the one that came, where one may have it.
    (r#""costs":{"food":12}"#, r#""costs":{"food":{"amount":1.0,"currency":"…"}}"#),
    (r#""costs":"12 EUR""#, r#""costs":{"…":{"amount":1.0,"currency":"…"}}"#),
    (r#""days":{"2":5}"#, r#""days":{"2":{"amount":1.0,"currency":"…"}}"#),
    (r#""days":{"two":{"amount":1,"currency":"EUR"}}"#, r#""days":{"1":{"amount":1.0,"currency":"…"}}"#),
    // A tagged enum: the variant is the one that was meant.
    (r#""by":"car""#, r#""by":{"kind":"car","seats":1}"#),
    (r#""by":{"kind":"car","seats":"many"}"#, r#""by":{"kind":"car","seats":1}"#),
    (r#""by":{"kind":"cra","seats":4}"#, r#""by":{"kind":"car","seats":1}"#),
    (r#""by":{"seats":4}"#, r#""by":{"kind":"car","seats":1}"#),
    (r#""by":{"car":{"seats":4}}"#, r#""by":{"kind":"car","seats":1}"#),
    (r#""by":{"kind":"train","seats":4}"#, r#""by":{"kind":"train","number":1}"#),
    (
        r#""by":{"kind":"car","seats":4,"owner":{"age":3}}"#,
        r#""by":{"kind":"car","owner":{"name":"…"},"seats":1}"#,
    ),
    // An enum whose variants are keys.
    (r#""task":"Walk""#, r#""task":{"Walk":{"km":1.0}}"#),
    (r#""task":{"Walk":3}"#, r#""task":{"Walk":{"km":1.0}}"#),
    (r#""task":{"walk":{"km":3}}"#, r#""task":{"Walk":{"km":1.0}}"#),
    (r#""task":{"Meet":"Ann"}"#, r#""task":{"Meet":{"name":"…"}}"#),
    (r#""task":{"Rest":{}}"#, r#""task":"Rest""#),
    // An enum without tags.
    (r#""note":5"#, r#""note":"…""#),
    (r#""note":{"title":"x"}"#, r#""note":{"lines":["…"],"title":"…"}"#),
    (r#""note":{"title":"x","lines":[1]}"#, r#""note":{"lines":["…"],"title":"…"}"#),
    // An enum of words.
    (r#""order":"shortestt""#, r#""order":"Shortest""#),
    // A type in itself.
    (
        r#""bag":{"label":"x","bags":[{"label":"y","bags":[{"lable":"z"}]}]}"#,
        r#""bag":{"bags":[{"bags":[{"label":"…"}],"label":"…"}],"label":"…"}"#,
    ),
];

#[test]
fn what_is_wrong_in_a_nested_part_is_shown_right() {
    for (wrong, right) in NESTED {
        let errors = refused(&trip(wrong));
        let mut fields = [r#""name":"…""#, *right];
        fields.sort_unstable();
        assert_eq!(errors.example, format!("{{{}}}", fields.join(",")), "{wrong}: {errors}");
        assert!(errors.parts.is_empty() && errors.to_string().ends_with(&errors.example), "{errors}");
        parse_input::<Trip>(&errors.example, &()).unwrap_or_else(|errors| panic!("{wrong}: {errors}"));
    }
}

#[test]
fn several_parts_are_shown_right_at_once() {
    let all: Vec<&str> = [NESTED[0].0, NESTED[6].0, NESTED[15].0].to_vec();
    let errors = refused(&trip(&all.join(",")));
    assert_eq!(
        errors.example,
        r#"{"by":{"kind":"car","seats":1},"leader":{"name":"…"},"name":"…","stops":[{"nights":1,"place":"…"}]}"#
    );
}

#[test]
fn an_optional_field_is_shown_only_where_it_is_wrong() {
    for (json, example) in [
        (r#"{"seats":"many"}"#, r#"{"name":"…","seats":12}"#),
        (r#"{"seat":3,"name":"a"}"#, r#"{"name":"…","seats":12}"#),
        (r#"{"name":1}"#, r#"{"name":"…"}"#),
        (r#"{"name":"a","x":1}"#, r#"{"name":"…"}"#),
        ("[]", r#"{"name":"…"}"#),
        ("{", r#"{"name":"…"}"#),
    ] {
        assert_eq!(refused(json).example, example, "{json}");
    }
}

#[test]
fn where_the_whole_is_long_each_wrong_part_has_an_example_at_its_path() {
    let deep = |levels: usize, inner: &str| {
        let (open, close) = (r#"{"label":"x","bags":["#.repeat(levels), "]}".repeat(levels));
        trip(&format!(r#""bag":{open}{inner}{close}"#))
    };
    let path = format!("bag{}", ".bags[0]".repeat(40));
    let told = refused(&deep(40, r#"{"lable":"y"}"#)).to_string();
    assert!(
        told.ends_with(&format!(
            "\na minimal valid input: {{\"name\":\"…\"}}\na minimal valid `{path}`: {{\"label\":\"…\"}}"
        )),
        "{told}"
    );
    // Two that are alike are shown once, and never more than three.
    let alike = refused(&deep(40, r#"{"lable":"y"},{"lable":"z"}"#));
    assert_eq!(alike.parts, [(path.clone(), r#"{"label":"…"}"#.to_owned())], "{alike}");
    let unlike = (0..9).map(|n| format!(r#"{{"label":"y","bags":[{}]}}"#, "{\"label\":1},".repeat(n + 1)));
    let unlike: Vec<String> = unlike.map(|bag| bag.replace(",]", "]")).collect();
    let many = refused(&deep(40, &unlike.join(",")));
    assert!((1..=3).contains(&many.parts.len()) && many.to_string().len() < 20_000, "{many}");
}

#[test]
fn a_hidden_field_is_in_no_example_and_one_with_a_switch_only_where_it_is_on() {
    let parsed = |json: &str, features: &[&str]| {
        let features = features.iter().map(|feature| (*feature).to_owned()).collect();
        let session = SessionFacts { features, ..SessionFacts::default() };
        let tool = Registered::<Trip>::new(());
        tool.parse(&RawInput::new(json), Origin::Model, &tool.input_schema(&session)).map(drop)
    };
    for hidden in
        [r#""checked":1"#, r#""checked":true"#, r#""chekced":1"#, r#""tell":{"whom":1}"#, r#""tel":1"#]
    {
        let errors = parsed(&trip(hidden), &[]).expect_err(hidden);
        assert_eq!(errors.example, r#"{"name":"…"}"#, "{errors}");
    }
    let errors = parsed(&trip(r#""tell":{"whom":1}"#), &["telling"]).expect_err("it is no text");
    assert_eq!(errors.example, r#"{"name":"…","tell":{"whom":"…"}}"#);
    let errors = parsed(&trip(r#""checked":1"#), &["telling"]).expect_err("it is hidden all the same");
    assert_eq!(errors.example, r#"{"name":"…"}"#);
}

#[test]
fn a_schema_known_only_at_run_time_has_such_examples_too() {
    let schema = Schema::new(json!({
        "type": "object",
        "properties": {
            "count": {"type": "integer", "minimum": 1, "maximum": 9},
            "sizes": {"type": "array", "items": {"enum": ["S", "M"]}, "minItems": 1},
            "note": {"type": "string", "pattern": "^[a-z ]*$"},
            "when": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
            "place": {"$ref": "#/$defs/place"},
            "elsewhere": {"$ref": "#elsewhere"},
        },
        "required": ["count"],
        "additionalProperties": false,
        "dependentRequired": {"note": ["when"]},
        "$defs": {"place": {
            "allOf": [{"type": "object", "properties": {"street": {"type": "string"}}, "required": ["street"]}],
            "properties": {"number": {"type": "integer", "exclusiveMinimum": 5}},
        }},
    }));
    for (json, example) in [
        (r#"{"sizes":["L"],"cuont":1,"note":"A","count":10}"#, r#"{"count":1,"sizes":["S"],"when":"…"}"#),
        (r#"{"count":1,"place":"here"}"#, r#"{"count":1,"place":{"street":"…"}}"#),
        (
            r#"{"count":1,"place":{"street":"a","number":1}}"#,
            r#"{"count":1,"place":{"number":6,"street":"…"}}"#,
        ),
        (r#"{"count":"x","elsewhere":1}"#, r#"{"count":1}"#),
    ] {
        let errors = read(&RawInput::new(json), Origin::Model, &schema, None).expect_err(json);
        assert_eq!(errors.example, example, "{errors}");
        assert!(read(&RawInput::new(example), Origin::Trusted, &schema, None).is_ok(), "{example}");
    }
}

#[test]
fn examples_for_a_strangers_schema_are_bounded_whatever_came() {
    let names = |count: usize| (0..count).map(|n| format!("f{n}"));
    let itself: serde_json::Map<String, Value> = names(40).map(|name| (name, json!({"$ref": "#"}))).collect();
    let wide = json!({"type": "object", "properties": itself, "required": names(40).collect::<Vec<_>>()});
    let mut twice = json!({"type": "string"});
    for _ in 0..9 {
        let branch = json!({"type": "object", "properties": {"a": twice}});
        twice = json!({"anyOf": [branch, branch]});
    }
    let tagged: Vec<Value> = names(60)
        .map(|name| json!({"type": "object", "properties": {"kind": {"const": name}}, "required": ["kind"], "additionalProperties": false}))
        .collect();
    let tagged =
        json!({"type": "object", "properties": {"p": {"type": "array", "items": {"oneOf": tagged}}}});
    let unknown: Vec<String> = names(10_000).map(|name| format!(r#""{name}":1"#)).collect();
    let many = format!(r#"{{"kind":"f7",{}}}"#, unknown.join(","));
    for (schema, json) in [
        (wide, "{}".to_owned()),
        (json!({"type": "object", "properties": {"p": twice}}), r#"{"p":{"a":{"a":{"a":1}}}}"#.to_owned()),
        (
            json!({"type": "object", "properties": {"p": {"anyOf": [{"$ref": "#/properties/p"}, {"$ref": "#/properties/p"}]}}}),
            r#"{"p":1}"#.to_owned(),
        ),
        (tagged, format!(r#"{{"p":[{many},{many},1,"f8"]}}"#)),
    ] {
        let schema = Schema::new(schema);
        let errors = read(&RawInput::new(json), Origin::Model, &schema, None).expect_err("it does not fit");
        let parts: usize = errors.parts.iter().map(|(path, example)| path.len() + example.len()).sum();
        assert!(errors.parts.len() <= 3 && parts < 3_000, "{errors}");
        assert!(errors.to_string().len() < 70_000, "{} bytes", errors.to_string().len());
    }
}
