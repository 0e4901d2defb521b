//! The one place where an HTTP client is made: rustls with ring, the machine's certificates, no redirects.
//!
//! Redirects are not followed, for a request carries a key; whoever wants to follow them looks at each.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures_util::stream;
use rustls_platform_verifier::BuilderVerifierExt;

use crate::models::{Post, Response, Transport, TransportError};

/// How long a connection may take to stand.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);
/// How long a connection that nobody uses is kept.
const POOL_IDLE_MAX: Duration = Duration::from_secs(60);
/// How many headers of a response are kept.
const HEADERS_MAX: usize = 200;

/// No client could be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an HTTP client could not be made: {0}")]
pub struct ClientError(String);

/// A client that checks certificates as the machine does and follows no redirect.
///
/// # Errors
/// When the machine's certificates cannot be read.
pub fn client() -> Result<reqwest::Client, ClientError> {
    let failed = |error: &dyn Error| ClientError(in_words(error));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| failed(&error))?
        .with_platform_verifier()
        .map_err(|error| failed(&error))?
        .with_no_client_auth();
    reqwest::Client::builder()
        .tls_backend_preconfigured(tls)
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .connect_timeout(CONNECT_TIMEOUT)
        .pool_idle_timeout(POOL_IDLE_MAX)
        .user_agent(concat!("toolwright/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|error| failed(&error.without_url()))
}

/// Carries requests over HTTP.
#[derive(Clone, Debug)]
pub struct Http(reqwest::Client);

impl Http {
    /// Over a client of its own.
    ///
    /// # Errors
    /// As [`client`].
    pub fn new() -> Result<Http, ClientError> {
        client().map(Http)
    }
}

#[async_trait]
impl Transport for Http {
    async fn post(&self, request: Post) -> Result<Response, TransportError> {
        let mut builder = self.0.post(&request.url).header("content-type", "application/json");
        for (name, value) in &request.headers {
            let mut header = reqwest::header::HeaderValue::from_str(&value.expose()).map_err(|_error| {
                TransportError(format!(
                    "the value of the header `{name}` cannot be sent; is the key one line?"
                ))
            })?;
            header.set_sensitive(value.is_secret());
            builder = builder.header(*name, header);
        }
        let response = builder.body(request.body).send().await.map_err(broken)?;
        let status = response.status().as_u16();
        let headers =
            response.headers().iter().take(HEADERS_MAX).filter_map(|(name, value)| {
                Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned()))
            });
        let headers = headers.collect();
        let body = stream::try_unfold(response, async |mut response| {
            let piece = response.chunk().await.map_err(broken)?;
            Ok(piece.map(|piece| (piece.to_vec(), response)))
        });
        Ok(Response { status, headers, body: Box::pin(body) })
    }
}

/// The address is left out: it may hold a key.
fn broken(error: reqwest::Error) -> TransportError {
    TransportError(in_words(&error.without_url()))
}

/// An error and its causes, each once.
fn in_words(error: &dyn Error) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !words.ends_with(&more) {
            words.push_str(": ");
            words.push_str(&more);
        }
        cause = error.source();
    }
    words
}
