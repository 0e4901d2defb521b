//! Writes code: the user's type, what is on the wire, and the implementation between the two.
//!
//! `wire` and `form` are for tools, `own` asks for the types in them, `function` for tools that are written as one, `params` for the types they nest, and
//! `known` says for all of them what is known of a field.

mod form;
mod function;
mod generics;
mod internal;
mod known;
mod mirror;
mod own;
mod params;
mod wire;

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{format_ident, quote_spanned};
use syn::{Attribute, DeriveInput, Expr, Item, ItemFn, Path};

use crate::model::{Model, Options};
use crate::parse::RawOption;
use crate::problem::Problems;
use crate::{fallback, parse, validate};

/// The whole way from tokens to tokens, for `#[tool]`.
pub(crate) fn tool(arguments: TokenStream, tokens: TokenStream) -> TokenStream {
    let mut problems = Problems::default();
    let raw = parse::options(arguments, &mut problems);
    match syn::parse2(tokens.clone()) {
        Ok(item) => structure(raw, item, problems),
        Err(error) => match syn::parse2(tokens.clone()) {
            Ok(Item::Fn(item)) => function(raw, item, problems),
            _other => {
                problems.add(validate::not_a_struct(&tokens, error));
                fallback::tokens(problems, tokens)
            }
        },
    }
}

fn structure(raw: Vec<RawOption>, item: DeriveInput, mut problems: Problems) -> TokenStream {
    let options = validate::options(raw, &mut problems);
    validate::only_functions(&options, &mut problems);
    match validate::model(&item, &options, &mut problems) {
        Some(model) if problems.is_empty() => code(&model, &options),
        _mistaken => fallback::item(problems, item, &options),
    }
}

fn function(raw: Vec<RawOption>, item: ItemFn, mut problems: Problems) -> TokenStream {
    let options = validate::options(raw, &mut problems);
    let Some((function, options)) = validate::function(item, options, &mut problems) else {
        return fallback::tokens(problems, TokenStream::new());
    };
    match validate::model(&function.item, &options, &mut problems) {
        Some(model) if problems.is_empty() => {
            let form = code(&model, &options);
            let behaviour = function::behaviour(&function, &model, &options);
            quote_spanned!(Span::mixed_site()=> #form #behaviour)
        }
        _mistaken => fallback::function(problems, &function, &options),
    }
}

/// The whole way from tokens to tokens, for `#[derive(Params)]`.
pub(crate) fn params(tokens: TokenStream) -> TokenStream {
    let item = match syn::parse2(tokens) {
        Ok(item) => item,
        Err(error) => return error.into_compile_error(),
    };
    let mut problems = Problems::default();
    let (nested, root) = validate::nested(&item, &mut problems);
    match nested {
        Some(nested) if problems.is_empty() => {
            let quiet = quiet_about_deprecation(nested.has_deprecated);
            params::code(&nested, &private(root.as_ref()), quiet)
        }
        _mistaken => fallback::nested(problems, &item, root.as_ref()),
    }
}

/// The path of what generated code may name.
pub(crate) fn private(root: Option<&Path>) -> TokenStream {
    match root {
        Some(root) => quote_spanned!(Span::mixed_site()=> #root::__private),
        None => quote_spanned!(Span::mixed_site()=> ::toolwright::__private),
    }
}

/// The path of something that generated code may name, as a text: how serde's attributes want it.
fn private_text(private: &TokenStream, name: &str) -> String {
    format!("{private}::{name}").replace(' ', "")
}

/// Tokens under the place of others, so that what the compiler says of them is said there.
fn placed(tokens: &TokenStream, span: Span) -> TokenStream {
    let placed = |mut token: TokenTree| {
        token.set_span(span);
        token
    };
    tokens.clone().into_iter().map(placed).collect()
}

fn code(model: &Model, options: &Options) -> TokenStream {
    let private = private(options.root.as_ref());
    let Model { item, conditions, .. } = model;
    let name = format_ident!("__{}Wire", item.ident, span = Span::mixed_site());
    let wire = wire::code(model, &name, &private);
    let in_wire = model.fields.iter().filter_map(|field| field.wire()).flat_map(|wire| &wire.attributes);
    let quiet = quiet_about_deprecation(item.attrs.iter().chain(in_wire).any(is_deprecated));
    let form = form::code(model, options, &name, &private);
    quote_spanned! {Span::mixed_site()=>
        #item

        #(#conditions)*
        #quiet
        const _: () = {
            #wire
            #form
        };
    }
}

fn is_deprecated(attribute: &Attribute) -> bool {
    attribute.path().is_ident("deprecated")
}

/// Who uses a deprecated tool or field is told; that it exists is no use.
fn quiet_about_deprecation(has_deprecated: bool) -> Option<TokenStream> {
    has_deprecated.then(|| quote_spanned!(Span::mixed_site()=> #[allow(deprecated)]))
}

/// What clippy prefers to `|input| input.is_listing()` would repeat the struct's name.
fn quiet_about_closures<'a>(mut functions: impl Iterator<Item = &'a Expr>) -> Option<TokenStream> {
    functions
        .any(|function| matches!(function, Expr::Closure(_)))
        .then(|| quote_spanned!(Span::mixed_site()=> #[allow(clippy::redundant_closure_for_method_calls)]))
}
