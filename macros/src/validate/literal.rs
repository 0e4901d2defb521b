//! Values that are checked letter by letter: times and examples.

use syn::{Expr, ExprLit, ExprUnary, Ident, Lit, LitStr, Type, UnOp};

use super::value::{listed, wrong};
use crate::json;
use crate::model::OnWire;
use crate::nearest::suggestion;
use crate::parse::{RawOption, RawValue};
use crate::problem::Problems;

/// The units of time, and how many milliseconds each has.
const UNITS: &[(&str, u64)] = &[("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000)];

/// A length of time, in milliseconds.
pub(super) fn time(option: &RawOption) -> syn::Result<Option<u64>> {
    let instead = format_args!("`{} = \"30s\"`, with `ms`, `s`, `m` or `h`", option.key).to_string();
    let text = match &option.value {
        RawValue::Expr(Expr::Lit(ExprLit { lit: Lit::Str(text), .. })) => text,
        RawValue::Broken => return Ok(None),
        _other => return wrong(option, instead),
    };
    let written = text.value();
    let split = written.find(|c: char| !c.is_ascii_digit()).unwrap_or(written.len());
    let (number, unit) = written.split_at(split);
    let error = |message: String| Err(syn::Error::new_spanned(text, message));
    let Some((_, factor)) = UNITS.iter().find(|(known, _)| *known == unit.trim()) else {
        return error(match unit.trim() {
            "" => format!("a time needs a unit: write {instead}"),
            unit => format!("there is no unit `{unit}`: write {instead}, and whole numbers"),
        });
    };
    match number.parse::<u64>().ok().and_then(|number| number.checked_mul(*factor)) {
        Some(0) => error("no call ends in no time: write a longer one, or leave `timeout` out".to_owned()),
        Some(ms) => Ok(Some(ms)),
        None if number.is_empty() => error(format!("a time needs a number: write {instead}")),
        None => error("this is longer than any program runs: write a shorter one".to_owned()),
    }
}

/// Whole inputs that are examples; each must be a JSON object.
pub(super) fn inputs(option: &RawOption, problems: &mut Problems) -> syn::Result<Vec<LitStr>> {
    let instead = "`examples = [r#\"{\"key\": 1}\"#]`, a list of JSON objects in quotes";
    let Some(list) = listed(option, instead)? else { return Ok(Vec::new()) };
    let mut inputs = Vec::new();
    for example in list {
        let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = example else {
            problems.at(example, format!("write {instead}"));
            continue;
        };
        match json::object_names(&text.value()) {
            Ok(_names) => inputs.push(text),
            Err(why) => problems.at(text, format!("an example is a JSON object, and this is none: {why}")),
        }
    }
    Ok(inputs)
}

/// Finds names in examples that are no parameters.
pub(super) fn check_names(examples: &[LitStr], names: &[&str], problems: &mut Problems) {
    for example in examples {
        let used = json::object_names(&example.value()).unwrap_or_default();
        for unknown in used.iter().filter(|used| !names.contains(&used.as_str())) {
            let instead = match names {
                [] => "it takes none".to_owned(),
                names => suggestion(unknown, names),
            };
            problems.at(example, format!("there is no parameter `{unknown}`: {instead}"));
        }
    }
}

/// An example of one value, as JSON: a literal, a list of them, or a text that holds JSON.
pub(super) fn example(option: &RawOption, ty: &Type) -> syn::Result<Option<String>> {
    let instead = "`example = 5`, `example = \"text\"`, or any JSON in quotes";
    match &option.value {
        RawValue::Expr(Expr::Lit(ExprLit { lit: Lit::Str(text), .. })) => {
            let text = text.value();
            let is_json = !is_text(ty) && json::is_value(&text);
            Ok(Some(if is_json { text } else { json::quoted(&text) }))
        }
        RawValue::Expr(value) => match literal(value) {
            Some(json) => Ok(Some(json)),
            None => wrong(option, instead),
        },
        RawValue::Broken => Ok(None),
        _other => wrong(option, instead),
    }
}

/// Finds an example that no value of the field's type can be, as far as the type's name tells.
pub(super) fn check_example(ty: &Type, wire: &OnWire, problems: &mut Problems) {
    let example = wire.known.as_ref().and_then(|known| known.example.as_ref());
    if let Some(example) = example.filter(|_| !wire.is_read_by_function)
        && let Some(wanted) = misfit(ty, example)
    {
        let message = format!("the example `{example}` is none for this type: write {wanted}");
        problems.at(ty, message);
    }
}

/// What an example of the type must be, where this one is something else.
fn misfit(ty: &Type, json: &str) -> Option<&'static str> {
    let (name, inner) = outer(ty)?;
    let is_number = || json.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    let (fits, wanted) = match name.to_string().as_str() {
        "bool" => (matches!(json, "true" | "false"), "`true` or `false`"),
        "u8" => (json.parse::<u8>().is_ok(), "a whole number from 0 to 255"),
        "u16" => (json.parse::<u16>().is_ok(), "a whole number from 0 to 65535"),
        "u32" => (json.parse::<u32>().is_ok(), "a whole number that is not below zero, in its width"),
        "u64" | "usize" => {
            (json.parse::<u64>().is_ok(), "a whole number that is not below zero, in its width")
        }
        "u128" => (json.parse::<u128>().is_ok(), "a whole number that is not below zero, in its width"),
        "i8" => (json.parse::<i8>().is_ok(), "a whole number from -128 to 127"),
        "i16" => (json.parse::<i16>().is_ok(), "a whole number from -32768 to 32767"),
        "i32" => (json.parse::<i32>().is_ok(), "a whole number in its width"),
        "i64" | "isize" => (json.parse::<i64>().is_ok(), "a whole number in its width"),
        "i128" => (json.parse::<i128>().is_ok(), "a whole number in its width"),
        "f32" | "f64" => (is_number(), "a number"),
        "String" | "PathBuf" | "char" => (json.starts_with('"'), "a text in quotes"),
        "Option" | "Box" | "Arc" | "Rc" if json != "null" => return misfit(inner?, json),
        _other => return None,
    };
    (!fits).then_some(wanted)
}

fn literal(value: &Expr) -> Option<String> {
    match value {
        Expr::Lit(ExprLit { lit, .. }) => match lit {
            Lit::Str(text) => Some(json::quoted(&text.value())),
            Lit::Char(letter) => Some(json::quoted(&letter.value().to_string())),
            Lit::Bool(is_set) => Some(is_set.value.to_string()),
            Lit::Int(number) => Some(number.base10_digits().to_owned()),
            Lit::Float(number) => {
                let digits = number.base10_digits();
                let json = if digits.ends_with('.') { format!("{digits}0") } else { digits.to_owned() };
                json::is_value(&json).then_some(json)
            }
            _other => None,
        },
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => literal(expr)
            .filter(|json| json.starts_with(|c: char| c.is_ascii_digit()))
            .map(|json| format!("-{json}")),
        Expr::Array(list) => {
            let items: Option<Vec<String>> = list.elems.iter().map(literal).collect();
            Some(format!("[{}]", items?.join(",")))
        }
        _other => None,
    }
}

/// Whether a value of the type is a text whatever it looks like, as far as the type's name tells.
fn is_text(ty: &Type) -> bool {
    let Some((name, inner)) = outer(ty) else { return false };
    match name.to_string().as_str() {
        "String" | "PathBuf" | "char" | "str" => true,
        "Option" | "Box" | "Arc" | "Rc" | "Cow" => inner.is_some_and(is_text),
        _other => false,
    }
}

/// Whether a field of the type may be left out, as far as the type's name tells.
pub(super) fn is_optional(ty: &Type) -> bool {
    outer(ty).is_some_and(|(name, _)| name == "Option")
}

/// The last word of a type's path, and its last type argument.
fn outer(ty: &Type) -> Option<(&Ident, Option<&Type>)> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last()?;
    let inner = match &last.arguments {
        syn::PathArguments::AngleBracketed(arguments) => {
            arguments.args.iter().rev().find_map(|argument| match argument {
                syn::GenericArgument::Type(ty) => Some(ty),
                _other => None,
            })
        }
        _none => None,
    };
    Some((&last.ident, inner))
}
