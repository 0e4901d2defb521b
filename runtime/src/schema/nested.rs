//! Marks that generated code puts on the schemas of types, and how a struct is read that stands in another without a
//! level of its own.

use schemars::Schema;
use schemars::transform::Transform;
use serde::Deserializer;
use serde_json::{Map, Value, json};

use super::marks;
use crate::contract::Field;

/// A struct that can stand in another without a level of its own.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be flattened",
    label = "only a struct with named fields that derives `Params` can",
    note = "remove `#[serde(flatten)]`, so that it is nested, or list its fields here"
)]
pub trait Flattened: Sized {
    /// Adds the names of its fields, in declared order.
    fn names(names: &mut Vec<&'static str>);

    /// Reads it from the fields that nobody else has taken.
    ///
    /// # Errors
    /// What does not fit.
    fn flattened<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error>;
}

/// Reads a flattened struct.
///
/// # Errors
/// What does not fit.
pub fn flattened<'de, T: Flattened, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    T::flattened(deserializer)
}

/// Marks the schema of a struct: it is closed, its fields have an order, and the type reads nothing else.
#[derive(Clone, Copy, Debug)]
pub struct StructMarks {
    fields: &'static [Field],
    order: Option<fn(&mut Vec<&'static str>)>,
    is_sure: bool,
}

impl StructMarks {
    /// A struct with these fields.
    #[must_use]
    pub const fn new(fields: &'static [Field]) -> StructMarks {
        StructMarks { fields, order: None, is_sure: true }
    }

    /// Its fields stand in the order that a function tells.
    #[must_use]
    pub const fn ordered(self, order: fn(&mut Vec<&'static str>)) -> StructMarks {
        StructMarks { order: Some(order), ..self }
    }

    /// What it reads is not known, so every input is checked along the schema.
    #[must_use]
    pub const fn unsure(self) -> StructMarks {
        StructMarks { is_sure: false, ..self }
    }
}

impl Transform for StructMarks {
    fn transform(&mut self, schema: &mut Schema) {
        let mut order: Vec<&str> = Vec::new();
        match self.order {
            Some(tell) => tell(&mut order),
            None => order.extend(self.fields.iter().map(|field| field.name)),
        }
        mark_object(schema.ensure_object(), &order, self.fields, self.is_sure);
    }
}

/// How an enum tells its variants apart.
#[derive(Clone, Copy, Debug)]
pub enum Tagging {
    /// A variant's name around its content.
    External,
    /// A variant's name in its content, under this name.
    Internal(&'static str),
    /// A variant's name beside its content, under these names.
    Adjacent(&'static str, &'static str),
    /// By what fits.
    Untagged,
}

/// A variant's name, and its fields if they have names.
type Variant = (&'static str, Option<&'static [Field]>);

/// Marks the schema of an enum: the fields of its variants have an order, and the type reads nothing else.
#[derive(Clone, Copy, Debug)]
pub struct EnumMarks {
    tagging: Tagging,
    variants: &'static [Variant],
    aliases: &'static [(&'static str, &'static str)],
    is_sure: bool,
}

impl EnumMarks {
    /// An enum with these variants. Where serde keeps a value aside before it knows the variant, its parser takes more
    /// than the schema says.
    #[must_use]
    pub const fn new(tagging: Tagging, variants: &'static [Variant]) -> EnumMarks {
        EnumMarks { tagging, variants, aliases: &[], is_sure: matches!(tagging, Tagging::External) }
    }

    /// Some variants have other names too: each with the variant's own.
    #[must_use]
    pub const fn aliases(self, aliases: &'static [(&'static str, &'static str)]) -> EnumMarks {
        EnumMarks { aliases, ..self }
    }

    /// The other names, and the field that holds them where one does.
    fn names(&self) -> Option<Value> {
        let aliases: Map<String, Value> =
            self.aliases.iter().map(|(alias, own)| ((*alias).to_owned(), json!(own))).collect();
        let tag = match self.tagging {
            Tagging::External => json!(null),
            Tagging::Internal(tag) | Tagging::Adjacent(tag, _) => json!(tag),
            Tagging::Untagged => return None,
        };
        (!aliases.is_empty()).then(|| json!({"tag": tag, "aliases": aliases}))
    }

    /// What it reads is not known, so every input is checked along the schema.
    #[must_use]
    pub const fn unsure(self) -> EnumMarks {
        EnumMarks { is_sure: false, ..self }
    }

    /// The variant that a branch of the schema is for.
    fn variant(&self, index: usize, branch: &Map<String, Value>) -> Option<&Variant> {
        let properties = branch.get("properties").and_then(Value::as_object);
        let named = |name: &Value| self.variants.iter().find(|variant| *name == variant.0);
        match self.tagging {
            Tagging::External => {
                self.variants.iter().find(|variant| properties.is_some_and(|all| all.contains_key(variant.0)))
            }
            Tagging::Internal(tag) | Tagging::Adjacent(tag, _) => {
                let tag = properties?.get(tag)?;
                named(tag.get("const").or_else(|| tag.get("enum")?.get(0))?)
            }
            Tagging::Untagged => self.variants.get(index),
        }
    }

