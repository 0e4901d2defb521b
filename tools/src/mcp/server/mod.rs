//! Our tools for other programs: a session's tools as a server of the Model Context Protocol.
//!
//! Every request is a call through the same pipeline as a model's: rules and mode decide, a question goes to the person
//! behind the client where the client can ask, and calls run side by side only where they say that they may.

mod clients;
mod handler;
mod http;
mod listed;
mod pending;

use std::io;
use std::num::NonZeroUsize;
use std::sync::Arc;

use rmcp::ServiceExt;
use toolwright::session::Session;

pub use self::clients::Clients;
use self::handler::Handler;
pub use self::http::HttpServer;

/// What a server calls itself that was given no name.
const OWN_NAME: &str = "toolwright";

/// How many calls run side by side at the most.
const CAP: NonZeroUsize = NonZeroUsize::new(10).expect("ten is not zero");

/// A session's tools, to be served. Cheap to clone.
///
/// ```no_run
/// use toolwright::env::Env;
/// use toolwright::session::Session;
/// use toolwright_tools::mcp::server::{Clients, ToolServer};
///
/// # async fn serve() -> Result<(), Box<dyn std::error::Error>> {
/// let clients = Clients::new();
/// let env = Env::tokio()?.with_sink(clients.sink());
/// let session = Session::builder(env, toolwright_tools::catalogue())
///     .prompter(clients.clone())
///     .hook(clients.clone())
///     .build();
/// ToolServer::new(session, clients).serve_stdio().await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct ToolServer(Arc<Handler>);

impl ToolServer {
    /// A server of this session's tools. The session was built with the clients as its sink of events, its prompter and
    /// its hook: else nobody is asked, no progress is told, and results have no data beside their text.
    #[must_use]
    pub fn new(session: Session, clients: Clients) -> ToolServer {
        ToolServer::named(OWN_NAME, session, clients)
    }

    /// Such a server with a name of its own, by which clients show it to people.
    #[must_use]
    pub fn named(name: impl Into<String>, session: Session, clients: Clients) -> ToolServer {
        ToolServer(Arc::new(Handler::new(name.into(), session, clients, CAP)))
    }

    /// Serves one client over the standard streams of this process, until it closes them.
    ///
    /// # Errors
    /// When the client does not speak the protocol.
    pub async fn serve_stdio(&self) -> io::Result<()> {
        let running = self.0.as_ref().clone().serve((tokio::io::stdin(), tokio::io::stdout())).await;
        let running = running.map_err(|error| io::Error::other(error.to_string()))?;
        running.waiting().await.map(drop).map_err(io::Error::other)
    }

    /// Stops all calls that run, and waits for a few seconds until they have ended, with the programs they started. A
    /// client may go in the middle of a call.
    pub async fn end(&self) {
        self.0.end().await;
    }

    /// Serves any number of clients over streamable HTTP at this address, below `/mcp`.
    ///
    /// # Errors
    /// When the address cannot be listened at.
    pub async fn serve_http(&self, address: &str) -> io::Result<HttpServer> {
        HttpServer::start(self.0.as_ref().clone(), self.0.env().clone(), address).await
    }
}

impl std::fmt::Debug for ToolServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ToolServer").finish_non_exhaustive()
    }
}
