//! Reads tokens into options and an item, with their places kept for messages. Judges nothing but syntax.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::discouraged::Speculative;
use syn::parse::{ParseStream, Parser};
use syn::{Expr, Ident, Token, Type};

use crate::problem::Problems;

/// One option as written: `key`, `key = value` or `key(list)`.
pub(crate) struct RawOption {
    /// The word before the value.
    pub(crate) key: Ident,
    /// What follows it.
    pub(crate) value: RawValue,
}

/// What follows an option's word.
pub(crate) enum RawValue {
    /// Nothing.
    Bare,
    /// `= expression`.
    Expr(Expr),
    /// `= type`, for the options that take one.
    Type(Type),
    /// `(…)`; the group is kept whole.
    List(proc_macro2::Group),
    /// Something that was reported already.
    Broken,
}

impl ToTokens for RawOption {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.key.to_tokens(tokens);
        match &self.value {
            RawValue::Bare | RawValue::Broken => {}
            RawValue::Expr(value) => value.to_tokens(tokens),
            RawValue::Type(value) => value.to_tokens(tokens),
            RawValue::List(group) => group.to_tokens(tokens),
        }
    }
}

/// The options whose value is a type: `Vec<u8>` is not an expression.
const TYPED: &[&str] = &["state", "progress"];

/// Reads the options of `#[tool(…)]`. After a mistake it goes on behind the next comma.
pub(crate) fn options(tokens: TokenStream, problems: &mut Problems) -> Vec<RawOption> {
    let mut options = Vec::new();
    let read = |input: ParseStream<'_>| {
        while !input.is_empty() {
            options.extend(option(input, problems));
            if !input.is_empty() && input.parse::<Token![,]>().is_err() {
                problems.add(input.error("expected `,` before the next option"));
                if !input.peek(Ident::peek_any) {
                    skip_option(input);
                    let _at_the_end = input.parse::<Token![,]>();
                }
            }
        }
        Ok(())
    };
    if let Err(error) = read.parse2(tokens) {
        problems.add(error);
    }
    options
}

fn option(input: ParseStream<'_>, problems: &mut Problems) -> Option<RawOption> {
    let Ok(key) = input.call(Ident::parse_any) else {
        problems.add(input.error("expected an option, such as `read_only` or `name = \"…\"`"));
        skip_option(input);
        return None;
    };
    let value = value(input, &key).unwrap_or_else(|error| {
        problems.add(error);
        skip_option(input);
        RawValue::Broken
    });
    Some(RawOption { key, value })
}

fn value(input: ParseStream<'_>, key: &Ident) -> syn::Result<RawValue> {
    if input.peek(syn::token::Paren) {
        return input.parse().map(RawValue::List);
    }
    if !input.peek(Token![=]) {
        return Ok(RawValue::Bare);
    }
    let equals: Token![=] = input.parse()?;
    if input.is_empty() || input.peek(Token![,]) {
        return Err(syn::Error::new_spanned(
            equals,
            format!("`{key}` has no value: write one after the `=`"),
        ));
    }
    // A value that does not parse is skipped whole, so it is read from a fork.
    let fork = input.fork();
    let value = if TYPED.iter().any(|typed| key == typed) {
        let instead =
            |error: syn::Error| syn::Error::new(error.span(), format!("write a type: `{key} = Type`"));
        RawValue::Type(fork.parse().map_err(instead)?)
    } else {
        RawValue::Expr(fork.parse()?)
    };
    input.advance_to(&fork);
    Ok(value)
}

fn skip_option(input: ParseStream<'_>) {
    while !input.is_empty() && !input.peek(Token![,]) && input.parse::<TokenTree>().is_ok() {}
}
