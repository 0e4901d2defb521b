//! The one list of all tools of this crate.

use toolwright::registry::Catalogue;

use crate::files::{Edit, Glob, Read, Write};
use crate::shell::Bash;

/// Every tool of this crate. What a session uses of them is decided where its pool is made.
#[must_use]
pub fn catalogue() -> Catalogue {
    let mut catalogue = Catalogue::new();
    catalogue.add::<Bash>().add::<Edit>().add::<Glob>().add::<Read>().add::<Write>();
    catalogue
}
