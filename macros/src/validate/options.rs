//! The options of `#[tool(…)]`.

use std::collections::BTreeMap;

use syn::ext::IdentExt;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{Expr, ExprLit, ExprUnary, Ident, Lit, LitStr, Token, UnOp};

use crate::model::{DefaultPermission, Flag, Interrupt, Limit, Options};
use crate::nearest::suggestion;
use crate::parse::{RawOption, RawValue};
use crate::problem::Problems;
use crate::rename;

/// The options there are.
const KEYS: &[&str] = &[
    "name",
    "aliases",
    "search_hint",
    "max_result_chars",
    "should_defer",
    "always_load",
    "interrupt",
    "cancels_siblings",
    "needs_person",
    "default_permission",
    "read_only",
    "destructive",
    "concurrency_safe",
    "state",
    "progress",
    "rename_all",
    "crate",
];

/// How many characters a tool's name may have: the smallest limit among providers.
const NAME_CHARS_MAX: usize = 64;

/// What the options say; mistaken ones are left unsaid.
pub(crate) fn options(raw: Vec<RawOption>, problems: &mut Problems) -> Options {
    let mut options = Options::default();
    let mut seen: BTreeMap<String, Ident> = BTreeMap::new();
    for option in raw {
        let key = option.key.to_string();
        if !KEYS.contains(&key.as_str()) {
            problems.at(&option.key, format!("there is no option `{key}`: {}", instead(&key)));
            continue;
        }
        if seen.contains_key(&key) {
            problems.at(&option.key, format!("`{key}` is written twice: keep one"));
            continue;
        }
        seen.insert(key, option.key.clone());
        if let Err(error) = fill(&mut options, &option) {
            problems.add(error);
        }
    }
    contradictions(&options, &seen, problems);
    options
}

/// What to write for an option that does not exist.
fn instead(key: &str) -> String {
    match key {
        "description" | "doc" | "docs" | "prompt" => "the model reads the struct's doc comment".to_owned(),
        _other => suggestion(key, KEYS),
    }
}

/// The tool's name: as given, or the struct's.
pub(crate) fn tool_name(ident: &Ident, options: &Options, problems: &mut Problems) -> String {
    match &options.name {
        Some(name) => name.value(),
        None => {
            let name = ident.unraw().to_string();
            if !is_name(&name) {
                let message = "this is no name for a tool: say `#[tool(name = \"…\")]`, with 1 to 64 letters, digits, \
                               `_` or `-`";
                problems.at(ident, message);
            }
            name
        }
    }
}

fn fill(options: &mut Options, option: &RawOption) -> syn::Result<()> {
    match option.key.to_string().as_str() {
        "name" => options.name = name(option)?,
        "aliases" => options.aliases = aliases(option)?,
        "search_hint" => options.search_hint = text(option)?,
        "max_result_chars" => options.max_result = limit(option)?,
        "should_defer" => options.should_defer = mark(option)?,
        "always_load" => options.always_load = mark(option)?,
        "interrupt" => {
            let words = [("cancel", Interrupt::Cancel), ("block", Interrupt::Block)];
            options.interrupt = choice(option, &words)?;
        }
        "cancels_siblings" => options.cancels_siblings = mark(option)?,
        "needs_person" => options.needs_person = mark(option)?,
        "default_permission" => {
            let words = [("allow", DefaultPermission::Allow), ("ask", DefaultPermission::Ask)];
            options.default_permission = choice(option, &words)?;
        }
        "read_only" => options.read_only = flag(option)?,
        "destructive" => options.destructive = flag(option)?,
        "concurrency_safe" => options.concurrency_safe = flag(option)?,
        "state" => options.state = ty(option)?,
        "progress" => options.progress = ty(option)?,
        "rename_all" => options.rename_all = rule(option)?,
        "crate" => options.root = root(option)?,
        _unknown => {}
    }
    Ok(())
}

fn wrong<T>(option: &RawOption, instead: impl std::fmt::Display) -> syn::Result<T> {
    Err(syn::Error::new_spanned(option, format!("write {instead}")))
}

