//! From what the model wrote to the struct, by way of the pool.

use toolwright::contract::{Origin, Parsed, SessionFacts};
use toolwright::message::RawInput;
use toolwright::prelude::*;
use toolwright::registry::{Catalogue, Pool};
use toolwright::schema::InputErrors;

/// Finds files.
#[tool(aliases("Glob"))]
struct Find {
    /// Pattern to match.
    pattern: String,
    /// How many at most.
    limit: Option<u32>,
    /// Whether to look into hidden folders.
    #[serde(default, rename = "hidden")]
    is_hidden: bool,
    /// Folders to look into.
    #[serde(default)]
    folders: Vec<String>,
}

impl Tool for Find {
    type Output = String;

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok(self.pattern.clone())
    }

    fn description(&self) -> String {
        format!("{} {:?} {} {:?}", self.pattern, self.limit, self.is_hidden, self.folders)
    }
}

/// Lists what there is.
#[tool]
struct List;

impl Tool for List {
    type Output = String;

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok(String::new())
    }
}

/// Counts on its state.
#[tool(state = u32, progress = String)]
struct Count {}

impl Tool for Count {
    type Output = u32;

    async fn call(&self, cx: &Cx<'_, Self>) -> Result<u32, ToolError> {
        cx.progress("counted".to_owned());
        Ok(*cx.state() + 1)
    }
}

fn parse(tool: &str, input: &str, origin: Origin) -> Result<Parsed, InputErrors> {
    let mut catalogue = Catalogue::new();
    catalogue.add::<Find>().add::<List>().add_with::<Count>(1);
    let pool = Pool::new(&catalogue, &SessionFacts::default(), |_name| true);
    let tool = pool.find(tool).expect("the tool was listed");
    tool.parse(&RawInput::new(input), origin)
}

fn parsed(tool: &str, input: &str) -> Parsed {
    parse(tool, input, Origin::Model).unwrap_or_else(|errors| panic!("`{input}` is refused: {errors}"))
}

fn refused(tool: &str, input: &str) -> InputErrors {
    parse(tool, input, Origin::Model).expect_err(input)
}

#[test]
fn every_field_reaches_the_struct() {
    let input = r#"{"folders":["a"],"hidden":true,"limit":3,"pattern":"*.rs"}"#;
    let parsed = parsed("Find", input);
    assert_eq!(parsed.call.description(), r#"*.rs Some(3) true ["a"]"#);
    assert_eq!(parsed.converted, None);
}

#[test]
fn an_alias_finds_the_tool() {
    assert_eq!(parsed("Glob", r#"{"pattern":"x"}"#).call.description(), "x None false []");
}

#[test]
fn what_can_be_converted_without_loss_is() {
    let parsed = parsed("Find", r#"{"pattern":"1","limit":"5","hidden":"true","folders":"[\"a\"]"}"#);
    assert_eq!(parsed.call.description(), r#"1 Some(5) true ["a"]"#);
    assert_eq!(parsed.coercions().len(), 3);
}

#[test]
fn code_in_the_process_is_taken_at_its_word() {
    assert!(parse("Find", r#"{"pattern":"1","limit":"5"}"#, Origin::Trusted).is_err());
    assert!(parse("Find", r#"{"pattern":"1","limit":5}"#, Origin::Trusted).is_ok());
}

#[test]
fn unknown_fields_are_refused() {
    assert_eq!(refused("Find", r#"{"pattern":"x","frobnicate":1}"#).problems.len(), 1);
    assert_eq!(refused("List", r#"{"frobnicate":1}"#).problems.len(), 1);
}

#[test]
fn an_array_is_no_input() {
    for array in [r#"["x",null,false,[]]"#, "[]"] {
        refused("Find", array);
        refused("List", array);
    }
}

#[test]
fn a_tool_without_parameters_takes_nothing_in_any_form() {
    for nothing in ["{}", "", "  ", "null", "\"\""] {
        parsed("List", nothing);
        parsed("Count", nothing);
    }
}

#[test]
fn all_problems_come_at_once_with_the_nearest_name_and_an_example() {
    let errors = refused("Find", r#"{"hidden":"maybe","limit":-1,"patern":"x"}"#);
    let told = errors.to_string();
    assert_eq!(told, include_str!("problems.txt").trim_end(), "{told}");
}
