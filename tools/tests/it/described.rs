//! Tools known only at run time: what their schemas may be, and how their inputs are read.

use std::sync::Arc;

use serde_json::{Value, json};
use toolwright::contract::{Context, Effect, Effects, ErasedTool, Flags, Origin, Parsed, SessionFacts};
use toolwright::env::Env;
use toolwright::message::{Content, RawInput, ToolUse, Turn};
use toolwright::permission::{Behavior, Source};
use toolwright::registry::{Catalogue, Pool};
use toolwright::schema::InputErrors;
use toolwright::session::Session;
use toolwright_tools::described::{DescribedTool, SchemaError};

fn tool(schema: Value) -> Result<Arc<DescribedTool>, SchemaError> {
    DescribedTool::new("case", "A case.", schema, |_input, _cx| async { Ok(Content::from("done")) })
        .map(Arc::new)
}

fn parse(schema: &Value, input: &str) -> Result<Parsed, InputErrors> {
    let tool = tool(schema.clone()).expect("the schema is one");
    let schema = tool.input_schema(&SessionFacts::default());
    tool.parse(&RawInput::new(input), Origin::Model, &schema)
}

fn order() -> Value {
    json!({
        "type": "object",
        "properties": {
            "count": {"type": "integer", "minimum": 1, "maximum": 9},
            "sizes": {"type": "array", "items": {"enum": ["S", "M"]}, "minItems": 1},
            "note": {"type": "string", "pattern": "^[a-z ]*$"},
            "when": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        },
        "required": ["count"],
        "additionalProperties": false,
        "dependentRequired": {"note": ["when"]},
    })
}

