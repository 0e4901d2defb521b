//! The attributes on the struct: what moves to the wire, what stays, and what cannot be there.

use proc_macro2::Span;
use syn::{Attribute, DeriveInput, LitStr};

use super::attribute;
use super::value::checked_rule;
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
    generics(item, problems);
    let mut container = Container { rename_all: options.rename_all.clone(), wire_attributes: Vec::new() };
    for path in item.attrs.iter().flat_map(attribute::derives) {
        if attribute::ends_with(&path, &["Params"]) {
            let message =
                "a tool is no nested type: remove this, or put `#[tool(…)]` below `#[derive(Params)]`";
            problems.at(path, message);
        }
    }
    for attribute in &item.attrs {
        attribute::refuse(attribute, problems);
        if attribute::is_tool(attribute) {
            problems.at(attribute, "`#[tool]` is written twice: put all options into one");
        }
        if !attribute::is_moved(attribute) {
            continue;
        }
        if attribute::is_above(attribute) {
            problems.at(attribute, "put it below `#[tool]`, which takes it over");
        } else if attribute.path().is_ident("serde") {
            container.serde(attribute, problems);
        } else {
            container.schemars(attribute, problems);
        }
    }
    container
}

fn generics(item: &DeriveInput, problems: &mut Problems) {
    if !item.generics.params.is_empty() {
        let message = "a tool has one schema, so it cannot be generic: write types that own their data, such as \
                       `String` for `&'a str`";
        problems.at(&item.generics, message);
    }
    if let Some(clause) = &item.generics.where_clause {
        problems.at(clause, "a tool cannot be generic: remove the `where`");
    }
}

impl Container {
    fn serde(&mut self, attribute: &Attribute, problems: &mut Problems) {
        attribute::words(attribute, problems, |meta| {
            if meta.path.is_ident("rename_all") {
                let Some(rule) = attribute::wire_text(meta)? else { return Ok(()) };
                checked_rule(&rule)?;
                if self.rename_all.is_some() {
                    return Err(meta.error("`rename_all` is written twice: keep one"));
                }
                self.rename_all = Some(rule);
                return Ok(());
            }
            let word = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
            Err(meta.error(match word.as_str() {
                "deny_unknown_fields" => "`#[tool]` refuses unknown fields already; remove it",
                "crate" => "write `#[tool(crate = \"…\")]`, the path of toolwright",
                "default" => "write `#[serde(default)]` on each field that may be left out",
                _other => "of a whole input only `rename_all` can be said; remove it",
            }))
        });
    }

    fn schemars(&mut self, attribute: &Attribute, problems: &mut Problems) {
        let mut is_carried = true;
        attribute::words(attribute, problems, |meta| {
            let word = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
            is_carried = false;
            match word.as_str() {
                "rename_all" => {
                    Err(meta.error("write `#[tool(rename_all = \"…\")]`: the parser must follow it too"))
                }
                "crate" => Err(meta.error("write `#[tool(crate = \"…\")]`, the path of toolwright")),
                "description" => Err(meta.error("the description is the struct's doc comment; remove it")),
                "extend" | "example" | "transform" => {
                    is_carried = true;
                    Ok(())
                }
                _other => {
                    Err(meta.error("of a whole input only `extend`, `example` and `transform` can be said"))
                }
            }
        });
        if is_carried {
            self.wire_attributes.push(attribute.clone());
        }
    }

    /// The rule for names, as the wire says it.
    pub(super) fn into_wire_attributes(mut self) -> Vec<Attribute> {
        let rule = self.rename_all.iter();
        self.wire_attributes.extend(
            rule.map(|rule| syn::parse_quote_spanned!(Span::mixed_site()=> #[serde(rename_all = #rule)])),
        );
        self.wire_attributes
    }
}
