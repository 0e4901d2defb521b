//! The Messages format: `POST /v1/messages`, answered by a stream of events.

mod block;
mod decode;
mod deferred;
mod request;
mod wire;

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::Arc;

use serde_json::Value;
use toolwright::query::{Model, ModelStream, Request};
use toolwright::registry::Backend;

use self::decode::Decoder;
use super::exchange::Exchange;
use super::ids::CallIds;
use super::transport::{HeaderValue, Post};
use super::{Endpoint, SetupError, Variables};

/// The version of the format that is spoken.
const VERSION: &str = "2023-06-01";
/// The usual address.
const BASE_URL: &str = "https://api.anthropic.com";
/// How long an answer may be unless the request says.
const OUTPUT_TOKENS_MAX: NonZeroU32 = NonZeroU32::new(8_192).expect("it is not zero");

/// A model behind an API in the Messages format.
#[derive(Clone)]
pub struct Messages {
    exchange: Exchange,
    url: String,
    /// Whether requests go to the provider itself.
    is_first_party: bool,
    settings: Arc<Settings>,
}

#[derive(Clone, Debug)]
struct Settings {
    model: String,
    output_tokens_max: NonZeroU32,
    betas: Vec<String>,
    options: BTreeMap<String, Value>,
    sends_bearer: bool,
}

impl Messages {
    /// The variables with the key and the address.
    pub const VARIABLES: Variables = Variables { key: "ANTHROPIC_API_KEY", base_url: "ANTHROPIC_BASE_URL" };

    /// The model of this name, wherever a request names none.
    ///
    /// # Errors
    /// When the endpoint cannot be reached as it is described.
    pub fn new(endpoint: Endpoint, model: impl Into<String>) -> Result<Messages, SetupError> {
        let (url, exchange) = endpoint.open(BASE_URL, "messages")?;
        let settings = Settings {
            model: model.into(),
            output_tokens_max: OUTPUT_TOKENS_MAX,
            betas: Vec::new(),
            options: BTreeMap::new(),
            sends_bearer: false,
        };
        let is_first_party = url.strip_prefix(BASE_URL).is_some_and(|path| path.starts_with('/'));
        Ok(Messages { exchange, url, is_first_party, settings: Arc::new(settings) })
    }

    /// The most tokens of an answer, where the request does not say; 8,192 unless said.
    #[must_use]
    pub fn output_tokens_max(mut self, tokens: NonZeroU32) -> Messages {
        self.settings_mut().output_tokens_max = tokens;
        self
    }

    /// Asks for a feature that is in trial, by the name that goes into the header `anthropic-beta`.
    #[must_use]
    pub fn beta(mut self, name: impl Into<String>) -> Messages {
        self.settings_mut().betas.push(name.into());
        self
    }

    /// A field of the request that this library has no word for, such as `temperature` or `thinking`. What the library
    /// writes itself is not replaced.
    #[must_use]
    pub fn option(mut self, name: impl Into<String>, value: Value) -> Messages {
        self.settings_mut().options.insert(name.into(), value);
        self
    }

    /// Sends the key as a bearer token, as some gateways want it.
    #[must_use]
    pub fn bearer(mut self) -> Messages {
        self.settings_mut().sends_bearer = true;
        self
    }

    fn settings_mut(&mut self) -> &mut Settings {
        Arc::make_mut(&mut self.settings)
    }

    fn headers(&self, defers: bool) -> Vec<(&'static str, HeaderValue)> {
        let mut headers = vec![
            ("accept", HeaderValue::Open("text/event-stream".to_owned())),
            ("anthropic-version", HeaderValue::Open(VERSION.to_owned())),
        ];
        let mut betas: Vec<&str> = self.settings.betas.iter().map(String::as_str).collect();
        if defers && !betas.contains(&deferred::BETA) {
            betas.push(deferred::BETA);
        }
        if !betas.is_empty() {
            headers.push(("anthropic-beta", HeaderValue::Open(betas.join(","))));
        }
        if let Some(key) = self.exchange.key.clone() {
            headers.push(if self.settings.sends_bearer {
                ("authorization", HeaderValue::Bearer(key))
            } else {
                ("x-api-key", HeaderValue::Secret(key))
            });
        }
        headers
    }
}

impl Model for Messages {
    fn backend(&self) -> Backend {
        // Gateways refuse the mark, or pass it on to models that do not know it.
        match self.is_first_party && deferred::is_known_to(&self.settings.model) {
            true => Backend::Native,
            false => Backend::Emulated,
        }
    }

    fn respond(&self, mut request: Request) -> ModelStream {
        let defers = deferred::fit(&mut request, &self.settings.model);
        let body = match request::body(&request, &self.settings) {
            Ok(body) => body,
            Err(error) => return Exchange::refuse(error),
        };
        let post = Post { url: self.url.clone(), headers: self.headers(defers), body };
        let ids = CallIds::new(self.exchange.env.clone(), &request.messages);
        self.exchange.ask(post, move || Decoder::new(ids.clone()))
    }
}

impl std::fmt::Debug for Messages {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Messages").field("settings", &self.settings).finish_non_exhaustive()
    }
}
