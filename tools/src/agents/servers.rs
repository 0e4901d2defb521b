//! The servers that one agent has: those that it names, of the session's, and its own, which run while it does.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use toolwright::contract::ErasedTool;
use toolwright::session::Session;
use toolwright::settings::McpServer;

#[cfg(feature = "mcp")]
use crate::mcp::client::{ServerConfig, Servers, SessionPlace};

/// A server that an agent's definition asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum AgentServer {
    /// One of those that the session has, by its name.
    Named(String),
    /// One of the agent's own.
    Own {
        /// Its name.
        name: String,
        /// How it is reached.
        server: McpServer,
    },
}

impl AgentServer {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            AgentServer::Named(name) | AgentServer::Own { name, .. } => name,
        }
    }
}

/// The servers of one agent.
pub(super) struct AgentServers {
    wanted: Vec<AgentServer>,
    /// Tools that it may not have, as its definition names them.
    disallowed: Vec<String>,
    known: Known,
    /// Whether those that it brings may be started.
    is_trusted: bool,
    /// The tools that it got from here before.
    had: Mutex<BTreeSet<String>>,
}

/// What became of an agent's servers.
pub(super) struct Started {
    pub(super) own: OwnServers,
    pub(super) tools: Vec<Arc<dyn ErasedTool>>,
    /// What the agent is to know of those that give it nothing.
    pub(super) notices: Vec<String>,
}

/// The servers of a session, which agents may name.
#[derive(Clone, Default)]
pub(super) struct Known {
    #[cfg(feature = "mcp")]
    pub(super) servers: Option<Servers>,
}

/// The servers that an agent brought; they are stopped when this is dropped.
#[derive(Default)]
pub(super) struct OwnServers {
    #[cfg(feature = "mcp")]
    _servers: Option<Servers>,
}

impl AgentServers {
    pub(super) fn new(
        wanted: &[AgentServer],
        disallowed: Vec<String>,
        known: &Known,
        is_trusted: bool,
    ) -> AgentServers {
        let known = known.clone();
        AgentServers { wanted: wanted.to_vec(), disallowed, known, is_trusted, had: Mutex::default() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.wanted.is_empty()
    }

    /// Starts the agent's own servers, and takes the tools of all.
    #[cfg(feature = "mcp")]
    pub(super) async fn start(&self, session: &Session) -> Started {
        let context = session.context();
        let roots: Vec<_> = context.directories().map(std::path::Path::to_owned).collect();
        let place = SessionPlace { cwd: &context.cwd, roots: &roots, env: &context.env };
        let (mut tools, mut configs, mut notices) = (Vec::new(), Vec::new(), Vec::new());
        for wanted in &self.wanted {
            match wanted {
                AgentServer::Named(name) => {
                    match self.known.servers.as_ref().and_then(|known| known.tools_of(name)) {
                        Some(found) => tools.extend(found),
                        None => notices
                            .push(format!("this session has no server `{name}`, so its tools are missing")),
                    }
                }
                AgentServer::Own { name, .. } if !self.is_trusted => notices.push(format!(
                    "the server `{name}` was not started, since whoever wrote this agent is not trusted"
                )),
                AgentServer::Own { name, server } => {
                    let variable = |name: &str| std::env::var(name).ok();
                    let (config, problems) = ServerConfig::new(name, server, &place, &variable);
                    configs.extend(config);
                    notices.extend(problems.iter().map(ToString::to_string));
                }
            }
        }
        let own = Servers::start(session.env(), configs).await;
        notices.extend(own.problems().iter().map(ToString::to_string));
        tools.extend(own.tools());
        let tools = self.new_to(session, tools);
        Started { own: OwnServers { _servers: Some(own) }, tools, notices }
    }

    /// Without servers nobody's tools are there.
    #[cfg(not(feature = "mcp"))]
    pub(super) async fn start(&self, session: &Session) -> Started {
        let Known {} = self.known;
        let why =
            if self.is_trusted { "this program has none" } else { "whoever wrote this agent is not trusted" };
        let missing =
            |wanted: &AgentServer| format!("the tools of the server `{}` are missing: {why}", wanted.name());
        let notices = self.wanted.iter().map(missing).collect();
        Started { own: OwnServers::default(), tools: self.new_to(session, Vec::new()), notices }
    }

    /// The tools that the agent may have and does not have from elsewhere.
    fn new_to(&self, session: &Session, mut tools: Vec<Arc<dyn ErasedTool>>) -> Vec<Arc<dyn ErasedTool>> {
        let mut had = self.had.lock().unwrap_or_else(PoisonError::into_inner);
        let pool = session.pool();
        tools.retain(|tool| {
            let name = tool.form().name.as_ref();
            let is_closed = self.disallowed.iter().any(|entry| super::subset::closes(entry, name));
            let is_taken = !had.contains(name) && pool.find(name).is_ok();
            !is_closed && !is_taken
        });
        had.extend(tools.iter().map(|tool| tool.form().name.clone().into_owned()));
        tools
    }
}
