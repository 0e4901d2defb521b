//! Asks first whether the user's own types can be parameters, so that one that cannot is told once, in our words, under
//! the place where it is written, and not by every line that serde and schemars write about it.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;
use syn::{Attribute, GenericArgument, Generics, Ident, PathArguments, Type};

use super::placed;
use crate::model::OnWire;

/// What holds other types, and can be a parameter where those can.
const AROUND: &[&str] = &["Option", "Vec", "Box", "Rc", "Arc", "VecDeque"];
/// The ends of names of what does so too, whatever its order.
const AROUND_ENDS: &[&str] = &["Map", "Set"];

/// What can be a parameter.
const KNOWN: &[&str] = &[
    "String", "PathBuf", "Value", "Map", "Duration", "bool", "char", "u8", "u16", "u32", "u64", "u128",
    "usize", "i8", "i16", "i32", "i64", "i128", "isize", "f32", "f64",
];

/// A field on the wire whose type holds some that may be the user's own.
pub(super) struct Asked<'a> {
    ty: &'a Type,
    own: Vec<&'a Type>,
    conditions: &'a [Attribute],
    private: &'a TokenStream,
}

impl<'a> Asked<'a> {
    /// Nothing where every type within it is known, or hangs on the parameters of the type it is in.
    pub(super) fn new(
        ty: &'a Type,
        wire: &OnWire,
        generics: &Generics,
        private: &'a TokenStream,
    ) -> Option<Asked<'a>> {
        let is_read = wire.known.is_some() && !wire.is_read_by_function;
        let mut own = Vec::new();
        if is_read && !wire.attributes.iter().any(|attribute| says_with(&attribute.meta)) {
            within(ty, &mut own);
        }
        own.retain(|ty| is_whole(ty.to_token_stream(), generics));
        (!own.is_empty()).then_some(Asked { ty, own, conditions: &[], private })
    }

    /// The same, under the conditions of the field.
    pub(super) fn under(self, conditions: &'a [Attribute]) -> Asked<'a> {
        Asked { conditions, ..self }
    }

    /// The field's type on the wire: something else stands there for one that cannot be a parameter.
    pub(super) fn on_wire(&self) -> TokenStream {
        let on_wire = self.answer();
        quote_spanned!(Span::mixed_site()=> #on_wire::Type)
    }

    /// The field's value, from what was read.
    pub(super) fn field(&self, read: &TokenStream) -> TokenStream {
        let on_wire = self.answer();
        quote_spanned!(Span::mixed_site()=> #on_wire::field(#read))
    }

    fn answer(&self) -> TokenStream {
        let Asked { ty, own, private, .. } = self;
        quote_spanned!(Span::mixed_site()=> <#private::Is<{ #(<#private::Probe<#own>>::IS)&&* }> as #private::OnWire<#ty>>)
    }
}

/// Asks of the types of fields whether they can be parameters, of each once, under the place where it is written.
pub(super) fn questions<'a>(
    fields: impl Iterator<Item = Asked<'a>>,
    private: &TokenStream,
) -> Option<TokenStream> {
    let mut asked: Vec<&Type> = Vec::new();
    let mut questions = TokenStream::new();
    for Asked { own, conditions, private, .. } in fields {
        for ty in own {
            if asked.contains(&ty) {
                continue;
            }
            // What stands under a condition may not be there to be asked about.
            if conditions.is_empty() {
                asked.push(ty);
            }
            let here = ty.span().resolved_at(Span::mixed_site());
            let private = placed(private, here);
            let ask =
                quote_spanned!(here=> <#ty as #private::Parameter<{ <#private::Probe<#ty>>::IS }>>::ASKED);
            questions.extend(quote_spanned!(Span::mixed_site()=> #(#conditions)* const _: () = #ask;));
        }
    }
    (!questions.is_empty())
        .then(|| quote_spanned!(Span::mixed_site()=> use #private::Unreadable as _; #questions))
}

/// Whether a type can stand for itself anywhere: it names neither what is around it nor a lifetime.
fn is_whole(tokens: TokenStream, generics: &Generics) -> bool {
    let is_parameter = |word: &Ident| {
        generics.type_params().any(|parameter| parameter.ident == *word)
            || generics.const_params().any(|parameter| parameter.ident == *word)
    };
    tokens.into_iter().all(|token| match token {
        TokenTree::Ident(word) => word != "Self" && !is_parameter(&word),
        TokenTree::Punct(mark) => mark.as_char() != '\'',
        TokenTree::Group(group) => is_whole(group.stream(), generics),
        TokenTree::Literal(_) => true,
    })
}

/// Whether the schema of a field is another type's.
fn says_with(meta: &syn::Meta) -> bool {
    let syn::Meta::List(list) = meta else { return false };
    list.path.is_ident("schemars")
        && list
            .tokens
            .clone()
            .into_iter()
            .any(|token| matches!(token, TokenTree::Ident(word) if word == "with"))
}

fn is_around(name: &str) -> bool {
    AROUND.contains(&name) || AROUND_ENDS.iter().any(|end| name.ends_with(end))
}

fn within<'a>(ty: &'a Type, found: &mut Vec<&'a Type>) {
    match ty {
        Type::Paren(inner) => within(&inner.elem, found),
        Type::Array(inner) => within(&inner.elem, found),
        Type::Slice(inner) => within(&inner.elem, found),
        Type::Tuple(all) => all.elems.iter().for_each(|ty| within(ty, found)),
        Type::Path(path) if path.qself.is_none() => {
            let Some(last) = path.path.segments.last() else { return };
            let name = last.ident.to_string();
            match &last.arguments {
                PathArguments::AngleBracketed(inner) if is_around(&name) => {
                    inner.args.iter().for_each(|argument| {
                        if let GenericArgument::Type(ty) = argument {
                            within(ty, found);
                        }
                    });
                }
                _other if KNOWN.contains(&name.as_str()) => {}
                _other => found.push(ty),
            }
        }
        _other => {}
    }
}
