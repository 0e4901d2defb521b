//! What is left after a mistake: the mistakes, the user's struct, and a form that keeps the rest of the crate quiet.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::{DeriveInput, Path};

use crate::expand::private;
use crate::model::{Function, Options};
use crate::problem::Problems;
use crate::validate;

/// The mistakes, and an item of which nothing is known.
pub(crate) fn tokens(problems: Problems, item: TokenStream) -> TokenStream {
    let mut tokens = problems.into_compile_errors();
    tokens.extend(item);
    tokens
}

/// The mistakes, the user's type, and a form for it that is never run: so that the only errors shown are the real ones.
pub(crate) fn item(problems: Problems, mut item: DeriveInput, options: &Options) -> TokenStream {
    validate::strip(&mut item);
    let errors = problems.into_compile_errors();
    let form = form(&item, options);
    quote_spanned!(Span::mixed_site()=> #errors #item #form)
}

fn form(item: &DeriveInput, options: &Options) -> TokenStream {
    let private = private(options.root.as_ref());
    let ident = &item.ident;
    let conditions = item.attrs.iter().filter(|attribute| attribute.path().is_ident("cfg"));
    let (generics, arguments, where_clause) = item.generics.split_for_impl();
    let bounds = where_clause.map(|clause| &clause.predicates);
    let unit = quote_spanned!(Span::mixed_site()=> ());
    let state = options.state.as_ref().map_or(unit.clone(), ToTokens::to_token_stream);
    let progress = options.progress.as_ref().map_or(unit, ToTokens::to_token_stream);
    quote_spanned! {Span::mixed_site()=>
        #(#conditions)*
        #[automatically_derived]
        impl #generics #private::ToolForm for #ident #arguments
        where
            Self: #private::Send + #private::Sync + 'static,
            #bounds
        {
            type State = #state;
            type Progress = #progress;
            type Wire = ();
            const FIELDS: &'static [#private::Field] = &[];

            fn form() -> &'static #private::Form {
                #private::unreachable!()
            }

            fn flags(&self) -> #private::Flags {
                #private::unreachable!()
            }

            fn from_wire((): (), _state: &Self::State) -> Self {
                #private::unreachable!()
            }
        }
    }
}

/// The mistakes, the struct that a function stands for, and forms for it that are never run.
pub(crate) fn function(problems: Problems, function: &Function, options: &Options) -> TokenStream {
    let private = private(options.root.as_ref());
    let ident = &function.item.ident;
    let conditions = function.item.attrs.iter().filter(|attribute| attribute.path().is_ident("cfg"));
    let item = item(problems, function.item.clone(), options);
    if !function.item.generics.params.is_empty() || function.item.generics.where_clause.is_some() {
        return item;
    }
    quote_spanned! {Span::mixed_site()=>
        #item

        #(#conditions)*
        impl #private::Tool for #ident {
            type Output = ();

            async fn call(&self, _cx: &#private::Cx<'_, Self>) -> #private::Result<(), #private::ToolError> {
                #private::unreachable!()
            }
        }
    }
}

/// The mistakes, and implementations for a nested type that are never run.
pub(crate) fn nested(problems: Problems, item: &DeriveInput, root: Option<&Path>) -> TokenStream {
    let private = private(root);
    let errors = problems.into_compile_errors();
    let ident = &item.ident;
    let (generics, arguments, where_clause) = item.generics.split_for_impl();
    let mut reading = item.generics.clone();
    reading.params.insert(0, syn::parse_quote_spanned!(Span::mixed_site()=> 'de));
    let (reading, ..) = reading.split_for_impl();
    quote_spanned! {Span::mixed_site()=>
        #errors

        #[automatically_derived]
        impl #reading #private::serde::Deserialize<'de> for #ident #arguments #where_clause {
            fn deserialize<D: #private::serde::Deserializer<'de>>(_: D) -> #private::Result<Self, D::Error> {
                #private::unreachable!()
            }
        }

        #[automatically_derived]
        impl #generics #private::schemars::JsonSchema for #ident #arguments #where_clause {
            fn schema_name() -> #private::Cow<'static, #private::str> {
                #private::unreachable!()
            }

            fn json_schema(_: &mut #private::schemars::SchemaGenerator) -> #private::schemars::Schema {
                #private::unreachable!()
            }
        }

        #[automatically_derived]
        impl #generics #private::Flattened for #ident #arguments #where_clause {
            fn names(_: &mut #private::Vec<&'static #private::str>) {}

            fn flattened<'de, D: #private::serde::Deserializer<'de>>(_: D) -> #private::Result<Self, D::Error> {
                #private::unreachable!()
            }
        }
    }
}
