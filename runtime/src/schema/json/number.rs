//! Numbers as they were written: what a float holds exactly, and what it would round.
//!
//! A float holds a number as written when its own shortest text means the same decimal: `0.1` is held, a number of
//! twenty digits is not.

use serde_json::Number;

/// A decimal: its sign, its digits without zeros at either end, and the power of ten of a point before them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::schema) struct Decimal {
    pub(in crate::schema) is_negative: bool,
    pub(in crate::schema) digits: String,
    pub(in crate::schema) exponent: i64,
}

/// The decimal that a JSON number means.
pub(in crate::schema) fn decimal(text: &str) -> Decimal {
    let (is_negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let (mantissa, power) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{fraction}");
    let kept = all.trim_start_matches('0');
    let leading = all.len() - kept.len();
    let digits = kept.trim_end_matches('0');
    if digits.is_empty() {
        return Decimal { is_negative: false, digits: String::new(), exponent: 0 };
    }
    // A power that no `i64` holds is that of no float either.
    let limit = if power.starts_with('-') { i64::MIN / 4 } else { i64::MAX / 4 };
    let power: i64 = power.parse().unwrap_or(limit);
    let point = i64::try_from(whole.len()).unwrap_or(i64::MAX / 4) - i64::try_from(leading).unwrap_or(0);
    Decimal { is_negative, digits: digits.to_owned(), exponent: power.saturating_add(point) }
}

/// Whether a number, read from this text, is the number as it was written.
pub(in crate::schema) fn as_written(text: &str, number: &Number) -> bool {
    if number.is_i64() || number.is_u64() {
        return true;
    }
    number.as_f64().is_some_and(|float| decimal(text) == decimal(&format!("{float:e}")))
}

/// The number that a text means, which follows JSON's grammar; nothing when no float is large enough.
pub(super) fn number(text: &str) -> Option<Number> {
    if !text.contains(['.', 'e', 'E']) && text != "-0" {
        if let Ok(unsigned) = text.parse::<u64>() {
            return Some(Number::from(unsigned));
        }
        if let Ok(signed) = text.parse::<i64>() {
            return Some(Number::from(signed));
        }
    }
    text.parse::<f64>().ok().and_then(Number::from_f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_mean_the_same_are_the_same_decimal() {
        for (a, b) in [
            ("1", "1.0"),
            ("100", "1e2"),
            ("0.5", "5e-1"),
            ("-0", "0.0"),
            ("0.00120", "1.2E-3"),
            ("12e0", "1.2e+1"),
        ] {
            assert_eq!(decimal(a), decimal(b), "{a} {b}");
        }
        for (a, b) in [("1", "-1"), ("1", "10"), ("0.1", "0.10000000000000001")] {
            assert_ne!(decimal(a), decimal(b), "{a} {b}");
        }
    }

    #[test]
    fn a_float_that_rounds_is_not_as_written() {
        let kept = |text: &str| number(text).is_some_and(|number| as_written(text, &number));
        for text in [
            "0.1",
            "1e300",
            "3.141592653589793",
            "18446744073709551615",
            "-9223372036854775808",
            "1e22",
            "-0",
        ] {
            assert!(kept(text), "{text}");
        }
        for text in ["0.12345678901234567890", "18446744073709551616.5", "1e-400", "9007199254740993.0"] {
            assert!(!kept(text), "{text}");
        }
        assert_eq!(number("1e400"), None);
    }
}
