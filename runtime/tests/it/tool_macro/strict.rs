//! What the macros write is quiet under strict lints.

#![forbid(unsafe_code)]
#![deny(missing_docs, unused_qualifications, unreachable_pub, unused, clippy::all, clippy::pedantic)]
#![deny(clippy::allow_attributes, clippy::allow_attributes_without_reason, clippy::unwrap_used)]

use toolwright::contract::ToolForm;

use super::names;

/// A tool that others see.
#[toolwright::tool(read_only = |input| input.is_listing(), aliases("other"), search_hint = "x", interrupt = block)]
#[derive(Clone, Debug)]
pub(super) struct Visible {
    /// Public.
    pub(crate) text: String,
    /// Optional.
    pub(crate) times: Option<u64>,
    /// One.
    #[serde(default)]
    pub(super) one: bool,
    /// Two.
    #[serde(default = "two")]
    pub(super) two: bool,
    /// Three.
    pub(super) three: bool,
}

fn two() -> bool {
    true
}

impl Visible {
    fn is_listing(&self) -> bool {
        self.text.is_empty() && self.times.is_none()
    }
}

macro_rules! tool_named {
    ($(#[$attribute:meta])* $name:ident { $field:ident: $kind:ty }) => {
        $(#[$attribute])*
        #[toolwright::tool(read_only = |input| input.$field == <$kind>::default())]
        struct $name {
            /// Comes from a macro.
            $field: $kind,
        }
    };
}

tool_named! {
    /// Comes from a macro.
    Produced { number: u32 }
}

#[test]
fn a_macro_can_write_the_struct() {
    assert_eq!((Produced::form().name.as_ref(), names::<Produced>()), ("Produced", vec!["number"]));
    assert!(Produced { number: 0 }.flags().read_only);
}

#[test]
fn a_function_can_hold_the_struct() {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Inner;

    /// Stays in here.
    #[toolwright::tool]
    struct Local {
        /// Stays in here too.
        inner: Inner,
    }

    let Local { inner: Inner } = Local { inner: Inner };
    assert_eq!(Local::form().docs, "Stays in here.");
}

#[test]
fn a_strict_crate_compiles() {
    let input = Visible { text: String::new(), times: None, one: false, two: true, three: false };
    assert!(input.clone().flags().read_only && !input.flags().destructive);
    assert!(input.two && !(input.one || input.three));
}

/// A type that others see.
#[derive(Clone, Debug, toolwright::Params)]
pub(crate) struct Nested<T> {
    /// One.
    pub(crate) one: T,
    /// Two.
    #[serde(default)]
    pub(crate) two: Vec<Choice>,
    /// Four.
    #[deprecated = "it is odd"]
    #[serde(default)]
    #[expect(dead_code, reason = "nobody uses what is deprecated")]
    pub(crate) four: bool,
}

/// One of several.
#[derive(Clone, Copy, Debug, toolwright::Params)]
#[serde(tag = "kind")]
pub(crate) enum Choice {
    /// Nothing.
    Nothing,
    /// Something.
    Something {
        /// What.
        what: u32,
    },
}

/// Has hidden fields.
#[toolwright::tool(state = Vec<u32>, timeout = "1m", examples = [r#"{"nested": {"one": 1}}"#])]
pub(super) struct Hides {
    /// Nested.
    pub(super) nested: Nested<u32>,
    /// Internal.
    #[tool(internal)]
    pub(super) internal: Option<u32>,
    /// Injected.
    #[tool(inject = |state| state.len())]
    pub(super) injected: usize,
    /// Injected too.
    #[tool(inject = Clone::clone)]
    pub(super) copied: Vec<u32>,
}

/// Counts letters.
///
/// At length.
#[toolwright::tool(read_only, concurrency_safe, effects = none)]
pub(crate) async fn count_letters(
    /// The text.
    text: String,
    /// From where.
    from: Option<usize>,
) -> Result<usize, toolwright::contract::ToolError> {
    Ok(text.chars().skip(from.unwrap_or_default()).count())
}

/// Has names and numbers of fields that lints do not like.
#[toolwright::tool]
#[expect(non_snake_case, clippy::struct_excessive_bools, reason = "its lints are its own")]
struct Disliked {
    /// One.
    oneFlag: bool,
    /// Two.
    two: bool,
    /// Three.
    three: bool,
    /// Four.
    four: bool,
    /// Nested.
    nested: DislikedToo,
    /// Nested.
    named: Vec<DislikedNames>,
}

/// Has names and numbers of fields that lints do not like.
#[derive(toolwright::Params)]
#[expect(non_snake_case, clippy::struct_excessive_bools, reason = "its lints are its own")]
struct DislikedToo {
    /// One.
    oneFlag: bool,
    /// Two.
    two: bool,
    /// Three.
    three: bool,
    /// Four.
    four: bool,
}

/// Has names that lints do not like.
#[derive(Debug, PartialEq, toolwright::Params)]
#[expect(non_camel_case_types, clippy::large_enum_variant, reason = "its lints are its own")]
enum DislikedNames {
    name_one,
    name_two([u64; 32]),
    name_three {
        /// Small.
        small: u64,
    },
}

#[test]
fn lints_of_the_users_own_stay_the_users_own() {
    let json = r#"{"oneFlag":true,"two":true,"three":true,"four":true,"named":["name_one"],
        "nested":{"oneFlag":true,"two":true,"three":true,"four":true}}"#;
    let Disliked { oneFlag, two, three, four, nested, named }: Disliked =
        toolwright::testing::parse_input(json, &()).expect("it is valid");
    let DislikedToo { oneFlag: nested_one, two: nested_two, three: nested_three, four: nested_four } = nested;
    assert!(oneFlag && two && three && four && nested_one && nested_two && nested_three && nested_four);
    assert_eq!(named, [DislikedNames::name_one]);
    assert!(DislikedNames::name_two([0; 32]) != DislikedNames::name_three { small: 1 });
}

#[test]
fn every_form_is_quiet() {
    let json = r#"{"nested":{"one":1,"two":[{"kind":"Something","what":2},{"kind":"Nothing"}]}}"#;
    let hides: Hides = toolwright::testing::parse_input(json, &vec![1, 2]).expect("it is valid");
    assert_eq!((hides.nested.one, hides.internal, hides.injected, hides.copied), (1, None, 2, vec![1, 2]));
    assert!(matches!(hides.nested.two.as_slice(), [Choice::Something { what: 2 }, Choice::Nothing]));
    assert_eq!(names::<CountLetters>(), ["text", "from"]);
}
