//! Turns what was read into a model, and finds every mistake: each under the tokens at fault, saying what to write
//! instead.

mod attribute;
mod container;
mod field_options;
mod fields;
mod function;
mod literal;
mod nested;
mod nested_container;
mod options;
mod value;
mod wire;

use proc_macro2::TokenStream;
use syn::ext::IdentExt;
use syn::{Data, DataStruct, DeriveInput, Fields, Item};

pub(crate) use self::attribute::strip;
use self::field_options::Owner;
pub(crate) use self::function::function;
pub(crate) use self::nested::nested;
pub(crate) use self::options::{only_functions, options};
use crate::docs;
use crate::expand::private;
use crate::model::{Field, Model, OnWire, Options};
use crate::problem::Problems;

/// The model of an item, if it has one.
pub(crate) fn model(item: &DeriveInput, options: &Options, problems: &mut Problems) -> Option<Model> {
    let container = container::check(item, options, problems);
    let declared = named_fields(item, problems)?;
    let docs = docs::expression(&item.attrs, &private(options.root.as_ref()));
    if docs.is_none() {
        problems.at(&item.ident, "the model reads this: write a doc comment that says what the tool does");
    }
    let rule = container.rename_all.as_ref().map(syn::LitStr::value);
    let is_serialized = attribute::is_serialized(item);
    let owner = Owner::Tool { has_state: options.state.is_some(), is_exact: options.is_exact, is_serialized };
    let fields = fields::check(&item.ident, declared, rule.as_deref(), owner, problems);
    check_examples(&fields, options, problems);
    let name = options::tool_name(&item.ident, options, problems);
    let mut shown = item.clone();
    attribute::strip_moved(&mut shown);
    shown.attrs.extend(docs::paragraph(&name, options));
    Some(Model {
        item: shown,
        conditions: fields::conditions(&item.attrs),
        name,
        docs: docs?,
        fields,
        wire_attributes: container.into_wire_attributes(),
    })
}

/// Examples use the parameters there are. What is flattened is not known here.
fn check_examples(fields: &[Field], options: &Options, problems: &mut Problems) {
    let on_wire: Vec<&OnWire> = fields.iter().filter_map(Field::wire).collect();
    if !on_wire.iter().any(|wire| wire.is_flat) {
        let names: Vec<&str> =
            on_wire.iter().filter_map(|wire| Some(wire.known.as_ref()?.name.as_str())).collect();
        literal::check_names(&options.examples, &names, problems);
    }
}

/// The fields of a struct that can be a tool; none where there is nothing to go on with.
fn named_fields<'a>(item: &'a DeriveInput, problems: &mut Problems) -> Option<&'a Fields> {
    let name = item.ident.unraw();
    match &item.data {
        Data::Struct(DataStruct { fields: Fields::Unnamed(fields), .. }) => {
            let message = "a tool's parameters need names: write a struct with named fields, such as \
                           `struct Name { text: String }`";
            problems.at(&fields.unnamed, message);
            None
        }
        Data::Struct(data) => Some(&data.fields),
        Data::Enum(data) => {
            let message = format!(
                "a tool is a struct whose fields are its parameters: write `struct {name} {{ … }}`, and let a field \
                 have the enum as its type"
            );
            problems.at(data.enum_token, message);
            None
        }
        Data::Union(data) => {
            problems.at(data.union_token, format!("a tool is a struct: write `struct {name} {{ … }}`"));
            None
        }
    }
}

/// The mistake of putting the attribute on something that is no type, or does not parse.
pub(crate) fn not_a_struct(tokens: &TokenStream, error: syn::Error) -> syn::Error {
    let message = "`#[tool]` goes on a struct whose fields are the tool's parameters, with an `impl Tool` for what it \
                   does, or on an `async fn`";
    match syn::parse2::<Item>(tokens.clone()) {
        Ok(Item::Impl(item)) => syn::Error::new_spanned(item.self_ty, message),
        Ok(item) => syn::Error::new_spanned(item, message),
        Err(_not_an_item) => error,
    }
}

#[cfg(test)]
pub(crate) fn keys_of_tools() -> &'static [&'static str] {
    options::KEYS
}

#[cfg(test)]
pub(crate) fn keys_of_fields() -> &'static [&'static str] {
    field_options::KEYS
}

#[cfg(test)]
pub(crate) fn keys_of_nested() -> &'static [&'static str] {
    nested::KEYS
}
