//! The options of `#[tool(…)]` on a field.

use std::collections::BTreeMap;

use syn::{Attribute, Expr, Ident, LitStr, Meta, Type};

use super::{attribute, literal, value};
use crate::model::Source;
use crate::nearest::suggestion;
use crate::parse::{self, RawOption, RawValue};
use crate::problem::Problems;

/// The options there are, for a tool's own fields.
pub(super) const KEYS: &[&str] = &["internal", "inject", "when", "coerce", "example", "description"];
/// Those that make a field no parameter.
const HIDING: &[&str] = &["internal", "inject"];

/// Whose field it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Owner {
    /// A tool: whether it has state, whether its fields stay as they are unless they say so, and whether it derives
    /// `Serialize`, which reads serde's attributes too.
    Tool { has_state: bool, is_exact: bool, is_serialized: bool },
    /// A type that parameters nest.
    Params { is_exact: bool },
}

/// What the options of one field say; mistaken ones are left unsaid.
#[derive(Default)]
pub(super) struct FieldOptions {
    internal: Option<Expr>,
    inject: Option<Expr>,
    pub(super) when: Option<LitStr>,
    pub(super) is_exact: bool,
    pub(super) example: Option<String>,
    pub(super) description: Option<LitStr>,
    keys: BTreeMap<String, Ident>,
}

/// Reads the options of a field.
pub(super) fn read(
    attributes: &[Attribute],
    ty: &Type,
    owner: Owner,
    problems: &mut Problems,
) -> FieldOptions {
    let is_exact = match owner {
        Owner::Tool { is_exact, .. } | Owner::Params { is_exact } => is_exact,
    };
    let mut options = FieldOptions { is_exact, ..FieldOptions::default() };
    for attribute in attributes.iter().filter(|attribute| attribute::is_tool(attribute)) {
        let raw = match &attribute.meta {
            Meta::List(list) => parse::options(list.tokens.clone(), problems),
            _bare => Vec::new(),
        };
        if raw.is_empty() {
            problems.at(
                attribute,
                "this says nothing: write an option, such as `#[tool(internal)]`, or remove it",
            );
        }
        raw.iter().for_each(|option| options.add(option, ty, owner, problems));
    }
    let is_serialized = matches!(owner, Owner::Tool { is_serialized: true, .. });
    options.conflicts(attributes, is_serialized, problems);
    options
}

/// What to write for an option that does not exist.
fn instead(key: &str) -> String {
    match key {
        "doc" | "docs" | "prompt" => "the model reads the doc comment, or `description = \"…\"`".to_owned(),
        "rename" | "alias" | "default" | "skip" | "with" | "flatten" => format!("write `#[serde({key})]`"),
        "hidden" | "private" | "hide" => "did you mean `internal`?".to_owned(),
        "optional" => "a parameter of type `Option<T>` may be left out".to_owned(),
        "required" => {
            "a parameter is required unless it is an `Option` or has `#[serde(default)]`".to_owned()
        }
        "min" | "max" | "range" | "length" | "pattern" | "regex" => {
            "write `#[schemars(range(min = 1))]`, `length(…)` or `regex(…)`".to_owned()
        }
        _other => suggestion(key, KEYS),
    }
}

impl FieldOptions {
    fn add(&mut self, option: &RawOption, ty: &Type, owner: Owner, problems: &mut Problems) {
        let key = option.key.to_string();
        if !KEYS.contains(&key.as_str()) {
            problems.at(&option.key, format!("there is no option `{key}` for a field: {}", instead(&key)));
            return;
        }
        if self.keys.contains_key(&key) {
            problems.at(&option.key, format!("`{key}` is written twice: keep one"));
            return;
        }
        self.keys.insert(key.clone(), option.key.clone());
        if let Err(error) = self.fill(option, ty) {
            problems.add(error);
        }
        match (key.as_str(), owner) {
            ("internal", Owner::Params { .. }) => {
                problems.at(&option.key, "only a tool's own field can be internal: write `#[serde(skip)]`");
            }
            ("inject" | "when", Owner::Params { .. }) => {
                problems.at(&option.key, format!("`{key}` is for a tool's own fields: put the field there"));
            }
            ("inject", Owner::Tool { has_state: false, .. }) => {
                problems.at(
                    &option.key,
                    "there is no state to take it from: say `#[tool(state = Type)]` on the tool",
                );
            }
            _other => {}
        }
    }

