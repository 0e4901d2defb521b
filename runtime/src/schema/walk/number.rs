//! Bounds of numbers, compared without rounding.

use std::cmp::Ordering;

use serde_json::{Number, Value};

use super::super::json::{Decimal, decimal};
use super::super::path::Path;
use super::super::words;
use super::{Walker, Words};

/// The limits that a schema sets for a number: by its words, or by the type that its `format` names.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::schema) struct Bounds {
    pub(in crate::schema) low: Option<Bound>,
    pub(in crate::schema) high: Option<Bound>,
    pub(in crate::schema) multiple: Option<Number>,
}

/// One limit.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::schema) struct Bound {
    pub(in crate::schema) at: Number,
    /// The limit itself is beyond the limit.
    pub(in crate::schema) is_exclusive: bool,
}

impl Bounds {
    /// The limits that the words of a schema set.
    pub(in crate::schema) fn of(words: &Words) -> Bounds {
        let given = |word: &str, is_exclusive: bool| {
            words.get(word).and_then(Value::as_number).map(|at| Bound { at: at.clone(), is_exclusive })
        };
        let (type_low, type_high) = type_bounds(words);
        let lows = [given("minimum", false), given("exclusiveMinimum", true), type_low];
        let highs = [given("maximum", false), given("exclusiveMaximum", true), type_high];
        Bounds {
            low: tightest(lows, Ordering::Greater),
            high: tightest(highs, Ordering::Less),
            multiple: words.get("multipleOf").and_then(Value::as_number).cloned(),
        }
    }

    /// Whether a number is within them.
    pub(in crate::schema) fn allow(&self, number: &Number) -> bool {
        let is_beyond = |bound: &Option<Bound>, side: Ordering| {
            bound.as_ref().is_some_and(|bound| match compare(number, &bound.at) {
                Some(Ordering::Equal) => bound.is_exclusive,
                other => other == Some(side),
            })
        };
        !is_beyond(&self.low, Ordering::Less)
            && !is_beyond(&self.high, Ordering::Greater)
            && self.multiple.as_ref().is_none_or(|multiple| is_multiple(number, multiple))
    }
}

/// The tightest of some limits: the greatest low one, the least high one, the exclusive one of two at the same place.
fn tightest<const N: usize>(bounds: [Option<Bound>; N], tighter: Ordering) -> Option<Bound> {
    bounds.into_iter().flatten().reduce(|kept, other| match compare(&other.at, &kept.at) {
        Some(Ordering::Equal) if other.is_exclusive => other,
        order if order == Some(tighter) => other,
        _other => kept,
    })
}

/// The limits of the integer type that a format names, where `i64` and `u64` hold them.
fn type_bounds(words: &Words) -> (Option<Bound>, Option<Bound>) {
    let format = words.get("format").and_then(Value::as_str).unwrap_or_default();
    let (low, high): (Option<i64>, Option<u64>) = match format {
        "int8" => (Some(i8::MIN.into()), Some(i8::MAX.unsigned_abs().into())),
        "int16" => (Some(i16::MIN.into()), Some(i16::MAX.unsigned_abs().into())),
        "int32" => (Some(i32::MIN.into()), Some(i32::MAX.unsigned_abs().into())),
        "int64" | "int" => (Some(i64::MIN), Some(i64::MAX.unsigned_abs())),
        "uint8" => (Some(0), Some(u8::MAX.into())),
        "uint16" => (Some(0), Some(u16::MAX.into())),
        "uint32" => (Some(0), Some(u32::MAX.into())),
        "uint64" | "uint" => (Some(0), Some(u64::MAX)),
        "uint128" => (Some(0), None),
        _other => (None, None),
    };
    let inclusive = |at: Number| Bound { at, is_exclusive: false };
    (low.map(|low| inclusive(low.into())), high.map(|high| inclusive(high.into())))
}

/// Whether the type is an integer wider than JSON values hold exactly here; the parser of the type decides then.
pub(super) fn is_wide(words: &Words) -> bool {
    matches!(words.get("format").and_then(Value::as_str), Some("int128" | "uint128"))
}

/// Whether a number has no fraction.
pub(super) fn is_integral(value: &Value) -> bool {
    value.as_f64().is_some_and(|float| float.fract() == 0.0)
}

impl<'s> Walker<'s> {
    /// Whether a number is within its bounds, and held by its type as it came.
    pub(super) fn number(&mut self, value: &Value, words: &'s Words, schema: &'s Value, path: &Path<'_>) {
        let Value::Number(number) = value else { return };
        if is_wide(words) && !self.rounded.is_empty() {
            let here = path.steps();
            self.rounded.retain(|rounded| rounded.path != here || rounded.text.contains(['.', 'e', 'E']));
        }
        let format = words.get("format").and_then(Value::as_str).unwrap_or_default();
        let (is_held, float) = match format {
            "float" | "double" if self.mode.rounds => (true, ""),
            "float" => (fits_single(number), "32-bit"),
            "double" => (fits_double(number), "64-bit"),
            _other => (true, ""),
        };
        if is_held && Bounds::of(words).allow(number) {
            return;
        }
        let root = self.root;
        let expected = || {
            let holds =
                if is_held { String::new() } else { format!(" that a {float} float holds as it is written") };
            format!("{}{holds}", words::expectation_of("number", schema, root))
        };
        self.problem(value, expected, path);
    }
}

