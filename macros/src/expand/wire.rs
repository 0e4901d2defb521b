//! Writes a tool's input as it is on the wire. It stays apart from the user's struct, so that an instance exists only
//! after parsing, and so that the user's crate needs neither serde nor schemars.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;
use syn::{Attribute, Ident, LitStr, Type};

use super::own::{self, Asked};
use super::{known, private_text};
use crate::model::{Field, Model, OnWire};

pub(super) fn code(model: &Model, name: &Ident, private: &TokenStream) -> TokenStream {
    let tool = &model.item.ident;
    let on_wire: Vec<(&Field, &OnWire)> =
        model.fields.iter().filter_map(|field| Some((field, field.wire()?))).collect();
    let has_flat = on_wire.iter().any(|(_, wire)| wire.is_flat);
    let is_open = has_flat || on_wire.iter().any(|(_, wire)| wire.is_read_by_function);
    let marks = is_open.then(|| {
        let parts = on_wire.iter().map(|(field, wire)| (field.conditions.as_slice(), &field.ty, *wire));
        let order = known::order(parts, private);
        quote_spanned! {Span::mixed_site()=>
            #[schemars(transform = #private::StructMarks::new(<#tool as #private::ToolForm>::FIELDS)
                .ordered(|names| { #order })
                .unsure())]
        }
    });
    let derives = derives(private, !has_flat, on_wire.iter().any(|(_, wire)| wire.has_default));
    let attributes = &model.wire_attributes;
    let fields = on_wire.iter().map(|(Field { ident, ty, conditions, .. }, wire)| {
        let (attributes, ident) = (field_attributes(wire, ty, private), quiet(ident));
        let asked = Asked::new(ty, wire, &model.item.generics, private);
        let ty = asked.map_or_else(|| ty.to_token_stream(), |asked| asked.on_wire());
        quote_spanned!(Span::mixed_site()=> #(#conditions)* #(#attributes)* #ident: #ty)
    });
    let asked = on_wire.iter().filter_map(|(field, wire)| {
        let asked = Asked::new(&field.ty, wire, &model.item.generics, private)?;
        Some(asked.under(&field.conditions))
    });
    let questions = own::questions(asked, private);
    quote_spanned! {Span::mixed_site()=>
        #questions

        #derives
        #marks
        #(#attributes)*
        #[doc(hidden)]
        pub struct #name {
            #(#fields,)*
        }
    }
}

/// The derives of a type on the wire, and what they need.
pub(super) fn derives(private: &TokenStream, is_closed: bool, has_default: bool) -> TokenStream {
    let path = |krate: &str| LitStr::new(&private_text(private, krate), Span::mixed_site());
    let (serde, schemars) = (path("serde"), path("schemars"));
    // For a default, schemars writes `Some` and trusts that nothing else has the name.
    let some = has_default.then(|| quote_spanned!(Span::mixed_site()=> use #private::Some;));
    let closed = is_closed.then(|| quote_spanned!(Span::mixed_site()=> , deny_unknown_fields));
    quote_spanned! {Span::mixed_site()=>
        #some

        #[derive(#private::serde::Deserialize, #private::schemars::JsonSchema)]
        #[serde(crate = #serde #closed)]
        #[schemars(crate = #schemars)]
    }
}

/// The attributes of a field on the wire. What is flattened is read by the type's own plain parser.
pub(super) fn field_attributes(wire: &OnWire, ty: &Type, private: &TokenStream) -> Vec<Attribute> {
    let flat = wire.is_flat.then(|| {
        let here = ty.span().resolved_at(Span::mixed_site());
        let flattened = LitStr::new(&private_text(private, "flattened"), here);
        syn::parse_quote_spanned!(Span::mixed_site()=> #[serde(deserialize_with = #flattened)])
    });
    wire.attributes.iter().cloned().chain(flat).collect()
}

/// A name that lints take for the macro's own: what they have to say of it they say of the user's type.
pub(super) fn quiet(name: &Ident) -> Ident {
    let mut name = name.clone();
    name.set_span(name.span().resolved_at(Span::mixed_site()));
    name
}
