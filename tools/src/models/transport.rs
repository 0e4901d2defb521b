//! What carries a request to a provider and its response back: HTTP, or something that stands in for it.

use std::fmt;
use std::pin::Pin;

use async_trait::async_trait;
use futures_util::stream::Stream;

use super::Secret;

/// A request: a POST of JSON.
#[derive(Clone)]
pub struct Post {
    /// The whole address.
    pub url: String,
    /// The headers beside the content type, by their names in lower case.
    pub headers: Vec<(&'static str, HeaderValue)>,
    /// The JSON.
    pub body: Vec<u8>,
}

/// The value of a header.
#[derive(Clone, Debug)]
pub enum HeaderValue {
    /// One that anybody may see.
    Open(String),
    /// A key alone.
    Secret(Secret),
    /// A key behind the word `Bearer`.
    Bearer(Secret),
}

/// A response whose body has not come yet.
pub struct Response {
    /// The status.
    pub status: u16,
    /// The headers that can be read as text, by their names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body, piece by piece, cut anywhere.
    pub body: Body,
}

/// The pieces of a body; an error is the last one. Dropping it closes the connection.
pub type Body = Pin<Box<dyn Stream<Item = Result<Vec<u8>, TransportError>> + Send>>;

/// There was no connection, or it broke. The words hold no header and no address but the host.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct TransportError(pub String);

/// Carries requests. Dropping what it gives back gives the request up.
#[async_trait]
pub trait Transport: Send + Sync + 'static {
    /// Sends a request, and waits for the head of its response.
    async fn post(&self, request: Post) -> Result<Response, TransportError>;
}

impl HeaderValue {
    /// The value as it goes over the wire.
    #[must_use]
    pub fn expose(&self) -> String {
        match self {
            HeaderValue::Open(value) => value.clone(),
            HeaderValue::Secret(key) => key.expose().to_owned(),
            HeaderValue::Bearer(key) => format!("Bearer {}", key.expose()),
        }
    }

    /// Whether nobody may see it.
    #[must_use]
    pub fn is_secret(&self) -> bool {
        match self {
            HeaderValue::Open(_) => false,
            HeaderValue::Secret(_) | HeaderValue::Bearer(_) => true,
        }
    }
}

impl Response {
    /// The value of a header, by its name in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

impl fmt::Debug for Post {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Post");
        shown.field("headers", &self.headers).field("body_bytes", &self.body.len()).finish_non_exhaustive()
    }
}

impl fmt::Debug for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Response").field("status", &self.status).finish_non_exhaustive()
    }
}