#[test]
fn inputs_are_converted_as_those_of_typed_tools() {
    let parsed = parse(&order(), r#"{"count":"3","sizes":"[\"S\"]","when":"5"}"#).expect("all are meant");
    let converted = parsed.converted.expect("it was converted");
    assert_eq!(converted.input.as_str(), r#"{"count":3,"sizes":["S"],"when":"5"}"#);
    let paths: Vec<&str> = converted.coercions.iter().map(|coercion| coercion.path.as_str()).collect();
    assert_eq!(paths, ["count", "sizes"]);
}

#[test]
fn the_marks_of_our_own_types_mean_nothing_in_a_strangers_schema() {
    let schema = json!({
        "type": "object",
        "x-strict": true,
        "properties": {
            "path": {"type": "string", "x-aliases": ["secret"], "x-variants": {"tag": null, "aliases": {"ls": "rm"}}},
            "count": {"type": "integer", "x-coerce": false},
            "x-order": {"type": "integer"},
        },
        "required": ["path"],
        "additionalProperties": false,
    });
    assert!(parse(&schema, r#"{"secret":"ls"}"#).is_err());
    let parsed = parse(&schema, r#"{"path":"ls","count":"3","x-order":1}"#).expect("it is meant");
    let converted = parsed.converted.expect("a number came as text");
    let converted: Value = serde_json::from_str(converted.input.as_str()).expect("it is JSON");
    assert_eq!(converted, json!({"path": "ls", "count": 3, "x-order": 1}));
    let shown = tool(schema).expect("the schema is one").input_schema(&SessionFacts::default());
    assert!(shown.text().contains(r#""x-order":{"type":"integer"}"#), "{}", shown.text());
}

/// A schema whose parts each refer to the next one twice.
fn doubling(parts: usize, word: &str, more: Value) -> Value {
    let mut defs = serde_json::Map::new();
    for part in 0..parts {
        let next = json!({"$ref": format!("#/$defs/a{}", part + 1)});
        defs.insert(format!("a{part}"), json!({word: [next, next]}));
    }
    defs.insert(format!("a{parts}"), json!({"type": "string"}));
    defs.insert("more".to_owned(), more);
    json!({"type": "object", "properties": {"p": {"$ref": "#/$defs/a0"}}, "required": ["p"], "$defs": defs})
}

#[test]
fn no_strangers_schema_holds_anyone_up() {
    for word in ["allOf", "anyOf", "oneOf"] {
        // Either it is told at once what does not fit, or that nobody can tell.
        let errors = parse(&doubling(30, word, json!({})), r#"{"p":{}}"#).expect_err("it does not fit");
        let told = errors.to_string();
        let is_told = told.contains("expected a string") || told.contains("bounded number of steps");
        assert!(is_told, "{word}: {told}");
        for named in [json!({"$id": "urn:x:more"}), json!({"$dynamicRef": "#a"}), json!({"$ref": "#here"})] {
            let error = tool(doubling(30, word, named)).expect_err("it is refused").to_string();
            assert!(error.contains("write them as `#/$defs/…`"), "{error}");
        }
    }
    let fields: serde_json::Map<String, Value> =
        (0..40).map(|n| (format!("f{n}"), json!({"$ref": "#"}))).collect();
    let required: Vec<String> = fields.keys().cloned().collect();
    let wide = json!({"type": "object", "properties": fields, "required": required});
    let told = parse(&wide, "{}").expect_err("all is missing").to_string();
    assert!(told.len() < 100_000, "{} bytes", told.len());
    for itself in [json!({"allOf": [{"$ref": "#"}]}), json!({"$ref": "#"}), json!({"if": {"$ref": "#"}})] {
        let mut schema = json!({"type": "object"});
        schema.as_object_mut().expect("it is one").extend(itself.as_object().expect("it is one").clone());
        assert!(parse(&schema, "{}").is_err(), "{schema}");
    }
}

#[test]
fn a_valid_input_keeps_its_bytes() {
    let text = r#"{ "when": 5, "count": 1.0 }"#;
    let parsed = parse(&order(), text).expect("it is valid");
    assert_eq!(parsed.converted, None);
}

#[test]
fn problems_are_told_in_the_same_words() {
    let told = parse(&order(), r#"{"sizes":["L"],"cuont":1,"note":"A","count":10}"#)
        .expect_err("much is wrong")
        .to_string();
    assert_eq!(told, include_str!("described_problems.txt").trim_end(), "{told}");
}

#[test]
fn what_the_walker_does_not_follow_the_validator_judges() {
    let schema = json!({
        "type": "object",
        "properties": {"value": {"$ref": "#positive"}},
        "$defs": {"positive": {"$anchor": "positive", "type": "integer", "minimum": 1}},
    });
    assert!(parse(&schema, r#"{"value":1}"#).is_ok());
    let told = parse(&schema, r#"{"value":0}"#).expect_err("it is too small").to_string();
    assert_eq!(
        told,
        "- `value`: expected a value that fits the word `minimum` of the schema, received the number 0; the value is less than the minimum of 1\na minimal valid input: {}"
    );
}

#[test]
fn bad_schemas_are_refused_before_any_call() {
    let field = |schema: Value| json!({"type": "object", "properties": {"a": schema}});
    let nested = (0..200).fold(json!({}), |below, _| json!({"items": below}));
    for schema in [
        json!({}),
        json!(true),
        json!({"type": "string"}),
        field(json!({"type": "strin"})),
        field(json!({"minimum": "1"})),
        field(json!({"pattern": "("})),
        field(json!({"pattern": "(?=a)b"})),
        field(json!({"pattern": "(a)\\1"})),
        field(json!({"$ref": "https://example.org/schema.json"})),
        field(json!({"$ref": "#/$defs/none"})),
        field(json!({"$ref": "file:///etc/passwd"})),
        field(json!({"required": "a"})),
        field(nested),
    ] {
        let told = tool(schema.clone()).map(|_tool| ()).expect_err(&schema.to_string()).to_string();
        assert!(told.starts_with("the schema "), "{told}");
    }
}

#[test]
fn hostile_schemas_and_inputs_take_bounded_time() {
    let schema = json!({
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/t"}},
        "$defs": {"t": {"oneOf": [
            {"type": "array", "items": {"$ref": "#/$defs/t"}},
            {"type": "array", "items": {"$ref": "#/$defs/t"}, "minItems": 0},
            {"type": "integer"},
        ]}},
    });
    let input = format!(r#"{{"a":{}1{}}}"#, "[".repeat(60), "]".repeat(60));
    parse(&schema, &input).expect_err("it fits two branches, or takes too long to tell");
    let pattern = json!({"type": "object", "properties": {"a": {"type": "string", "pattern": "^(a+)+$"}}});
    parse(&pattern, &format!(r#"{{"a":"{}!"}}"#, "a".repeat(100_000))).expect_err("it does not match");
}

#[test]
fn it_stands_in_a_pool_like_any_tool_and_is_closed_unless_said() {
    let mut catalogue = Catalogue::new();
    catalogue.add_remote(tool(order()).expect("the schema is one")).expect("the name is legal");
    let pool = Pool::new(&catalogue, &SessionFacts::default(), |_name| true);
    let tool = pool.find("case").expect("it is there");
    let parsed = tool.parse(&RawInput::new(r#"{"count":1}"#), Origin::Model).expect("it is valid");
    assert_eq!(parsed.call.flags(), Flags::default());
    assert!(tool.definition().contains("\"sizes\""));
}

#[tokio::test]
async fn what_it_says_of_its_effects_is_what_rules_are_matched_against() {
    let schema = json!({
        "type": "object", "properties": {"file": {"type": "string"}}, "required": ["file"], "additionalProperties": false
    });
    let tool = DescribedTool::new("Peek", "Peeks.", schema, |_, _| async { Ok(Content::from("seen")) });
    let tool = tool.expect("the schema is one").with_effects(|input, cx| {
        Effects::one(Effect::Read(cx.absolute(input["file"].as_str().unwrap_or_default())))
    });
    let mut catalogue = Catalogue::new();
    catalogue.add_remote(Arc::new(tool)).expect("the name is legal");
    let session = Session::builder(Env::tokio().expect("inside a runtime"), catalogue)
        .context(Context::new("/w"))
        .rule(Behavior::Allow, Source::CliArg, "Peek")
        .rule(Behavior::Deny, Source::CliArg, "Read(secret/**)")
        .build();
    for (file, is_denied) in [("notes.md", false), ("secret/key", true)] {
        let call = ToolUse::new("a", "Peek", json!({ "file": file }).to_string());
        let results = session.run_turn(Turn::new(vec![call])).await.results;
        assert_eq!(results[0].is_error, is_denied, "{file}: {:?}", results[0]);
    }
}
