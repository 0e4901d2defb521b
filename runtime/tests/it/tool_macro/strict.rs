//! What `#[tool]` writes is quiet under strict lints, and does not mind what the names around it mean.

#![deny(missing_docs, unused_qualifications, unreachable_pub, clippy::all, clippy::pedantic)]
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

mod shadowed {
    #![expect(dead_code, unused_macros, reason = "the names are there to be in the way")]

    struct Option;
    struct Result;
    struct String;
    struct Some;
    struct None;
    struct Ok;
    struct Err;
    struct Box;
    struct Vec;
    struct Default;
    struct Clone;
    struct Send;
    struct Sync;
    struct Sized;
    struct Self_;
    struct Cow;
    struct Form;
    struct Flags;
    struct LazyLock;
    trait Deserialize {}
    trait JsonSchema {}
    trait ToolForm {}
    mod std {}
    mod core {}
    mod alloc {}
    mod serde {}
    mod schemars {}
    mod toolwright {}
    macro_rules! vec {
        () => {};
    }
    macro_rules! concat {
        () => {};
    }
    macro_rules! unreachable {
        () => {};
    }

    /// Lives among names that mean something else.
    #[::toolwright::tool(
        read_only,
        concurrency_safe = |_input| false,
        aliases("a"),
        search_hint = "x",
        max_result_chars = 3,
        interrupt = cancel,
        default_permission = ask,
        cancels_siblings
    )]
    #[doc = include_str!("explained.md")]
    pub(super) struct Besieged {
        /// A number.
        #[schemars(range(min = 1))]
        pub(super) number: ::std::option::Option<u32>,
        /// A text.
        #[serde(default)]
        pub(super) text: ::std::string::String,
    }
}

/// A tool of a crate that has another name for toolwright.
#[toolwright::tool(crate = "renamed::inner")]
pub(super) struct Elsewhere {
    /// A number.
    pub(super) number: u32,
}

mod renamed {
    pub(super) use toolwright as inner;
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
    assert_eq!(names::<Elsewhere>(), ["number"]);
    assert_eq!(Elsewhere { number: 1 }.number, 1);
}

#[test]
fn shadowed_names_do_not_matter() {
    let besieged = shadowed::Besieged { number: None, text: String::new() };
    assert_eq!((besieged.number, besieged.text.len()), (None, 0));
    assert_eq!(shadowed::Besieged::form().aliases.len(), 1);
}
