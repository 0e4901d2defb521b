//! What must hold of every field that a model sees.

use serde_json::{Map, Value};

use crate::schema::{Schema, fits};

/// How deep a schema is followed.
const DEPTH_MAX: usize = 100;

/// What is wrong with the fields of a schema: those without a description, objects that are open, examples and defaults
/// that do not fit.
pub(super) fn findings(shown: &Value, walkable: &Value) -> Vec<String> {
    let mut fields =
        Fields { path: String::new(), depth: 0, found: Vec::new(), definitions: walkable.get("$defs") };
    fields.object(shown, walkable);
    fields.found
}

struct Fields<'s> {
    path: String,
    depth: usize,
    found: Vec<String>,
    definitions: Option<&'s Value>,
}

impl Fields<'_> {
    /// Looks at a schema as it is shown, and as it is checked.
    fn schema(&mut self, shown: &Value, checked: &Value) {
        if self.depth > DEPTH_MAX {
            return;
        }
        self.depth += 1;
        self.object(shown, checked);
        for word in ["items", "additionalProperties"] {
            if let (Some(shown), Some(checked)) = (shown.get(word), checked.get(word)) {
                self.schema(shown, checked);
            }
        }
        for word in ["anyOf", "oneOf", "allOf", "prefixItems"] {
            let (shown, checked) =
                (shown.get(word).and_then(Value::as_array), checked.get(word).and_then(Value::as_array));
            for (shown, checked) in shown.into_iter().flatten().zip(checked.into_iter().flatten()) {
                self.schema(shown, checked);
            }
        }
        self.depth -= 1;
    }

    fn object(&mut self, shown: &Value, checked: &Value) {
        self.examples(checked);
        let Some(fields) = shown.get("properties").and_then(Value::as_object) else { return };
        let place = if self.path.is_empty() { "its input".to_owned() } else { format!("`{}`", self.path) };
        let is_choice = ["anyOf", "oneOf", "allOf"].iter().any(|word| shown.get(word).is_some());
        let is_closed =
            ["additionalProperties", "unevaluatedProperties"].iter().any(|word| shown.get(word).is_some());
        if !is_closed && !is_choice && self.depth < 2 {
            self.found.push(format!(
                "lets unknown fields into {place}: derive `Params`, or write `#[serde(deny_unknown_fields)]`"
            ));
        }
        for (name, field) in fields {
            let length = self.path.len();
            self.path.push_str(&if length == 0 { name.clone() } else { format!(".{name}") });
            let is_described = ["description", "const"].iter().any(|word| field.get(word).is_some());
            if !is_described {
                self.found.push(format!("says nothing about its field `{}`: write a doc comment", self.path));
            }
            let checked = checked.get("properties").and_then(|all| all.get(name)).unwrap_or(field);
            self.schema(field, checked);
            self.path.truncate(length);
        }
    }

    /// Examples and defaults fit their own schema.
    fn examples(&mut self, checked: &Value) {
        let Value::Object(words) = checked else { return };
        let examples = words.get("examples").and_then(Value::as_array).into_iter().flatten();
        for example in examples.chain(words.get("default")) {
            let mut schema: Map<String, Value> = words.clone();
            schema.extend(self.definitions.map(|all| ("$defs".to_owned(), all.clone())));
            if !fits(example, &Schema::new(Value::Object(schema))) {
                self.found.push(format!(
                    "has the example or default {example} for `{}`, which does not fit",
                    self.path
                ));
            }
        }
    }
}
