//! Shows in an example what is wrong in an input: the fields, items and variants that it came with, each right.

use serde_json::{Map, Value, json};

use super::minimal::{Example, is_telling, said};
use super::shapes::Came;
use crate::nearest::nearest;
use crate::schema::path::Step;
use crate::schema::{marks, walk};

/// How many items of one list are shown, where each is wrong.
const ITEMS_MAX: usize = 3;
/// Names that entries may have, where they must match a pattern.
const NAMES: &[&str] = &["1", "a", "true", "A", "name"];

impl<'s> Example<'s> {
    /// A value that fits a schema and has what is wrong in the one that came. It begins with an example, where that has
    /// the same shape.
    pub(super) fn mended(&self, schema: &'s Value, came: Came<'_>, begun: Option<Value>) -> Value {
        let shapes = self.shapes(schema, came);
        let said = || shapes.iter().find_map(|words| self.copied(said(words)?));
        let begun = begun.or_else(said).filter(|begun| self.has_shapes(schema, &shapes, begun, came));
        let begun = self.meant(&shapes, came).or(begun);
        let mut value = begun.unwrap_or_else(|| self.of_shapes(&shapes, 0));
        let mut is_odd = came.wrong.is_itself;
        let mut shown = 0;
        for (step, wrong) in &came.wrong.inside {
            let Some(known) = self.known(&shapes, step) else {
                is_odd = true;
                if let (Step::Field(name), Value::Object(fields)) = (step, &mut value) {
                    self.show_near(name, &shapes, fields);
                }
                continue;
            };
            let below = came.below(step, wrong);
            match (step, &mut value) {
                (Step::Field(name), Value::Object(fields)) => {
                    let begun = fields.get(name).cloned();
                    if let Some(field) = self.right(known, below, begun) {
                        fields.insert(name.clone(), field);
                    }
                }
                (Step::Item(index), Value::Array(items)) if shown < ITEMS_MAX => {
                    let at = if is_tuple(&shapes) { *index } else { shown };
                    let begun = items.get(at).cloned();
                    let Some(item) = self.right(known, below, begun) else { continue };
                    if at < items.len() {
                        items[at] = item;
                    } else if items.contains(&item) {
                        continue;
                    } else {
                        items.push(item);
                    }
                    shown += 1;
                }
                _other => {}
            }
        }
        if is_odd {
            self.fill(&shapes, &mut value);
        }
        value
    }

    /// What stands in the place of something wrong; nothing where only a person could say what fits.
    fn right(&self, schema: &'s Value, came: Came<'_>, begun: Option<Value>) -> Option<Value> {
        let value = self.mended(schema, came, begun);
        let is_sure = self.shapes(schema, came).iter().any(|words| is_telling(words));
        (is_sure && walk::fits_part(&value, schema, self.schema)).then_some(value)
    }

    /// The listed value that the one that came is nearly.
    fn meant(&self, shapes: &[&'s Map<String, Value>], came: Came<'_>) -> Option<Value> {
        let given = match came.value? {
            Value::String(given) => given,
            Value::Object(fields) if fields.len() == 1 => fields.keys().next()?,
            _other => return None,
        };
        let listed = shapes.iter().filter_map(|words| words.get("enum")?.as_array()).flatten();
        nearest(given, listed.filter_map(Value::as_str)).map(Value::from)
    }

    /// Whether an example is of the shape that what came should have: of the same branches.
    fn has_shapes(
        &self,
        schema: &'s Value,
        shapes: &[&'s Map<String, Value>],
        begun: &Value,
        came: Came<'_>,
    ) -> bool {
        let of_begun = self.shapes(schema, Came { value: Some(begun), wrong: came.wrong });
        of_begun.len() == shapes.len()
            && of_begun.iter().zip(shapes).all(|(one, other)| std::ptr::eq(*one, *other))
    }

    /// Shows the field whose name is nearly the one that came.
    fn show_near(&self, name: &str, shapes: &[&'s Map<String, Value>], fields: &mut Map<String, Value>) {
        let all = shapes.iter().flat_map(|words| marks::declared(words));
        if let Some(near) = nearest(name, all)
            && !fields.contains_key(near)
            && let Some(schema) = self.known(shapes, &Step::Field(near.to_owned()))
        {
            fields.insert(near.to_owned(), self.of(schema, 0));
        }
    }

    /// Puts one thing into what is empty: an empty list shows nothing.
    fn fill(&self, shapes: &[&'s Map<String, Value>], value: &mut Value) {
        match value {
            Value::Array(items) if items.is_empty() => {
                items.extend(self.known(shapes, &Step::Item(0)).map(|schema| self.of(schema, 0)));
            }
            Value::Object(fields) if fields.is_empty() => {
                let first = shapes.iter().find_map(|words| marks::declared(words).into_iter().next());
                let name = first.map(str::to_owned).or_else(|| self.entry_name(shapes));
                let entry = name.and_then(|name| {
                    let schema = self.known(shapes, &Step::Field(name.clone()))?;
                    Some((name, self.of(schema, 0)))
                });
                fields.extend(entry);
            }
            _other => {}
        }
    }

    /// A name that an entry of a map may have.
    fn entry_name(&self, shapes: &[&'s Map<String, Value>]) -> Option<String> {
        let words = |word: &str| shapes.iter().find_map(|words| words.get(word));
        let by_rule = words("propertyNames").map(|rule| self.of(rule, 0));
        let pattern = words("patternProperties").and_then(Value::as_object).and_then(|all| all.keys().next());
        let by_pattern = || {
            pattern
                .and_then(|pattern| NAMES.iter().find(|name| self.is_match(pattern, name)))
                .map(|name| json!(name))
        };
        let name = by_rule.or_else(by_pattern).unwrap_or_else(|| json!("…"));
        name.as_str().map(str::to_owned)
    }
}

/// Whether the items of a list have a schema each.
fn is_tuple(shapes: &[&Map<String, Value>]) -> bool {
    shapes.iter().any(|words| words.contains_key("prefixItems"))
}
