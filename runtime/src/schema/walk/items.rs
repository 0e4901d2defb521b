//! Arrays along a schema.

use serde_json::Value;

use super::super::path::Path;
use super::super::words;
use super::{Walker, Words, count, equal, list};
use crate::schema::problem::received;

impl<'s> Walker<'s> {
    pub(super) fn items(&mut self, value: &mut Value, words: &'s Words, schema: &'s Value, path: &Path<'_>) {
        self.item_count(value, words, schema, path);
        let Value::Array(items) = value else { return };
        let (first, rest) = item_schemas(words);
        for (index, item) in items.iter_mut().enumerate() {
            if self.is_full() || !self.spend(1) {
                return;
            }
            match first.get(index).or(rest) {
                Some(Value::Bool(false)) => {
                    return self.push(&path.item(index), || {
                        (
                            format!("no more than {}", words::counted(first.len(), "item")),
                            received(item),
                            None,
                        )
                    });
                }
                Some(schema) => self.value(item, schema, &path.item(index)),
                None => break,
            }
        }
        self.contained(value, words, path);
    }

    fn item_count(&mut self, value: &Value, words: &'s Words, schema: &'s Value, path: &Path<'_>) {
        let Value::Array(items) = value else { return };
        let fits = count(words, "minItems").is_none_or(|min| items.len() >= min)
            && count(words, "maxItems").is_none_or(|max| items.len() <= max);
        let root = self.root;
        if !fits {
            self.push(path, || {
                (
                    words::expectation_of("array", schema, root),
                    format!("an array of {}", words::counted(items.len(), "item")),
                    None,
                )
            });
        }
        if words.get("uniqueItems") == Some(&Value::Bool(true))
            && self.spend(super::weight(value))
            && let Some(index) = equal::first_repeated(items)
        {
            self.push(&path.item(index), || {
                ("an item that is not there already".to_owned(), received(&items[index]), None)
            });
        }
    }

    fn contained(&mut self, value: &mut Value, words: &'s Words, path: &Path<'_>) {
        let (Some(wanted), Value::Array(items)) = (words.get("contains"), &mut *value) else { return };
        let (min, max) = (count(words, "minContains").unwrap_or(1), count(words, "maxContains"));
        let mut found = 0;
        for (index, item) in items.iter_mut().enumerate() {
            found += usize::from(self.fits(item, wanted, &path.item(index)));
        }
        if found >= min && max.is_none_or(|max| found <= max) {
            return;
        }
        let root = self.root;
        self.problem(
            value,
            || {
                let most = max.map(|max| format!(" and at most {max}")).unwrap_or_default();
                format!("an array with at least {min}{most} of {}", words::expectation(wanted, root))
            },
            path,
        );
    }
}

/// The schemas of the first items, and that of the rest; older drafts write a list under `items`.
pub(in crate::schema) fn item_schemas(words: &Words) -> (&[Value], Option<&Value>) {
    match words.get("items") {
        Some(Value::Array(first)) => (first, words.get("additionalItems")),
        rest => (list(words, "prefixItems"), rest),
    }
}
