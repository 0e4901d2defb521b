//! What runs configured hooks for real: commands as processes of this machine, requests over HTTP.

mod command;
#[cfg(feature = "http")]
mod request;

#[cfg(feature = "http")]
use std::sync::OnceLock;

use toolwright::async_trait;
use toolwright::env::Env;
use toolwright::hooks::{CommandEnd, CommandHook, HookFailure, HookTransport, HttpHook, HttpReply};

/// How much a hook may write, or answer, before it is stopped.
pub const OUTPUT_BYTES_MAX: usize = 1024 * 1024;

/// Runs hooks on this machine. A client for requests is made at the first one.
#[derive(Debug, Default)]
pub struct RealHooks {
    #[cfg(feature = "http")]
    client: OnceLock<Result<reqwest::Client, crate::http::ClientError>>,
}

impl RealHooks {
    /// Without anything started yet.
    #[must_use]
    pub fn new() -> RealHooks {
        RealHooks::default()
    }
}

#[async_trait]
impl HookTransport for RealHooks {
    async fn command(&self, env: &Env, hook: &CommandHook) -> Result<CommandEnd, HookFailure> {
        command::run(env, hook).await
    }

    #[cfg(feature = "http")]
    async fn request(&self, _env: &Env, hook: &HttpHook) -> Result<HttpReply, HookFailure> {
        let client = self.client.get_or_init(crate::http::client);
        let client = client.as_ref().map_err(|error| HookFailure::NotStarted(error.to_string()))?;
        request::send(client, hook).await
    }

    #[cfg(not(feature = "http"))]
    async fn request(&self, _env: &Env, _hook: &HttpHook) -> Result<HttpReply, HookFailure> {
        Err(HookFailure::NotStarted("this build speaks no HTTP".to_owned()))
    }

    fn variable(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }
}
