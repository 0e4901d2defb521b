//! Tools for coding agents.

/// The tools.
#[must_use]
pub fn catalogue() -> toolwright::registry::Catalogue {
    toolwright::registry::Catalogue::new()
}
