//! The options of `#[tool(…)]`.

use std::collections::BTreeMap;

use syn::Ident;
use syn::ext::IdentExt;

use super::{literal, value};
use crate::model::{DefaultPermission, Interrupt, Options};
use crate::nearest::suggestion;
use crate::parse::RawOption;
use crate::problem::Problems;

/// The options there are.
pub(super) const KEYS: &[&str] = &[
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
    "timeout",
    "examples",
    "coerce",
    "effects",
    "crate",
];

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
        if let Err(error) = fill(&mut options, &option, problems) {
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
        "recursive" => "it is for nested types: put `#[tool(…)]` below `#[derive(Params)]`".to_owned(),
        "call" | "validate" | "validate_input" | "check_permissions" | "is_enabled" | "render_result" => {
            "it is behaviour, so write it as a method in `impl Tool`".to_owned()
        }
        "output" | "output_schema" => "write `fn output_schema()` in `impl Tool`".to_owned(),
        "strict" | "deny_unknown_fields" => "unknown fields are refused always".to_owned(),
        "hidden" => "a parameter is hidden by `#[tool(internal)]` on the field".to_owned(),
        _other => suggestion(key, KEYS),
    }
}

/// The tool's name: as given, or the struct's.
pub(crate) fn tool_name(ident: &Ident, options: &Options, problems: &mut Problems) -> String {
    match &options.name {
        Some(name) => name.value(),
        None => {
            let name = ident.unraw().to_string();
            if !value::is_name(&name) {
                let message = "this is no name for a tool: say `#[tool(name = \"…\")]`, with 1 to 64 letters, digits, \
                               `_` or `-`";
                problems.at(ident, message);
            }
            name
        }
    }
}

/// Finds options that only a function can have: a struct has methods.
pub(crate) fn only_functions(options: &Options, problems: &mut Problems) {
    if let Some((key, _)) = &options.effects {
        problems
            .at(key, "a struct tells its effects by a method: write `fn effects(&self, …)` in `impl Tool`");
    }
}

fn fill(options: &mut Options, option: &RawOption, problems: &mut Problems) -> syn::Result<()> {
    match option.key.to_string().as_str() {
        "name" => options.name = value::name(option)?,
        "aliases" => options.aliases = value::aliases(option)?,
        "search_hint" => options.search_hint = value::text(option)?,
        "max_result_chars" => options.max_result = value::limit(option)?,
        "should_defer" => options.should_defer = value::mark(option)?,
        "always_load" => options.always_load = value::mark(option)?,
        "interrupt" => {
            let words = [("cancel", Interrupt::Cancel), ("block", Interrupt::Block)];
            options.interrupt = value::choice(option, &words)?;
        }
        "cancels_siblings" => options.cancels_siblings = value::mark(option)?,
        "needs_person" => options.needs_person = value::mark(option)?,
        "default_permission" => {
            let words = [("allow", DefaultPermission::Allow), ("ask", DefaultPermission::Ask)];
            options.default_permission = value::choice(option, &words)?;
        }
        "read_only" => options.read_only = value::flag(option)?,
        "destructive" => options.destructive = value::flag(option)?,
        "concurrency_safe" => options.concurrency_safe = value::flag(option)?,
        "state" => options.state = value::ty(option)?,
        "progress" => options.progress = value::ty(option)?,
        "rename_all" => options.rename_all = value::rule(option)?,
        "timeout" => options.timeout_ms = literal::time(option)?,
        "examples" => options.examples = literal::inputs(option, problems)?,
        "coerce" => options.is_exact = value::coerce(option)?.unwrap_or_default(),
        "effects" => options.effects = value::effects(option)?.map(|effects| (option.key.clone(), effects)),
        "crate" => options.root = value::root(option)?,
        _unknown => {}
    }
    Ok(())
}

/// Options that cannot both be true.
fn contradictions(options: &Options, seen: &BTreeMap<String, Ident>, problems: &mut Problems) {
    let flags = options.read_only.is_always() && options.destructive.is_always();
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
