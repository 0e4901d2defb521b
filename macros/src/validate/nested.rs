//! Types that parameters nest: `#[derive(Params)]`.

use syn::ext::IdentExt;
use syn::{Attribute, Data, DataEnum, DeriveInput, Fields, GenericParam, Ident, LitStr, Meta, Path};

use super::field_options::{self, Owner};
use super::{attribute, fields, literal, nested_container, value, wire};
use crate::model::{Nested, OnWire, Shape, Tagging, Variant};
use crate::nearest::suggestion;
use crate::parse;
use crate::problem::Problems;
use crate::rename;

/// The options there are, for a nested type.
pub(super) const KEYS: &[&str] = &["recursive", "coerce", "crate"];

/// What `#[tool(…)]` says of a nested type.
#[derive(Default)]
struct Options {
    is_recursive: bool,
    is_exact: bool,
    root: Option<Path>,
}

/// What the fields of one struct or variant are checked for.
struct Around<'a> {
    item: &'a DeriveInput,
    options: &'a Options,
    rule: Option<String>,
    may_flatten: bool,
}

/// The model of a nested type, if it has one, and the path of the crate.
pub(crate) fn nested(item: &DeriveInput, problems: &mut Problems) -> (Option<Nested>, Option<Path>) {
    let options = options(&item.attrs, problems);
    let container = nested_container::check(item, problems);
    for parameter in &item.generics.params {
        if let GenericParam::Lifetime(lifetime) = parameter {
            problems.at(lifetime, "a parameter owns its data: write `String` for `&'a str`, and no lifetime");
        }
    }
    let around = |rule: Option<&LitStr>, may_flatten| Around {
        item,
        options: &options,
        rule: rule.map(LitStr::value),
        may_flatten,
    };
    let shape = match &item.data {
        Data::Struct(data) => {
            let fields = check_fields(&data.fields, &around(container.rename_all.as_ref(), true), problems);
            match data.fields {
                Fields::Named(_) => Some(Shape::Object(fields)),
                Fields::Unnamed(_) | Fields::Unit => Some(Shape::Positional(fields)),
            }
        }
        Data::Enum(data) => {
            let around = around(container.rename_all_fields.as_ref(), false);
            let rule = container.rename_all.as_ref().map(LitStr::value);
            let variants = variants(data, rule.as_deref(), &around, &container.tagging, problems);
            if data.variants.is_empty() {
                problems.at(&item.ident, "no value fits an enum without variants: write one");
            }
            Some(Shape::Choice(container.tagging, variants))
        }
        Data::Union(data) => {
            problems.at(data.union_token, "a union has no form on the wire: write a struct or an enum");
            None
        }
    };
    let nested = shape.map(|shape| Nested {
        item: item.clone(),
        attributes: container.attributes,
        shape,
        has_default: container.has_default,
        has_deprecated: is_deprecated(item),
    });
    (nested, options.root)
}

fn options(attributes: &[Attribute], problems: &mut Problems) -> Options {
    let mut options = Options::default();
    let mut seen: Vec<Ident> = Vec::new();
    for attribute in attributes.iter().filter(|attribute| attribute::is_tool(attribute)) {
        let raw = match &attribute.meta {
            Meta::List(list) => parse::options(list.tokens.clone(), problems),
            _bare => {
                let message = "a nested type is no tool: remove one of `#[tool]` and `#[derive(Params)]`";
                problems.at(attribute, message);
                continue;
            }
        };
        for option in raw {
            if seen.contains(&option.key) {
                problems.at(&option.key, format!("`{}` is written twice: keep one", option.key));
            }
            seen.push(option.key.clone());
            let read = match option.key.to_string().as_str() {
                "recursive" => value::mark(&option).map(|is_set| options.is_recursive = is_set),
                "coerce" => value::coerce(&option).map(|off| options.is_exact = off.unwrap_or_default()),
                "crate" => value::root(&option).map(|root| options.root = root),
                "rename_all" => {
                    Err(syn::Error::new_spanned(&option.key, "write `#[serde(rename_all = \"…\")]`"))
                }
                key => {
                    let message =
                        format!("there is no option `{key}` for a nested type: {}", suggestion(key, KEYS));
                    Err(syn::Error::new_spanned(&option.key, message))
                }
            };
            read.unwrap_or_else(|error| problems.add(error));
        }
    }
    options
}

