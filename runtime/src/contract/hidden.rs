//! Where the values of fields come from that the model never sees: traits that say what is missing in words of their own.

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