    fn fill(&mut self, option: &RawOption, ty: &Type) -> syn::Result<()> {
        match option.key.to_string().as_str() {
            "internal" => self.internal = source(option, "`internal`, or `internal = value`")?,
            "inject" => self.inject = source(option, "`inject`, or `inject = |state| …`")?,
            "when" => self.when = value::text(option)?,
            "coerce" => self.is_exact = value::coerce(option)?.unwrap_or(self.is_exact),
            "example" => self.example = literal::example(option, ty)?,
            "description" => self.description = value::text(option)?,
            _unknown => {}
        }
        Ok(())
    }

    /// What a field that is no parameter cannot have besides.
    fn conflicts(&self, attributes: &[Attribute], is_serialized: bool, problems: &mut Problems) {
        let hiding: Vec<&str> = HIDING.iter().copied().filter(|key| self.keys.contains_key(*key)).collect();
        let Some(hides) = hiding.first() else { return };
        if let [_, second, ..] = hiding.as_slice() {
            let message =
                format!("`{second}` contradicts `{hides}`: a field has its value from one place; remove one");
            problems.at(&self.keys[*second], message);
        }
        for (key, ident) in self.keys.iter().filter(|(key, _)| !HIDING.contains(&key.as_str())) {
            let message =
                format!("`{key}` contradicts `{hides}`: the model never sees this field; remove one");
            problems.at(ident, message);
        }
        let has_use = |attribute: &Attribute| is_serialized && attribute.path().is_ident("serde");
        let moved =
            attributes.iter().filter(|attribute| attribute::is_moved(attribute) && !has_use(attribute));
        for attribute in moved {
            let message =
                format!("this has no use: the field is `{hides}`, so it is never on the wire; remove it");
            problems.at(attribute, message);
        }
    }

    /// Where the value comes from, if not from the input.
    pub(super) fn hidden(&self, name: String) -> Option<Source> {
        let has = |key: &str| self.keys.contains_key(key);
        let internal = has("internal").then(|| Source::Internal { name, value: self.internal.clone() });
        internal.or_else(|| has("inject").then(|| Source::Inject(self.inject.clone())))
    }

    /// What a field that has no name on the wire cannot have.
    pub(super) fn nameless(&self, word: &str, problems: &mut Problems) {
        for (key, ident) in &self.keys {
            let message = format!(
                "`{key}` has no use: the field is `{word}`, so it has no name on the wire; remove one"
            );
            problems.at(ident, message);
        }
    }

    /// Whether a description was given, be it well written or not.
    pub(super) fn has_description(&self) -> bool {
        self.keys.contains_key("description")
    }

    /// Says that `when` needs a value for where the switch is off.
    pub(super) fn check_when(&self, may_be_left_out: bool, problems: &mut Problems) {
        if let (Some(when), false) = (self.keys.get("when"), may_be_left_out) {
            let message = "where the switch is off the field has no value: make it an `Option`, or write \
                           `#[serde(default)]`";
            problems.at(when, message);
        }
    }
}

/// The expression that gives a hidden field its value, if there is one.
fn source(option: &RawOption, instead: &str) -> syn::Result<Option<Expr>> {
    match &option.value {
        RawValue::Bare | RawValue::Broken => Ok(None),
        RawValue::Expr(value) => value::check_arguments(option).map(|()| Some(value.clone())),
        RawValue::List(_) | RawValue::Type(_) => value::wrong(option, format_args!("{instead}")),
    }
}
