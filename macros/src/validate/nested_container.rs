//! The attributes on a nested type and its variants: what moves to the wire, and what would part the parser from the
//! schema.

use syn::meta::ParseNestedMeta;
use syn::{Attribute, Data, DeriveInput, Fields, LitStr, Token};

use super::attribute;
use super::value::checked_rule;
use crate::model::Tagging;
use crate::problem::Problems;

/// What the attributes say of a nested type.
pub(super) struct Container {
    pub(super) rename_all: Option<LitStr>,
    pub(super) rename_all_fields: Option<LitStr>,
    pub(super) tagging: Tagging,
    pub(super) has_default: bool,
    pub(super) attributes: Vec<Attribute>,
}

/// What the attributes say of a variant.
#[derive(Default)]
pub(super) struct VariantSaid {
    pub(super) renamed: Option<String>,
    pub(super) aliases: Vec<String>,
    pub(super) rename_all: Option<LitStr>,
    pub(super) is_skipped: bool,
    pub(super) attributes: Vec<Attribute>,
}

/// Checks the attributes of the type itself.
pub(super) fn check(item: &DeriveInput, problems: &mut Problems) -> Container {
    let mut said = Said::default();
    for attribute in &item.attrs {
        let is_serde = attribute.path().is_ident("serde");
        if is_serde || attribute.path().is_ident("schemars") {
            attribute::words(attribute, problems, |meta| {
                let word = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
                if is_serde { said.serde(&word, meta) } else { schemars(&word, meta) }
            });
        }
    }
    let is_struct = matches!(&item.data, Data::Struct(data) if matches!(data.fields, Fields::Named(_)));
    if said.has_default && !is_struct {
        let message = "only a struct with named fields has a default for all of them: write `#[serde(default)]` on \
                       a field";
        problems.at(&item.ident, message);
    }
    let is_enum = matches!(item.data, Data::Enum(_));
    for (word, is_said) in [("tag", said.tag.is_some()), ("untagged", said.is_untagged)] {
        if is_said && !is_enum {
            let message =
                format!("`{word}` tells variants apart, and here are none: remove it, or write an enum");
            problems.at(&item.ident, message);
        }
    }
    if let (Some(tag), true) = (&said.tag, said.is_untagged) {
        problems.at(tag, "`untagged` contradicts `tag`: remove one of them");
    }
    let Said { rename_all, rename_all_fields, tag, content, is_untagged, has_default } = said;
    let tagging = match (tag, content) {
        _untagged if is_untagged => Tagging::Untagged,
        (Some(tag), Some(content)) => Tagging::Adjacent(tag, content),
        (Some(tag), None) => Tagging::Internal(tag),
        (None, Some(content)) => {
            problems.at(content, "`content` needs a `tag` beside it: write `tag = \"…\"` too");
            Tagging::External
        }
        (None, None) => Tagging::External,
    };
    Container { rename_all, rename_all_fields, tagging, has_default, attributes: carried(&item.attrs) }
}

/// Checks the attributes of a variant.
pub(super) fn check_variant(variant: &syn::Variant, problems: &mut Problems) -> VariantSaid {
    let mut said = VariantSaid { attributes: carried(&variant.attrs), ..VariantSaid::default() };
    for attribute in variant.attrs.iter().filter(|attribute| attribute::is_moved(attribute)) {
        let is_serde = attribute.path().is_ident("serde");
        attribute::words(attribute, problems, |meta| {
            let word = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
            match (is_serde, word.as_str()) {
                (true, "rename") => said.renamed = attribute::wire_text(meta)?.map(|name| name.value()),
                (true, "rename_all") => {
                    said.rename_all = attribute::wire_text(meta)?;
                    said.rename_all.iter().try_for_each(checked_rule)?;
                }
                (true, "skip" | "skip_deserializing") => said.is_skipped = true,
                (true, "alias") => said.aliases.push(attribute::text(meta)?),
                (true, "skip_serializing") => {}
                (true, "other") => {
                    return Err(meta
                        .error("this would let unknown variants in: list each variant, or use a `String`"));
                }
                (true, "untagged") => {
                    return Err(
                        meta.error("say `#[serde(untagged)]` on the enum: a variant has no schema by itself")
                    );
                }
                (true, _other) => {
                    return Err(meta
                        .error("of a variant only `rename`, `rename_all`, `alias` and `skip` can be said"));
                }
                (false, "rename" | "alias" | "skip" | "skip_deserializing") => {
                    return Err(
                        meta.error(format!("write `#[serde({word})]`: the parser must follow it too"))
                    );
                }
                (false, _other) => {}
            }
            Ok(())
        });
    }
    said
}

/// The attributes that a type or a variant carries on the wire.
fn carried(attributes: &[Attribute]) -> Vec<Attribute> {
    let is_carried =
        |attribute: &&Attribute| attribute.path().is_ident("doc") || attribute::is_moved(attribute);
    attributes.iter().filter(is_carried).cloned().collect()
}

#[derive(Default)]
struct Said {
    rename_all: Option<LitStr>,
    rename_all_fields: Option<LitStr>,
    tag: Option<LitStr>,
    content: Option<LitStr>,
    is_untagged: bool,
    has_default: bool,
}

impl Said {
    fn serde(&mut self, word: &str, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
        match word {
            "rename_all" => {
                self.rename_all = attribute::wire_text(meta)?;
                self.rename_all.iter().try_for_each(checked_rule)
            }
            "rename_all_fields" => {
                self.rename_all_fields = attribute::wire_text(meta)?;
                self.rename_all_fields.iter().try_for_each(checked_rule)
            }
            "tag" => attribute::wire_text(meta).map(|tag| self.tag = tag),
            "content" => attribute::wire_text(meta).map(|content| self.content = content),
            "untagged" => {
                self.is_untagged = true;
                Ok(())
            }
            "default" if meta.input.peek(Token![=]) => {
                Err(meta.error("write `#[serde(default)]`, and implement `Default` for the type"))
            }
            "default" => {
                self.has_default = true;
                Ok(())
            }
            "deny_unknown_fields" => Err(meta.error("`Params` refuses unknown fields already; remove it")),
            "crate" => Err(meta.error("write `#[tool(crate = \"…\")]`, the path of toolwright")),
            "transparent" => Err(meta.error("write a newtype `struct Name(T);`, which reads as `T` does")),
            "from" | "try_from" | "into" | "remote" => {
                let message = "the schema would not follow this: implement `Deserialize` and `JsonSchema` by hand instead \
                               of `Params`";
                Err(meta.error(message))
            }
            "rename" => Err(meta.error("the model never sees the type's name; remove it")),
            _other => {
                let message = "of a nested type only `rename_all`, `rename_all_fields`, `tag`, `content`, `untagged` and \
                               `default` can be said; remove it";
                Err(meta.error(message))
            }
        }
    }
}

fn schemars(word: &str, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
    match word {
        "extend" | "example" | "transform" | "description" => Ok(()),
        "crate" => Err(meta.error("write `#[tool(crate = \"…\")]`, the path of toolwright")),
        "rename_all" | "rename_all_fields" | "tag" | "content" | "untagged" | "default" => {
            Err(meta.error(format!("write `#[serde({word})]`: the parser must follow it too")))
        }
        _other => Err(meta
            .error("of a nested type only `extend`, `example`, `transform` and `description` can be said")),
    }
}
