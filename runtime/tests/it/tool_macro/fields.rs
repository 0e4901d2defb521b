//! What `#[tool(…)]` says of a field: where its value comes from, and what the model is told.

use std::collections::BTreeSet;
use std::sync::Arc;

use toolwright::contract::{Coerce, Origin, SessionFacts, ToolForm};
use toolwright::message::RawInput;
use toolwright::prelude::*;
use toolwright::registry::{Catalogue, Pool};
use toolwright::schema::Schema;
use toolwright::testing::parse_input;

use super::names;

/// Cannot be read, written, or compared.
struct Opaque(u32);

impl Default for Opaque {
    fn default() -> Opaque {
        Opaque(7)
    }
}

/// What the tool is given at registration.
struct Store {
    name: Arc<str>,
    limit: u32,
}

/// What is taken from the store.
struct Name(Arc<str>);

impl From<&Store> for Name {
    fn from(store: &Store) -> Name {
        Name(Arc::clone(&store.name))
    }
}

/// Has a field of every kind.
#[tool(state = Store)]
struct Find {
    /// What to find.
    #[tool(example = "5", description = "The text to look for.")]
    text: String,
    /// Not for the model.
    #[tool(internal)]
    opaque: Opaque,
    #[tool(internal = vec![Opaque(1), Opaque(2)])]
    listed: Vec<Opaque>,
    #[tool(inject)]
    name: Name,
    #[tool(inject = |store| store.limit)]
    limit: u32,
    /// Whether it goes on beside other work.
    #[tool(when = "background")]
    #[serde(default)]
    in_background: bool,
    /// How many.
    #[tool(coerce = off, example = 5)]
    count: Option<u32>,
    /// Where, in pairs.
    #[tool(example = [[1, 2], [3, -4]])]
    places: Option<Vec<(u32, i32)>>,
}

fn store() -> Store {
    Store { name: Arc::from("archive"), limit: 9 }
}

fn session(features: &[&str]) -> SessionFacts {
    let features: BTreeSet<String> = features.iter().map(|feature| (*feature).to_owned()).collect();
    SessionFacts { features, ..SessionFacts::default() }
}

