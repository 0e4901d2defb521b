//! The facts that the attribute fills in.

use std::borrow::Cow;

use toolwright::contract::{DefaultPermission, Flags, Form, InterruptBehavior, ResultLimit, ToolForm};
use toolwright::prelude::*;

use super::names;

/// Says nothing of itself.
#[tool]
struct Plain {
    /// Anything.
    #[expect(dead_code, reason = "the form is looked at, not the input")]
    text: String,
}

/// Says everything.
#[tool(
    name = "every-thing",
    aliases("Everything", "all"),
    search_hint = "say it all",
    max_result_chars = RESULT_CHARS_MAX,
    should_defer,
    always_load = false,
    interrupt = cancel,
    cancels_siblings,
    needs_person = true,
    default_permission = allow,
    read_only,
    destructive = false,
    concurrency_safe = true,
    state = Vec<u8>,
    progress = std::collections::BTreeMap<String, u32>,
)]
struct Everything;

const RESULT_CHARS_MAX: usize = 100_000;

#[test]
fn whatever_is_left_unsaid_is_closed() {
    let closed = Form::closed(Cow::Borrowed("Plain"));
    assert_eq!(*Plain::form(), Form { docs: Cow::Borrowed("Says nothing of itself."), ..closed });
    let Form { max_result, should_defer, always_load, interrupt, .. } = Plain::form();
    assert_eq!((max_result, interrupt), (&ResultLimit::Chars(50_000), &InterruptBehavior::Block));
    assert_eq!((should_defer, always_load), (&false, &false));
    let Form { aliases, search_hint, cancels_siblings, default_permission, needs_person, .. } = Plain::form();
    assert_eq!((aliases.len(), search_hint, default_permission), (0, &None, &DefaultPermission::Ask));
    assert_eq!((cancels_siblings, needs_person), (&false, &false));
    let plain = Plain { text: String::new() };
    assert_eq!(plain.flags(), Flags { read_only: false, destructive: false, concurrency_safe: false });
}

#[test]
fn whatever_is_said_is_on_the_form() {
    let said = Form {
        name: Cow::Borrowed("every-thing"),
        aliases: Cow::Borrowed(&[Cow::Borrowed("Everything"), Cow::Borrowed("all")]),
        search_hint: Some(Cow::Borrowed("say it all")),
        docs: Cow::Borrowed("Says everything."),
        max_result: ResultLimit::Chars(100_000),
        should_defer: true,
        always_load: false,
        interrupt: InterruptBehavior::Cancel,
        cancels_siblings: true,
        default_permission: DefaultPermission::Allow,
        needs_person: true,
        timeout: None,
        examples: Cow::Borrowed(&[]),
        always: Flags { read_only: true, destructive: false, concurrency_safe: true },
    };
    assert_eq!(*Everything::form(), said);
    assert_eq!(Everything.flags(), Flags { read_only: true, destructive: false, concurrency_safe: true });
}

#[test]
fn state_and_progress_have_the_types_that_were_said() {
    fn is<T: ToolForm<State = S, Progress = P>, S, P>() {}
    is::<Plain, (), ()>();
    is::<Everything, Vec<u8>, std::collections::BTreeMap<String, u32>>();
}

/// Runs a command.
#[tool(
    read_only = |command| command.is_listing(),
    destructive = Command::removes,
    concurrency_safe = |Command { text, .. }: &Command| { let words = [text, "x"]; words.len() == 2 },
    max_result_chars = unlimited
)]
struct Command {
    /// The command.
    text: String,
}

impl Command {
    fn is_listing(&self) -> bool {
        self.text.starts_with("ls")
    }

    fn removes(&self) -> bool {
        self.text.starts_with("rm")
    }
}

#[test]
fn a_flag_can_be_a_function_of_the_input() {
    let flags = |text: &str| Command { text: text.to_owned() }.flags();
    assert_eq!(flags("ls"), Flags { read_only: true, destructive: false, concurrency_safe: true });
    assert_eq!(flags("rm x"), Flags { read_only: false, destructive: true, concurrency_safe: true });
    assert_eq!(Command::form().max_result, ResultLimit::Unlimited);
    assert_eq!(Command::form().always, Flags::default(), "what depends on the input is promised of none");
}

/// Says a lot.
///
///   - indented
///
/// # Ends
#[tool]
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Documented {}

/// Explained elsewhere:
#[tool]
#[doc = include_str!("explained.md")]
/// That was it.
struct Explained {}

#[tool]
#[doc = include_str!("explained.md")]
struct OnlyElsewhere {}

#[test]
fn the_docs_are_what_was_written_without_the_margin() {
    assert_eq!(Documented::form().docs, "Says a lot.\n\n  - indented\n\n# Ends");
    assert_eq!(Explained::form().docs, "Explained elsewhere:\nAt length.\n\nThat was it.");
    assert_eq!(OnlyElsewhere::form().docs, "At length.\n");
}

#[test]
fn the_structs_own_derives_stay() {
    let documented = Documented {};
    let copy = documented;
    assert_eq!(format!("{:?}", copy.clone()), format!("{documented:?}"));
}

/// Was named by someone else.
#[tool]
#[expect(non_camel_case_types, reason = "a keyword shows that raw names work")]
struct r#type {
    /// A keyword too.
    r#match: String,
}

#[test]
fn raw_names_lose_their_mark() {
    assert_eq!((r#type::form().name.as_ref(), names::<r#type>()), ("type", vec!["match"]));
    assert!(r#type { r#match: String::new() }.r#match.is_empty());
}

/// Cannot be shown.
#[derive(Default)]
struct Hidden;

/// Can be shown to others.
#[tool]
#[derive(serde::Serialize)]
struct Shown {
    /// Has another name there too.
    #[serde(rename = "type")]
    kind: u32,
    /// Is not used any more.
    #[deprecated = "say `type`"]
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip)]
    #[tool(internal)]
    seen: Hidden,
}

#[test]
#[expect(deprecated, reason = "a deprecated field is one of the fields")]
fn a_struct_that_can_be_serialised_keeps_the_names_of_the_wire() {
    let shown = Shown { kind: 1, name: None, seen: Hidden };
    assert_eq!(serde_json::to_value(&shown).ok(), Some(serde_json::json!({"type": 1})));
    assert_eq!(names::<Shown>(), ["type", "name"]);
}
