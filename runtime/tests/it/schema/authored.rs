//! The examples that a tool's author gives: what becomes of them where an input is refused, and that no model is sent
//! them before.

use toolwright::contract::{ErasedTool, Origin, Registered, SessionFacts};
use toolwright::message::RawInput;
use toolwright::prelude::*;
use toolwright::schema::ProviderProfile;

/// Searches for a text.
#[tool(examples = [
    r#"{"query": 5}"#,
    r#"{"query": "deep", "depth": 3}"#,
    r#"{"query": "plain"}"#,
    r#"{"query": "within", "scope": {"folder": "src"}}"#,
])]
#[expect(dead_code, reason = "what is read is not looked at")]
struct Search {
    /// What to find.
    query: String,
    /// How many to find.
    limit: Option<u32>,
    /// Where to look.
    scope: Option<Scope>,
    /// How deep to look.
    #[tool(when = "depths")]
    depth: Option<u32>,
    #[tool(internal)]
    cached: Option<u32>,
}

#[derive(Params)]
#[expect(dead_code, reason = "what is read is not looked at")]
struct Scope {
    /// In which folder.
    folder: String,
    /// Which files.
    files: Option<String>,
}

/// Writes a text.
#[tool(examples = ["{\"text\": \"\
    wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww\
    wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww\
    wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww\
    wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww\
    wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww\
    wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww\
    \"}"])]
#[expect(dead_code, reason = "what is read is not looked at")]
struct Write {
    /// The text.
    text: String,
}

tools!(Search, Write);

fn told<T: Tool<State = ()>>(json: &str, features: &[&str]) -> String {
    let features = features.iter().map(|feature| (*feature).to_owned()).collect();
    let session = SessionFacts { features, ..SessionFacts::default() };
    let tool = Registered::<T>::new(());
    let parsed = tool.parse(&RawInput::new(json), Origin::Model, &tool.input_schema(&session));
    parsed.err().map(|errors| errors.to_string()).expect(json)
}

#[test]
fn the_first_valid_example_of_the_author_stands_under_the_problems() {
    for (json, features, example) in [
        ("{}", &[][..], r#"{"query":"plain"}"#),
        ("{}", &["depths"], r#"{"depth":3,"query":"deep"}"#),
        // One that shows what is wrong comes first.
        (r#"{"query":"a","scope":"src"}"#, &[], r#"{"query":"within","scope":{"folder":"src"}}"#),
        (
            r#"{"query":"a","scope":{"fodler":"src"}}"#,
            &["depths"],
            r#"{"query":"within","scope":{"folder":"src"}}"#,
        ),
        // Where none does, that is put into the first.
        (r#"{"query":"a","limit":"all"}"#, &[], r#"{"limit":1,"query":"plain"}"#),
        (
            r#"{"query":"a","scope":{"folder":"src","files":1}}"#,
            &[],
            r#"{"query":"within","scope":{"files":"…","folder":"src"}}"#,
        ),
        // What is switched off or hidden is in none.
        (r#"{"query":"a","depth":1}"#, &[], r#"{"query":"plain"}"#),
        (r#"{"query":"a","cached":1}"#, &["depths"], r#"{"depth":3,"query":"deep"}"#),
    ] {
        let told = told::<Search>(json, features);
        assert!(told.ends_with(&format!("\na valid input: {example}")), "{json}: {told}");
    }
}

#[test]
fn a_long_example_is_not_shown() {
    assert!(told::<Write>("{}", &[]).ends_with("\na minimal valid input: {\"text\":\"…\"}"));
}

#[test]
fn no_model_is_sent_the_examples_of_a_whole_input() {
    let schema = Registered::<Search>::new(()).input_schema(&SessionFacts::default());
    let mut texts = vec![schema.text().to_string()];
    for profile in [
        ProviderProfile::Claude,
        ProviderProfile::OpenAiStrict,
        ProviderProfile::Gemini,
        ProviderProfile::Mcp,
    ] {
        texts.push(schema.for_profile(profile).expect("it is plain").to_string());
    }
    for text in texts {
        assert!(!text.contains("within") && !text.contains("examples"), "{text}");
    }
}
