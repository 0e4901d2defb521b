//! What a pool's tools cost at the beginning of a session, in each mode and with each back-end.

use super::loading::tokens_about;
use super::{Backend, Deferral, LoadMode, Pool};

/// What the first request of a session has of its tools, by estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// When tools are deferred.
    pub mode: LoadMode,
    /// How deferred tools are told to the model.
    pub backend: Backend,
    /// How many definitions are sent.
    pub definitions: usize,
    /// How many tokens those have.
    pub sent_tokens: usize,
    /// How many tokens the model reads: of definitions that are not kept from it, and of the announced names.
    pub read_tokens: usize,
}

impl Pool {
    /// What these tools cost in the three modes with both back-ends, as if the session began now.
    #[must_use]
    pub fn costs(&self) -> Vec<Cost> {
        let usual = self.deferral.unwrap_or_default();
        let modes = [LoadMode::Standard, LoadMode::Deferred, LoadMode::auto()];
        let each = modes.into_iter().flat_map(|mode| {
            [Backend::Emulated, Backend::Native].map(|backend| Deferral { mode, backend, ..usual })
        });
        each.map(|deferral| self.cost(deferral)).collect()
    }

    fn cost(&self, deferral: Deferral) -> Cost {
        let pool = self.kept(|_all| true).with_deferral(deferral);
        let definitions = pool.definitions();
        let tokens = |definition: &str| tokens_about(definition);
        let shown = pool.tools.iter().zip(&pool.deferred).filter(|(_, is_deferred)| !**is_deferred);
        let shown: usize = shown.map(|(tool, _)| tokens(tool.definition())).sum();
        Cost {
            mode: deferral.mode,
            backend: deferral.backend,
            definitions: definitions.len(),
            sent_tokens: definitions.iter().map(|definition| tokens(definition)).sum(),
            read_tokens: shown + pool.announcement().map_or(0, |names| tokens(&names)),
        }
    }
}