    fn mark_branch(&self, branch: &mut Map<String, Value>, variant: &Variant) {
        let (name, fields) = *variant;
        let names = |fields: &[Field]| fields.iter().map(|field| field.name).collect::<Vec<_>>();
        match (self.tagging, fields) {
            (Tagging::External, Some(fields)) => {
                if let Some(Value::Object(inner)) = inner(branch, name) {
                    mark_object(inner, &names(fields), fields, self.is_sure);
                }
            }
            (Tagging::Internal(tag), Some(fields)) => {
                mark_object(branch, &[&[tag], names(fields).as_slice()].concat(), fields, false);
            }
            (Tagging::Internal(tag), None) => {
                let of_content =
                    branch.get(marks::ORDER).and_then(Value::as_array).cloned().unwrap_or_default();
                let order: Vec<Value> = std::iter::once(json!(tag)).chain(of_content).collect();
                branch.insert(marks::ORDER.to_owned(), Value::Array(order));
            }
            (Tagging::Adjacent(tag, content), fields) => {
                branch.insert(marks::ORDER.to_owned(), json!([tag, content]));
                if let (Some(fields), Some(Value::Object(inner))) = (fields, inner(branch, content)) {
                    mark_object(inner, &names(fields), fields, self.is_sure);
                }
            }
            (Tagging::Untagged, Some(fields)) => mark_object(branch, &names(fields), fields, false),
            (Tagging::External | Tagging::Untagged, None) => {}
        }
    }
}

impl Transform for EnumMarks {
    fn transform(&mut self, schema: &mut Schema) {
        let whole = schema.ensure_object();
        whole.insert(marks::STRICT.to_owned(), json!(self.is_sure));
        if let Some(names) = self.names() {
            whole.insert(marks::VARIANTS.to_owned(), names);
        }
        let list = if whole.contains_key("oneOf") { "oneOf" } else { "anyOf" };
        match whole.get_mut(list) {
            Some(Value::Array(branches)) => {
                for (index, branch) in branches.iter_mut().enumerate() {
                    let Value::Object(branch) = branch else { continue };
                    if let Some(variant) = self.variant(index, branch).copied() {
                        self.mark_branch(branch, &variant);
                    }
                }
            }
            _single => {
                if let Some(variant) = self.variant(0, whole).copied() {
                    self.mark_branch(whole, &variant);
                }
            }
        }
    }
}

/// The schema of one field.
fn inner<'a>(schema: &'a mut Map<String, Value>, name: &str) -> Option<&'a mut Value> {
    schema.get_mut("properties")?.get_mut(name)
}

fn mark_object(schema: &mut Map<String, Value>, order: &[&str], fields: &[Field], is_sure: bool) {
    schema.insert("additionalProperties".to_owned(), json!(false));
    schema.insert(marks::ORDER.to_owned(), json!(order));
    schema.insert(marks::STRICT.to_owned(), json!(is_sure));
    for field in fields {
        let Some(marked) = inner(schema, field.name) else { continue };
        let example = field.example.and_then(|json| serde_json::from_str(json).ok());
        marks::mark_field(marked, field, example);
    }
}

#[cfg(test)]
mod tests {
    use crate::contract::SessionFacts;
    use crate::schema::{Schema, Trust};
    use crate::{Params, tool};

    #[derive(Params)]
    #[tool(crate = "crate")]
    #[expect(dead_code, reason = "the schema is looked at, not the input")]
    struct Point {
        /// From the left.
        x: u32,
        /// In which way.
        turn: Option<Turn>,
    }

    #[derive(Params)]
    #[tool(crate = "crate")]
    #[expect(dead_code, reason = "the schema is looked at, not the input")]
    enum Turn {
        Left,
        By(i64),
        Around {
            /// What.
            point: Box<[Other]>,
        },
    }

    #[derive(Params)]
    #[tool(crate = "crate")]
    #[expect(dead_code, reason = "the schema is looked at, not the input")]
    struct Other {
        /// From above.
        y: u32,
    }

    #[derive(Params)]
    #[serde(tag = "kind")]
    #[tool(crate = "crate")]
    #[expect(dead_code, reason = "the schema is looked at, not the input")]
    enum Tagged {
        Other(Other),
    }

    /// Nests what reads exactly its schema.
    #[tool(crate = "crate")]
    #[expect(dead_code, reason = "the schema is looked at, not the input")]
    struct Exact {
        /// Points.
        points: Vec<Point>,
        /// One more.
        last: Option<Point>,
    }

    /// Nests a tagged enum.
    #[tool(crate = "crate")]
    #[expect(dead_code, reason = "the schema is looked at, not the input")]
    struct WithTagged {
        /// The enum.
        tagged: Option<Tagged>,
    }

    /// Flattens a struct.
    #[tool(crate = "crate")]
    #[expect(dead_code, reason = "the schema is looked at, not the input")]
    struct WithFlat {
        #[serde(flatten)]
        other: Other,
    }

    #[test]
    fn a_parser_is_trusted_where_it_reads_exactly_the_schema() {
        let facts = SessionFacts::default();
        assert_eq!(Schema::of::<Exact>(&facts).trust(), Trust::Parser);
        assert_eq!(Schema::of::<WithTagged>(&facts).trust(), Trust::Nothing);
        assert_eq!(Schema::of::<WithFlat>(&facts).trust(), Trust::Nothing);
    }
}
