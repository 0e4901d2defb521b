//! What the macros write, as people would read it: a file in `tests/golden` for each kind.
//! `TOOLWRIGHT_BLESS=1` writes them anew.

use std::path::Path;

use proc_macro2::TokenStream;
use quote::quote;

use crate::{expand, validate};

#[track_caller]
fn assert_golden(name: &str, tokens: TokenStream) {
    let file = syn::parse2(tokens).expect("what the macros write is Rust");
    let written = prettyplease::unparse(&file);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/{name}.expanded"));
    if std::env::var_os("TOOLWRIGHT_BLESS").is_some_and(|value| value == "1") {
        std::fs::write(&path, &written).expect("the golden file can be written");
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == golden, "{} has changed:\n{written}", path.display());
}

#[test]
fn a_plain_tool() {
    let item = quote! {
        /// Finds files.
        pub struct Find {
            /// Pattern to match.
            pattern: String,
            /// How many at most.
            limit: Option<u32>,
        }
    };
    assert_golden("plain_tool", expand::tool(TokenStream::new(), item));
}

#[test]
fn a_tool_that_says_everything() {
    let arguments = quote! {
        name = "every-thing",
        aliases("all"),
        search_hint = "say it all",
        max_result_chars = 100_000,
        timeout = "30s",
        examples = [r#"{"text": "x"}"#],
        should_defer,
        interrupt = cancel,
        cancels_siblings,
        needs_person,
        default_permission = allow,
        read_only = |input| input.is_listing(),
        destructive = Everything::removes,
        concurrency_safe,
        state = Store,
        progress = Vec<String>,
        rename_all = "camelCase",
        crate = "renamed"
    };
    let item = quote! {
        /// Says everything.
        #[derive(Debug)]
        #[cfg(unix)]
        struct Everything {
            /// A text.
            text: String,
        }
    };
    assert_golden("every_option", expand::tool(arguments, item));
}

#[test]
fn a_tool_with_every_kind_of_field() {
    let item = quote! {
        /// Finds things.
        struct Find {
            /// What to find.
            #[tool(example = "x", description = "The text to look for.")]
            text: String,
            #[tool(internal)]
            cached: Cache,
            #[tool(internal = Vec::new())]
            listed: Vec<Opaque>,
            #[tool(inject)]
            name: Name,
            #[tool(inject = |store| store.limit)]
            limit: u32,
            /// Whether it goes on beside other work.
            #[tool(when = "background")]
            #[serde(default, rename = "background")]
            in_background: bool,
            /// How many.
            #[tool(coerce = off)]
            #[schemars(range(min = 1))]
            count: Option<u32>,
            /// What there is only here.
            #[cfg(unix)]
            mode: u32,
            #[serde(flatten)]
            paging: Paging,
        }
    };
    assert_golden("every_field", expand::tool(quote!(state = Store), item));
}

#[test]
fn a_tool_that_is_a_function() {
    let item = quote! {
        /// Counts the words of a text.
        pub async fn count_words(
            /// The text.
            text: String,
            /// Words that do not count.
            #[serde(default)]
            mut without: Vec<String>,
            cx: &Cx<'_, CountWords>,
        ) -> Result<usize, ToolError> {
            without.push(cx.state().word.clone());
            Ok(count(&text, &without))
        }
    };
    assert_golden("function", expand::tool(quote!(read_only, state = Words, effects = none), item));
}

#[test]
fn a_nested_struct() {
    let item = quote! {
        /// A stretch of lines.
        #[serde(rename_all = "camelCase")]
        struct Lines<T: Ord> {
            /// The first line.
            #[serde(default)]
            from_line: u32,
            /// The last line.
            #[tool(coerce = off, example = 3)]
            to_line: T,
        }
    };
    assert_golden("nested_struct", expand::params(item));
}

#[test]
fn a_nested_enum() {
    let item = quote! {
        #[serde(tag = "kind", rename_all = "lowercase")]
        enum Target {
            /// Everything.
            All,
            File {
                /// Where it is.
                path: String,
            },
            Lines(Lines<u32>),
        }
    };
    assert_golden("nested_enum", expand::params(item));
}

#[test]
fn what_is_left_after_a_mistake() {
    let item = quote! {
        /// Finds files.
        #[derive(Debug, Deserialize)]
        struct Find {
            pattern: String,
        }
    };
    assert_golden("mistake", expand::tool(quote!(readonly), item));
}

/// The options of one table in the docs, each with a heading of its own below.
#[test]
fn the_reference_has_every_option() {
    let tool = include_str!("reference/tool.md");
    let (_tables, each) = tool.split_once("# Each option").expect("the options have a chapter");
    for key in validate::keys_of_tools().iter().chain(validate::keys_of_fields()) {
        let is_heading = |line: &str| line.starts_with("### ") && line.contains(&format!("`{key}`"));
        assert!(each.lines().any(is_heading), "`{key}` has no chapter");
        let is_row = |line: &str| line.starts_with("| [`") && line.contains(&format!("[`{key}"));
        assert!(tool.lines().any(is_row), "`{key}` is in no table");
    }
    let params = include_str!("reference/params.md");
    for key in validate::keys_of_nested() {
        assert!(
            params.lines().any(|line| line.starts_with('|') && line.contains(&format!("tool({key}"))),
            "{key}"
        );
    }
}
