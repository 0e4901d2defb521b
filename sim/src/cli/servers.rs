//! MCP servers that settings name, on the command line.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use toolwright::contract::ToolForm as _;
use toolwright::env::Env;
use toolwright::registry::Catalogue;
use toolwright::session::Session;
use toolwright::settings::{Layer, McpServer, Settings};
use toolwright_tools::mcp::client::{ConfigProblem, Servers, SessionPlace, Status, configured};
use toolwright_tools::{ToolSearch, add_tool_search};

use super::output::{Fault, complain};

/// The servers of a session, and what was said of them so far.
pub(super) struct Started {
    servers: Servers,
    told: Vec<ConfigProblem>,
}

/// Starts the servers that settings name and lists their tools, and the one that finds them. What is wrong with a server
/// is said, and the others run. Nothing where settings name none.
pub(super) async fn add_servers(
    env: &Env,
    settings: &Settings,
    cwd: &Path,
    catalogue: &mut Catalogue,
) -> Result<Option<Started>, Fault> {
    if settings.mcp_servers.is_empty() {
        return Ok(None);
    }
    let roots: Vec<PathBuf> = vec![cwd.to_owned()];
    let place = SessionPlace { cwd, roots: &roots, env: &settings.env };
    let named =
        settings.mcp_servers.iter().map(|(name, (_, server)): (_, &(Layer, McpServer))| (name, server));
    let (configs, problems) = configured(named, &place, &|name| std::env::var(name).ok());
    problems.iter().for_each(|problem| complain(&problem.to_string()));
    let servers = Servers::start(env, configs).await;
    let told = servers.problems();
    told.iter().for_each(|problem| complain(&problem.to_string()));
    for (name, status) in servers.status() {
        if status == Status::Connecting {
            complain(&format!("the server `{name}` is still being started: its tools come when it answers"));
        }
    }
    // The program may have it already.
    if !catalogue.has(&ToolSearch::form().name) {
        add_tool_search(catalogue);
    }
    servers.add_to(catalogue).map_err(|error| Fault::new(error.to_string()))?;
    Ok(Some(Started { servers, told }))
}

impl Started {
    /// The servers themselves.
    pub(super) fn servers(&self) -> Servers {
        self.servers.clone()
    }

    /// Has tools that come later, or change, arrive in a session for as long as it is there.
    pub(super) fn feed(&self, session: &Arc<Session>) {
        let session = Arc::downgrade(session);
        self.servers.on_tools(move |tools| {
            let Some(session) = session.upgrade() else { return };
            let had = session.pool();
            session.add_remote(tools);
            let has = session.pool();
            let new = has.tools().iter().map(|tool| tool.form().name.as_ref());
            let new: Vec<&str> = new.filter(|name| had.find(name).is_err()).collect();
            if let [first, others @ ..] = new.as_slice() {
                let others =
                    if others.is_empty() { String::new() } else { format!(" and {} more", others.len()) };
                complain(&format!("tools have arrived: `{first}`{others}"));
            }
        });
    }

    /// Ends the servers, and says what went wrong since they were started.
    pub(super) async fn end(self, env: &Env) {
        let since = self.servers.problems().into_iter().filter(|problem| !self.told.contains(problem));
        since.for_each(|problem| complain(&problem.to_string()));
        self.servers.end(env).await;
    }
}
