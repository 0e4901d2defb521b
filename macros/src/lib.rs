//! The `#[tool]` attribute and the derive `Params` of Toolwright: from a struct to a tool's form.
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

#[doc = include_str!("reference/tool.md")]
#[proc_macro_attribute]
pub fn tool(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expand::tool(arguments.into(), item.into()).into()
}

#[doc = include_str!("reference/params.md")]
#[proc_macro_derive(Params, attributes(tool, serde, schemars))]
pub fn params(item: TokenStream) -> TokenStream {
    expand::params(item.into()).into()
}
