//! Other names that a type reads: they become the names that the schema has, and that is told like a conversion.

use serde_json::{Map, Value};

use super::super::marks;
use super::super::path::Path;
use super::{Coercion, Walker, Words};
use crate::schema::path::render;

impl Walker<'_> {
    /// Gives each field that came by another name its own. Both at once are a problem.
    pub(super) fn rename_fields(&mut self, fields: &mut Map<String, Value>, words: &Words, path: &Path<'_>) {
        if !self.mode.renames {
            return;
        }
        let known = words.get("properties").and_then(Value::as_object);
        let Some(known) =
            known.filter(|known| known.values().any(|field| field.get(marks::ALIASES).is_some()))
        else {
            return;
        };
        let mut others: Vec<String> =
            fields.keys().filter(|name| !known.contains_key(*name)).cloned().collect();
        others.sort();
        for alias in others {
            let meant = known.iter().find(|(_, field)| is_alias(field, &alias));
            let Some((name, value)) = meant.and_then(|(name, _)| Some((name, fields.remove(&alias)?))) else {
                continue;
            };
            if fields.contains_key(name) {
                self.push(&path.field(&alias), || {
                    let expected = "nothing".to_owned();
                    let received = format!("a second value for `{name}`");
                    (expected, received, Some(format!("`{alias}` is another name for `{name}`: send one")))
                });
                continue;
            }
            fields.insert(name.clone(), value);
            self.renamed(&path.field(&alias), "parameter", &alias, name);
        }
    }

    /// Gives a variant that came by another name its own: the whole value, its one key, or its tag.
    pub(super) fn rename_variant(&mut self, value: &mut Value, words: &Words, path: &Path<'_>) {
        if !self.mode.renames {
            return;
        }
        let Some(variants) = words.get(marks::VARIANTS) else { return };
        let own = |name: &str| variants.get("aliases")?.get(name)?.as_str();
        let tag = variants.get("tag").and_then(Value::as_str);
        match (value, tag) {
            (Value::String(given), None) => {
                let Some(name) = own(given) else { return };
                let alias = std::mem::replace(given, name.to_owned());
                self.renamed(path, "variant", &alias, name);
            }
            (Value::Object(fields), None) if fields.len() == 1 => {
                let Some(alias) = fields.keys().next().cloned() else { return };
                let Some(name) = own(&alias) else { return };
                if let Some(content) = fields.remove(&alias) {
                    fields.insert(name.to_owned(), content);
                    self.renamed(path, "variant", &alias, name);
                }
            }
            (Value::Object(fields), Some(tag)) => {
                let Some(Value::String(given)) = fields.get_mut(tag) else { return };
                let Some(name) = own(given) else { return };
                let alias = std::mem::replace(given, name.to_owned());
                self.renamed(&path.field(tag), "variant", &alias, name);
            }
            _other => {}
        }
    }

    fn renamed(&mut self, path: &Path<'_>, what: &str, alias: &str, name: &str) {
        let said = |name: &str| Value::from(format!("the {what} `{name}`"));
        let path = render(path.steps().iter());
        self.coercions.push(Coercion { path, from: said(alias), to: said(name) });
    }
}

fn is_alias(field: &Value, name: &str) -> bool {
    field
        .get(marks::ALIASES)
        .and_then(Value::as_array)
        .is_some_and(|all| all.iter().any(|alias| alias == name))
}
