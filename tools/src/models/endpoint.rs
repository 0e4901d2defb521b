//! Where a provider is, and how patient we are with it.

use std::sync::Arc;

use toolwright::env::Env;

use super::exchange::Exchange;
use super::transport::Transport;
use super::{Retry, Secret, Timeouts};

/// Where a provider is, the key for it, and how patient we are with it.
#[derive(Clone)]
pub struct Endpoint {
    env: Env,
    base_url: Option<String>,
    key: Option<Secret>,
    retry: Retry,
    timeouts: Timeouts,
    transport: Option<Arc<dyn Transport>>,
    allows_plain_http: bool,
}

/// The environment variables that a provider's programs read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variables {
    /// The one with the key.
    pub key: &'static str,
    /// The one with the address.
    pub base_url: &'static str,
}

/// A provider cannot be reached as it was described. No key and no address is in it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// The address is not `http://…` or `https://…` with a host.
    #[error("the base address of the model is not `https://HOST…` or `http://HOST…`")]
    BadAddress,
    /// The address holds a user name or a password, a query or a fragment.
    #[error("the base address of the model holds more than a host and a path; give the key by itself")]
    MoreThanAddress,
    /// A key would go over a network for anybody to read.
    #[error(
        "the key would go to `{host}` unprotected: use https, or allow plain HTTP if you know the network"
    )]
    Unprotected {
        /// The host.
        host: String,
    },
    /// Nothing that speaks HTTP was given, and none is built in.
    #[error("this program was built without the feature `http`: give a transport")]
    NoTransport,
    /// The HTTP client could not be made.
    #[error("{0}")]
    Client(String),
}

impl Endpoint {
    /// The provider's usual address, without a key. Time and chance are those of `env`.
    #[must_use]
    pub fn new(env: Env) -> Endpoint {
        Endpoint {
            env,
            base_url: None,
            key: None,
            retry: Retry::default(),
            timeouts: Timeouts::default(),
            transport: None,
            allows_plain_http: false,
        }
    }

    /// With the key and the address of the process's environment variables, where they are set.
    ///
    /// ```no_run
    /// use toolwright::env::Env;
    /// use toolwright_tools::models::{Endpoint, Messages};
    ///
    /// # fn model() -> Result<(), Box<dyn std::error::Error>> {
    /// let endpoint = Endpoint::from_environment(Env::tokio()?, &Messages::VARIABLES);
    /// let model = Messages::new(endpoint, "the-model")?;
    /// # drop(model);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn from_environment(env: Env, variables: &Variables) -> Endpoint {
        Endpoint::from_lookup(env, variables, |name| std::env::var(name).ok())
    }

    /// With the key and the address that `lookup` finds under the variables' names. What is empty is not set.
    #[must_use]
    pub fn from_lookup(env: Env, variables: &Variables, lookup: impl Fn(&str) -> Option<String>) -> Endpoint {
        let find = |name| lookup(name).filter(|value| !value.trim().is_empty());
        let mut endpoint = Endpoint::new(env);
        endpoint.key = find(variables.key).map(Secret::new);
        endpoint.base_url = find(variables.base_url);
        endpoint
    }

    /// The address, without the path of the one request: `http://localhost:8080`, or with `/v1` at its end.
    #[must_use]
    pub fn base_url(mut self, url: impl Into<String>) -> Endpoint {
        self.base_url = Some(url.into());
        self
    }

    /// The key.
    #[must_use]
    pub fn key(mut self, key: Secret) -> Endpoint {
        self.key = Some(key);
        self
    }

    /// How often a request is sent again.
    #[must_use]
    pub fn retry(mut self, retry: Retry) -> Endpoint {
        self.retry = retry;
        self
    }

    /// How long the parts of a request may take.
    #[must_use]
    pub fn timeouts(mut self, timeouts: Timeouts) -> Endpoint {
        self.timeouts = timeouts;
        self
    }

    /// What carries the requests; HTTP unless said.
    #[must_use]
    pub fn transport(mut self, transport: impl Transport) -> Endpoint {
        self.transport = Some(Arc::new(transport));
        self
    }

    /// Lets the key go over plain HTTP to other machines.
    #[must_use]
    pub fn allow_plain_http(mut self) -> Endpoint {
        self.allows_plain_http = true;
        self
    }

    /// The address of the one request, and what all requests share.
    pub(super) fn open(self, usual: &str, path: &str) -> Result<(String, Exchange), SetupError> {
        let base = self.base_url.as_deref().unwrap_or(usual).trim();
        let host = host(base)?;
        let is_protected = base.starts_with("https://") || is_loopback(host) || self.allows_plain_http;
        if self.key.is_some() && !is_protected {
            return Err(SetupError::Unprotected { host: host.to_owned() });
        }
        let base = base.trim_end_matches('/');
        let base = base.strip_suffix("/v1").unwrap_or(base);
        let url = format!("{base}/v1/{path}");
        let transport = match self.transport {
            Some(transport) => transport,
            None => built_in_transport(is_loopback(host))?,
        };
        let Endpoint { env, key, retry, timeouts, .. } = self;
        Ok((url, Exchange { env, transport, key, retry, timeouts }))
    }
}

#[cfg(feature = "http")]
fn built_in_transport(is_this_machine: bool) -> Result<Arc<dyn Transport>, SetupError> {
    let http = if is_this_machine { super::Http::to_this_machine() } else { super::Http::new() };
    match http {
        Ok(http) => Ok(Arc::new(http)),
        Err(error) => Err(SetupError::Client(error.to_string())),
    }
}

#[cfg(not(feature = "http"))]
fn built_in_transport(_is_this_machine: bool) -> Result<Arc<dyn Transport>, SetupError> {
    Err(SetupError::NoTransport)
}

/// The host of an address that is nothing but scheme, host, port and path.
fn host(url: &str) -> Result<&str, SetupError> {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let rest = rest.ok_or(SetupError::BadAddress)?;
    if rest.contains(['@', '?', '#', '\\']) || rest.contains(|char: char| char.is_whitespace()) {
        return Err(SetupError::MoreThanAddress);
    }
    let authority = rest.split('/').next().unwrap_or_default();
    let host = match authority.strip_prefix('[') {
        Some(bracketed) => bracketed.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    };
    if host.is_empty() { Err(SetupError::BadAddress) } else { Ok(host) }
}

fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost")
        || host.parse().is_ok_and(|address: std::net::IpAddr| address.is_loopback())
}

impl std::fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Endpoint")
            .field("key", &self.key)
            .field("retry", &self.retry)
            .field("timeouts", &self.timeouts)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_told_and_addresses_with_more_are_refused() {
        let table = [
            ("https://api.example.com/v1", Ok("api.example.com")),
            ("http://localhost:8080", Ok("localhost")),
            ("http://[::1]:80/x", Ok("::1")),
            ("http://", Err(SetupError::BadAddress)),
            ("ftp://x", Err(SetupError::BadAddress)),
            ("localhost:80", Err(SetupError::BadAddress)),
            ("https://me:key@x", Err(SetupError::MoreThanAddress)),
            ("https://x/?key=1", Err(SetupError::MoreThanAddress)),
            ("http://localhost\\@evil.example", Err(SetupError::MoreThanAddress)),
        ];
        for (url, expected) in table {
            assert_eq!(host(url), expected, "{url}");
        }
        for (name, expected) in [
            ("localhost", true),
            ("127.0.0.1", true),
            ("127.9.9.9", true),
            ("::1", true),
            ("127.0.0.1.evil", false),
        ] {
            assert_eq!(is_loopback(name), expected, "{name}");
        }
    }
}
