//! Reads the value of one option, or says what to write instead.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{Expr, ExprLit, ExprUnary, Ident, Lit, LitStr, Token, UnOp};

use crate::model::{EffectsOption, Flag, Limit};
use crate::nearest::suggestion;
use crate::parse::{RawOption, RawValue};
use crate::problem::Problems;
use crate::rename;

/// How many characters a tool's name may have: the smallest limit among providers.
const NAME_CHARS_MAX: usize = 64;

pub(super) fn wrong<T>(option: &RawOption, instead: impl std::fmt::Display) -> syn::Result<T> {
    Err(syn::Error::new_spanned(option, format!("write {instead}")))
}

/// A quoted text; none where the value was reported already.
pub(super) fn text(option: &RawOption) -> syn::Result<Option<LitStr>> {
    match &option.value {
        RawValue::Expr(Expr::Lit(ExprLit { lit: Lit::Str(text), .. })) if !text.value().trim().is_empty() => {
            Ok(Some(text.clone()))
        }
        RawValue::Broken => Ok(None),
        _other => wrong(option, format_args!("`{} = \"…\"`, a text in quotes", option.key)),
    }
}

/// Whether every provider takes this name.
pub(super) fn is_name(name: &str) -> bool {
    let legal = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    (1..=NAME_CHARS_MAX).contains(&name.len()) && name.chars().all(legal)
}

fn checked_name(name: &LitStr) -> syn::Result<()> {
    if is_name(&name.value()) {
        return Ok(());
    }
    let message = "providers refuse this name: use 1 to 64 letters, digits, `_` or `-`";
    Err(syn::Error::new_spanned(name, message))
}

/// A name for a tool.
pub(super) fn name(option: &RawOption) -> syn::Result<Option<LitStr>> {
    if let RawValue::Expr(Expr::Lit(ExprLit { lit: Lit::Str(name), .. })) = &option.value {
        checked_name(name)?;
    }
    text(option)
}

/// A list of expressions, in parentheses or brackets; none where the value was reported already.
pub(super) fn listed(option: &RawOption, instead: &str) -> syn::Result<Option<Vec<Expr>>> {
    match &option.value {
        RawValue::List(group) => {
            let list = Punctuated::<Expr, Token![,]>::parse_terminated.parse2(group.stream());
            list.map(|list| Some(list.into_iter().collect())).or_else(|_| wrong(option, instead))
        }
        RawValue::Expr(Expr::Array(array)) => Ok(Some(array.elems.iter().cloned().collect())),
        RawValue::Broken => Ok(None),
        _other => wrong(option, instead),
    }
}

/// A list of names; every one that is refused is told.
pub(super) fn aliases(option: &RawOption) -> syn::Result<Vec<LitStr>> {
    let instead = "`aliases(\"A\", \"B\")`, a list of names in quotes";
    let Some(listed) = listed(option, instead)? else { return Ok(Vec::new()) };
    let mut aliases: Vec<LitStr> = Vec::new();
    let mut problems = Problems::default();
    for alias in listed {
        match alias {
            Expr::Lit(ExprLit { lit: Lit::Str(alias), .. }) if aliases.contains(&alias) => {
                problems.at(alias, "this alias is written twice: keep one");
            }
            Expr::Lit(ExprLit { lit: Lit::Str(alias), .. }) => match checked_name(&alias) {
                Ok(()) => aliases.push(alias),
                Err(error) => problems.add(error),
            },
            other => problems.at(other, format!("write {instead}")),
        }
    }
    problems.into_result().map(|()| aliases)
}

/// How large a result may be.
pub(super) fn limit(option: &RawOption) -> syn::Result<Option<Limit>> {
    let instead = "`max_result_chars = 100_000`, or `max_result_chars = unlimited`";
    match &option.value {
        RawValue::Expr(Expr::Path(path)) if path.path.is_ident("unlimited") => Ok(Some(Limit::Unlimited)),
        RawValue::Expr(Expr::Path(path)) if !is_constant(path) => wrong(option, instead),
        RawValue::Expr(Expr::Lit(literal)) if !matches!(literal.lit, Lit::Int(_)) => wrong(option, instead),
        RawValue::Expr(Expr::Unary(ExprUnary { op: UnOp::Neg(_), .. })) => wrong(option, instead),
        RawValue::Expr(chars) => Ok(Some(Limit::Chars(chars.clone()))),
        RawValue::Broken => Ok(None),
        _other => wrong(option, instead),
    }
}

/// Whether a path could name a constant, by the looks of it.
fn is_constant(path: &syn::ExprPath) -> bool {
    let last = path.path.segments.last().map(|segment| segment.ident.unraw().to_string());
    last.is_some_and(|last| !last.contains(char::is_lowercase))
}

/// What is true of the tool whatever its input.
pub(super) fn mark(option: &RawOption) -> syn::Result<bool> {
    match &option.value {
        RawValue::Bare => Ok(true),
        RawValue::Expr(Expr::Lit(ExprLit { lit: Lit::Bool(is_set), .. })) => Ok(is_set.value),
        RawValue::Broken => Ok(false),
        _other => {
            let key = &option.key;
            wrong(option, format_args!("`{key}` or `{key} = false`: it does not depend on the input"))
        }
    }
}

