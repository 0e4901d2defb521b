//! Writes what is known of a field besides its type, and in which order the fields of a type stand.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;
use syn::{Attribute, Ident, Type};

use super::placed;

use crate::model::{Known, OnWire};

/// A constant that says what is known of a field.
pub(super) fn code(known: &Known, private: &TokenStream) -> TokenStream {
    let Known { name, aliases, when, is_exact, example } = known;
    let plain = quote_spanned!(Span::mixed_site()=> #private::Field::new(#name));
    let some = |value: &dyn ToTokens| quote_spanned!(Span::mixed_site()=> #private::Some(#value));
    let aliases = (!aliases.is_empty()).then(|| {
        (quote_spanned!(Span::mixed_site()=> aliases), quote_spanned!(Span::mixed_site()=> &[#(#aliases),*]))
    });
    let when = when.iter().map(|feature| (quote_spanned!(Span::mixed_site()=> when), some(feature)));
    let coerce = is_exact.then(|| {
        let never = quote_spanned!(Span::mixed_site()=> #private::Coerce::Never);
        (quote_spanned!(Span::mixed_site()=> coerce), never)
    });
    let example = example.iter().map(|json| (quote_spanned!(Span::mixed_site()=> example), some(json)));
    let (words, values): (Vec<_>, Vec<_>) =
        aliases.into_iter().chain(when).chain(coerce).chain(example).unzip();
    if words.is_empty() {
        return plain;
    }
    quote_spanned!(Span::mixed_site()=> #private::Field { #(#words: #values,)* ..#plain })
}

/// A function that tells the names of a type's fields in declared order, where some stand in for others'.
pub(super) fn order<'a>(
    fields: impl Iterator<Item = (&'a [Attribute], &'a Type, &'a OnWire)>,
    private: &TokenStream,
) -> TokenStream {
    let steps = fields.filter_map(|(conditions, ty, wire)| {
        let step = match &wire.known {
            Some(Known { name, .. }) => quote_spanned!(Span::mixed_site()=> names.push(#name);),
            None if wire.is_flat => {
                let here = ty.span().resolved_at(Span::mixed_site());
                let (private, names) = (placed(private, here), Ident::new("names", Span::mixed_site()));
                quote_spanned!(here=> <#ty as #private::Flattened>::names(#names);)
            }
            None => return None,
        };
        Some(quote_spanned!(Span::mixed_site()=> #(#conditions)* #step))
    });
    quote_spanned!(Span::mixed_site()=> #(#steps)*)
}
