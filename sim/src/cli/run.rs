//! `toolwright run`: a model, a prompt, and the loop that runs its calls for real.

use std::fs::OpenOptions;
use std::io::{self, IsTerminal};
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use toolwright::env::Env;
use toolwright::event::EventSink;
use toolwright::query::Budget;
use toolwright::registry::Catalogue;
use toolwright::settings::{Settings, Trust};
use toolwright_tools::hooks::RealHooks;
use toolwright_tools::mcp::client::Servers;
use toolwright_tools::tasks::Tasks;

use super::deferral::DeferralArguments;
use super::drive::{Running, told, until_stopped};
use super::found::{Making, add_found};
use super::gate::{GateArguments, tell_problems};
use super::live::{Heard, Live, Stand};
use super::model::{Chosen, ModelArguments};
use super::output::{Fault, complain};
use super::program::{Tools, each_name_once};
use super::servers::{Started, add_servers};
use super::settings::{SettingsArguments, home, working_directory};
use super::terminal::Terminal;
use super::write::failed;
use crate::transcript::{self, Header, Recording};

#[derive(Args)]
pub(super) struct RunArguments {
    /// What the model is told to do
    prompt: String,
    #[command(flatten)]
    model: ModelArguments,
    /// Where to record the session, for `replay`. A file that exists is not overwritten
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Overwrite the recording
    #[arg(long, requires = "record")]
    force: bool,
    /// How often the model is asked at the most
    #[arg(long, value_name = "N", default_value = "100")]
    max_turns: NonZeroUsize,
    /// How many tokens may be read and written; the answer that passes the limit is the last
    #[arg(long, value_name = "N")]
    max_tokens: Option<NonZeroU64>,
    /// How many seconds it may take
    #[arg(long, value_name = "N")]
    max_seconds: Option<NonZeroU64>,
    #[command(flatten)]
    settings: SettingsArguments,
    #[command(flatten)]
    gate: GateArguments,
    #[command(flatten)]
    deferral: DeferralArguments,
    /// Trust the project: what its own files open counts, and its agents and skills are there
    #[arg(long)]
    trust: bool,
    /// Ask nobody: what would be asked is denied. So it is too where standard input is no terminal
    #[arg(long)]
    headless: bool,
    /// The working directory; the current one when left out
    #[arg(long)]
    cwd: Option<PathBuf>,
}

pub(super) fn run(arguments: &RunArguments, tools: &Tools) -> Result<ExitCode, Fault> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Fault::new(format!("no executor could be started: {error}")))?;
    let ended = runtime.block_on(arguments.run(tools));
    // A question at the terminal cannot be taken back from the operating system.
    runtime.shutdown_background();
    ended
}

/// What a session offers: its tools, and what stands behind some of them.
struct Offered {
    catalogue: Catalogue,
    tasks: Tasks,
    servers: Option<Servers>,
}

impl RunArguments {
    async fn run(&self, tools: &Tools) -> Result<ExitCode, Fault> {
        let cwd = working_directory(self.cwd.as_deref())?;
        let trust = if self.trust { Trust::Trusted } else { Trust::Untrusted };
        let settings = self.settings.usual(&cwd, trust)?;
        let env = Env::tokio().map_err(|error| Fault::new(error.to_string()))?;
        let chosen = self.model.model(&env)?;
        // Before the first request: what cannot be recorded does not run.
        let recording = self.recording(&env, &cwd)?;
        if let (Some(recording), Some(key)) = (&recording, &chosen.key) {
            recording.hide(key);
        }
        let live = Arc::new(Live::new(recording, chosen.key.clone()));
        let env = env.with_sink(Arc::clone(&live) as Arc<dyn EventSink>);
        let (mut catalogue, tasks) = (tools.catalogue(), tools.tasks.clone());
        let servers = add_servers(&env, &settings, &cwd, &mut catalogue).await?;
        let offered = Offered { catalogue, tasks, servers: servers.as_ref().map(Started::servers) };
        let running = self.session(env.clone(), cwd, &settings, chosen, Arc::clone(&live), offered)?;
        if let Some(servers) = &servers {
            servers.feed(&running.session);
        }
        if let Some(recording) = live.recording() {
            recording.mode(running.session.context().mode.to_string());
        }
        let ended = until_stopped(&running, &self.prompt).await;
        let is_shown = live.end_line();
        for task in running.agents.tasks().running_in(running.session.ties()) {
            complain(&format!("the task `{task}` still ran in the background, and is stopped"));
        }
        if let Some(servers) = servers {
            servers.end(&env).await;
        }
        let is_recorded = match live.recording().map(Recording::finish) {
            None | Some(Ok(())) => true,
            Some(Err(error)) => {
                complain(&format!("the recording is not whole: {error}"));
                false
            }
        };
        let is_answered = told(ended?, running.model.stand.is_interrupted());
        if let Err(error) = &is_shown {
            complain(&format!("what the model said could not all be written: {error}"));
        }
        Ok(ExitCode::from(u8::from(!(is_recorded && is_answered && is_shown.is_ok()))))
    }

    fn recording(&self, env: &Env, cwd: &Path) -> Result<Option<Recording>, Fault> {
        let Some(path) = &self.record else { return Ok(None) };
        let failed = |error: io::Error| failed(path, &error);
        let mut options = OpenOptions::new();
        // What is no ordinary file, such as a pipe, is there to be written on.
        let is_special = path.metadata().is_ok_and(|meta| !meta.is_file());
        if is_special {
            options.write(true);
        } else if self.force {
            options.write(true).create(true).truncate(true);
        } else {
            options.write(true).create_new(true);
        }
        let file = options.open(path).map_err(failed)?;
        let header = Header {
            source: transcript::Source {
                tool_version: Some(env!("CARGO_PKG_VERSION").to_owned()),
                session: Some(env.new_id("session")),
                started_at: jiff::Timestamp::try_from(env.wall_now()).ok().map(|now| now.to_string()),
                ..transcript::Source::default()
            },
            cwd: Some(cwd.display().to_string()),
            ..Header::default()
        };
        Recording::new(file, &header).map(Some).map_err(failed)
    }

    fn budget(&self) -> Budget {
        Budget {
            requests_max: self.max_turns,
            tokens_max: self.max_tokens.map(NonZeroU64::get),
            time_max: self.max_seconds.map(|seconds| Duration::from_secs(seconds.get())),
        }
    }

    fn session(
        &self,
        env: Env,
        cwd: PathBuf,
        settings: &Settings,
        chosen: Chosen,
        live: Arc<Live>,
        offered: Offered,
    ) -> Result<Running, Fault> {
        let (budget, profile) = (self.budget(), self.settings.profile());
        let trust = if self.trust { Trust::Trusted } else { Trust::Untrusted };
        let Offered { mut catalogue, tasks, servers } = offered;
        let making = Making { model: Arc::clone(&chosen.model), profile, budget, trust, servers, tasks };
        let agents = add_found(&mut catalogue, &cwd, home().as_deref(), making);
        each_name_once(&catalogue)?;
        let builder = self.gate.session(env.clone(), catalogue, cwd, &self.settings, settings);
        let builder =
            builder.hook_transport(RealHooks::new()).deferral(self.deferral.deferral(chosen.model.backend()));
        let has_person = !self.headless && io::stdin().is_terminal();
        let session =
            if has_person { builder.prompter(Terminal(live.status().clone())) } else { builder }.build();
        tell_problems(&session, settings);
        let model = Heard { model: chosen.model, env, live, stand: Arc::new(Stand::default()) };
        Ok(Running { session: Arc::new(session), model, agents, budget })
    }
}