fn check_fields(declared: &Fields, around: &Around<'_>, problems: &mut Problems) -> Vec<OnWire> {
    let mut checked = Vec::new();
    for field in declared {
        let owner = Owner::Params { is_exact: around.options.is_exact };
        let options = field_options::read(&field.attrs, &field.ty, owner, problems);
        let name = field.ident.as_ref().map(|ident| ident.unraw().to_string());
        let named = field.ident.as_ref().zip(name.as_deref()).map(|(ident, name)| wire::Named {
            name,
            at: ident,
            rule: around.rule.as_deref(),
        });
        let on_wire = wire::check(&field.attrs, named.as_ref(), &options, problems);
        literal::check_example(&field.ty, &on_wire, problems);
        if on_wire.is_flat && !around.may_flatten {
            problems.at(&field.ty, "only a struct can flatten a field: put this into a struct of its own");
        }
        if let (None, Some(tokens)) = (&field.ident, options.example.as_ref().map(|_| &field.ty)) {
            problems.at(tokens, "only a field with a name has an example: name it, or remove the example");
        }
        let is_itself =
            |word: &str| !around.options.is_recursive && (word == "Self" || around.item.ident == word);
        let itself = "a type inside itself needs a `$ref` in its schema, which some providers refuse: nest another \
                      type, or say `#[tool(recursive)]` on it";
        wire::owned(&field.ty, &is_itself, itself, problems);
        checked.push(on_wire);
    }
    let names = declared.iter().zip(&checked);
    fields::distinct(
        names.flat_map(|(field, wire)| {
            field.ident.iter().flat_map(|ident| wire.names().map(move |name| (ident, name)))
        }),
        problems,
    );
    checked
}

fn variants(
    data: &DataEnum,
    rule: Option<&str>,
    around: &Around<'_>,
    tagging: &Tagging,
    problems: &mut Problems,
) -> Vec<Variant> {
    let mut checked: Vec<Variant> = Vec::new();
    for variant in &data.variants {
        let said = nested_container::check_variant(variant, problems);
        if variant.attrs.iter().any(attribute::is_tool) {
            problems.at(&variant.ident, "a variant has no options: write a doc comment, or serde's `rename`");
        }
        let is_tuple = matches!(&variant.fields, Fields::Unnamed(fields) if fields.unnamed.len() != 1);
        if is_tuple && matches!(tagging, Tagging::Internal(_)) {
            let message = "a list has no room for a tag: name the fields, or say `#[serde(tag = \"…\", content = \"…\")]`";
            problems.at(&variant.ident, message);
        }
        let own = said.rename_all.as_ref().map(LitStr::value).or_else(|| around.rule.clone());
        let inside = Around { rule: own, item: around.item, options: around.options, may_flatten: false };
        let fields = check_fields(&variant.fields, &inside, problems);
        let unraw = variant.ident.unraw().to_string();
        let name = said.renamed.unwrap_or_else(|| rename::variant(rule.unwrap_or_default(), &unraw));
        let is_told_by_name = !said.is_skipped && !matches!(tagging, Tagging::Untagged);
        let is_taken = |name: &String| {
            checked.iter().any(|other| other.name.as_ref() == Some(name) || other.aliases.contains(name))
        };
        for name in
            std::iter::once(&name).chain(&said.aliases).filter(|name| is_told_by_name && is_taken(name))
        {
            problems
                .at(&variant.ident, format!("another variant is `{name}` on the wire already: rename one"));
        }
        checked.push(Variant {
            name: (!said.is_skipped).then_some(name),
            aliases: said.aliases,
            attributes: said.attributes,
            fields,
            is_named: matches!(variant.fields, Fields::Named(_)),
        });
    }
    checked
}

fn is_deprecated(item: &DeriveInput) -> bool {
    let is_marked =
        |attributes: &[Attribute]| attributes.iter().any(|attr| attr.path().is_ident("deprecated"));
    let in_fields = |fields: &Fields| fields.iter().any(|field| is_marked(&field.attrs));
    is_marked(&item.attrs)
        || match &item.data {
            Data::Struct(data) => in_fields(&data.fields),
            Data::Enum(data) => {
                data.variants.iter().any(|variant| is_marked(&variant.attrs) || in_fields(&variant.fields))
            }
            Data::Union(_) => false,
        }
}
