//! A key that is never shown.

use std::fmt;
use std::sync::Arc;

/// A key. It has no `Display`, and its `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Arc<str>);

/// What stands in the place of a key wherever it would be shown.
const HIDDEN: &str = "[secret]";

impl Secret {
    /// A key from its text. White space around it is left out: keys are often read from files.
    #[must_use]
    pub fn new(text: impl AsRef<str>) -> Secret {
        Secret(text.as_ref().trim().into())
    }

    /// The key itself, for the one header that carries it.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    /// A text in which the key does not stand, wherever it came from.
    pub(crate) fn hidden_in(&self, text: &str) -> String {
        if self.0.is_empty() { text.to_owned() } else { text.replace(&*self.0, HIDDEN) }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}
