//! Writes a nested type as serde and schemars see it. Names and words are under the macro's own places, so that lints
//! speak of the user's type only.

use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::{Data, Fields, Ident, LitStr};

use super::generics::Generics;
use super::own::Asked;
use super::params::{all_fields, marks};
use super::wire::{self, quiet};
use crate::model::{Nested, OnWire, Shape};

pub(super) fn code(nested: &Nested, name: &Ident, private: &TokenStream) -> TokenStream {
    let on_wire = all_fields(&nested.shape);
    let is_closed = !on_wire.iter().any(|wire| wire.is_flat);
    let has_default = nested.has_default || on_wire.iter().any(|wire| wire.has_default);
    let derives = wire::derives(private, is_closed, has_default);
    let remote = LitStr::new(&nested.item.ident.to_string(), nested.item.ident.span());
    let attributes = &nested.attributes;
    let marks = marks(nested, private);
    let bound = Generics::new(nested, private).bound();
    let shape = shape(nested, name, private);
    quote_spanned! {Span::mixed_site()=>
        #derives
        #[serde(remote = #remote)]
        #marks
        #bound
        #(#attributes)*
        #shape
    }
}

fn shape(nested: &Nested, name: &Ident, private: &TokenStream) -> TokenStream {
    let generics = &nested.item.generics;
    let (_, _, clause) = generics.split_for_impl();
    match (&nested.item.data, &nested.shape) {
        (Data::Enum(data), Shape::Choice(_, variants)) => {
            let variants = data.variants.iter().zip(variants).map(|(variant, checked)| {
                let (ident, attributes) = (quiet(&variant.ident), &checked.attributes);
                let fields = fields(&variant.fields, &checked.fields, nested, private);
                quote_spanned!(Span::mixed_site()=> #(#attributes)* #ident #fields)
            });
            quote_spanned!(Span::mixed_site()=> enum #name #generics #clause { #(#variants,)* })
        }
        (Data::Struct(data), Shape::Object(on_wire) | Shape::Positional(on_wire)) => {
            let inside = fields(&data.fields, on_wire, nested, private);
            match data.fields {
                Fields::Named(_) => {
                    quote_spanned!(Span::mixed_site()=> struct #name #generics #clause #inside)
                }
                Fields::Unnamed(_) | Fields::Unit => {
                    quote_spanned!(Span::mixed_site()=> struct #name #generics #inside #clause;)
                }
            }
        }
        _checked_already => TokenStream::new(),
    }
}

/// Fields with the attributes they have on the wire.
fn fields(declared: &Fields, on_wire: &[OnWire], nested: &Nested, private: &TokenStream) -> TokenStream {
    let (original, generics) = (&nested.item.ident, &nested.item.generics);
    let (_, arguments, _) = generics.split_for_impl();
    let itself = quote_spanned!(Span::mixed_site()=> #original #arguments);
    let fields = declared.iter().zip(on_wire).map(|(field, wire)| {
        let attributes = wire::field_attributes(wire, &field.ty, private);
        let asked = Asked::new(&field.ty, wire, generics, private);
        let ty = asked.map_or_else(|| field.ty.to_token_stream(), |asked| asked.on_wire());
        let ty = named(ty, &itself);
        let name = field.ident.as_ref().map(quiet);
        let name = name.iter();
        quote_spanned!(Span::mixed_site()=> #(#attributes)* #(#name:)* #ty)
    });
    match declared {
        Fields::Named(_) => quote_spanned!(Span::mixed_site()=> { #(#fields,)* }),
        Fields::Unnamed(_) => quote_spanned!(Span::mixed_site()=> (#(#fields,)*)),
        Fields::Unit => TokenStream::new(),
    }
}

/// The tokens of a type, with the type's name for `Self`: the mirror is another.
fn named(tokens: TokenStream, itself: &TokenStream) -> TokenStream {
    let named = |token| match token {
        TokenTree::Ident(word) if word == "Self" => itself.clone(),
        TokenTree::Group(group) => {
            let mut inner = Group::new(group.delimiter(), named(group.stream(), itself));
            inner.set_span(group.span());
            TokenTree::Group(inner).into()
        }
        other => other.into(),
    };
    tokens.into_iter().flat_map(|token| -> TokenStream { named(token) }).collect()
}
