//! `toolwright serve`: the tools for other programs, as a server of the Model Context Protocol.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use toolwright::env::Env;
use toolwright::nearest::nearest;
use toolwright::registry::{Catalogue, Deferral};
use toolwright::session::Session;
use toolwright::settings::Settings;
use toolwright_tools::hooks::RealHooks;
use toolwright_tools::mcp::server::{Clients, ToolServer};

use super::drive::Signals;
use super::gate::{GateArguments, tell_problems};
use super::output::{Fault, complain};
use super::program::Tools;
use super::settings::{SettingsArguments, working_directory};

#[derive(Args)]
pub(super) struct ServeArguments {
    /// The tools to offer, separated by commas; all when left out
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    tools: Vec<String>,
    /// Serve over HTTP at this address, such as `127.0.0.1:8080`; over the standard streams when left out
    #[arg(long, value_name = "ADDR")]
    http: Option<String>,
    #[command(flatten)]
    settings: SettingsArguments,
    #[command(flatten)]
    gate: GateArguments,
    /// The working directory; the current one when left out
    #[arg(long)]
    cwd: Option<PathBuf>,
}

pub(super) fn run(arguments: &ServeArguments, tools: &Tools) -> Result<ExitCode, Fault> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Fault::new(format!("no executor could be started: {error}")))?;
    let ended = runtime.block_on(arguments.serve(tools));
    // Reading standard input cannot be taken back from the operating system.
    runtime.shutdown_background();
    ended
}

impl ServeArguments {
    async fn serve(&self, tools: &Tools) -> Result<ExitCode, Fault> {
        let cwd = working_directory(self.cwd.as_deref())?;
        let settings = self.settings.given(&cwd)?;
        let clients = Clients::new();
        let env = Env::tokio().map_err(|error| Fault::new(error.to_string()))?.with_sink(clients.sink());
        let catalogue = self.chosen(&tools.catalogue())?;
        let session = self.session(env, catalogue, cwd, &settings, &clients);
        let server = ToolServer::named(super::program::name(), session, clients);
        let failed = |error: std::io::Error| Fault::new(format!("the tools cannot be served: {error}"));
        let mut signals = Signals::new()?;
        let serving = async {
            match &self.http {
                None => server.serve_stdio().await,
                Some(address) => {
                    let listening = server.serve_http(address).await?;
                    complain(&format!("serving at http://{}/mcp", listening.address()));
                    listening.stopped().await;
                    Ok(())
                }
            }
        };
        let ended = tokio::select! {
            ended = serving => ended.map_err(failed),
            _stopped = signals.next() => Ok(()),
        };
        // What a client has begun and not waited for.
        server.end().await;
        ended.map(|()| ExitCode::SUCCESS)
    }

    fn session(
        &self,
        env: Env,
        catalogue: Catalogue,
        cwd: PathBuf,
        settings: &Settings,
        clients: &Clients,
    ) -> Session {
        let builder = self.gate.session(env, catalogue, cwd, &self.settings, settings);
        let session = builder
            .hook_transport(RealHooks::new())
            .deferral(Deferral::standard())
            .prompter(clients.clone())
            .hook(clients.clone())
            .build();
        tell_problems(&session, settings);
        session
    }

    /// The tools to offer, of all that there are.
    fn chosen(&self, all: &Catalogue) -> Result<Catalogue, Fault> {
        if self.tools.is_empty() {
            return Ok(all.clone());
        }
        let wanted: BTreeSet<&str> = self.tools.iter().map(|name| name.trim()).collect();
        let mut some = Catalogue::new();
        for tool in all.built_in().iter().filter(|tool| wanted.contains(tool.form().name.as_ref())) {
            some.add_erased(std::sync::Arc::clone(tool)).map_err(|error| Fault::new(error.to_string()))?;
        }
        let known: BTreeSet<&str> = all.built_in().iter().map(|tool| tool.form().name.as_ref()).collect();
        match wanted.difference(&known).next() {
            None => Ok(some),
            Some(unknown) => {
                let names = known.iter().copied().collect::<Vec<_>>().join(", ");
                let near = nearest(unknown, known.iter().copied());
                let meant = near.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
                Err(Fault::new(format!("there is no tool `{unknown}`: {meant}there are {names}")))
            }
        }
    }
}
