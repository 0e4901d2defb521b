//! The one place where an HTTP client is made: rustls with ring, the machine's certificates, no redirects.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use rustls_platform_verifier::BuilderVerifierExt;

/// How long a connection may take to stand.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);

/// No client could be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an HTTP client could not be made: {0}")]
pub struct ClientError(String);

/// A client that checks certificates as the machine does and follows no redirect.
///
/// # Errors
/// When the machine's certificates cannot be read.
pub fn client() -> Result<reqwest::Client, ClientError> {
    let failed = |error: &dyn Error| ClientError(error.to_string());
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
        .user_agent(concat!("toolwright/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|error| failed(&error))
}