/// Whether some number in a value is one that a float may not hold as it was written.
pub(super) fn may_be_rounded(value: &Value) -> bool {
    match value {
        Value::Number(number) => !fits_single(number),
        Value::Array(items) => items.iter().any(may_be_rounded),
        Value::Object(fields) => fields.values().any(may_be_rounded),
        Value::Null | Value::Bool(_) | Value::String(_) => false,
    }
}

/// Whether a 32-bit float holds the number as it was written.
fn fits_single(number: &Number) -> bool {
    let Some(float) = number.as_f64() else { return false };
    #[expect(clippy::cast_possible_truncation, reason = "whether something is lost is what is asked")]
    let single = float as f32;
    single.is_finite() && decimal(&number.to_string()) == decimal(&format!("{single:e}"))
}

/// Whether a 64-bit float holds the number: an integer of many digits may be between two floats.
fn fits_double(number: &Number) -> bool {
    number.is_f64()
        || number
            .as_f64()
            .and_then(Number::from_f64)
            .is_some_and(|float| compare(number, &float) == Some(Ordering::Equal))
}

/// Which of two numbers is greater, without rounding either.
pub(super) fn compare(a: &Number, b: &Number) -> Option<Ordering> {
    match (integer(a), integer(b)) {
        (Some(a), Some(b)) => Some(a.cmp(&b)),
        (Some(a), None) => compare_mixed(a, b.as_f64()?),
        (None, Some(b)) => compare_mixed(b, a.as_f64()?).map(Ordering::reverse),
        (None, None) => a.as_f64()?.partial_cmp(&b.as_f64()?),
    }
}

fn integer(number: &Number) -> Option<i128> {
    number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from))
}

/// An integer of at most 65 bits beside a float: the float's whole part decides, then its fraction.
fn compare_mixed(integer: i128, float: f64) -> Option<Ordering> {
    let whole = float.trunc();
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a cast saturates beyond every integer compared here"
    )]
    let order = integer.cmp(&(whole as i128));
    Some(match order {
        Ordering::Equal => 0.0_f64.partial_cmp(&(float - whole))?,
        other => other,
    })
}

/// Whether a number is a whole multiple of another, as decimals: a third of 0.3 is 0.1.
fn is_multiple(number: &Number, of: &Number) -> bool {
    let exact = scaled(&decimal(&number.to_string()), &decimal(&of.to_string()));
    match exact {
        Some((_, 0)) => true,
        Some((number, of)) => number % of == 0,
        None => {
            let (Some(number), Some(of)) = (number.as_f64(), of.as_f64()) else { return false };
            let quotient = number / of;
            quotient.is_finite() && quotient.fract() == 0.0
        }
    }
}

/// Two decimals as integers of the same scale, where 127 bits hold them.
fn scaled(a: &Decimal, b: &Decimal) -> Option<(i128, i128)> {
    let scale = |decimal: &Decimal| decimal.exponent - i64::try_from(decimal.digits.len()).unwrap_or(0);
    let least = scale(a).min(scale(b));
    let integer = |decimal: &Decimal| {
        if decimal.digits.is_empty() {
            return Some(0);
        }
        let power = u32::try_from(scale(decimal) - least).ok()?;
        decimal.digits.parse::<i128>().ok()?.checked_mul(10_i128.checked_pow(power)?)
    };
    Some((integer(a)?, integer(b)?))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn number(value: Value) -> Number {
        match value {
            Value::Number(number) => number,
            other => panic!("{other} is no number"),
        }
    }

    #[test]
    fn numbers_are_compared_without_rounding() {
        for (a, b, order) in [
            (json!(9_007_199_254_740_993_u64), json!(9_007_199_254_740_992.0), Ordering::Greater),
            (json!(u64::MAX), json!(18_446_744_073_709_551_616.0), Ordering::Less),
            (json!(i64::MIN), json!(-9.3e18), Ordering::Greater),
            (json!(1), json!(1.5), Ordering::Less),
            (json!(-1), json!(-1.5), Ordering::Greater),
            (json!(3), json!(3.0), Ordering::Equal),
            (json!(u64::MAX), json!(i64::MIN), Ordering::Greater),
            (json!(5), json!(1e300), Ordering::Less),
        ] {
            assert_eq!(compare(&number(a.clone()), &number(b.clone())), Some(order), "{a} {b}");
        }
    }

    #[test]
    fn multiples_are_those_of_decimals() {
        for (a, of, wanted) in [
            (json!(0.3), json!(0.1), true),
            (json!(0.0075), json!(0.0001), true),
            (json!(0.00751), json!(0.0001), false),
            (json!(10), json!(5), true),
            (json!(7), json!(5), false),
            (json!(u64::MAX), json!(2), false),
            (json!(1e300), json!(0.5), true),
            (json!(0), json!(0.7), true),
        ] {
            assert_eq!(is_multiple(&number(a.clone()), &number(of.clone())), wanted, "{a} {of}");
        }
    }
}
