//! What is left after a mistake: the mistakes, the user's struct, and a form that keeps the rest of the crate quiet.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::DeriveInput;

use crate::expand::private;
use crate::model::Options;
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
