//! Where the values of fields come from that the model never sees: traits that say what is missing in words of their
//! own, and the way for code in this process to set an internal field.

use std::marker::PhantomData;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::ToolForm;
use crate::message::RawInput;
use crate::schema::Problem;

/// A type that an internal field can have without saying its value: every one with a default.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "nothing says which value the internal field has",
    label = "`{Self}` has no default",
    note = "write `#[tool(internal = value)]`, or implement `Default`"
)]
pub trait Blank {
    /// The value.
    fn blank() -> Self;
}

#[diagnostic::do_not_recommend]
impl<T: Default> Blank for T {
    fn blank() -> T {
        T::default()
    }
}

/// A type that an injected field can have without saying how: every one that is made from a reference to the state.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "nothing says how the injected field is taken from the state",
    label = "`{Self}` is not made from `&{S}`",
    note = "write `#[tool(inject = |state| …)]`, or implement `From<&{S}>` for `{Self}`"
)]
pub trait FromState<S> {
    /// The value.
    fn from_state(state: &S) -> Self;
}

#[diagnostic::do_not_recommend]
impl<S, T: for<'a> From<&'a S>> FromState<S> for T {
    fn from_state(state: &S) -> T {
        T::from(state)
    }
}

/// The type of an internal field. Its `read` is that of [`ReadInternal`] where the type can be read from JSON, and that
/// of [`RefuseInternal`] where it cannot: method lookup tries the one with more references first.
#[doc(hidden)]
#[derive(Debug)]
pub struct Internal<T>(PhantomData<fn() -> T>);

impl<T> Internal<T> {
    /// The type.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "only generated code makes one")]
    pub const fn new() -> Internal<T> {
        Internal(PhantomData)
    }
}

/// Internal fields that can be read from JSON.
#[doc(hidden)]
pub trait ReadInternal<T> {
    /// The value.
    ///
    /// # Errors
    /// What does not fit.
    fn read(&self, value: Value) -> Result<T, String>;
}

impl<T: DeserializeOwned> ReadInternal<T> for &Internal<T> {
    fn read(&self, value: Value) -> Result<T, String> {
        serde_json::from_value(value).map_err(|error| error.to_string())
    }
}

/// Internal fields that cannot be read from JSON.
#[doc(hidden)]
pub trait RefuseInternal<T> {
    /// Refuses the value.
    ///
    /// # Errors
    /// Always.
    fn read(&self, value: Value) -> Result<T, String>;
}

impl<T> RefuseInternal<T> for Internal<T> {
    fn read(&self, _value: Value) -> Result<T, String> {
        Err("its type cannot be read from JSON".to_owned())
    }
}

/// What is said of a value that is for no internal field.
#[doc(hidden)]
#[must_use]
pub fn no_internal(value: Value) -> String {
    drop(value);
    "there is no such field".to_owned()
}

/// Takes what is meant for internal fields out of an input: the rest, and what was taken. None where there is nothing.
pub(super) fn split<T: ToolForm>(input: &RawInput) -> Option<(RawInput, Map<String, Value>)> {
    if T::INTERNAL.is_empty() {
        return None;
    }
    let whole: Map<String, Value> = serde_json::from_str(input.as_str()).ok()?;
    let (taken, rest): (Map<_, _>, Map<_, _>) =
        whole.into_iter().partition(|(name, _)| T::INTERNAL.contains(&name.as_str()));
    (!taken.is_empty()).then(|| (RawInput::from_value(&Value::Object(rest)), taken))
}

/// Sets internal fields.
///
/// # Errors
/// Every value that does not fit.
pub(super) fn set<T: ToolForm>(typed: &mut T, taken: Map<String, Value>) -> Result<(), Vec<Problem>> {
    let problems: Vec<Problem> = taken
        .into_iter()
        .filter_map(|(name, value)| {
            let received = value.to_string();
            let why = typed.set_internal(&name, value).err()?;
            let expected = "a value of the internal field's type".to_owned();
            Some(Problem { path: name, expected, received, hint: Some(why) })
        })
        .collect();
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}
