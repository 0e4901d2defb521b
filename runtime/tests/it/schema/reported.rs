//! What users of other frameworks reported about schemas, and what holds here.

use serde::Serialize;
use serde_json::{Value, json};
use toolwright::contract::SessionFacts;
use toolwright::prelude::*;
use toolwright::schema::{ProviderProfile, Schema};
use toolwright::testing::parse_input;

/// Has no parameters.
#[tool]
struct Nothing;

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Serialize, Params)]
#[tool(recursive)]
struct Section {
    /// Its heading.
    heading: String,
    /// The sections in it.
    #[serde(default)]
    sections: Vec<Section>,
}

/// Writes a text.
#[tool]
#[derive(Debug, PartialEq)]
struct Outline {
    /// Its first section.
    first: Section,
}

/// Looks something up.
#[tool(state = u32)]
#[derive(Debug)]
#[expect(dead_code, reason = "what a model may send is looked at")]
struct Look {
    /// What.
    text: String,
    /// The limit that only the program knows.
    #[tool(inject = |state| *state)]
    secret_limit: u32,
    /// What only the program sets.
    #[tool(internal)]
    secret_plan: Option<String>,
}

tools!(Nothing, Outline, Look);

fn profile(schema: &Schema, profile: ProviderProfile) -> Value {
    let text = schema.for_profile(profile).unwrap_or_else(|error| panic!("{profile}: {error}"));
    serde_json::from_str(&text).expect("schemas are JSON")
}

#[test]
fn a_tool_without_parameters_has_an_object_without_fields_for_each_provider() {
    let schema = Schema::of::<Nothing>(&SessionFacts::default());
    for which in ProviderProfile::ALL {
        let shaped = profile(&schema, which);
        assert_eq!((&shaped["type"], &shaped["properties"]), (&json!("object"), &json!({})), "{which}");
    }
}

#[test]
fn a_type_that_holds_itself_is_whole_in_its_schema_or_refused_with_its_place() {
    let schema = Schema::of::<Outline>(&SessionFacts::default());
    for which in [ProviderProfile::Claude, ProviderProfile::Mcp, ProviderProfile::OpenAiStrict] {
        let judge =
            jsonschema::draft202012::new(&profile(&schema, which)).expect("every reference leads somewhere");
        let input = |inner: Value| json!({"first": {"heading": "a", "sections": [{"heading": "b", "sections": inner}]}});
        assert!(judge.is_valid(&input(json!([]))), "{which}");
        assert!(!judge.is_valid(&input(json!([1]))), "{which}");
    }
    let errors = schema.profile_errors(ProviderProfile::Gemini);
    assert!(
        errors.iter().any(|error| error.path.starts_with("first") && error.reason.contains("refers")),
        "{errors:?}"
    );
    let deep =
        r#"{"first":{"heading":"a","sections":"[{\"heading\":\"b\",\"sections\":[{\"heading\":\"c\"}]}]"}}"#;
    let outline: Outline = parse_input(deep, &()).expect("it is meant");
    assert_eq!(outline.first.sections[0].sections[0].heading, "c");
    let told = parse_input::<Outline>(
        r#"{"first":{"heading":"a","sections":[{"heading":"b","sections":[{"heading":1}]}]}}"#,
        &(),
    )
    .expect_err("a number is no heading")
    .to_string();
    assert!(told.starts_with("- `first.sections[0].sections[0].heading`: expected a string"), "{told}");
}

#[test]
fn hidden_fields_are_in_no_providers_schema_and_refused_from_a_model() {
    let schema = Schema::of::<Look>(&SessionFacts::default());
    for which in ProviderProfile::ALL {
        let text = schema.for_profile(which).unwrap_or_else(|error| panic!("{which}: {error}"));
        assert!(!text.contains("secret"), "{which}: {text}");
    }
    for hidden in ["secret_limit", "secret_plan"] {
        let told = parse_input::<Look>(&format!(r#"{{"text":"x","{hidden}":null}}"#), &1)
            .expect_err(hidden)
            .to_string();
        assert!(told.contains("expected no such parameter"), "{told}");
    }
}
