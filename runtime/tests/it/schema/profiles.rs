//! The schema of one rich type as each provider takes it, byte for byte, and what a provider cannot express.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use toolwright::contract::SessionFacts;
use toolwright::message::RawInput;
use toolwright::prelude::*;
use toolwright::registry::{Catalogue, Pool};
use toolwright::schema::{ProviderProfile, Schema};

/// How it looks.
#[derive(Debug, Params)]
enum Look {
    /// Round.
    Circle,
    /// Not round.
    Square,
}

/// What is drawn.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "kind", deny_unknown_fields, rename_all = "lowercase")]
#[expect(dead_code, reason = "the schema is looked at, not the input")]
enum Shape {
    /// A text.
    Text {
        /// What it says.
        says: String,
    },
    /// A line.
    Line {
        /// How long.
        length: u32,
    },
}

/// Where it stands.
#[derive(Debug, Params)]
#[expect(dead_code, reason = "the schema is looked at, not the input")]
struct Place {
    /// From the left.
    x: i32,
    /// From the top.
    y: Option<i32>,
}

/// Draws.
#[tool]
#[derive(Debug)]
#[expect(dead_code, reason = "the schema is looked at, not the input")]
struct Draw {
    /// What it is called.
    #[tool(example = "a house")]
    name: String,
    /// How often.
    #[serde(default = "once")]
    times: u32,
    /// How it looks.
    look: Option<Look>,
    /// What is drawn.
    shape: Shape,
    /// Where.
    places: Vec<Place>,
    /// How large.
    scale: Option<f64>,
    /// The main place.
    main: Option<Place>,
}

fn once() -> u32 {
    1
}

/// Has what few providers take.
#[tool]
#[derive(Debug)]
#[expect(dead_code, reason = "the schema is looked at, not the input")]
struct Odd {
    /// A map.
    map: BTreeMap<String, u32>,
    /// A pair.
    pair: (u32, String),
    /// Anything.
    any: Value,
    /// A letter.
    letter: char,
}

tools!(Draw, Odd);

fn schema() -> Schema {
    Schema::of::<Draw>(&SessionFacts::default())
}

const GOLDEN: [(ProviderProfile, &str); 4] = [
    (ProviderProfile::Claude, include_str!("profiles/claude.json")),
    (ProviderProfile::OpenAiStrict, include_str!("profiles/openai_strict.json")),
    (ProviderProfile::Gemini, include_str!("profiles/gemini.json")),
    (ProviderProfile::Mcp, include_str!("profiles/mcp.json")),
];

#[test]
fn each_provider_gets_the_same_type_in_its_own_words() {
    for (profile, golden) in GOLDEN {
        let text = schema().for_profile(profile).unwrap_or_else(|error| panic!("{profile}: {error}"));
        assert_eq!(*text, *golden.trim_end(), "{profile}");
    }
}

#[test]
fn unit_enums_are_lists_for_each_provider() {
    for (profile, _golden) in GOLDEN {
        let text = schema().for_profile(profile).expect("it can be said");
        let schema: Value = serde_json::from_str(&text).expect("schemas are JSON");
        let listed = schema["properties"]["look"]["enum"].as_array().expect("it is a list").clone();
        assert_eq!(&listed[..2], [json!("Circle"), json!("Square")], "{profile}");
    }
}

#[test]
fn what_fits_a_strict_schema_fits_the_tool() {
    let input = json!({
        "name": "a", "times": 1, "look": null, "scale": null, "main": null,
        "shape": {"kind": "text", "says": "x"}, "places": [{"x": 1, "y": null}],
    });
    let text = schema().for_profile(ProviderProfile::OpenAiStrict).expect("it can be said");
    let judge = jsonschema::draft202012::new(&serde_json::from_str(&text).expect("it is JSON"))
        .expect("it is a schema");
    assert!(judge.is_valid(&input));
    let text = RawInput::from_value(&input);
    toolwright::testing::parse_input::<Draw>(text.as_str(), &()).expect("it fits");
}

#[test]
fn what_a_provider_cannot_express_is_told_with_its_place() {
    let schema = Schema::of::<Odd>(&SessionFacts::default());
    let places =
        |profile| schema.profile_errors(profile).into_iter().map(|error| error.path).collect::<Vec<String>>();
    assert!(places(ProviderProfile::Claude).is_empty() && places(ProviderProfile::Mcp).is_empty());
    assert_eq!(places(ProviderProfile::OpenAiStrict), ["any", "letter", "letter", "map", "pair"]);
    assert_eq!(places(ProviderProfile::Gemini), ["any", "map", "pair"]);
    assert_eq!(
        schema.for_profile(ProviderProfile::Gemini).expect_err("there is a first").to_string(),
        "`any` may be anything, and each value needs a type"
    );
}

#[test]
fn shapes_that_a_provider_refuses_at_the_top_or_inside_are_told() {
    for (raw, profile, told) in [
        (
            json!({"type": "string"}),
            ProviderProfile::Mcp,
            "the input must be an object: give the schema `\"type\": \"object\"`",
        ),
        (
            json!({"type": "object", "anyOf": [{"required": ["a"]}]}),
            ProviderProfile::Claude,
            "the input may not be a choice at its top (`anyOf`): put the choice into a field",
        ),
        (
            json!({"type": "object", "properties": {"a b": {"type": "string"}}}),
            ProviderProfile::Claude,
            "the input has a field `a b`, a name that is refused: use 1 to 64 letters, digits, `_`, `.` or `-`",
        ),
        (
            json!({"type": "object", "properties": {"a": {"type": "array", "items": {"type": "object", "properties": {}}}}, "additionalProperties": false}),
            ProviderProfile::OpenAiStrict,
            "`a[]` is open, and objects must be closed: add `#[serde(deny_unknown_fields)]` or derive `Params`",
        ),
        (
            json!({"type": "object", "properties": {"a": {"oneOf": [{"type": "integer"}, {"type": "number"}]}}, "additionalProperties": false}),
            ProviderProfile::OpenAiStrict,
            "`a` has branches that one value can fit together, and there is no word for exactly one (`oneOf`)",
        ),
        (
            json!({"type": "object", "properties": {"a": {"const": 1}}}),
            ProviderProfile::Gemini,
            "`a` must be 1, and only texts can be fixed",
        ),
        (
            json!({"type": "object", "properties": {"a": {"$ref": "#"}}}),
            ProviderProfile::Gemini,
            "`a` refers to itself, and there is no word for it (`$ref`)",
        ),
    ] {
        let error = Schema::new(raw.clone()).for_profile(profile).expect_err(&raw.to_string());
        assert_eq!(error.to_string(), told);
    }
}

#[test]
fn a_pool_tells_all_that_a_provider_cannot_express() {
    let mut catalogue = Catalogue::new();
    catalogue.add::<Draw>().add::<Odd>();
    let pool = Pool::new(&catalogue, &SessionFacts::default(), |_name| true);
    let errors = pool.profile_errors(ProviderProfile::OpenAiStrict);
    assert!(errors.len() == 5 && errors.iter().all(|(tool, _error)| tool == "Odd"), "{errors:?}");
    assert!(pool.profile_errors(ProviderProfile::Mcp).is_empty());
}
