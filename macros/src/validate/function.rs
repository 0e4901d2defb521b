//! A tool that is written as a function, as the struct it stands for.

use proc_macro2::Span;
use quote::{format_ident, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{
    Attribute, FnArg, GenericArgument, Ident, ItemFn, LitStr, Pat, PatType, PathArguments, ReturnType,
    Signature, Type,
};

use super::value;
use crate::model::{Function, Options, Parameter};
use crate::problem::Problems;
use crate::rename;

/// What is said to lints, which is meant for the body.
const LINTS: &[&str] = &["expect", "allow", "warn", "deny", "forbid"];

/// The struct and the body, and the options with the function's name. None where there is nothing to go on with.
pub(crate) fn function(
    function: ItemFn,
    mut options: Options,
    problems: &mut Problems,
) -> Option<(Function, Options)> {
    let ItemFn { attrs, vis, sig, block, .. } = function;
    signature(&sig, problems);
    let written = sig.ident.unraw().to_string();
    if options.name.is_none() {
        options.name = Some(name(&sig.ident, &written, problems));
    }
    let mut fields = Vec::new();
    let mut parameters = Vec::new();
    let mut context: Option<PatType> = None;
    let mut is_method = false;
    for input in &sig.inputs {
        match input {
            FnArg::Receiver(receiver) => {
                let message = "a function has no `self`: write parameters, or a struct with an `impl Tool`";
                problems.at(receiver, message);
                is_method = true;
            }
            FnArg::Typed(typed) if is_context(&typed.ty) => {
                if context.is_some() {
                    problems.at(typed, "there is one context: remove this");
                }
                let plain = PatType { attrs: Vec::new(), ..typed.clone() };
                context = context.or(Some(plain));
            }
            FnArg::Typed(typed) if names_context(&typed.ty) => {
                problems.at(
                    &typed.ty,
                    "the context is borrowed: write `&Cx<'_, Name>`, with the name of the struct",
                );
            }
            FnArg::Typed(typed) => {
                let Some(parameter) = parameter(typed, problems) else { continue };
                let (attributes, ident, ty) = (&typed.attrs, &parameter.ident, &typed.ty);
                fields.push(quote_spanned!(Span::mixed_site()=> #(#attributes)* #ident: #ty));
                parameters.push(parameter);
            }
        }
    }
    // Among methods there is no place for what it would become.
    if is_method {
        return None;
    }
    let is_lint = |attribute: &Attribute| LINTS.iter().any(|word| attribute.path().is_ident(word));
    let (lints, attrs): (Vec<Attribute>, Vec<Attribute>) = attrs.into_iter().partition(is_lint);
    let ident = format_ident!("{}", rename::camel(&written), span = sig.ident.span());
    let (generics, clause) = (&sig.generics, &sig.generics.where_clause);
    let item =
        quote_spanned!(Span::mixed_site()=> #(#attrs)* #vis struct #ident #generics #clause { #(#fields,)* });
    let item = syn::parse2(item);
    let item = item.map_err(|error| problems.add(error)).ok()?;
    let output = output(&sig, problems);
    let body = block.stmts;
    let function = Function { item, lints, parameters, context, returned: sig.output, output, body };
    Some((function, options))
}

fn name(ident: &Ident, written: &str, problems: &mut Problems) -> LitStr {
    if !value::is_name(written) {
        let message = "this is no name for a tool: say `#[tool(name = \"…\")]`, with 1 to 64 letters, digits, `_` or `-`";
        problems.at(ident, message);
    }
    LitStr::new(written, ident.span())
}

/// What stands around the parameters.
fn signature(sig: &Signature, problems: &mut Problems) {
    if sig.asyncness.is_none() {
        problems.at(sig.fn_token, "a tool may have to wait: write `async fn`");
    }
    if let Some(word) = &sig.constness {
        problems.at(word, "a tool is an `async fn` and nothing else: remove this");
    }
    if let Some(abi) = &sig.abi {
        problems.at(abi, "a tool is an `async fn` and nothing else: remove this");
    }
    if let Some(variadic) = &sig.variadic {
        problems.at(variadic, "a tool has the parameters its schema lists: write a `Vec<T>`");
    }
}

fn parameter(typed: &PatType, problems: &mut Problems) -> Option<Parameter> {
    if let Type::ImplTrait(ty) = &*typed.ty {
        problems.at(ty, "a parameter has one type, which the schema describes: write it, such as `String`");
        return None;
    }
    let message = "a parameter needs a name: write `name: Type`, and take it apart in the body";
    match &*typed.pat {
        Pat::Ident(pattern) if pattern.by_ref.is_none() && pattern.subpat.is_none() => Some(Parameter {
            conditions: super::fields::conditions(&typed.attrs),
            mutability: pattern.mutability,
            ident: pattern.ident.clone(),
            ty: (*typed.ty).clone(),
        }),
        other => {
            problems.at(other, message);
            None
        }
    }
}

/// Whether a parameter is the context: `&Cx<…>`.
fn is_context(ty: &Type) -> bool {
    matches!(ty, Type::Reference(reference) if names_context(&reference.elem))
}

fn names_context(ty: &Type) -> bool {
    let Type::Path(path) = ty else { return false };
    path.path.segments.last().is_some_and(|last| last.ident == "Cx")
}

/// The type of a result that is no error.
fn output(sig: &Signature, problems: &mut Problems) -> Option<Type> {
    let instead = "write `-> Result<Output, ToolError>`, where `Output` is any data that can be serialised";
    let ReturnType::Type(_, returned) = &sig.output else {
        let at =
            syn::Error::new(sig.paren_token.span.close(), format!("a tool gives something back: {instead}"));
        problems.add(at);
        return None;
    };
    if let Type::Path(path) = &**returned
        && let Some(last) = path.path.segments.last()
        && last.ident == "Result"
        && let PathArguments::AngleBracketed(arguments) = &last.arguments
        && let Some(GenericArgument::Type(output)) = arguments.args.first()
    {
        return Some(output.clone());
    }
    problems.add(syn::Error::new(returned.span(), format!("a tool can fail: {instead}")));
    None
}
