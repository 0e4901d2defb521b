//! Writes the facts of a tool: its form, its flags, and the way from the wire to the struct.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;
use syn::{Ident, LitStr};

use super::own::Asked;
use super::{internal, known, placed, quiet_about_closures};
use crate::model::{DefaultPermission, Field, Flag, Interrupt, Limit, Model, Options, Source};

pub(super) fn code(model: &Model, options: &Options, wire: &Ident, private: &TokenStream) -> TokenStream {
    let ident = &model.item.ident;
    let unit = quote_spanned!(Span::mixed_site()=> ());
    let state = options.state.as_ref().map_or(unit.clone(), ToTokens::to_token_stream);
    let progress = options.progress.as_ref().map_or(unit, ToTokens::to_token_stream);
    let known = model.fields.iter().filter_map(|field| {
        let known = known::code(field.wire()?.known.as_ref()?, private);
        let conditions = &field.conditions;
        Some(quote_spanned!(Span::mixed_site()=> #(#conditions)* #known))
    });
    let form = form(model, options, private);
    let flags = flags(options, private);
    let conditional = [&options.read_only, &options.destructive, &options.concurrency_safe];
    let quiet = quiet_about_closures(conditional.into_iter().filter_map(|flag| match flag {
        Flag::Of(function) => Some(&**function),
        Flag::No | Flag::Yes => None,
    }));
    let from_wire = from_wire(model, wire, private);
    let internal = internal::code(model, private);
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

            #from_wire

            #internal
        }
    }
}

/// The input, each field from where its value comes from.
fn from_wire(model: &Model, wire: &Ident, private: &TokenStream) -> TokenStream {
    let plain = private.clone();
    let argument = |name: &str, is_used: bool| {
        Ident::new(&format!("{}{name}", if is_used { "" } else { "_" }), Span::mixed_site())
    };
    let takes = |is_source: fn(&Source) -> bool| model.fields.iter().any(|field| is_source(&field.source));
    let input = argument("wire", takes(|source| matches!(source, Source::Wire(_))));
    let state = argument("state", takes(|source| matches!(source, Source::Inject(_))));
    let fields = model.fields.iter().map(|Field { ident, ty, conditions, source }| {
        // A type that cannot give the value is told at the type.
        let here = ty.span().resolved_at(Span::mixed_site());
        let private = placed(private, here);
        let value = match source {
            Source::Wire(wire) => {
                let read = quote_spanned!(Span::mixed_site()=> #input.#ident);
                let asked = Asked::new(ty, wire, &model.item.generics, &plain);
                asked.map_or_else(|| read.clone(), |asked| asked.field(&read))
            }
            Source::Internal { value: Some(value), .. } => value.to_token_stream(),
            Source::Internal { value: None, .. } => quote_spanned!(here=> <#ty as #private::Blank>::blank()),
            Source::Inject(Some(give)) => {
                let here = give.span().resolved_at(Span::mixed_site());
                let private = placed(&private, here);
                quote_spanned!(here=> #private::injected(#state, #give))
            }
            Source::Inject(None) => {
                quote_spanned!(here=> <#ty as #private::FromState<Self::State>>::from_state(#state))
            }
        };
        quote_spanned!(Span::mixed_site()=> #(#conditions)* #ident: #value)
    });
    let quiet = quiet_about_closures(model.fields.iter().filter_map(|field| match &field.source {
        Source::Inject(give) => give.as_ref(),
        Source::Wire(_) | Source::Internal { .. } => None,
    }));
    quote_spanned! {Span::mixed_site()=>
        #quiet
        fn from_wire(#input: #wire, #state: &Self::State) -> Self {
            Self { #(#fields),* }
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
    if let Some(ms) = options.timeout_ms {
        let time = quote_spanned!(Span::mixed_site()=> #private::Duration::from_millis(#ms));
        said.push(("timeout", quote_spanned!(Span::mixed_site()=> #private::Some(#time))));
    }
    if !options.examples.is_empty() {
        let examples = options.examples.iter().map(quoted);
        let list = quote_spanned!(Span::mixed_site()=> #private::Cow::Owned(#private::vec![#(#examples),*]));
        said.push(("examples", list));
    }
    said.extend(choices(options, private));
    said.extend(always(options, private).map(|flags| ("always", flags)));
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

/// What was chosen among a few words.
fn choices(options: &Options, private: &TokenStream) -> Vec<(&'static str, TokenStream)> {
    let mut said = Vec::new();
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
    said
}

/// The flags that no input changes, where there is one.
fn always(options: &Options, private: &TokenStream) -> Option<TokenStream> {
    let read_only = options.read_only.is_always();
    let destructive = options.destructive.is_always();
    let concurrency_safe = options.concurrency_safe.is_always();
    (read_only || destructive || concurrency_safe).then(|| {
        quote_spanned! {Span::mixed_site()=>
            #private::Flags {
                read_only: #read_only,
                destructive: #destructive,
                concurrency_safe: #concurrency_safe,
            }
        }
    })
}

fn flags(options: &Options, private: &TokenStream) -> TokenStream {
    let judge = |flag: &Flag| match flag {
        Flag::No => quote_spanned!(Span::mixed_site()=> false),
        Flag::Yes => quote_spanned!(Span::mixed_site()=> true),
        // A function that does not fit is told at the function.
        Flag::Of(function) => {
            let here = function.span().resolved_at(Span::mixed_site());
            let private = placed(private, here);
            quote_spanned!(here=> #private::flag(self, #function))
        }
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
