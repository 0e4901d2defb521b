//! Which model is asked: one over HTTP, or a script.

use std::path::Path;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use toolwright::env::Env;
use toolwright::message::ToolUse;
use toolwright::query::{Model, ModelEvent, Scripted};
use toolwright_tools::models::{Chat, Endpoint, Messages, Secret, Variables};

use super::output::Fault;
use crate::import::read_path;
use crate::transcript::{self, Turn};

/// What stands before the file of a script.
const SCRIPT: &str = "script:";

#[derive(Args)]
pub(super) struct ModelArguments {
    /// The model, as its provider names it; or `script:FILE`: the calls of a recording, turn by turn, without a network
    #[arg(long)]
    model: String,
    /// The format that the provider speaks
    #[arg(long, value_enum, default_value = "messages")]
    format: Format,
    /// The provider's address; that of the environment or the usual one when left out
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    /// The environment variable with the key; the format's usual one when left out. The key is never shown or recorded
    #[arg(long, value_name = "NAME")]
    key_variable: Option<String>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// `POST /v1/messages`
    Messages,
    /// `POST /v1/chat/completions`, which local servers speak
    Chat,
}

/// A model, and the key that must not be seen.
pub(super) struct Chosen {
    pub(super) model: Arc<dyn Model>,
    pub(super) key: Option<String>,
}

impl ModelArguments {
    pub(super) fn model(&self, env: &Env) -> Result<Chosen, Fault> {
        if let Some(file) = self.model.strip_prefix(SCRIPT) {
            return Ok(Chosen { model: Arc::new(script(Path::new(file))?), key: None });
        }
        let variables = match self.format {
            Format::Messages => Messages::VARIABLES,
            Format::Chat => Chat::VARIABLES,
        };
        let key = self.key(&variables)?;
        let mut endpoint = Endpoint::new(env.clone());
        if let Some(url) = self.base_url.clone().or_else(|| variable(variables.base_url)) {
            endpoint = endpoint.base_url(url);
        }
        if let Some(key) = &key {
            endpoint = endpoint.key(Secret::new(key));
        }
        let model: Result<Arc<dyn Model>, _> = match self.format {
            Format::Messages => Messages::new(endpoint, &self.model).map(|model| Arc::new(model) as _),
            Format::Chat => Chat::new(endpoint, &self.model).map(|model| Arc::new(model) as _),
        };
        Ok(Chosen { model: model.map_err(|error| Fault::new(error.to_string()))?, key })
    }

    /// The key. A variable that was named must be there; servers on this machine often want none.
    fn key(&self, variables: &Variables) -> Result<Option<String>, Fault> {
        let Some(name) = &self.key_variable else { return Ok(variable(variables.key)) };
        let missing =
            || Fault::new(format!("the environment variable `{name}` is not set: put the key there"));
        variable(name).map(Some).ok_or_else(missing)
    }
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
}

/// A model that makes the calls of a recording, whatever comes of them.
fn script(file: &Path) -> Result<Scripted, Fault> {
    let recording = read_path(file).map_err(|error| Fault::new(error.to_string()))?;
    Ok(Scripted::new(recording.transcript.turns.iter().map(answer)))
}

fn answer(turn: &Turn) -> Vec<ModelEvent> {
    let text = turn.text.iter().map(|text| ModelEvent::text(0, text));
    let calls = turn.calls.iter().enumerate().map(|(index, call)| {
        let input = match &call.input {
            transcript::Input::Json(json) => json.get(),
            transcript::Input::Text(text) => text,
        };
        ModelEvent::call(index + 1, ToolUse::new(call.id.as_str(), call.name.as_str(), input))
    });
    text.chain(calls).collect()
}
