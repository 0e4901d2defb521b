//! Attributes that `#[tool]` takes from the struct and its fields: which they are, and where they stand.

use proc_macro2::{Group, Span};
use syn::meta::ParseNestedMeta;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Data, DeriveInput, Expr, Fields, LitStr, Meta, MetaList, Path, Token};

use crate::problem::Problems;

/// The attributes that only the wire can carry.
const MOVED: &[&str] = &["serde", "schemars"];

/// The derives that `#[tool]` does itself, on the wire.
const DERIVED: &[&str] = &["Deserialize", "JsonSchema"];

/// What a mistaken struct cannot derive besides.
const DERIVED_OR_NESTED: &[&str] = &["Deserialize", "JsonSchema", "Params"];

/// Whether it is an attribute for serde or schemars.
pub(super) fn is_moved(attribute: &Attribute) -> bool {
    MOVED.iter().any(|word| attribute.path().is_ident(word))
}

/// Whether it is `#[tool]`.
pub(super) fn is_tool(attribute: &Attribute) -> bool {
    is_tool_path(attribute.path())
}

fn is_tool_path(path: &Path) -> bool {
    let segments: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    matches!(
        segments.iter().map(String::as_str).collect::<Vec<_>>().as_slice(),
        ["tool"] | ["toolwright", "tool"]
    )
}

/// Whether it stands above `#[tool]`, where the compiler looks for it before `#[tool]` can take it away.
pub(super) fn is_above(attribute: &Attribute) -> bool {
    if !proc_macro::is_available() {
        return false;
    }
    let (other, own) = (attribute.span().unwrap(), Span::call_site().unwrap());
    other.file() == own.file() && (other.line(), other.column()) < (own.line(), own.column())
}

/// Whether the struct derives `Serialize`, which reads serde's attributes where they are.
pub(super) fn is_serialized(item: &DeriveInput) -> bool {
    item.attrs.iter().flat_map(derives).any(|path| ends_with(&path, &["Serialize"]))
}

/// Finds derives that `#[tool]` does itself, and attributes under a condition that it cannot move.
pub(super) fn refuse(attribute: &Attribute, problems: &mut Problems) {
    for path in derives(attribute).iter().filter(|path| ends_with(path, DERIVED)) {
        problems.at(path, "`#[tool]` derives this itself; remove it");
    }
    for inner in conditional(attribute).iter().filter(|inner| is_moved_path(inner.path())) {
        problems.at(
            inner,
            "what the model sends cannot depend on a `cfg_attr`: write two fields, each with a `cfg`",
        );
    }
    for inner in conditional(attribute).iter().filter(|inner| is_tool_path(inner.path())) {
        problems.at(inner, "`#[tool(…)]` cannot stand in a `cfg_attr`: write it on its own");
    }
}

/// Reads the words of `#[serde(…)]` or `#[schemars(…)]`. A word whose value `each` leaves unread is passed over.
pub(super) fn words(
    attribute: &Attribute,
    problems: &mut Problems,
    mut each: impl FnMut(&ParseNestedMeta<'_>) -> syn::Result<()>,
) {
    let mut mistakes = Vec::new();
    let read = attribute.parse_nested_meta(|meta| {
        mistakes.extend(each(&meta).err());
        if meta.input.peek(Token![=]) {
            meta.value()?.parse::<Expr>()?;
        } else if meta.input.peek(syn::token::Paren) {
            meta.input.parse::<Group>()?;
        }
        Ok(())
    });
    mistakes.into_iter().chain(read.err()).for_each(|mistake| problems.add(mistake));
}

/// The value of `word = "…"` or `word(deserialize = "…")`.
pub(super) fn wire_text(meta: &ParseNestedMeta<'_>) -> syn::Result<Option<LitStr>> {
    if meta.input.peek(Token![=]) {
        return meta.value()?.parse().map(Some);
    }
    let mut found = None;
    meta.parse_nested_meta(|inner| {
        let text: LitStr = inner.value()?.parse()?;
        if inner.path.is_ident("deserialize") {
            found = Some(text);
        }
        Ok(())
    })?;
    Ok(found)
}

/// The text that a word of serde's is set to.
pub(super) fn text(meta: &ParseNestedMeta<'_>) -> syn::Result<String> {
    let text: LitStr = meta.value()?.parse()?;
    Ok(text.value())
}

/// Removes from the user's struct what moved to the wire.
pub(super) fn strip_moved(item: &mut DeriveInput) {
    let is_serialized = is_serialized(item);
    each_list(item, &mut |attributes| {
        attributes.retain(|attribute| {
            let is_serdes = is_serialized && attribute.path().is_ident("serde");
            !is_tool(attribute) && (is_serdes || !is_moved(attribute))
        });
    });
}

/// Removes from a type, and all in it, what would only lead to more errors after one was found.
pub(crate) fn strip(item: &mut DeriveInput) {
    each_list(item, &mut |attributes| {
        let leads_to_more = |attribute: &Attribute| {
            let is_taken = |inner: &Meta| is_moved_path(inner.path()) || is_tool_path(inner.path());
            is_moved(attribute) || is_tool(attribute) || conditional(attribute).iter().any(is_taken)
        };
        attributes.retain(|attribute| !leads_to_more(attribute));
        attributes.iter_mut().for_each(strip_derives);
    });
}

fn strip_derives(attribute: &mut Attribute) {
    let paths = derives(attribute);
    if paths.iter().any(|path| ends_with(path, DERIVED_OR_NESTED)) {
        let kept = paths.iter().filter(|path| !ends_with(path, DERIVED_OR_NESTED));
        *attribute = syn::parse_quote!(#[derive(#(#kept),*)]);
    }
}

/// Calls `each` with the attributes of a type, of its variants and of its fields.
fn each_list(item: &mut DeriveInput, each: &mut dyn FnMut(&mut Vec<Attribute>)) {
    each(&mut item.attrs);
    let mut in_fields = |fields: &mut Fields| fields.iter_mut().for_each(|field| each(&mut field.attrs));
    match &mut item.data {
        Data::Struct(data) => in_fields(&mut data.fields),
        Data::Enum(data) => {
            data.variants.iter_mut().for_each(|variant| in_fields(&mut variant.fields));
            data.variants.iter_mut().for_each(|variant| each(&mut variant.attrs));
        }
        Data::Union(data) => data.fields.named.iter_mut().for_each(|field| each(&mut field.attrs)),
    }
}

/// What a `#[derive(…)]` lists, also one under a condition.
pub(super) fn derives(attribute: &Attribute) -> Vec<Path> {
    let listed = |list: &MetaList| list.parse_args_with(Punctuated::<Path, Token![,]>::parse_terminated);
    let of = |meta: &Meta| match meta {
        Meta::List(list) if list.path.is_ident("derive") => listed(list).unwrap_or_default(),
        _other => Punctuated::new(),
    };
    let inner = conditional(attribute);
    inner.iter().chain([&attribute.meta]).flat_map(of).collect()
}

/// The attributes in a `#[cfg_attr(…)]`.
fn conditional(attribute: &Attribute) -> Vec<Meta> {
    match &attribute.meta {
        Meta::List(list) if list.path.is_ident("cfg_attr") => {
            let parsed = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
            parsed.unwrap_or_default().into_iter().skip(1).collect()
        }
        _other => Vec::new(),
    }
}

fn is_moved_path(path: &Path) -> bool {
    MOVED.iter().any(|word| path.is_ident(word))
}

pub(super) fn ends_with(path: &Path, words: &[&str]) -> bool {
    path.segments.last().is_some_and(|last| words.iter().any(|word| last.ident == word))
}
