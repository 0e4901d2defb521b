//! Models over HTTP: the Messages format, and the chat-completions format that local servers speak.
//!
//! A provider turns a request into one POST whose beginning stays the same from turn to turn, and a stream of
//! server-sent events into the events of a model. Retries, time-outs and limits are the same for all ([`Endpoint`]).
//! Keys are in [`Secret`]s, which nothing prints.

pub mod chat;
mod endpoint;
mod exchange;
#[cfg(feature = "http")]
mod http;
mod ids;
mod limits;
pub mod messages;
mod refusal;
mod secret;
mod sse;
mod transport;

pub use self::chat::Chat;
pub use self::endpoint::{Endpoint, SetupError, Variables};
#[cfg(feature = "http")]
pub use self::http::Http;
pub use self::limits::{ANSWER_BYTES_MAX, BLOCKS_MAX, EVENT_BYTES_MAX, Retry, Timeouts};
pub use self::messages::Messages;
pub use self::secret::Secret;
pub use self::transport::{Body, HeaderValue, Post, Response, Transport, TransportError};
