//! What sessions that begin alike have in common, made once.

use std::sync::Arc;

use crate::permission::CompiledRules;
use crate::registry::KnownTools;

/// What sessions that begin alike have in common: their rules, compiled, and the schemas and definitions of their tools.
/// Of a session that begins otherwise only what is the same is taken from it, so a session is the same with and without.
/// For a program that begins many sessions, such as a simulation. It keeps what the last of them had, and no more. Cheap
/// to clone; clones share.
///
/// What a tool tells of itself from its own state is told as the first of these sessions told it, as long as it is the
/// same tool: one that was put into a [`Catalogue`](crate::registry::Catalogue) once, of which the others have clones.
#[derive(Clone, Debug, Default)]
pub struct Groundwork(Arc<Parts>);

#[derive(Debug, Default)]
struct Parts {
    rules: CompiledRules,
    tools: KnownTools,
}

impl Groundwork {
    /// Of no session yet.
    #[must_use]
    pub fn new() -> Groundwork {
        Groundwork::default()
    }

    pub(super) fn rules(&self) -> &CompiledRules {
        &self.0.rules
    }

    pub(super) fn tools(&self) -> &KnownTools {
        &self.0.tools
    }
}
