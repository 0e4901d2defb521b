//! Writes what a nested type's own parameters must be able to, which serde and schemars ask of them.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::{GenericParam, Ident, LitStr, Type};

use super::params::typed_fields;
use crate::model::Nested;

/// The parameters of a nested type.
pub(super) struct Generics<'a> {
    nested: &'a Nested,
    private: &'a TokenStream,
}

impl<'a> Generics<'a> {
    pub(super) fn new(nested: &'a Nested, private: &'a TokenStream) -> Generics<'a> {
        Generics { nested, private }
    }

    /// As an implementation declares them.
    pub(super) fn declared(&self) -> Vec<TokenStream> {
        self.nested.item.generics.params.iter().map(without_default).collect()
    }

    /// What each type must be able to so that the type can be read.
    pub(super) fn reads(&self, lifetime: &TokenStream) -> TokenStream {
        let private = self.private;
        let read = quote_spanned!(Span::mixed_site()=> #private::serde::Deserialize<'de>);
        self.each(&quote_spanned!(Span::mixed_site()=> #lifetime #read))
    }

    /// What each type must be able to so that the type has a schema.
    pub(super) fn describes(&self) -> TokenStream {
        let private = self.private;
        self.each(&quote_spanned!(Span::mixed_site()=> #private::schemars::JsonSchema))
    }

    /// What schemars does not see by itself: that it writes down the defaults of fields.
    pub(super) fn bound(&self) -> Option<TokenStream> {
        let needs_default = self.types().any(|name| self.needs_default(name));
        needs_default.then(|| {
            let bound = LitStr::new(&self.describes().to_string(), Span::mixed_site());
            quote_spanned!(Span::mixed_site()=> #[schemars(bound = #bound)])
        })
    }

    fn each(&self, bound: &TokenStream) -> TokenStream {
        let private = self.private;
        let bounds = self.types().map(|name| {
            let default =
                self.needs_default(name).then(|| quote_spanned!(Span::mixed_site()=> + #private::Default));
            quote_spanned!(Span::mixed_site()=> #name: #bound #default,)
        });
        bounds.collect()
    }

    fn types(&self) -> impl Iterator<Item = &'a Ident> {
        self.nested.item.generics.type_params().map(|parameter| &parameter.ident)
    }

    /// Whether a default of this type is needed where a field is left out.
    fn needs_default(&self, name: &Ident) -> bool {
        let name = name.to_string();
        let is_word = |ty: &Type| {
            let text = ty.to_token_stream().to_string();
            text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name)
        };
        typed_fields(self.nested).any(|(ty, wire)| wire.needs_default && !is_phantom(ty) && is_word(ty))
    }
}

/// Whether a type has a default whatever its parameter is.
fn is_phantom(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "PhantomData"))
}

/// A parameter of the type as an implementation declares it.
fn without_default(parameter: &GenericParam) -> TokenStream {
    let mut parameter = parameter.clone();
    match &mut parameter {
        GenericParam::Type(ty) => {
            ty.attrs.clear();
            ty.default = None;
        }
        GenericParam::Const(constant) => {
            constant.attrs.clear();
            constant.default = None;
        }
        GenericParam::Lifetime(lifetime) => lifetime.attrs.clear(),
    }
    parameter.to_token_stream()
}
