//! The fields of a tool: where their values come from, their docs and names, and the attributes that move to the wire.

use std::collections::BTreeMap;

use syn::ext::IdentExt;
use syn::{Attribute, Fields, Ident};

use super::field_options::{self, Owner};
use super::literal::is_optional;
use super::{attribute, literal, wire};
use crate::model::{Field, Source};
use crate::problem::Problems;
use crate::rename;

/// The fields, in declared order.
pub(super) fn check(
    tool: &Ident,
    declared: &Fields,
    rule: Option<&str>,
    owner: Owner,
    problems: &mut Problems,
) -> Vec<Field> {
    let mut fields = Vec::new();
    for field in declared {
        let Some(ident) = &field.ident else { continue };
        field.attrs.iter().for_each(|attribute| attribute::refuse(attribute, problems));
        let options = field_options::read(&field.attrs, &field.ty, owner, problems);
        let unraw = ident.unraw().to_string();
        let named = rename::field(rule.unwrap_or_default(), &unraw);
        let source = options.hidden(named).unwrap_or_else(|| {
            let is_itself = |word: &str| word == "Self" || tool == word;
            let itself = "a tool is no parameter of itself: write a type of its own for what nests";
            wire::owned(&field.ty, &is_itself, itself, problems);
            let on_wire = wire::check(
                &field.attrs,
                Some(&wire::Named { name: &unraw, at: ident, rule }),
                &options,
                problems,
            );
            literal::check_example(&field.ty, &on_wire, problems);
            options.check_when(on_wire.has_default || is_optional(&field.ty), problems);
            Source::Wire(Box::new(on_wire))
        });
        fields.push(Field {
            ident: ident.clone(),
            ty: field.ty.clone(),
            conditions: conditions(&field.attrs),
            source,
        });
    }
    let names = fields.iter().filter(|field| field.conditions.is_empty());
    distinct(names.flat_map(|field| field.names().into_iter().map(|name| (&field.ident, name))), problems);
    fields
}

/// The conditions among attributes.
pub(super) fn conditions(attributes: &[Attribute]) -> Vec<Attribute> {
    attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")).cloned().collect()
}

/// Two fields cannot have the same name on the wire, unless conditions choose between them.
pub(super) fn distinct<'a>(fields: impl Iterator<Item = (&'a Ident, &'a str)>, problems: &mut Problems) {
    let mut seen: BTreeMap<&str, &Ident> = BTreeMap::new();
    for (ident, name) in fields {
        match seen.get(name) {
            Some(other) if *other == ident => {
                problems.at(ident, format!("`{name}` is said twice of it: remove one"));
            }
            Some(other) => {
                problems.at(ident, format!("`{other}` is `{name}` on the wire already: rename one"));
            }
            None => drop(seen.insert(name, ident)),
        }
    }
}

impl Field {
    /// The names by which the model or code in the process knows it.
    fn names(&self) -> Vec<&str> {
        match &self.source {
            Source::Wire(wire) => wire.names().collect(),
            Source::Internal { name, .. } => vec![name],
            Source::Inject(_) => Vec::new(),
        }
    }

    /// The field as it is in the input, if it is there.
    pub(crate) fn wire(&self) -> Option<&crate::model::OnWire> {
        match &self.source {
            Source::Wire(wire) => Some(wire),
            Source::Internal { .. } | Source::Inject(_) => None,
        }
    }
}
