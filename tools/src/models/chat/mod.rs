//! The chat-completions format: `POST /v1/chat/completions`, as OpenAI has it and many local servers speak it.
//!
//! What servers do differently is taken as far as it is plain what is meant: calls without an index or an identifier,
//! identifiers that are used again, arguments that are no text. Each such thing is told as a repair.

mod calls;
mod decode;
mod request;

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::Arc;

use serde_json::Value;
use toolwright::query::{Model, ModelStream, Request};
use toolwright::registry::Pool;
use toolwright::schema::{ProfileError, ProviderProfile};

use self::decode::Decoder;
use super::exchange::Exchange;
use super::ids::CallIds;
use super::transport::{HeaderValue, Post};
use super::{Endpoint, SetupError, Variables};

/// The usual address.
const BASE_URL: &str = "https://api.openai.com";

/// A model behind an API in the chat-completions format.
#[derive(Clone)]
pub struct Chat {
    exchange: Exchange,
    url: String,
    settings: Arc<Settings>,
}

#[derive(Clone, Debug)]
struct Settings {
    model: String,
    output_tokens_max: Option<NonZeroU32>,
    output_tokens_field: &'static str,
    options: BTreeMap<String, Value>,
    /// Schemas of the strict profile, by the names of their tools.
    strict: BTreeMap<String, Arc<str>>,
}

impl Chat {
    /// The variables with the key and the address.
    pub const VARIABLES: Variables = Variables { key: "OPENAI_API_KEY", base_url: "OPENAI_BASE_URL" };

    /// The model of this name, wherever a request names none.
    ///
    /// # Errors
    /// When the endpoint cannot be reached as it is described.
    pub fn new(endpoint: Endpoint, model: impl Into<String>) -> Result<Chat, SetupError> {
        let (url, exchange) = endpoint.open(BASE_URL, "chat/completions")?;
        // Compatible servers know the older word only, and the newest models of the format's home the newer one.
        let is_home = url.starts_with(BASE_URL);
        let settings = Settings {
            model: model.into(),
            output_tokens_max: None,
            output_tokens_field: if is_home { "max_completion_tokens" } else { "max_tokens" },
            options: BTreeMap::new(),
            strict: BTreeMap::new(),
        };
        Ok(Chat { exchange, url, settings: Arc::new(settings) })
    }

    /// The most tokens of an answer, where the request does not say; as many as the server lets unless said.
    #[must_use]
    pub fn output_tokens_max(mut self, tokens: NonZeroU32) -> Chat {
        self.settings_mut().output_tokens_max = Some(tokens);
        self
    }

    /// A field of the request that this library has no word for, such as `temperature`. What the library writes itself
    /// is not replaced.
    #[must_use]
    pub fn option(mut self, name: impl Into<String>, value: Value) -> Chat {
        self.settings_mut().options.insert(name.into(), value);
        self
    }

    /// Sends the tools of this pool in the provider's strict form, where its subset can express them; the rest, which
    /// is given back with the reason, as they are.
    #[must_use]
    pub fn strict(mut self, pool: &Pool) -> (Chat, Vec<(String, ProfileError)>) {
        let mut loose = Vec::new();
        for tool in pool.tools() {
            let name = tool.form().name.clone().into_owned();
            match tool.schema().for_profile(ProviderProfile::OpenAiStrict) {
                Ok(schema) => drop(self.settings_mut().strict.insert(name, schema)),
                Err(error) => loose.push((name, error)),
            }
        }
        (self, loose)
    }

    fn settings_mut(&mut self) -> &mut Settings {
        Arc::make_mut(&mut self.settings)
    }

    fn headers(&self) -> Vec<(&'static str, HeaderValue)> {
        let mut headers = vec![("accept", HeaderValue::Open("text/event-stream".to_owned()))];
        headers.extend(self.exchange.key.clone().map(|key| ("authorization", HeaderValue::Bearer(key))));
        headers
    }
}

impl Model for Chat {
    fn respond(&self, request: Request) -> ModelStream {
        let body = match request::body(&request, &self.settings) {
            Ok(body) => body,
            Err(error) => return Exchange::refuse(error),
        };
        let post = Post { url: self.url.clone(), headers: self.headers(), body };
        let ids = CallIds::new(self.exchange.env.clone(), &request.messages);
        self.exchange.ask(post, move || Decoder::new(ids.clone()))
    }
}

impl std::fmt::Debug for Chat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Chat").field("settings", &self.settings).finish_non_exhaustive()
    }
}
