//! Writes how a nested type is read, and its schema. serde and schemars derive on a mirror of the type, which serde
//! reads the type itself through; so the user's crate needs neither, and the strictness is ours.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote_spanned};
use syn::{Attribute, Data, DeriveInput, Ident, Type};

use super::generics::Generics;
use super::own::{self, Asked};
use super::{known, mirror};
use crate::model::{Nested, OnWire, Shape, Tagging, Variant};

pub(super) fn code(nested: &Nested, private: &TokenStream, quiet: Option<TokenStream>) -> TokenStream {
    let name = format_ident!("__{}Params", nested.item.ident, span = Span::mixed_site());
    let mirror = mirror::code(nested, &name, private);
    let implementation = implementation(nested, &name, private);
    let asked =
        typed_fields(nested).filter_map(|(ty, wire)| Asked::new(ty, wire, &nested.item.generics, private));
    let questions = own::questions(asked, private);
    quote_spanned! {Span::mixed_site()=>
        #quiet
        const _: () = {
            #questions
            #mirror
            #implementation
        };
    }
}

pub(super) fn all_fields(shape: &Shape) -> Vec<&OnWire> {
    match shape {
        Shape::Object(fields) | Shape::Positional(fields) => fields.iter().collect(),
        Shape::Choice(_, variants) => variants.iter().flat_map(|variant| &variant.fields).collect(),
    }
}

