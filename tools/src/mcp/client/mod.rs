//! Tools of servers that speak the Model Context Protocol.
//!
//! [`Servers`] starts and reaches what settings name, keeps it connected, and makes a tool of ours of every tool that it
//! offers. How the protocol is spoken is behind [`Link`]; permissions and the scheduler see no difference to other tools.

mod bounded;
mod config;
mod content;
mod input;
mod link;
mod names;
mod pages;
mod patient;
#[expect(deprecated, reason = "servers of the older era of the protocol still ask for roots")]
mod peer;
mod process;
mod resources;
mod supervised;
mod tool;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use toolwright::contract::ErasedTool;
use toolwright::env::{Env, TaskName};
use toolwright::registry::{Catalogue, CatalogueError};
use toolwright::settings::McpServer;

pub use self::config::{ConfigProblem, Reach, ServerConfig, SessionPlace};
pub use self::link::{About, CallAnswer, Connect, Heard, Hints, Link, LinkError, Progress, RemoteTool};
pub use self::names::ServerNames;
pub use self::resources::{ListMcpResources, ListedResource, ReadMcpResource};
pub use self::supervised::Status;
use self::supervised::{Supervised, Taken};

/// How long the end of all servers is waited for.
const END_PATIENCE: Duration = Duration::from_secs(6);

/// The servers of a session. They run until this is dropped or stopped, and with them all they started.
#[derive(Clone)]
pub struct Servers(Arc<Inner>);

struct Inner {
    servers: Vec<Arc<Supervised>>,
}

/// Connections by `rmcp`.
struct Rmcp;

#[async_trait]
impl Connect for Rmcp {
    async fn connect(
        &self,
        env: &Env,
        config: &ServerConfig,
        heard: Arc<dyn Heard>,
    ) -> Result<Arc<dyn Link>, LinkError> {
        peer::connect(env, config, heard).await
    }
}

/// The servers that settings name, and what is wrong with their entries.
#[must_use]
pub fn configured<'a>(
    servers: impl IntoIterator<Item = (&'a String, &'a McpServer)>,
    session: &SessionPlace<'_>,
    variable: &dyn Fn(&str) -> Option<String>,
) -> (Vec<ServerConfig>, Vec<ConfigProblem>) {
    let (mut configs, mut problems) = (Vec::new(), Vec::new());
    for (name, server) in servers {
        let (config, wrong) = ServerConfig::new(name, server, session, variable);
        configs.extend(config);
        problems.extend(wrong);
    }
    (configs, problems)
}

impl Servers {
    /// Starts all servers side by side. Returns when each answers or has failed once; what has failed is tried again in
    /// the background.
    pub async fn start(env: &Env, configs: Vec<ServerConfig>) -> Servers {
        Servers::start_by(env, configs, Arc::new(Rmcp)).await
    }

    /// The same over other connections.
    pub async fn start_by(env: &Env, configs: Vec<ServerConfig>, connect: Arc<dyn Connect>) -> Servers {
        let names: Vec<&str> = configs.iter().map(|config| config.name.as_str()).collect();
        let (names, taken) = (ServerNames::of_all(&names), Arc::<Taken>::default());
        let server =
            |(config, names)| Arc::new(Supervised::new(env.clone(), config, names, Arc::clone(&taken)));
        let servers: Vec<Arc<Supervised>> = configs.into_iter().zip(names).map(server).collect();
        for (index, server) in servers.iter().enumerate() {
            let name = TaskName { kind: "server", index };
            drop(env.spawn(name, Arc::clone(server).run(Arc::clone(&connect))));
        }
        // Whoever waits no longer stops them all.
        let all = Servers(Arc::new(Inner { servers }));
        for server in all.servers() {
            server.tried().await;
        }
        all
    }

    /// The tools of all servers that have answered so far.
    #[must_use]
    pub fn tools(&self) -> Vec<Arc<dyn ErasedTool>> {
        self.0.servers.iter().flat_map(|server| server.tools()).collect()
    }

    /// The tools that one server has by now; nothing where there is no server of this name.
    #[must_use]
    pub fn tools_of(&self, name: &str) -> Option<Vec<Arc<dyn ErasedTool>>> {
        let server = self.servers().iter().find(|server| server.config().name == name)?;
        Some(server.tools())
    }

    /// Lists the tools in a catalogue, and those that list and read resources.
    ///
    /// # Errors
    /// Never for names that were made here; the catalogue checks them once more.
    pub fn add_to(&self, catalogue: &mut Catalogue) -> Result<(), CatalogueError> {
        catalogue.add_with::<ListMcpResources>(self.clone()).add_with::<ReadMcpResource>(self.clone());
        for tool in self.tools() {
            catalogue.add_remote(tool)?;
        }
        Ok(())
    }

    /// Who is to be told of tools that come later, such as a session: at once of those that are there, so that none is
    /// missed, and then of all tools of a server whenever they are others than before.
    pub fn on_tools(&self, listener: impl Fn(&[Arc<dyn ErasedTool>]) + Send + Sync + 'static) {
        let listener = Arc::new(listener);
        for server in &self.0.servers {
            server.listen(Arc::clone(&listener) as supervised::Listener);
        }
    }

    /// How each server stands.
    #[must_use]
    pub fn status(&self) -> BTreeMap<String, Status> {
        self.0.servers.iter().map(|server| (server.config().name.clone(), server.status())).collect()
    }

    /// What went wrong, each with the server's name.
    #[must_use]
    pub fn problems(&self) -> Vec<ConfigProblem> {
        let of = |server: &Arc<Supervised>| {
            let name = server.config().name.clone();
            server.problems().into_iter().map(move |problem| ConfigProblem { server: name.clone(), problem })
        };
        self.0.servers.iter().flat_map(of).collect()
    }

    /// Stops all servers. Their tools stay listed, and calling them is an error.
    pub fn stop(&self) {
        self.0.servers.iter().for_each(|server| server.stop());
    }

    /// Stops all servers and waits until their programs have ended, for a few seconds at the most: what is left then is
    /// killed when the last of the tools is dropped.
    pub async fn end(&self, env: &Env) {
        self.stop();
        let all = async {
            for server in &self.0.servers {
                server.over().await;
            }
        };
        let _in_time = env.timeout(END_PATIENCE, all).await;
    }

    fn servers(&self) -> &[Arc<Supervised>] {
        &self.0.servers
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.servers.iter().for_each(|server| server.stop());
    }
}

impl std::fmt::Debug for Servers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Servers").field(&self.status()).finish()
    }
}