/// A quoted text; none where the value was reported already.
fn text(option: &RawOption) -> syn::Result<Option<LitStr>> {
    match &option.value {
        RawValue::Expr(Expr::Lit(ExprLit { lit: Lit::Str(text), .. })) if !text.value().trim().is_empty() => {
            Ok(Some(text.clone()))
        }
        RawValue::Broken => Ok(None),
        _other => wrong(option, format_args!("`{} = \"…\"`, a text in quotes", option.key)),
    }
}

fn is_name(name: &str) -> bool {
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

fn name(option: &RawOption) -> syn::Result<Option<LitStr>> {
    if let RawValue::Expr(Expr::Lit(ExprLit { lit: Lit::Str(name), .. })) = &option.value {
        checked_name(name)?;
    }
    text(option)
}

fn aliases(option: &RawOption) -> syn::Result<Vec<LitStr>> {
    let instead = "`aliases(\"A\", \"B\")`, a list of names in quotes";
    let listed: Vec<Expr> = match &option.value {
        RawValue::List(group) => {
            let list = Punctuated::<Expr, Token![,]>::parse_terminated.parse2(group.stream());
            list.map(|list| list.into_iter().collect()).or_else(|_| wrong(option, instead))?
        }
        RawValue::Expr(Expr::Array(array)) => array.elems.iter().cloned().collect(),
        RawValue::Broken => return Ok(Vec::new()),
        _other => return wrong(option, instead),
    };
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

fn limit(option: &RawOption) -> syn::Result<Option<Limit>> {
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
fn mark(option: &RawOption) -> syn::Result<bool> {
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

fn choice<T: Copy>(option: &RawOption, words: &[(&str, T)]) -> syn::Result<Option<T>> {
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

fn flag(option: &RawOption) -> syn::Result<Flag> {
    match &option.value {
        RawValue::Bare => Ok(Flag::Yes),
        RawValue::Broken => Ok(Flag::No),
        RawValue::Expr(Expr::Lit(ExprLit { lit: Lit::Bool(is_set), .. })) => {
            Ok(if is_set.value { Flag::Yes } else { Flag::No })
        }
        RawValue::Expr(function) if !matches!(function, Expr::Lit(_)) => {
            Ok(Flag::Of(Box::new(function.clone())))
        }
        _other => {
            let key = &option.key;
            wrong(
                option,
                format_args!("`{key}`, `{key} = false`, or a function of the input: `{key} = |input| …`"),
            )
        }
    }
}

fn ty(option: &RawOption) -> syn::Result<Option<syn::Type>> {
    match &option.value {
        RawValue::Type(ty) => Ok(Some(ty.clone())),
        RawValue::Broken => Ok(None),
        _other => wrong(option, format_args!("`{} = Type`", option.key)),
    }
}

fn rule(option: &RawOption) -> syn::Result<Option<LitStr>> {
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

fn root(option: &RawOption) -> syn::Result<Option<syn::Path>> {
    let Some(path) = text(option)? else { return Ok(None) };
    let parsed = path.parse_with(syn::Path::parse_mod_style);
    parsed.map(Some).or_else(|_| wrong(option, "`crate = \"…\"`, the path of the crate in quotes"))
}

/// Options that cannot both be true.
fn contradictions(options: &Options, seen: &BTreeMap<String, Ident>, problems: &mut Problems) {
    let is_always = |flag: &Flag| matches!(flag, Flag::Yes);
    let flags = is_always(&options.read_only) && is_always(&options.destructive);
    let loading = options.should_defer && options.always_load;
    let pairs = [
        (flags, "read_only", "destructive", "what changes nothing destroys nothing"),
        (loading, "should_defer", "always_load", "what is always loaded is never deferred"),
    ];
    for (contradict, one, other, why) in pairs {
        let (true, Some(first), Some(second)) = (contradict, seen.get(one), seen.get(other)) else {
            continue;
        };
        problems.at(first, format!("`{one}` contradicts `{other}`: {why}; remove one of them"));
        problems.at(second, format!("`{other}` contradicts `{one}`: {why}; remove one of them"));
    }
}
