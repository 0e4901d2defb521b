//! Claude: JSON Schema 2020-12 with an object at its root, no choice there, and names of a bounded form.
//!
//! Source: the Messages API, which refuses `anyOf`, `oneOf` and `allOf` at the top of an `input_schema`, and names of
//! properties that do not match `^[a-zA-Z0-9_.-]{1,64}$`.

use serde_json::Value;

use super::shaping::Shaping;

/// How many characters the name of a field may have.
const NAME_CHARS_MAX: usize = 64;

pub(super) fn shape(schema: &mut Value, shaping: &mut Shaping) {
    super::mcp::shape(schema, shaping);
    for word in ["anyOf", "oneOf", "allOf"].iter().filter(|word| schema.get(**word).is_some()) {
        shaping.refuse(format!("may not be a choice at its top (`{word}`): put the choice into a field"));
    }
    names(schema, shaping);
}

fn names(schema: &mut Value, shaping: &mut Shaping) {
    let Value::Object(words) = schema else { return };
    let legal = |name: &str| {
        (1..=NAME_CHARS_MAX).contains(&name.len())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'))
    };
    let fields = words.get("properties").and_then(Value::as_object);
    for name in fields.into_iter().flat_map(|fields| fields.keys()).filter(|name| !legal(name)) {
        shaping.refuse(format!(
            "has a field `{name}`, a name that is refused: use 1 to {NAME_CHARS_MAX} letters, digits, `_`, `.` or `-`"
        ));
    }
    shaping.below(words, names);
}
