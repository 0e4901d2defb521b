//! The `#[tool]` attribute of Toolwright.

use proc_macro::TokenStream;

/// Makes a struct a tool.
#[proc_macro_attribute]
pub fn tool(_arguments: TokenStream, item: TokenStream) -> TokenStream {
    item
}
