//! What the type of a parameter must be able to, asked in our words and once, before serde and schemars ask in theirs.
//!
//! Generated code finds out whether a type can be a parameter without asking for it. Where it cannot, that is told at the
//! type, and the type on the wire has a [`NotAParameter`] in its place, of which nothing more is to be told.

use std::borrow::Cow;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Deserialize, DeserializeOwned, Deserializer, Error};

/// Whether a type can be a parameter: its `IS` is true where it can, and [`Unreadable::IS`] where it cannot.
#[derive(Debug)]
pub struct Probe<T>(PhantomData<T>);

impl<T: DeserializeOwned + JsonSchema> Probe<T> {
    /// It can.
    pub const IS: bool = true;
}

/// What holds of a type that cannot be a parameter. An implementation of the type's own comes before it.
pub trait Unreadable {
    /// It cannot.
    const IS: bool = false;
}

impl<T> Unreadable for Probe<T> {}

/// The answer of a [`Probe`].
#[derive(Debug)]
pub struct Is<const PARAMETER: bool>;

/// A type that can be a parameter, where its [`Probe`] answers with true. To name [`Parameter::ASKED`] is to ask, and
/// leaves no bound behind that the compiler would tell of besides.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter yet",
    label = "it has no `#[derive(Params)]`",
    note = "write `#[derive(toolwright::Params)]` above `{Self}`; a type of another crate needs serde's `Deserialize` and \
            schemars' `JsonSchema`, or the field `#[serde(with = \"…\")]` and `#[schemars(with = \"…\")]`"
)]
pub trait Parameter<const IS: bool> {
    /// It was asked, and can.
    const ASKED: ();
}

#[diagnostic::do_not_recommend]
impl<T> Parameter<true> for T {
    const ASKED: () = ();
}

/// What stands on the wire for a field of type `T`.
pub trait OnWire<T> {
    /// The type itself, or what stands in its place.
    type Type;

    /// The field.
    fn field(read: Self::Type) -> T;
}

impl<T> OnWire<T> for Is<true> {
    type Type = T;

    fn field(read: T) -> T {
        read
    }
}

impl<T> OnWire<T> for Is<false> {
    type Type = NotAParameter;

    fn field(read: NotAParameter) -> T {
        match read {}
    }
}

/// Stands for a type that cannot be a parameter, in code that does not compile.
#[derive(Clone, Copy, Debug)]
pub enum NotAParameter {}

impl<'de> Deserialize<'de> for NotAParameter {
    fn deserialize<D: Deserializer<'de>>(_deserializer: D) -> Result<NotAParameter, D::Error> {
        Err(D::Error::custom("it is no parameter"))
    }
}

impl JsonSchema for NotAParameter {
    fn schema_name() -> Cow<'static, str> {
        Cow::Borrowed("NotAParameter")
    }

    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        Schema::from(false)
    }
}
