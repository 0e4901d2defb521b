//! Deferred tools on the command line: when there are some, and how the model is told of them.

use clap::{Args, ValueEnum};
use toolwright::registry::{Backend, Deferral, LoadMode};

#[derive(Args)]
pub(super) struct DeferralArguments {
    /// When tools are deferred: `true`, `false`, `auto` or `auto:PERCENT`; as `ENABLE_TOOL_SEARCH` says when left out
    #[arg(long, value_name = "MODE", value_parser = mode)]
    tool_search: Option<LoadMode>,
    /// How deferred tools are told to the model; what its provider understands when left out
    #[arg(long, value_enum)]
    backend: Option<BackendName>,
}

#[derive(Clone, Copy, ValueEnum)]
enum BackendName {
    /// By name; their definitions come when they are loaded
    Emulated,
    /// By definitions that the provider keeps from the model until they are found
    Native,
}

fn mode(word: &str) -> Result<LoadMode, String> {
    LoadMode::parse(word).ok_or_else(|| "use `true`, `false`, `auto` or `auto:PERCENT`".to_owned())
}

impl DeferralArguments {
    /// What was said, for a model that is told of deferred tools so.
    pub(super) fn deferral(&self, usual_backend: Backend) -> Deferral {
        let backend = match self.backend {
            None => usual_backend,
            Some(BackendName::Emulated) => Backend::Emulated,
            Some(BackendName::Native) => Backend::Native,
        };
        let usual = Deferral::of_environment();
        Deferral { mode: self.tool_search.unwrap_or(usual.mode), backend, ..usual }
    }
}
