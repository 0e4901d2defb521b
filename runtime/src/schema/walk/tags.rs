//! Choosing the branch of an enum by its tag, so that problems speak of that branch only.

use serde_json::{Map, Value};

use super::value::kinds;
use super::{Walker, list};

/// What the tag of a value says.
pub(super) enum Choice<'s> {
    /// It is this branch.
    Branch(&'s Value),
    /// It is no branch: the field with the tag, and the tags there are.
    WrongTag(&'s str, Vec<&'s Value>),
    /// The one name in the object is no variant's; these are.
    WrongName(String, Vec<&'s str>),
    /// There is no tag to go by.
    None,
}

impl<'s> Walker<'s> {
    /// The branch that an object's tag chooses among those that take objects.
    pub(super) fn choose(&self, fields: &Map<String, Value>, branches: &'s [Value]) -> Choice<'s> {
        let mut objects: Vec<(&'s Value, &'s Map<String, Value>)> = Vec::new();
        for branch in branches {
            match self.resolved(branch) {
                Value::Object(words) if refuses_objects(words) => {}
                Value::Object(words) if words.contains_key("properties") => objects.push((branch, words)),
                Value::Bool(false) => {}
                _anything => return Choice::None,
            }
        }
        match objects.as_slice() {
            [] => Choice::None,
            [(only, _)] => Choice::Branch(only),
            [(_, first), ..] => match self.inner_tag(fields, &objects, first) {
                Choice::None => outer_tag(fields, &objects),
                choice => choice,
            },
        }
    }

    /// The schema itself, or the one it refers to.
    pub(super) fn resolved(&self, schema: &'s Value) -> &'s Value {
        let is_reference = |words: &&Map<String, Value>| {
            words.keys().all(|word| {
                matches!(word.as_str(), "$ref" | "description" | "title" | "default" | "examples")
            })
        };
        let target = schema.as_object().filter(is_reference).and_then(|words| self.target(words));
        target.unwrap_or(schema)
    }

    /// A field whose value every branch fixes, each to another one.
    fn inner_tag(
        &self,
        fields: &Map<String, Value>,
        objects: &[(&'s Value, &'s Map<String, Value>)],
        first: &'s Map<String, Value>,
    ) -> Choice<'s> {
        let known = first.get("properties").and_then(Value::as_object);
        for name in known.into_iter().flat_map(Map::keys) {
            let tags: Option<Vec<Vec<&'s Value>>> =
                objects.iter().map(|(_, words)| fixed_tags(words, name)).collect();
            let Some(tags) = tags else { continue };
            let all: Vec<&'s Value> = tags.iter().flatten().copied().collect();
            let is_distinct = all.iter().enumerate().all(|(index, tag)| !all[..index].contains(tag));
            if !is_distinct {
                continue;
            }
            let chosen = fields
                .get(name)
                .and_then(|given| tags.iter().position(|tags| tags.contains(&given)))
                .map(|index| objects[index].0);
            return chosen.map_or_else(|| Choice::WrongTag(name, all), Choice::Branch);
        }
        Choice::None
    }
}

/// Whether it is plain that no object fits.
fn refuses_objects(words: &Map<String, Value>) -> bool {
    let kinds = kinds(words);
    let is_listed = |listed: &[Value]| listed.iter().any(Value::is_object);
    (!kinds.is_empty() && !kinds.contains(&"object"))
        || words.get("const").is_some_and(|fixed| !fixed.is_object())
        || (words.contains_key("enum") && !is_listed(list(words, "enum")))
}

/// The values that a required field of a branch may have, where the schema lists strings.
fn fixed_tags<'s>(words: &'s Map<String, Value>, name: &str) -> Option<Vec<&'s Value>> {
    let field = words.get("properties")?.get(name)?;
    let is_required = list(words, "required").iter().any(|required| required == name);
    let tags: Vec<&Value> = match (field.get("const"), field.get("enum").and_then(Value::as_array)) {
        (Some(fixed), _) => vec![fixed],
        (None, Some(listed)) => listed.iter().collect(),
        (None, None) => return None,
    };
    (is_required && tags.iter().all(|tag| tag.is_string())).then_some(tags)
}

/// The one name in an object, where every branch is an object of one entry.
fn outer_tag<'s>(fields: &Map<String, Value>, objects: &[(&'s Value, &'s Map<String, Value>)]) -> Choice<'s> {
    let names: Option<Vec<&'s str>> = objects
        .iter()
        .map(|(_, words)| {
            let known = words.get("properties")?.as_object().filter(|known| known.len() == 1)?;
            let name = known.keys().next()?;
            list(words, "required").iter().any(|required| required == name).then_some(name.as_str())
        })
        .collect();
    let (Some(names), Some(given), 1) = (names, fields.keys().next(), fields.len()) else {
        return Choice::None;
    };
    match names.iter().position(|name| name == given) {
        Some(index) => Choice::Branch(objects[index].0),
        None => Choice::WrongName(given.clone(), names),
    }
}
