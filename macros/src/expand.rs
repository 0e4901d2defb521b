//! Writes the code of a tool's form: the user's struct, what is on the wire, and the implementation between the two.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote_spanned};
use syn::{Attribute, Expr, Ident, LitStr, Path};

use crate::model::{DefaultPermission, Field, Flag, Interrupt, Limit, Model, Options};
use crate::problem::Problems;
use crate::{fallback, parse, validate};

/// The whole way from tokens to tokens.
pub(crate) fn tool(arguments: TokenStream, tokens: TokenStream) -> TokenStream {
    let mut problems = Problems::default();
    let raw = parse::options(arguments, &mut problems);
    let item = match syn::parse2(tokens.clone()) {
        Ok(item) => item,
        Err(error) => {
            problems.add(validate::not_a_struct(&tokens, error));
            return fallback::tokens(problems, tokens);
        }
    };
    let options = validate::options(raw, &mut problems);
    match validate::model(&item, &options, &mut problems) {
        Some(model) if problems.is_empty() => code(&model, &options),
        _mistaken => fallback::item(problems, item, &options),
    }
}

/// The path of what generated code may name.
pub(crate) fn private(root: Option<&Path>) -> TokenStream {
    match root {
        Some(root) => quote_spanned!(Span::mixed_site()=> #root::__private),
        None => quote_spanned!(Span::mixed_site()=> ::toolwright::__private),
    }
}

fn code(model: &Model, options: &Options) -> TokenStream {
    let private = private(options.root.as_ref());
    let Model { item, conditions, .. } = model;
    let name = format_ident!("__{}Wire", item.ident, span = Span::mixed_site());
    let wire = wire(model, &name, &private);
    // Who uses a deprecated tool or field is told; that it exists is no use.
    let is_deprecated =
        |attributes: &[Attribute]| attributes.iter().any(|attr| attr.path().is_ident("deprecated"));
    let quiet = (is_deprecated(&item.attrs)
        || model.fields.iter().any(|field| is_deprecated(&field.wire_attributes)))
    .then(|| quote_spanned!(Span::mixed_site()=> #[allow(deprecated)]));
    let form = implementation(model, options, &name, &private);
    quote_spanned! {Span::mixed_site()=>
        #item

        #(#conditions)*
        #quiet
        const _: () = {
            #wire
            #form
        };
    }
}

/// The input as it is on the wire. It stays apart from the user's struct, so that an instance exists only after
/// parsing, and so that the user's crate needs neither serde nor schemars.
fn wire(model: &Model, name: &Ident, private: &TokenStream) -> TokenStream {
    let path = |krate: &str| LitStr::new(&format!("{private}::{krate}"), Span::mixed_site());
    let (serde, schemars) = (path("serde"), path("schemars"));
    let attributes = &model.wire_attributes;
    let fields = model.fields.iter().map(|field| {
        let Field { ident, ty, wire_attributes, conditions, .. } = field;
        quote_spanned!(Span::mixed_site()=> #(#conditions)* #(#wire_attributes)* #ident: #ty)
    });
    // For a default, schemars writes `Some` and trusts that nothing else has the name.
    let is_needed = model.fields.iter().any(|field| field.has_default);
    let some = is_needed.then(|| quote_spanned!(Span::mixed_site()=> use #private::Some;));
    quote_spanned! {Span::mixed_site()=>
        #some

        #[derive(#private::serde::Deserialize, #private::schemars::JsonSchema)]
        #[serde(crate = #serde, deny_unknown_fields)]
        #[schemars(crate = #schemars)]
        #(#attributes)*
        #[doc(hidden)]
        pub struct #name {
            #(#fields,)*
        }
    }
}

fn implementation(model: &Model, options: &Options, wire: &Ident, private: &TokenStream) -> TokenStream {
    let ident = &model.item.ident;
    let unit = quote_spanned!(Span::mixed_site()=> ());
    let state = options.state.as_ref().map_or(unit.clone(), ToTokens::to_token_stream);
    let progress = options.progress.as_ref().map_or(unit, ToTokens::to_token_stream);
    let known = model.fields.iter().filter_map(|field| {
        let (name, conditions) = (field.wire_name.as_ref()?, &field.conditions);
        Some(quote_spanned!(Span::mixed_site()=> #(#conditions)* #private::Field::new(#name)))
    });
    let moves = model.fields.iter().map(|Field { ident, conditions, .. }| {
        quote_spanned!(Span::mixed_site()=> #(#conditions)* #ident: wire.#ident)
    });
    let argument = if model.fields.is_empty() { "_wire" } else { "wire" };
    let argument = Ident::new(argument, Span::mixed_site());
    let form = form(model, options, private);
    let flags = flags(options, private);
    // What clippy prefers to `|input| input.is_listing()` would repeat the struct's name.
    let is_closure = [&options.read_only, &options.destructive, &options.concurrency_safe]
        .iter()
        .any(|flag| matches!(flag, Flag::Of(function) if matches!(**function, Expr::Closure(_))));
    let quiet = is_closure
        .then(|| quote_spanned!(Span::mixed_site()=> #[allow(clippy::redundant_closure_for_method_calls)]));
    quote_spanned! {Span::mixed_site()=>
        #[automatically_derived]
        impl #private::ToolForm for #ident {
            type State = #state;
            type Progress = #progress;
            type Wire = #wire;
            const FIELDS: &'static [#private::Field] = &[#(#known),*];

            fn form() -> &'static #private::Form {
                static FORM: #private::LazyLock<#private::Form> = #private::LazyLock::new(|| #form);
                &FORM
            }

            #quiet
            fn flags(&self) -> #private::Flags {
                #flags
            }

            fn from_wire(#argument: #wire, _state: &Self::State) -> Self {
                Self { #(#moves),* }
            }
        }
    }
}

/// The form. What the attribute does not say is left to `Form::closed`.
fn form(model: &Model, options: &Options, private: &TokenStream) -> TokenStream {
    let (name, docs) = (&model.name, &model.docs);
    let mut said: Vec<(&str, TokenStream)> = Vec::new();
    let quoted = |text: &LitStr| quote_spanned!(Span::mixed_site()=> #private::Cow::Borrowed(#text));
    if !options.aliases.is_empty() {
        let aliases = options.aliases.iter().map(quoted);
        let list = quote_spanned!(Span::mixed_site()=> #private::Cow::Owned(#private::vec![#(#aliases),*]));
        said.push(("aliases", list));
    }
    if let Some(hint) = options.search_hint.as_ref().map(quoted) {
        said.push(("search_hint", quote_spanned!(Span::mixed_site()=> #private::Some(#hint))));
    }
    if let Some(limit) = &options.max_result {
        let limit = match limit {
            Limit::Chars(chars) => quote_spanned!(Span::mixed_site()=> Chars(#chars)),
            Limit::Unlimited => quote_spanned!(Span::mixed_site()=> Unlimited),
        };
        said.push(("max_result", quote_spanned!(Span::mixed_site()=> #private::ResultLimit::#limit)));
    }
    if let Some(interrupt) = options.interrupt {
        let word = match interrupt {
            Interrupt::Cancel => quote_spanned!(Span::mixed_site()=> Cancel),
            Interrupt::Block => quote_spanned!(Span::mixed_site()=> Block),
        };
        said.push(("interrupt", quote_spanned!(Span::mixed_site()=> #private::InterruptBehavior::#word)));
    }
    if let Some(permission) = options.default_permission {
        let word = match permission {
            DefaultPermission::Ask => quote_spanned!(Span::mixed_site()=> Ask),
            DefaultPermission::Allow => quote_spanned!(Span::mixed_site()=> Allow),
        };
        said.push((
            "default_permission",
            quote_spanned!(Span::mixed_site()=> #private::DefaultPermission::#word),
        ));
    }
    let marks = [
        ("should_defer", options.should_defer),
        ("always_load", options.always_load),
        ("cancels_siblings", options.cancels_siblings),
        ("needs_person", options.needs_person),
    ];
    let set = marks.into_iter().filter(|(_, is_set)| *is_set);
    said.extend(set.map(|(mark, _)| (mark, quote_spanned!(Span::mixed_site()=> true))));
    let said = said.into_iter().map(|(field, value)| {
        let field = Ident::new(field, Span::mixed_site());
        quote_spanned!(Span::mixed_site()=> #field: #value,)
    });
    quote_spanned! {Span::mixed_site()=>
        #private::Form {
            docs: #private::Cow::Borrowed(#docs),
            #(#said)*
            ..#private::Form::closed(#private::Cow::Borrowed(#name))
        }
    }
}

fn flags(options: &Options, private: &TokenStream) -> TokenStream {
    let judge = |flag: &Flag| match flag {
        Flag::No => quote_spanned!(Span::mixed_site()=> false),
        Flag::Yes => quote_spanned!(Span::mixed_site()=> true),
        Flag::Of(function) => quote_spanned!(Span::mixed_site()=> #private::flag(self, #function)),
    };
    let read_only = judge(&options.read_only);
    let destructive = judge(&options.destructive);
    let concurrency_safe = judge(&options.concurrency_safe);
    quote_spanned! {Span::mixed_site()=>
        #private::Flags {
            read_only: #read_only,
            destructive: #destructive,
            concurrency_safe: #concurrency_safe,
        }
    }
}
