//! What the macros write does not mind what the names around it mean.

#![deny(missing_docs, unused_qualifications)]
#![forbid(unsafe_code)]

use toolwright::contract::ToolForm;
use toolwright::testing::parse_input;

use super::names;

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
    struct Cow;
    struct Form;
    struct Flags;
    struct LazyLock;
    struct Duration;
    struct Field;
    struct Tool;
    struct Cx;
    struct ToolError;
    struct Effects;
    trait From {}
    trait Params {}
    trait Iterator {}
    trait Into {}
    trait Fn {}
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

    /// Nests among them.
    #[derive(::toolwright::Params)]
    pub(super) struct Nested<T> {
        /// A number.
        #[serde(default)]
        pub(super) number: ::std::option::Option<T>,
        /// One of several.
        #[tool(example = "A")]
        pub(super) choice: Choice,
        #[serde(flatten)]
        pub(super) flat: Flat,
    }

    /// Stands in another.
    #[derive(::toolwright::Params)]
    pub(super) struct Flat {
        /// Yes or no.
        pub(super) yes: ::std::primitive::bool,
    }

    /// Has a default.
    #[derive(::std::default::Default, ::toolwright::Params)]
    #[serde(default)]
    pub(super) struct Defaulted {
        /// Yes or no.
        pub(super) yes: ::std::primitive::bool,
    }

    /// Is one of several.
    #[derive(::toolwright::Params)]
    pub(super) enum Choice {
        /// The first.
        A,
        /// The second.
        #[serde(rename = "b")]
        B {
            /// A number.
            #[serde(default)]
            number: ::std::primitive::u32,
        },
        /// The third.
        C(::std::primitive::u32, ::std::string::String),
    }

    /// Hides among them.
    #[::toolwright::tool(state = ::std::primitive::u32, timeout = "1s", examples = ["{}"])]
    pub(super) struct Hides {
        /// Nested.
        pub(super) nested: ::std::option::Option<Nested<::std::primitive::u32>>,
        /// Defaulted.
        #[serde(default)]
        pub(super) defaulted: Defaulted,
        #[tool(internal)]
        pub(super) internal: ::std::string::String,
        #[tool(inject = |state| *state)]
        pub(super) injected: ::std::primitive::u32,
    }

    /// Runs among them.
    #[::toolwright::tool(effects = none)]
    pub(super) async fn run_besieged(
        /// A text.
        text: ::std::string::String,
    ) -> ::std::result::Result<::std::string::String, ::toolwright::contract::ToolError> {
        ::std::result::Result::Ok(text)
    }
}

/// A tool of a crate that has another name for toolwright.
#[toolwright::tool(crate = "renamed::inner")]
pub(super) struct Elsewhere {
    /// A number.
    pub(super) number: u32,
}

/// A type of such a crate.
#[derive(toolwright::Params)]
#[tool(crate = "renamed::inner")]
struct NestedElsewhere {
    /// A number.
    #[serde(flatten)]
    flat: shadowed::Flat,
}

mod renamed {
    pub(super) use toolwright as inner;
}

#[test]
fn a_renamed_crate_is_found() {
    assert_eq!(names::<Elsewhere>(), ["number"]);
    assert_eq!(Elsewhere { number: 1 }.number, 1);
    assert!(NestedElsewhere { flat: shadowed::Flat { yes: true } }.flat.yes);
}

#[test]
fn shadowed_names_do_not_matter() {
    let besieged = shadowed::Besieged { number: None, text: String::new() };
    assert_eq!((besieged.number, besieged.text.len()), (None, 0));
    assert_eq!(shadowed::Besieged::form().aliases.len(), 1);
    let json = r#"{"nested":{"choice":{"b":{}},"yes":true}}"#;
    let hides: shadowed::Hides = parse_input(json, &3).expect("it is valid");
    assert_eq!((hides.injected, hides.internal.len()), (3, 0));
    assert!(!hides.defaulted.yes);
    let nested = hides.nested.expect("it was given");
    assert!(matches!(nested.choice, shadowed::Choice::B { number: 0 }) && nested.flat.yes);
    assert_eq!(nested.number, None);
    assert_eq!(names::<shadowed::RunBesieged>(), ["text"]);
}
