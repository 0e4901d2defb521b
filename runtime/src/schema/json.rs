//! Reading JSON into a value without losing anything on the way: a key that stands twice in an object is an error.

use std::fmt;

use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Reads one JSON text.
///
/// # Errors
/// Text that is not JSON, that goes on behind it, that is nested too deeply (128 levels), or that has a key twice in
/// one object.
pub(super) fn read(text: &str) -> Result<Value, serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = Exactly.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

#[derive(Clone, Copy)]
struct Exactly;

impl<'de> DeserializeSeed<'de> for Exactly {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Exactly {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("a number that is not finite"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = entries.next_key::<Key>()? {
            if map.contains_key(&key.0) {
                return Err(de::Error::custom(format_args!("`{}` stands twice in one object", key.0)));
            }
            let value = entries.next_value_seed(self)?;
            map.insert(key.0, value);
        }
        Ok(Value::Object(map))
    }
}

/// A key of an object, borrowed text or not.
struct Key(String);

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_serde_json_reads_them() {
        for text in
            ["null", "[1,-2,3.5,\"x\",true,{\"a\":{\"b\":[]}}]", "\"\\u0041\"", " 18446744073709551615 "]
        {
            let ours = read(text).expect("it is JSON");
            assert_eq!(ours, serde_json::from_str::<Value>(text).expect("it is JSON"), "{text}");
        }
    }

    #[test]
    fn a_key_that_stands_twice_is_an_error_at_any_depth() {
        for text in [r#"{"a":1,"a":2}"#, r#"[{"b":{"a":1,"c":2,"a":1}}]"#] {
            assert!(read(text).is_err(), "{text}");
            assert!(serde_json::from_str::<Value>(text).is_ok(), "what is closed here");
        }
    }

    #[test]
    fn what_is_no_json_or_goes_on_is_an_error() {
        for text in ["", "{", "[1,]", "1 2", "{\"a\":1}}", "nul", "1e400", &"[".repeat(200)] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
