//! What a connection to a server offers, whoever speaks the protocol: the only seam between us and its implementation.

use std::sync::Arc;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use toolwright::env::Env;

use super::config::ServerConfig;

/// A connection to a server.
#[async_trait]
pub trait Link: Send + Sync {
    /// What the server says of itself.
    fn about(&self) -> About;

    /// Its tools, all pages of them.
    async fn tools(&self) -> Result<Vec<RemoteTool>, LinkError>;

    /// Calls a tool. Dropping the future cancels the call at the server.
    async fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
        progress: Arc<dyn Fn(Progress) + Send + Sync>,
    ) -> Result<CallAnswer, LinkError>;

    /// Its resources, all pages of them, as the protocol writes them.
    async fn resources(&self) -> Result<Vec<Value>, LinkError>;

    /// The contents of a resource, as the protocol writes them.
    async fn read(&self, uri: &str) -> Result<Vec<Value>, LinkError>;

    /// Waits until the connection is gone.
    async fn closed(&self);

    /// Ends the connection.
    async fn close(&self);
}

/// What a server says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// Whether it has tools.
    pub has_tools: bool,
    /// Whether it has resources.
    pub has_resources: bool,
    /// How it is to be used.
    pub instructions: Option<String>,
    /// The version of the protocol that is spoken.
    pub protocol: String,
}

/// A tool as its server describes it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RemoteTool {
    /// What the server calls it.
    pub name: String,
    /// A name for people.
    pub title: Option<String>,
    /// What it does.
    #[serde(default)]
    pub description: Option<String>,
    /// The schema of its input.
    #[serde(default)]
    pub input_schema: Map<String, Value>,
    /// What the server claims of it.
    #[serde(default)]
    pub annotations: Option<Hints>,
    /// What else it says.
    #[serde(rename = "_meta", default)]
    pub meta: Map<String, Value>,
}

/// What a server claims of a tool. It may open concurrency, and no permission.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Hints {
    /// It changes nothing.
    pub read_only_hint: Option<bool>,
    /// It may destroy something.
    pub destructive_hint: Option<bool>,
    /// A name for people.
    pub title: Option<String>,
}

/// What a call came to, as the protocol writes it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallAnswer {
    /// Blocks of content.
    #[serde(default)]
    pub content: Vec<Value>,
    /// The same as data, where the tool gives it.
    pub structured_content: Option<Value>,
    /// Whether it failed.
    #[serde(default)]
    pub is_error: Option<bool>,
}

/// How far a call is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Progress {
    /// How much is done.
    pub progress: f64,
    /// Of how much.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<f64>,
    /// What is being done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// What a server tells without being asked.
pub trait Heard: Send + Sync {
    /// Its tools are others now.
    fn tools_changed(&self);
}

/// Who makes connections.
#[async_trait]
pub trait Connect: Send + Sync {
    /// Connects to a server. Whoever is given to it hears what the server tells without being asked.
    async fn connect(
        &self,
        env: &Env,
        config: &ServerConfig,
        heard: Arc<dyn Heard>,
    ) -> Result<Arc<dyn Link>, LinkError>;
}

/// Why a server did not answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    /// The connection is gone, or never stood.
    #[error("{0}")]
    Gone(String),
    /// It answered with an error.
    #[error("{0}")]
    Refused(String),
}
