//! A field at the wrong level: where it belongs.

use serde_json::{Map, Value};

use super::super::problem::shortened;
use super::Walker;

impl<'s> Walker<'s> {
    /// What to do with a field that nothing here takes, where it belongs into exactly one parameter beside it, or to the
    /// whole input.
    pub(super) fn astray(&self, name: &str, beside: Option<&'s Map<String, Value>>) -> Option<String> {
        let mut takers =
            beside.into_iter().flatten().filter_map(|(taker, schema)| self.taken_by(taker, schema, name));
        if let Some(only) = takers.next() {
            return takers.next().is_none().then_some(only);
        }
        let is_of_root = self.root.get("properties").is_some_and(|known| known.get(name).is_some());
        is_of_root.then(|| format!("`{}` is a parameter of the whole input: send it there", shortened(name)))
    }

    /// Where in one parameter a field belongs, if it does.
    fn taken_by(&self, taker: &str, schema: &'s Value, name: &str) -> Option<String> {
        let has = |schema: &Value| schema.get("properties").is_some_and(|known| known.get(name).is_some());
        let items = |schema: &'s Value| schema.get("items").map(|items| self.resolved(items));
        let forms = self.forms(schema);
        let place = if forms.iter().any(|form| has(form)) {
            "inside"
        } else if forms.iter().filter_map(|form| items(form)).any(has) {
            "inside an item of"
        } else {
            return None;
        };
        Some(format!("send `{}` {place} `{}`", shortened(name), shortened(taker)))
    }

    /// A schema itself, and its branches.
    fn forms(&self, schema: &'s Value) -> Vec<&'s Value> {
        let whole = self.resolved(schema);
        let branches = ["anyOf", "oneOf", "allOf"].into_iter().filter_map(|word| whole.get(word)?.as_array());
        let branches = branches.flatten().map(|branch| self.resolved(branch));
        std::iter::once(whole).chain(branches).collect()
    }
}
