//! What a schema expects, in words.

use serde_json::{Map, Value};

use super::walk::Bounds;

/// How many listed values or branches are told.
const LISTED_MAX: usize = 30;
/// How many characters of a listed value are told.
const LISTED_CHARS_MAX: usize = 80;
/// How deep branches are told within branches.
const DEPTH_MAX: usize = 4;

/// What a schema expects. References are looked up in the root.
pub(super) fn expectation(schema: &Value, root: &Value) -> String {
    told(schema, root, 0)
}

/// What a schema expects of a value of this type: the schema may say no type, and still bound it.
pub(super) fn expectation_of(kind: &str, schema: &Value, root: &Value) -> String {
    match schema {
        Value::Object(words) if !words.contains_key("type") => kind_told(kind, words),
        _typed => expectation(schema, root),
    }
}

/// What some branches expect.
pub(super) fn branches(branches: &[Value], root: &Value) -> String {
    branches_at(branches, root, 0)
}

fn branches_at(branches: &[Value], root: &Value, depth: usize) -> String {
    let mut parts: Vec<String> = Vec::new();
    let variants: Vec<&str> = branches.iter().take(LISTED_MAX).filter_map(only_field).collect();
    for branch in branches.iter().take(LISTED_MAX) {
        if variants.len() > 1 && only_field(branch).is_some() {
            continue;
        }
        let part = told(branch, root, depth + 1);
        let is_null = branches.len() > 1 && part == "null";
        if !is_null && !parts.contains(&part) {
            parts.push(part);
        }
    }
    if variants.len() > 1 {
        parts.push(format!("an object with one of {}", names(&variants, usize::MAX)));
    }
    parts.join(" or ")
}

/// The one field that objects of a branch have: the name of a variant.
fn only_field(branch: &Value) -> Option<&str> {
    let known = branch.get("properties")?.as_object()?;
    let required = branch.get("required")?.as_array()?;
    let (name, []) = required.split_first()? else { return None };
    (known.len() == 1).then(|| name.as_str())?
}

fn told(schema: &Value, root: &Value, depth: usize) -> String {
    let Value::Object(words) = schema else {
        return if *schema == Value::Bool(false) { "nothing".to_owned() } else { "a value".to_owned() };
    };
    if let Some(listed) = words.get("enum").and_then(Value::as_array) {
        return one_of(listed.iter());
    }
    if let Some(fixed) = words.get("const") {
        return shown(fixed);
    }
    let kinds: Vec<&str> = match words.get("type") {
        Some(Value::String(kind)) => vec![kind],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        _other => Vec::new(),
    };
    if !kinds.is_empty() {
        // That an optional value may be `null` too is not said: it may be left out.
        let is_option = kinds.len() > 1;
        let kinds = kinds.into_iter().filter(|kind| !(is_option && *kind == "null"));
        return kinds.map(|kind| kind_told(kind, words)).collect::<Vec<_>>().join(" or ");
    }
    if depth < DEPTH_MAX {
        if let Some(list) = words.get("anyOf").or_else(|| words.get("oneOf")).and_then(Value::as_array) {
            return branches_at(list, root, depth);
        }
        let reference = words.get("$ref").and_then(Value::as_str).and_then(|target| target.strip_prefix('#'));
        if let Some(target) = reference.and_then(|target| root.pointer(target)) {
            return told(target, root, depth + 1);
        }
        if let Some(first) = words.get("allOf").and_then(|list| list.get(0)) {
            return told(first, root, depth + 1);
        }
    }
    "a value".to_owned()
}

