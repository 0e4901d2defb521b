//! The `#[tool]` attribute of Toolwright: from a struct to a tool's form.
//!
//! The verbs are files: `parse` reads tokens and judges nothing, `validate` turns them into a `model` and finds
//! every mistake, `expand` writes the code, `fallback` writes what is left after a mistake. This crate knows no
//! tool, and the code it writes names nothing but `toolwright::__private`.

use proc_macro::TokenStream;

mod docs;
mod expand;
mod fallback;
#[cfg(test)]
mod golden;
mod json;
mod model;
mod nearest;
mod parse;
mod problem;
mod rename;
mod validate;

/// Makes a struct a tool: its fields are the parameters that the model fills in, its doc comments what the model reads.
///
/// ```ignore
/// /// Finds files whose path matches a glob pattern, newest first.
/// #[tool(read_only, concurrency_safe, search_hint = "find files by name", max_result_chars = 100_000)]
/// pub struct Glob {
///     /// Pattern to match, such as `src/**/*.rs`.
///     pattern: String,
///     /// Folder to search; the session's folder when left out.
///     path: Option<PathBuf>,
/// }
/// ```
///
/// It writes the implementation of `ToolForm`; what the tool does is an `impl Tool`. The crate needs neither serde nor
/// schemars for it. Whatever is left unsaid is closed.
///
/// | option | says | unless said |
/// |---|---|---|
/// | `name = "…"` | the name the model calls it by: 1 to 64 letters, digits, `_` or `-` | the struct's name |
/// | `aliases("…", "…")` | other names that find it | none |
/// | `search_hint = "…"` | words for tool search | none |
/// | `read_only` | it changes nothing outside the agent | no |
/// | `destructive` | it may destroy what cannot be brought back | no |
/// | `concurrency_safe` | it may run beside other calls that say the same | no |
/// | `max_result_chars = 100_000` or `unlimited` | how large a result may be before it is stored | 50,000 |
/// | `should_defer` | its schema is sent once it was searched for | no |
/// | `always_load` | it is never deferred | no |
/// | `interrupt = cancel` or `block` | what a new message does to a running call | `block` |
/// | `cancels_siblings` | a failure cancels the other calls of its turn | no |
/// | `needs_person` | only a person can let it run | no |
/// | `default_permission = allow` or `ask` | what happens where neither rules nor mode have an answer | `ask` |
/// | `state = Type` | what it is given at registration | `()` |
/// | `progress = Type` | what it reports while it runs | `()` |
/// | `rename_all = "camelCase"` | serde's rule for the names of the fields | as written |
/// | `crate = "…"` | the path of toolwright | `::toolwright` |
///
/// `read_only`, `destructive` and `concurrency_safe` also take a function of the input: `read_only = |input|
/// input.is_listing()` or `destructive = Bash::removes`. Attributes for serde and schemars keep their meaning on fields
/// and stand below `#[tool]`; unknown fields are refused always.
#[proc_macro_attribute]
pub fn tool(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expand::tool(arguments.into(), item.into()).into()
}

/// Makes a type one that parameters can nest.
#[proc_macro_derive(Params, attributes(tool, serde, schemars))]
pub fn params(item: TokenStream) -> TokenStream {
    expand::params(item.into()).into()
}
