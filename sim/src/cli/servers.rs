//! MCP servers that settings name, on the command line.

use std::path::{Path, PathBuf};

use toolwright::env::Env;
use toolwright::registry::Catalogue;
use toolwright::settings::{Layer, McpServer, Settings};
use toolwright_tools::add_tool_search;
use toolwright_tools::mcp::client::{Servers, SessionPlace, Status, configured};

use super::output::{Fault, complain};

/// Starts the servers that settings name and lists their tools, and the one that finds them. What is wrong with a server
/// is said, and the others run. Nothing where settings name none.
pub(super) async fn add_servers(
    env: &Env,
    settings: &Settings,
    cwd: &Path,
    catalogue: &mut Catalogue,
) -> Result<Option<Servers>, Fault> {
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
    servers.problems().iter().for_each(|problem| complain(&problem.to_string()));
    for (name, status) in servers.status() {
        if status == Status::Connecting {
            complain(&format!("the server `{name}` is still being started"));
        }
    }
    add_tool_search(catalogue);
    servers.add_to(catalogue).map_err(|error| Fault::new(error.to_string()))?;
    Ok(Some(servers))
}