/// The attribute that marks the schema with what this type promises.
pub(super) fn marks(nested: &Nested, private: &TokenStream) -> TokenStream {
    let unsure = all_fields(&nested.shape)
        .iter()
        .any(|wire| wire.is_flat || wire.is_read_by_function)
        .then(|| quote_spanned!(Span::mixed_site()=> .unsure()));
    match &nested.shape {
        Shape::Positional(_) => TokenStream::new(),
        Shape::Object(fields) => {
            let known = list(fields, private);
            let ordered = fields.iter().any(|wire| wire.is_flat).then(|| {
                let order = known::order(parts(nested), private);
                quote_spanned!(Span::mixed_site()=> .ordered(|names| { #order }))
            });
            quote_spanned! {Span::mixed_site()=>
                #[schemars(transform = #private::StructMarks::new(#known) #ordered #unsure)]
            }
        }
        Shape::Choice(tagging, variants) => {
            let tagging = match tagging {
                Tagging::External => quote_spanned!(Span::mixed_site()=> External),
                Tagging::Internal(tag) => quote_spanned!(Span::mixed_site()=> Internal(#tag)),
                Tagging::Adjacent(tag, content) => {
                    quote_spanned!(Span::mixed_site()=> Adjacent(#tag, #content))
                }
                Tagging::Untagged => quote_spanned!(Span::mixed_site()=> Untagged),
            };
            let aliases: Vec<TokenStream> = variants
                .iter()
                .filter_map(|variant| Some((variant.name.as_ref()?, &variant.aliases)))
                .flat_map(|(name, aliases)| aliases.iter().map(move |alias| (alias, name)))
                .map(|(alias, name)| quote_spanned!(Span::mixed_site()=> (#alias, #name)))
                .collect();
            let aliases = (!aliases.is_empty())
                .then(|| quote_spanned!(Span::mixed_site()=> .aliases(const { &[#(#aliases),*] })));
            let variants = variants.iter().filter_map(|Variant { name, fields, is_named, .. }| {
                let name = name.as_ref()?;
                let known = is_named.then(|| list(fields, private));
                Some(match known {
                    Some(known) => quote_spanned!(Span::mixed_site()=> (#name, #private::Some(#known))),
                    None => quote_spanned!(Span::mixed_site()=> (#name, #private::None)),
                })
            });
            quote_spanned! {Span::mixed_site()=>
                #[schemars(transform = #private::EnumMarks::new(
                    #private::Tagging::#tagging,
                    const { &[#(#variants),*] },
                ) #aliases #unsure)]
            }
        }
    }
}

fn list(fields: &[OnWire], private: &TokenStream) -> TokenStream {
    let known = fields.iter().filter_map(|wire| wire.known.as_ref()).map(|known| known::code(known, private));
    quote_spanned!(Span::mixed_site()=> const { &[#(#known),*] })
}

/// All fields with what is known of them.
pub(super) fn typed_fields(nested: &Nested) -> impl Iterator<Item = (&Type, &OnWire)> {
    let types: Vec<&Type> = match &nested.item.data {
        Data::Struct(data) => data.fields.iter().map(|field| &field.ty).collect(),
        Data::Enum(data) => {
            data.variants.iter().flat_map(|variant| &variant.fields).map(|field| &field.ty).collect()
        }
        Data::Union(_) => Vec::new(),
    };
    types.into_iter().zip(all_fields(&nested.shape))
}

/// The same, without conditions: the compiler has taken those away that do not hold.
fn parts(nested: &Nested) -> impl Iterator<Item = (&[Attribute], &Type, &OnWire)> {
    let none: &[Attribute] = &[];
    typed_fields(nested).map(move |(ty, wire)| (none, ty, wire))
}

/// The implementations for the type itself.
fn implementation(nested: &Nested, mirror: &Ident, private: &TokenStream) -> TokenStream {
    let DeriveInput { ident, generics, .. } = &nested.item;
    let (_, arguments, where_clause) = generics.split_for_impl();
    let turbofish = arguments.as_turbofish();
    let predicates = where_clause.map(|clause| &clause.predicates);
    let parameters = Generics::new(nested, private);
    let declared = parameters.declared();
    let (reads, describes) = (parameters.reads(&TokenStream::new()), parameters.describes());
    let adapted = match &nested.shape {
        Shape::Object(_) | Shape::Choice(Tagging::Internal(_) | Tagging::Adjacent(..), _) => {
            quote_spanned!(Span::mixed_site()=> #private::ObjectOnly(deserializer))
        }
        Shape::Choice(Tagging::External, _) => {
            quote_spanned!(Span::mixed_site()=> #private::NamedVariant(deserializer))
        }
        Shape::Positional(_) | Shape::Choice(Tagging::Untagged, _) => {
            quote_spanned!(Span::mixed_site()=> deserializer)
        }
    };
    let name = ident.to_string();
    let name = name.strip_prefix("r#").unwrap_or(&name);
    let flattened = flattened(nested, mirror, &parameters, private);
    let defaults = defaults(nested, mirror, &parameters, private);
    quote_spanned! {Span::mixed_site()=>
        #[automatically_derived]
        impl<'de, #(#declared),*> #private::serde::Deserialize<'de> for #ident #arguments
        where
            #reads
            #predicates
        {
            fn deserialize<D: #private::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> #private::Result<Self, D::Error> {
                #mirror #turbofish::deserialize(#adapted)
            }
        }

        #[automatically_derived]
        impl<#(#declared),*> #private::schemars::JsonSchema for #ident #arguments
        where
            #describes
            #predicates
        {
            fn schema_name() -> #private::Cow<'static, #private::str> {
                #private::Cow::Borrowed(#name)
            }

            fn schema_id() -> #private::Cow<'static, #private::str> {
                #private::Cow::Borrowed(#private::type_name::<Self>())
            }

            fn json_schema(generator: &mut #private::schemars::SchemaGenerator) -> #private::schemars::Schema {
                <#mirror #arguments as #private::schemars::JsonSchema>::json_schema(generator)
            }
        }

        #flattened
        #defaults
    }
}

/// The implementation that lets a struct stand in another without a level of its own.
fn flattened(
    nested: &Nested,
    mirror: &Ident,
    parameters: &Generics<'_>,
    private: &TokenStream,
) -> TokenStream {
    let Shape::Object(_) = nested.shape else { return TokenStream::new() };
    let DeriveInput { ident, generics, .. } = &nested.item;
    let (_, arguments, where_clause) = generics.split_for_impl();
    let turbofish = arguments.as_turbofish();
    let predicates = where_clause.map(|clause| &clause.predicates);
    let declared = parameters.declared();
    let reads = parameters.reads(&quote_spanned!(Span::mixed_site()=> for<'de>));
    let order = known::order(parts(nested), private);
    let argument = if order.is_empty() { "_names" } else { "names" };
    let argument = Ident::new(argument, Span::mixed_site());
    quote_spanned! {Span::mixed_site()=>
        #[automatically_derived]
        impl<#(#declared),*> #private::Flattened for #ident #arguments
        where
            #reads
            #predicates
        {
            fn names(#argument: &mut #private::Vec<&'static #private::str>) {
                #order
            }

            fn flattened<'de, D: #private::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> #private::Result<Self, D::Error> {
                #mirror #turbofish::deserialize(deserializer)
            }
        }
    }
}

/// The default of the mirror, where the whole type has one: schemars writes it down field by field.
fn defaults(
    nested: &Nested,
    mirror: &Ident,
    parameters: &Generics<'_>,
    private: &TokenStream,
) -> Option<TokenStream> {
    let Data::Struct(data) = &nested.item.data else { return None };
    let DeriveInput { ident, generics, .. } = &nested.item;
    let (_, arguments, where_clause) = generics.split_for_impl();
    let predicates = where_clause.map(|clause| &clause.predicates);
    let declared = parameters.declared();
    let fields: Vec<&Ident> = data.fields.iter().filter_map(|field| field.ident.as_ref()).collect();
    nested.has_default.then(|| {
        quote_spanned! {Span::mixed_site()=>
            #[automatically_derived]
            impl<#(#declared),*> #private::Default for #mirror #arguments
            where
                #ident #arguments: #private::Default,
                #predicates
            {
                fn default() -> Self {
                    let #ident { #(#fields),* } = #private::Default::default();
                    Self { #(#fields),* }
                }
            }
        }
    })
}
