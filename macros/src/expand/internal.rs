//! Writes how code in the process sets internal fields: those whose types can be read from JSON.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::spanned::Spanned;

use super::placed;
use crate::model::{Field, Model, Source};

/// The names of internal fields and what sets one; nothing where there are none.
pub(super) fn code(model: &Model, private: &TokenStream) -> TokenStream {
    let internal = model.fields.iter().filter_map(|field| match &field.source {
        Source::Internal { name, .. } => Some((name, field)),
        Source::Wire(_) | Source::Inject(_) => None,
    });
    let (names, arms): (Vec<TokenStream>, Vec<TokenStream>) = internal
        .map(|(name, Field { ident, ty, conditions, .. })| {
            let here = ty.span().resolved_at(Span::mixed_site());
            let (root, private) = (private, placed(private, here));
            let read = quote_spanned!(here=> (&&#private::Internal::<#ty>::new()).read(value));
            let conditions = quote_spanned!(Span::mixed_site()=> #(#conditions)*);
            (
                quote_spanned!(Span::mixed_site()=> #conditions #name),
                quote_spanned! {Span::mixed_site()=>
                    #conditions
                    #name => {
                        use #root::{ReadInternal as _, RefuseInternal as _};
                        self.#ident = #read?;
                        #root::Ok(())
                    }
                },
            )
        })
        .unzip();
    if names.is_empty() {
        return TokenStream::new();
    }
    quote_spanned! {Span::mixed_site()=>
        const INTERNAL: &'static [&'static #private::str] = &[#(#names),*];

        fn set_internal(
            &mut self,
            name: &#private::str,
            value: #private::Value,
        ) -> #private::Result<(), #private::String> {
            match name {
                #(#arms)*
                _unknown => #private::Err(#private::no_internal(value)),
            }
        }
    }
}
