//! The fields of the struct: their docs, their names on the wire, and the attributes that move there.

use syn::ext::IdentExt;
use syn::{Attribute, Fields, LitStr, Token};

use crate::docs;
use crate::model::Field;
use crate::problem::Problems;
use crate::rename;

/// The fields, in declared order.
pub(super) fn check(declared: &Fields, rule: Option<&str>, problems: &mut Problems) -> Vec<Field> {
    let mut fields = Vec::new();
    for field in declared {
        let Some(ident) = &field.ident else { continue };
        let mut wire = WireName::default();
        for attribute in field.attrs.iter().filter(|attribute| attribute.path().is_ident("serde")) {
            if let Err(error) = wire.read(attribute) {
                problems.add(error);
            }
        }
        let named = |path: &syn::Path, words: &[&str]| words.iter().any(|word| path.is_ident(word));
        let carried = |words: &'static [&'static str]| -> Vec<Attribute> {
            field.attrs.iter().filter(|attribute| named(attribute.path(), words)).cloned().collect()
        };
        if !wire.is_skipped && docs::expression(&field.attrs, &proc_macro2::TokenStream::new()).is_none() {
            problems
                .at(ident, "the model reads this: write a doc comment that says what the parameter means");
        }
        fields.push(Field {
            ident: ident.clone(),
            ty: field.ty.clone(),
            wire_name: (!wire.is_skipped).then(|| {
                let unraw = ident.unraw().to_string();
                wire.renamed.unwrap_or_else(|| rename::field(rule.unwrap_or_default(), &unraw))
            }),
            wire_attributes: carried(&["doc", "serde", "schemars"]),
            conditions: carried(&["cfg"]),
        });
    }
    fields
}

/// What serde's attributes say of a field's name.
#[derive(Default)]
struct WireName {
    renamed: Option<String>,
    is_skipped: bool,
}

impl WireName {
    fn read(&mut self, attribute: &Attribute) -> syn::Result<()> {
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("rename") && meta.input.peek(Token![=]) {
                self.renamed = Some(meta.value()?.parse::<LitStr>()?.value());
            } else if meta.path.is_ident("rename") {
                meta.parse_nested_meta(|inner| {
                    let name: LitStr = inner.value()?.parse()?;
                    if inner.path.is_ident("deserialize") {
                        self.renamed = Some(name.value());
                    }
                    Ok(())
                })?;
            } else if meta.path.is_ident("skip") || meta.path.is_ident("skip_deserializing") {
                self.is_skipped = true;
            } else if meta.input.peek(Token![=]) {
                meta.value()?.parse::<syn::Expr>()?;
            } else if meta.input.peek(syn::token::Paren) {
                meta.input.parse::<proc_macro2::Group>()?;
            }
            Ok(())
        })
    }
}