/// One of a few words.
pub(super) fn choice<T: Copy>(option: &RawOption, words: &[(&str, T)]) -> syn::Result<Option<T>> {
    let chosen = match &option.value {
        RawValue::Expr(Expr::Path(path)) => words.iter().find(|(word, _)| path.path.is_ident(word)),
        RawValue::Broken => return Ok(None),
        _other => None,
    };
    if let Some((_, chosen)) = chosen {
        return Ok(Some(*chosen));
    }
    let all: Vec<String> = words.iter().map(|(word, _)| format!("`{} = {word}`", option.key)).collect();
    wrong(option, all.join(" or "))
}

/// What a function takes, of each option that can have one.
const ARGUMENTS: &[(&str, &[&str])] = &[
    ("read_only", &["input"]),
    ("destructive", &["input"]),
    ("concurrency_safe", &["input"]),
    ("effects", &["input", "cx"]),
    ("inject", &["state"]),
];

/// Refuses a closure of more or fewer arguments than its option has for it, under what stands between its bars.
pub(super) fn check_arguments(option: &RawOption) -> syn::Result<()> {
    let RawValue::Expr(Expr::Closure(closure)) = &option.value else { return Ok(()) };
    let key = option.key.to_string();
    let known = ARGUMENTS.iter().find(|(named, _)| *named == key);
    let Some((_, wanted)) = known.filter(|(_, wanted)| wanted.len() != closure.inputs.len()) else {
        return Ok(());
    };
    let (count, names) = (wanted.len(), wanted.join(", "));
    let arguments = if count == 1 { "argument" } else { "arguments" };
    let message = format!("this function takes {count} {arguments}: write `{key} = |{names}| …`");
    let (open, inputs, close) = (&closure.inputs_begin, &closure.inputs, &closure.inputs_end);
    Err(syn::Error::new_spanned(quote!(#open #inputs #close), message))
}

/// What is true of one call.
pub(super) fn flag(option: &RawOption) -> syn::Result<Flag> {
    let key = &option.key;
    let instead = format!("`{key}`, `{key} = false`, or a function of the input: `{key} = |input| …`");
    match &option.value {
        RawValue::Bare => Ok(Flag::Yes),
        RawValue::Broken => Ok(Flag::No),
        RawValue::Expr(Expr::Lit(ExprLit { lit: Lit::Bool(is_set), .. })) => {
            Ok(if is_set.value { Flag::Yes } else { Flag::No })
        }
        RawValue::Expr(Expr::Lit(_)) | RawValue::List(_) | RawValue::Type(_) => wrong(option, instead),
        RawValue::Expr(function) => match mention_of_self(function.to_token_stream()) {
            Some(word) => {
                Err(syn::Error::new_spanned(word, format!("there is no `self` here: write {instead}")))
            }
            None => check_arguments(option).map(|()| Flag::Of(Box::new(function.clone()))),
        },
    }
}

/// A `self` in an expression, unless a path begins with it.
fn mention_of_self(tokens: TokenStream) -> Option<Ident> {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let begins_path = matches!(tokens.peek(), Some(TokenTree::Punct(next)) if next.as_char() == ':');
        let found = match token {
            TokenTree::Ident(word) if word == "self" && !begins_path => Some(word),
            TokenTree::Group(group) => mention_of_self(group.stream()),
            _other => None,
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

/// What a function says of its effects: `none`, or another function.
pub(super) fn effects(option: &RawOption) -> syn::Result<Option<EffectsOption>> {
    match &option.value {
        RawValue::Expr(Expr::Path(path)) if path.path.is_ident("none") => Ok(Some(EffectsOption::None)),
        RawValue::Expr(function @ (Expr::Path(_) | Expr::Closure(_))) => {
            check_arguments(option).map(|()| Some(EffectsOption::Of(Box::new(function.clone()))))
        }
        RawValue::Broken => Ok(None),
        _other => wrong(option, "`effects = none`, or a function: `effects = |input, cx| …`"),
    }
}

/// Whether conversion is off.
pub(super) fn coerce(option: &RawOption) -> syn::Result<Option<bool>> {
    choice(option, &[("off", true), ("on", false)])
}

/// A type.
pub(super) fn ty(option: &RawOption) -> syn::Result<Option<syn::Type>> {
    match &option.value {
        RawValue::Type(ty) => Ok(Some(ty.clone())),
        RawValue::Broken => Ok(None),
        _other => wrong(option, format_args!("`{} = Type`", option.key)),
    }
}

/// A rule for names on the wire.
pub(super) fn rule(option: &RawOption) -> syn::Result<Option<LitStr>> {
    let Some(rule) = text(option)? else { return Ok(None) };
    checked_rule(&rule)?;
    Ok(Some(rule))
}

/// Whether serde knows a rule for names.
pub(super) fn checked_rule(rule: &LitStr) -> syn::Result<()> {
    let word = rule.value();
    if rename::RULES.contains(&word.as_str()) {
        return Ok(());
    }
    let message = format!("there is no rule `{word}`: {}", suggestion(&word, rename::RULES));
    Err(syn::Error::new_spanned(rule, message))
}

/// The path of the crate.
pub(super) fn root(option: &RawOption) -> syn::Result<Option<syn::Path>> {
    let Some(path) = text(option)? else { return Ok(None) };
    let parsed = path.parse_with(syn::Path::parse_mod_style);
    parsed.map(Some).or_else(|_| wrong(option, "`crate = \"…\"`, the path of the crate in quotes"))
}
