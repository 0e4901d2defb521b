//! The `#[tool]` attribute of Toolwright: from a struct to a tool's form.
//!
//! The verbs are files: [`parse`] reads tokens and judges nothing, [`validate`] turns them into a [`model`] and finds
//! every mistake, [`expand`] writes the code, [`fallback`] writes what is left after a mistake. This crate knows no
//! tool, and the code it writes names nothing but `toolwright::__private`.

use proc_macro::TokenStream;

mod docs;
mod expand;
mod fallback;
mod model;
mod nearest;
mod parse;
mod problem;
mod rename;
mod validate;

/// Makes a struct a tool.
#[proc_macro_attribute]
pub fn tool(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expand::tool(arguments.into(), item.into()).into()
}
