//! A tool that is written as a function.

use std::path::{Path, PathBuf};
use std::time::Duration;

use toolwright::contract::{CallContext, Flags, ToolForm};
use toolwright::env::Env;
use toolwright::prelude::*;
use toolwright::testing::parse_input;

use super::names;

/// Counts the words of a text.
#[tool(read_only, concurrency_safe, timeout = "2s", effects = none, examples = [r#"{"text": "a b"}"#])]
async fn count_words(
    /// The text.
    text: String,
    /// Words that do not count.
    #[tool(example = ["the"])]
    #[serde(default)]
    mut without: Vec<String>,
) -> Result<usize, ToolError> {
    without.push(String::new());
    Ok(text.split(' ').filter(|word| !without.iter().any(|other| other == word)).count())
}

/// Says where it is.
#[tool(name = "Where", state = Folder, effects = |input, cx| Effects::one(Effect::Read(cx.absolute(&input.path))))]
#[serde(rename_all = "camelCase")]
pub(super) async fn say_where(
    cx: &Cx<'_, SayWhere>,
    /// The path.
    path: PathBuf,
    #[tool(inject = |state| state.0.len())] length: usize,
    /// Whether to say it aloud.
    say_aloud: Option<bool>,
) -> Result<String, ToolError> {
    if say_aloud == Some(true) {
        return Err(ToolError::new("it is quiet here"));
    }
    Ok(format!("{} {} {length}", cx.state().0, path.display()))
}

pub(super) struct Folder(String);

#[test]
fn a_function_is_a_struct_and_its_behaviour() {
    assert_eq!(
        (CountWords::form().name.as_ref(), names::<CountWords>()),
        ("count_words", vec!["text", "without"])
    );
    assert_eq!(CountWords::form().docs, "Counts the words of a text.");
    assert_eq!(CountWords::form().timeout, Some(Duration::from_secs(2)));
    assert_eq!(CountWords::form().examples.as_ref(), [r#"{"text": "a b"}"#]);
    assert_eq!(SayWhere::form().name, "Where");
    assert_eq!(names::<SayWhere>(), ["path", "sayAloud"]);
    let input = CountWords { text: String::new(), without: Vec::new() };
    assert_eq!(input.flags(), Flags { read_only: true, destructive: false, concurrency_safe: true });
}

#[tokio::test]
async fn the_body_gets_the_parameters_and_the_context() {
    let call = CallContext::for_test(Env::tokio().expect("the test runs in tokio"), "/somewhere");
    let words = parse_input::<CountWords>(r#"{"text":"a b c","without":["b"]}"#, &()).expect("it is valid");
    assert_eq!(words.call(&Cx::for_test(&call, &())).await.ok(), Some(2));
    let folder = Folder("here".to_owned());
    let place = parse_input::<SayWhere>(r#"{"path":"x"}"#, &folder).expect("it is valid");
    assert_eq!(place.call(&Cx::for_test(&call, &folder)).await.ok().as_deref(), Some("here x 4"));
    let loud = parse_input::<SayWhere>(r#"{"path":"x","sayAloud":true}"#, &folder).expect("it is valid");
    assert!(loud.call(&Cx::for_test(&call, &folder)).await.is_err());
}

#[test]
fn effects_are_what_the_attribute_says() {
    let cx = EffectsContext { cwd: Path::new("/somewhere"), additional_directories: &[], home: None };
    let words = CountWords { text: String::new(), without: Vec::new() };
    assert_eq!(words.effects(&cx), Effects::none());
    let folder = Folder(String::new());
    let place = parse_input::<SayWhere>(r#"{"path":"x"}"#, &folder).expect("it is valid");
    assert_eq!(place.effects(&cx), Effects::one(Effect::Read(PathBuf::from("/somewhere/x"))));
}