#[test]
fn hidden_fields_are_filled_in_without_the_model() {
    let find = parse_input::<Find>(r#"{"text":"x"}"#, &store()).expect("it is valid");
    let Find { text, opaque, listed, name, limit, in_background, count, places } = find;
    assert_eq!((text.as_str(), opaque.0, listed[0].0, listed[1].0), ("x", 7, 1, 2));
    assert_eq!((name.0.as_ref(), limit, in_background, count, places), ("archive", 9, false, None, None));
}

#[test]
fn hidden_fields_are_in_no_schema_and_a_model_that_sends_one_learns_nothing() {
    assert_eq!(names::<Find>(), ["text", "in_background", "count", "places"]);
    let schema = Schema::of::<Find>(&session(&["background"]));
    for hidden in ["opaque", "listed", "name", "limit", "internal", "inject"] {
        assert!(!schema.text().contains(hidden), "{hidden}");
        assert!(!schema.walkable().to_string().contains(hidden), "{hidden}");
    }
    let told = |name: &str| {
        let input = format!(r#"{{"text":"x","{name}":1}}"#);
        parse_input::<Find>(&input, &store()).err().expect("it is refused").to_string().replace(name, "…")
    };
    assert_eq!(told("opaque"), told("zzzzzz"));
    assert_eq!(told("name"), told("zzzz"));
    assert!(told("limit").contains("expected no such parameter"));
}

/// Edits a file.
#[tool(rename_all = "camelCase")]
struct Edit {
    /// The file.
    path: String,
    /// What came of it, as the person has seen it.
    #[tool(internal)]
    seen_result: Option<u32>,
    #[tool(internal)]
    opaque: Opaque,
}

impl Tool for Edit {
    type Output = String;

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok(String::new())
    }

    fn description(&self) -> String {
        format!("{} {:?} {}", self.path, self.seen_result, self.opaque.0)
    }
}

#[test]
fn only_code_in_the_process_sets_internal_fields() {
    let mut catalogue = Catalogue::new();
    catalogue.add::<Edit>();
    let pool = Pool::new(&catalogue, &session(&[]), |_name| true);
    let edit = pool.find("Edit").expect("it was listed");
    let parse = |json: &str, origin| edit.parse(&RawInput::new(json), origin);
    let input = r#"{"path":"x","seenResult":3}"#;
    assert!(parse(input, Origin::Model).is_err());
    let parsed = parse(input, Origin::Trusted).expect("code may set it");
    assert_eq!((parsed.call.description().as_str(), parsed.converted), ("x Some(3) 7", None));
    let told = |json: &str| parse(json, Origin::Trusted).expect_err("it does not fit").problems;
    assert_eq!(told(r#"{"path":"x","seenResult":"3"}"#)[0].path, "seenResult");
    let hint = told(r#"{"path":"x","opaque":3}"#)[0].hint.clone();
    assert_eq!(hint.as_deref(), Some("its type cannot be read from JSON"));
    assert_eq!(told(r#"{"path":3,"seenResult":3}"#)[0].path, "path");
}

#[test]
fn a_field_behind_a_switch_comes_and_goes_with_it() {
    let text = |features: &[&str]| Schema::of::<Find>(&session(features)).text().to_string();
    assert!(text(&["background"]).contains("in_background"));
    assert!(!text(&[]).contains("in_background"));
    assert!(parse_input::<Find>(r#"{"text":"x","in_background":true}"#, &store()).is_err());

    let mut catalogue = Catalogue::new();
    catalogue.add_with::<Find>(store());
    let pool = Pool::new(&catalogue, &session(&["background"]), |_name| true);
    let find = pool.find("Find").expect("it was listed");
    let input = RawInput::new(r#"{"text":"x","in_background":true}"#);
    assert!(find.parse(&input, Origin::Model).is_ok());
}

impl Tool for Find {
    type Output = String;

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok(String::new())
    }
}

#[test]
fn conversion_can_be_switched_off_for_a_field_or_for_all() {
    let refused = |json: &str| parse_input::<Find>(json, &store()).is_err();
    assert!(refused(r#"{"text":"x","count":"5"}"#));
    assert!(!refused(r#"{"text":"x","count":5}"#));
    assert!(!refused(r#"{"text":"x","places":"[[1,2]]"}"#));
    let coerces: Vec<Coerce> = Exact::FIELDS.iter().map(|field| field.coerce).collect();
    assert_eq!(coerces, [Coerce::Never, Coerce::Lossless]);
    assert!(parse_input::<Exact>(r#"{"one":"1","other":1}"#, &()).is_err());
    let exact = parse_input::<Exact>(r#"{"one":1,"other":"1"}"#, &()).expect("it is valid");
    assert_eq!((exact.one, exact.other), (1, 1));
}

/// Converts almost nothing.
#[tool(coerce = off)]
struct Exact {
    /// Never converted.
    one: u32,
    /// Converted after all.
    #[tool(coerce = on)]
    other: u32,
}

#[test]
fn examples_and_descriptions_reach_the_model() {
    let example =
        |name: &str| Find::FIELDS.iter().find(|field| field.name == name).and_then(|field| field.example);
    assert_eq!(example("text"), Some("\"5\""), "a text stays a text, whatever it looks like");
    assert_eq!((example("count"), example("places")), (Some("5"), Some("[[1,2],[3,-4]]")));
    let schema = Schema::of::<Find>(&session(&[])).text().to_string();
    assert!(schema.contains(r#""description":"The text to look for.""#), "{schema}");
    assert!(!schema.contains("What to find."), "{schema}");
    assert!(schema.contains(r#""examples":["5"]"#), "{schema}");
    assert!(schema.contains(r#""examples":[[[1,2],[3,-4]]]"#), "{schema}");
    let errors = parse_input::<Find>("{}", &store()).err().expect("a field is missing");
    assert_eq!(errors.example, r#"{"text":"5"}"#);
}

/// Has nothing but what is hidden.
#[tool(state = u32)]
struct Hidden {
    #[tool(inject = Clone::clone)]
    state: u32,
    #[cfg(not(test))]
    #[tool(internal)]
    never: NoSuchType,
}

#[test]
fn a_tool_of_hidden_fields_takes_no_parameters() {
    let hidden = parse_input::<Hidden>("{}", &3).expect("it is valid");
    assert_eq!((hidden.state, names::<Hidden>().len()), (3, 0));
}
