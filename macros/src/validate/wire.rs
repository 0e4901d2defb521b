//! What attributes say of a field of the input: its name there, its default, and what moves there.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Attribute, Path, Token, Type, parse_quote_spanned};

use super::attribute;
use super::field_options::FieldOptions;
use crate::docs;
use crate::model::{Known, OnWire};
use crate::problem::Problems;
use crate::rename;

/// A field that is read by its name.
pub(super) struct Named<'a> {
    /// Its name in the program.
    pub(super) name: &'a str,
    /// The tokens to blame.
    pub(super) at: &'a dyn ToTokens,
    /// The rule for names that holds here.
    pub(super) rule: Option<&'a str>,
}

/// What the attributes of a field say. Without a name it is read by its place, and needs no docs.
pub(super) fn check(
    attributes: &[Attribute],
    named: Option<&Named<'_>>,
    options: &FieldOptions,
    problems: &mut Problems,
) -> OnWire {
    let said = Said::read(attributes, problems);
    let is_described = said.is_described || options.has_description();
    if said.is_described
        && let Some(description) = &options.description
    {
        problems.at(description, "the description is written twice: keep one");
    }
    if let Some(function) = &said.function {
        if said.is_flat {
            let message = "what is flattened is read by its own type: remove this, or keep the field nested";
            problems.at(function, message);
        } else if !said.has_schema {
            let message = "nothing is known of what this function reads: say its schema too, such as \
                           `#[schemars(with = \"String\")]`";
            problems.at(function, message);
        }
    }
    for (word, is_said) in [("flatten", said.is_flat), ("skip", said.is_skipped)] {
        if is_said {
            options.nameless(word, problems);
        }
    }
    let needs_docs = !said.is_skipped && !said.is_flat && !is_described;
    if let Some(Named { at, .. }) = named.filter(|_| needs_docs && !docs::are_written(attributes)) {
        problems.at(at, "the model reads this: write a doc comment that says what the parameter means");
    }
    let known = named.filter(|_| !said.is_skipped && !said.is_flat).map(|named| Known {
        name: said.renamed.unwrap_or_else(|| rename::field(named.rule.unwrap_or_default(), named.name)),
        aliases: said.aliases.clone(),
        when: options.when.clone(),
        is_exact: options.is_exact,
        example: options.example.clone(),
    });
    OnWire {
        known,
        attributes: carried(attributes, options),
        has_default: said.has_default,
        needs_default: (said.has_default || said.is_skipped) && !said.has_default_function,
        is_flat: said.is_flat,
        is_read_by_function: said.function.is_some(),
    }
}

/// The attributes that a field carries on the wire.
fn carried(attributes: &[Attribute], options: &FieldOptions) -> Vec<Attribute> {
    let is_carried = |attribute: &&Attribute| {
        let is_docs = attribute.path().is_ident("doc") && options.description.is_none();
        is_docs || attribute.path().is_ident("deprecated") || attribute::is_moved(attribute)
    };
    let description = options.description.iter();
    let description =
        description.map(|text| parse_quote_spanned!(Span::mixed_site()=> #[schemars(description = #text)]));
    attributes.iter().filter(is_carried).cloned().chain(description).collect()
}

/// Finds what a parameter cannot be made of: borrowed data, and the type it belongs to.
pub(super) fn owned(ty: &Type, is_itself: &dyn Fn(&str) -> bool, itself: &str, problems: &mut Problems) {
    fn walk(tokens: TokenStream, each: &mut dyn FnMut(TokenTree)) {
        for token in tokens {
            match token {
                TokenTree::Group(group) => walk(group.stream(), each),
                other => each(other),
            }
        }
    }
    walk(ty.to_token_stream(), &mut |token| match token {
        TokenTree::Punct(sign) if sign.as_char() == '&' => {
            problems.at(sign, "a parameter owns its data: write `String` for `&str`, `Vec<T>` for `&[T]`");
        }
        TokenTree::Ident(word) if is_itself(&word.to_string()) => problems.at(word, itself),
        _other => {}
    });
}

/// What the attributes for serde and schemars say of a field.
#[derive(Default)]
struct Said {
    renamed: Option<String>,
    aliases: Vec<String>,
    is_skipped: bool,
    has_default: bool,
    has_default_function: bool,
    is_described: bool,
    is_flat: bool,
    function: Option<Path>,
    has_schema: bool,
}

impl Said {
    fn read(attributes: &[Attribute], problems: &mut Problems) -> Said {
        let mut said = Said::default();
        for attribute in attributes.iter().filter(|attribute| attribute::is_moved(attribute)) {
            let is_serde = attribute.path().is_ident("serde");
            attribute::words(attribute, problems, |meta| {
                let word = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
                match (is_serde, word.as_str()) {
                    (true, "rename") => {
                        let name = attribute::wire_text(meta)?.map(|name| name.value());
                        said.renamed = name.or(said.renamed.take());
                    }
                    (true, "alias") => said.aliases.push(attribute::text(meta)?),
                    (true, "skip" | "skip_deserializing") => said.is_skipped = true,
                    (true, "default") => {
                        said.has_default = true;
                        said.has_default_function = meta.input.peek(Token![=]);
                    }
                    (true, "flatten") => said.is_flat = true,
                    (true, "with" | "deserialize_with") => said.function = Some(meta.path.clone()),
                    (true, "borrow") => return Err(meta.error("a parameter owns its data: remove this")),
                    (true, "bound" | "getter") => return Err(meta.error("this has no use here: remove it")),
                    (false, "with" | "schema_with") => said.has_schema = true,
                    (false, "description") => said.is_described = true,
                    (false, "rename" | "alias" | "skip" | "skip_deserializing" | "default" | "flatten") => {
                        let message = format!("write `#[serde({word})]`: the parser must follow it too");
                        return Err(meta.error(message));
                    }
                    _other => {}
                }
                Ok(())
            });
        }
        said
    }
}