fn kind_told(kind: &str, words: &Map<String, Value>) -> String {
    let between = |min: &str, max: &str, one: &str| {
        let at = |word: &str| {
            words.get(word).and_then(Value::as_u64).map(|count| usize::try_from(count).unwrap_or(usize::MAX))
        };
        match (at(min), at(max)) {
            (Some(min), Some(max)) if min == max => format!(" of {}", counted(min, one)),
            (Some(min), Some(max)) => format!(" of {min} to {}", counted(max, one)),
            (Some(min), None) => format!(" of at least {}", counted(min, one)),
            (None, Some(max)) => format!(" of at most {}", counted(max, one)),
            (None, None) => String::new(),
        }
    };
    match kind {
        "string" => {
            let length = between("minLength", "maxLength", "character");
            let pattern = words.get("pattern").and_then(Value::as_str);
            let pattern = pattern.map(|pattern| format!(" that matches `{pattern}`")).unwrap_or_default();
            format!("a string{length}{pattern}")
        }
        "array" => format!("an array{}", between("minItems", "maxItems", "item")),
        "object" => format!("an object{}", between("minProperties", "maxProperties", "entry")),
        "integer" => format!("an integer{}", bounds_told(words)),
        "number" => format!("a number{}", bounds_told(words)),
        "null" => "null".to_owned(),
        other => format!("a {other}"),
    }
}

fn bounds_told(words: &Map<String, Value>) -> String {
    let bounds = Bounds::of(words);
    let range = match (&bounds.low, &bounds.high) {
        (Some(low), Some(high)) if !low.is_exclusive && !high.is_exclusive => {
            format!(" from {} to {}", low.at, high.at)
        }
        (low, high) => {
            let low = low.as_ref().map(|low| {
                format!(" {} {}", if low.is_exclusive { "greater than" } else { "of at least" }, low.at)
            });
            let high = high.as_ref().map(|high| {
                format!(" {} {}", if high.is_exclusive { "less than" } else { "of at most" }, high.at)
            });
            low.into_iter().chain(high).collect::<Vec<_>>().join(" and")
        }
    };
    let multiple = bounds.multiple.map(|of| format!(" that is a multiple of {of}")).unwrap_or_default();
    format!("{range}{multiple}")
}

/// A choice among listed values.
pub(super) fn one_of<'a>(listed: impl Iterator<Item = &'a Value>) -> String {
    let listed: Vec<String> = listed.map(shown).collect();
    match listed.as_slice() {
        [only] => only.clone(),
        all if all.len() > LISTED_MAX => {
            format!("one of {} and {} more", all[..LISTED_MAX].join(", "), all.len() - LISTED_MAX)
        }
        all => format!("one of {}", all.join(", ")),
    }
}

/// The texts that a schema lists.
pub(super) fn listed(schema: &Value) -> impl Iterator<Item = &str> {
    schema.as_object().into_iter().flat_map(listed_in)
}

/// The texts that the words of a schema list.
pub(super) fn listed_in(words: &Map<String, Value>) -> impl Iterator<Item = &str> {
    let listed = words.get("enum").and_then(Value::as_array).into_iter().flatten();
    words.get("const").into_iter().chain(listed).filter_map(Value::as_str)
}

/// Names in backticks, not too many.
pub(super) fn names(names: &[&str], max: usize) -> String {
    let shown: Vec<String> = names.iter().take(max).map(|name| format!("`{name}`")).collect();
    let more = names.len().saturating_sub(max);
    if more > 0 { format!("{} and {more} more", shown.join(", ")) } else { shown.join(", ") }
}

/// The name that was meant, most likely. Where a character only looks like one of it, that is told: no reader sees it.
pub(super) fn did_you_mean(given: &str, near: &str) -> String {
    let odd = given.chars().find(|char| !char.is_ascii() && !near.contains(*char));
    match odd {
        Some(odd) if near.is_ascii() => {
            format!("did you mean `{near}`? The name that came has U+{:04X} in it", u32::from(odd))
        }
        _plain => format!("did you mean `{near}`?"),
    }
}

/// A count with its noun.
pub(super) fn counted(count: usize, one: &str) -> String {
    match (count, one) {
        (1, one) => format!("1 {one}"),
        (count, "entry") => format!("{count} entries"),
        (count, one) => format!("{count} {one}s"),
    }
}

fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(LISTED_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
