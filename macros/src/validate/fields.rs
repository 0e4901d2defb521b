//! The fields of the struct: their docs, their names on the wire, and the attributes that move there.

use std::collections::BTreeMap;

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::{Attribute, Fields, Ident, Meta};

use super::attribute;
use crate::docs;
use crate::model::Field;
use crate::problem::Problems;
use crate::rename;

/// The fields, in declared order.
pub(super) fn check(declared: &Fields, rule: Option<&str>, problems: &mut Problems) -> Vec<Field> {
    let mut fields = Vec::new();
    for field in declared {
        let Some(ident) = &field.ident else { continue };
        field.attrs.iter().for_each(|attribute| attribute::refuse(attribute, problems));
        options(&field.attrs, problems);
        owned(&field.ty, problems);
        let wire = OnWire::read(&field.attrs, problems);
        if !wire.is_skipped && !wire.is_described && !docs::are_written(&field.attrs) {
            problems
                .at(ident, "the model reads this: write a doc comment that says what the parameter means");
        }
        let unraw = ident.unraw().to_string();
        let name = wire.renamed.unwrap_or_else(|| rename::field(rule.unwrap_or_default(), &unraw));
        fields.push(Field {
            ident: ident.clone(),
            ty: field.ty.clone(),
            has_default: wire.has_default,
            wire_name: (!wire.is_skipped).then_some(name),
            wire_attributes: those(&field.attrs, |attribute| {
                let is_shared = ["doc", "deprecated"].iter().any(|word| attribute.path().is_ident(word));
                is_shared || attribute::is_moved(attribute)
            }),
            conditions: those(&field.attrs, |attribute| attribute.path().is_ident("cfg")),
        });
    }
    distinct(&fields, problems);
    fields
}

fn those(attributes: &[Attribute], is_wanted: impl Fn(&Attribute) -> bool) -> Vec<Attribute> {
    attributes.iter().filter(|attribute| is_wanted(attribute)).cloned().collect()
}

/// A field has no options of its own.
fn options(attributes: &[Attribute], problems: &mut Problems) {
    for attribute in attributes.iter().filter(|attribute| attribute::is_tool(attribute)) {
        match &attribute.meta {
            Meta::List(list) if !list.tokens.is_empty() => {
                let words = list.tokens.to_string();
                problems.at(
                    &list.tokens,
                    format!("there is no option `{words}` for a field: there are none so far"),
                );
            }
            _empty => problems.at(attribute, "a field has no options so far: remove this"),
        }
    }
}

/// A parameter outlives the text it was read from, and is not the tool itself.
fn owned(ty: &syn::Type, problems: &mut Problems) {
    fn walk(tokens: TokenStream, problems: &mut Problems) {
        for token in tokens {
            match token {
                TokenTree::Punct(sign) if sign.as_char() == '&' => {
                    problems.at(
                        sign,
                        "a parameter owns its data: write `String` for `&str`, `Vec<T>` for `&[T]`",
                    );
                }
                TokenTree::Ident(word) if word == "Self" => {
                    problems
                        .at(word, "a tool is no parameter of itself: write a type of its own for what nests");
                }
                TokenTree::Group(group) => walk(group.stream(), problems),
                _other => {}
            }
        }
    }
    walk(ty.to_token_stream(), problems);
}

/// Two fields cannot have the same name on the wire, unless conditions choose between them.
fn distinct(fields: &[Field], problems: &mut Problems) {
    let mut seen: BTreeMap<&str, &Ident> = BTreeMap::new();
    for field in fields.iter().filter(|field| field.conditions.is_empty()) {
        let Some(name) = &field.wire_name else { continue };
        match seen.get(name.as_str()) {
            Some(other) => {
                problems.at(&field.ident, format!("`{other}` is `{name}` on the wire already: rename one"))
            }
            None => drop(seen.insert(name, &field.ident)),
        }
    }
}

/// What the attributes for serde and schemars say of a field.
#[derive(Default)]
struct OnWire {
    renamed: Option<String>,
    is_skipped: bool,
    has_default: bool,
    is_described: bool,
}

impl OnWire {
    fn read(attributes: &[Attribute], problems: &mut Problems) -> OnWire {
        let mut wire = OnWire::default();
        for attribute in attributes.iter().filter(|attribute| attribute::is_moved(attribute)) {
            let is_serde = attribute.path().is_ident("serde");
            attribute::words(attribute, problems, |meta| {
                let word = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
                match (is_serde, word.as_str()) {
                    (true, "rename") => {
                        let name = attribute::wire_text(meta)?.map(|name| name.value());
                        wire.renamed = name.or(wire.renamed.take());
                    }
                    (true, "skip" | "skip_deserializing") => wire.is_skipped = true,
                    (true, "default") => wire.has_default = true,
                    (_, "flatten") => {
                        let message = "a flattened field would let unknown fields in: list its fields here, or keep \
                                       it nested";
                        return Err(meta.error(message));
                    }
                    (false, "description") => wire.is_described = true,
                    (false, "rename" | "alias" | "skip" | "skip_deserializing" | "default") => {
                        return Err(
                            meta.error(format!("write `#[serde({word})]`: the parser must follow it too"))
                        );
                    }
                    _other => {}
                }
                Ok(())
            });
        }
        wire
    }
}
