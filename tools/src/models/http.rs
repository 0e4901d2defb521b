//! Requests over HTTP.

use std::error::Error;

use async_trait::async_trait;
use futures_util::stream;

use super::transport::{Post, Response, Transport, TransportError};
use crate::http::{self, ClientError};

/// How many headers of a response are kept.
const HEADERS_MAX: usize = 200;

/// Carries requests over HTTP.
#[derive(Clone, Debug)]
pub struct Http(reqwest::Client);

impl Http {
    /// To any server, over the proxy that the environment names, if it does.
    ///
    /// # Errors
    /// As [`http::client`].
    pub fn new() -> Result<Http, ClientError> {
        http::client().map(Http)
    }

    /// To servers on this machine: no proxy sees what goes to them.
    ///
    /// # Errors
    /// As [`http::client_without_proxy`].
    pub fn to_this_machine() -> Result<Http, ClientError> {
        http::client_without_proxy().map(Http)
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
        let headers = response.headers().iter().take(HEADERS_MAX);
        let headers = headers
            .filter_map(|(name, value)| Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned())))
            .collect();
        let body = stream::try_unfold(response, async |mut response| {
            let piece = response.chunk().await.map_err(broken)?;
            Ok(piece.map(|piece| (piece.to_vec(), response)))
        });
        Ok(Response { status, headers, body: Box::pin(body) })
    }
}

/// The error and its causes, each once, without the address: that may hold a key.
fn broken(error: reqwest::Error) -> TransportError {
    let error = error.without_url();
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
    TransportError(words)
}
