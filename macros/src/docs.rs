//! The docs of a struct, as the model reads them and as rustdoc shows them.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::{Attribute, Expr, ExprLit, Lit, Meta};

use crate::model::{DefaultPermission, Flag, Interrupt, Options};

/// The docs as an expression, without the space behind `///`; none when there are none.
pub(crate) fn expression(attributes: &[Attribute], private: &TokenStream) -> Option<TokenStream> {
    let mut parts: Vec<Part> = Vec::new();
    for value in attributes.iter().filter_map(doc) {
        let separator = if parts.is_empty() { "" } else { "\n" };
        match (literal(value), parts.last_mut()) {
            (Some(text), Some(Part::Text(before))) => *before += &format!("\n{}", without_margin(&text)),
            (Some(text), _) => parts.push(Part::Text(format!("{separator}{}", without_margin(&text)))),
            (None, Some(Part::Text(before))) => {
                before.push('\n');
                parts.push(Part::Expr(value));
            }
            (None, Some(Part::Expr(_))) => parts.extend([Part::Text("\n".to_owned()), Part::Expr(value)]),
            (None, None) => parts.push(Part::Expr(value)),
        }
    }
    match parts.as_slice() {
        [Part::Text(text)] => {
            Some(text.trim()).filter(|text| !text.is_empty()).map(ToTokens::to_token_stream)
        }
        [] => None,
        parts => Some(quote_spanned!(Span::mixed_site()=> #private::concat!(#(#parts),*))),
    }
}

/// Whether there are docs.
pub(crate) fn are_written(attributes: &[Attribute]) -> bool {
    expression(attributes, &TokenStream::new()).is_some()
}

enum Part<'a> {
    Text(String),
    Expr(&'a Expr),
}

impl ToTokens for Part<'_> {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Part::Text(text) => text.to_tokens(tokens),
            Part::Expr(value) => value.to_tokens(tokens),
        }
    }
}

/// What `#[doc = …]` says, if the attribute is one.
fn doc(attribute: &Attribute) -> Option<&Expr> {
    match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => Some(&pair.value),
        _other => None,
    }
}

fn literal(value: &Expr) -> Option<String> {
    match value {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
        _other => None,
    }
}

fn without_margin(text: &str) -> String {
    let lines: Vec<&str> =
        text.split('\n').map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end()).collect();
    lines.join("\n")
}

/// The paragraph that rustdoc shows under the struct's docs: what the form says.
pub(crate) fn paragraph(name: &str, options: &Options) -> [Attribute; 2] {
    let mut said: Vec<String> = Vec::new();
    for (word, flag) in [
        ("read-only", &options.read_only),
        ("destructive", &options.destructive),
        ("concurrency-safe", &options.concurrency_safe),
    ] {
        match flag {
            Flag::No => said.push(format!("not {word}")),
            Flag::Yes => said.push(word.to_owned()),
            Flag::Of(_) => said.push(format!("{word} by input")),
        }
    }
    let marks = [
        (options.should_defer, "deferred"),
        (options.always_load, "always loaded"),
        (options.cancels_siblings, "a failure cancels its siblings"),
        (options.needs_person, "needs a person"),
        (options.interrupt == Some(Interrupt::Cancel), "cancelled by a new message"),
        (
            options.default_permission == Some(DefaultPermission::Allow),
            "allowed unless a rule says otherwise",
        ),
    ];
    said.extend(marks.into_iter().filter(|(is_set, _)| *is_set).map(|(_, word)| word.to_owned()));
    let text = format!(" Tool `{name}`: {}.", said.join(", "));
    let attribute = |text: &str| syn::parse_quote_spanned!(Span::mixed_site()=> #[doc = #text]);
    [attribute(""), attribute(&text)]
}

#[cfg(test)]
mod tests {
    use quote::quote;
    use syn::parse_quote;

    use super::*;

    #[test]
    fn the_paragraph_says_what_holds_and_what_does_not() {
        let options = Options {
            read_only: Flag::Yes,
            concurrency_safe: Flag::Of(parse_quote!(|input| input.is_small())),
            needs_person: true,
            interrupt: Some(Interrupt::Cancel),
            ..Options::default()
        };
        let [_blank, attribute] = paragraph("Find", &options);
        let text = doc(&attribute).and_then(literal);
        let expected = " Tool `Find`: read-only, not destructive, concurrency-safe by input, needs a person, cancelled \
                        by a new message.";
        assert_eq!(text.as_deref(), Some(expected));
    }

    #[test]
    fn docs_without_words_are_none() {
        assert!(!are_written(&[
            parse_quote!(#[doc = " "]),
            parse_quote!(#[doc(hidden)]),
            parse_quote!(#[serde(default)])
        ]));
        assert!(are_written(&[parse_quote!(#[doc = include_str!("x.md")])]));
    }

    #[test]
    fn written_and_included_docs_are_joined_by_lines() {
        let attributes = [
            parse_quote!(#[doc = " a"]),
            parse_quote!(#[doc = "  b"]),
            parse_quote!(#[doc = include_str!("x.md")]),
            parse_quote!(#[doc = " c"]),
        ];
        let expected = quote!(p::concat!("a\n b\n", include_str!("x.md"), "\nc")).to_string();
        assert_eq!(expression(&attributes, &quote!(p)).map(|tokens| tokens.to_string()), Some(expected));
    }
}
