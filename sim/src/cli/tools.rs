//! `toolwright tools`: which tools a session has, why others are missing, and what sending them costs.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};
use toolwright::env::Env;
use toolwright::registry::loading::tokens_about;
use toolwright::registry::{Backend, Cost, Pool};
use toolwright::session::Session;
use toolwright::settings::Settings;
use toolwright::visible::visible;

use super::deferral::DeferralArguments;
use super::gate::{GateArguments, tell_problems};
use super::output::{Fault, print};
use super::program::Tools;
use super::servers::add_servers;
use super::settings::{SettingsArguments, working_directory};
use super::terminal::Terminal;

#[derive(Args)]
pub(super) struct ToolsArguments {
    /// Print the definitions, a JSON array, exactly as the model gets them; with `--explain`, what is explained as JSON
    #[arg(long)]
    json: bool,
    /// Tell of each tool at which stage it stayed or fell, and about how many tokens it costs
    #[arg(long)]
    explain: bool,
    /// Print what the tools cost in each mode of deferral, with each way to tell the model of them
    #[arg(long, conflicts_with_all = ["explain", "json"])]
    costs: bool,
    /// Nobody can be asked: tools that need a person fall
    #[arg(long)]
    headless: bool,
    #[command(flatten)]
    deferral: DeferralArguments,
    #[command(flatten)]
    settings: SettingsArguments,
    #[command(flatten)]
    gate: GateArguments,
}

pub(super) fn run(arguments: &ToolsArguments, tools: &Tools) -> Result<ExitCode, Fault> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Fault::new(format!("no executor could be started: {error}")))?;
    runtime.block_on(arguments.show(tools))
}

/// One tool, as it is explained.
struct Row {
    name: String,
    stage: String,
    why: String,
    tokens: usize,
    is_sent: bool,
}

impl ToolsArguments {
    async fn show(&self, tools: &Tools) -> Result<ExitCode, Fault> {
        let cwd = working_directory(None)?;
        let settings = self.settings.given(&cwd)?;
        let env = Env::tokio().map_err(|error| Fault::new(error.to_string()))?;
        let mut catalogue = tools.catalogue();
        let servers = add_servers(&env, &settings, &cwd, &mut catalogue).await?;
        let session = self.session(env, cwd, &settings, catalogue);
        tell_problems(&session, &settings);
        let pool = session.pool();
        match (self.explain, self.json) {
            _ if self.costs => costs(&pool)?,
            (true, _) => self.explained(&pool)?,
            (false, true) => {
                let definitions = pool.definitions();
                let all: Vec<&str> = definitions.iter().map(AsRef::as_ref).collect();
                print(&format!("[{}]\n", all.join(",\n ")))?;
            }
            (false, false) => listed(&pool)?,
        }
        if let Some(servers) = servers {
            servers.end(session.env()).await;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn session(
        &self,
        env: Env,
        cwd: PathBuf,
        settings: &Settings,
        catalogue: toolwright::registry::Catalogue,
    ) -> Session {
        let builder = self.gate.session(env, catalogue, cwd, &self.settings, settings);
        let mut builder = builder.deferral(self.deferral.deferral(Backend::default()));
        if !self.headless {
            builder = builder.prompter(Terminal::default());
        }
        builder.build()
    }

    fn explained(&self, pool: &Pool) -> Result<(), Fault> {
        let mut rows: Vec<Row> = pool.tools().iter().map(|tool| stayed(pool, tool)).collect();
        let mut fallen: Vec<Row> = pool.fallen().iter().map(fell).collect();
        fallen.sort_by(|a, b| a.name.cmp(&b.name));
        rows.extend(fallen);
        let sent: usize = pool.definitions().iter().map(|definition| tokens_about(definition)).sum();
        if self.json {
            let tools: Vec<Value> = rows.iter().map(Row::as_json).collect();
            return print(&format!("{:#}\n", json!({"tools": tools, "tokens_sent": sent})));
        }
        let width = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0);
        for row in &rows {
            let tokens = if row.is_sent { row.tokens.to_string() } else { "-".to_owned() };
            let name = visible(&row.name);
            print(&format!("{name:<width$}  {tokens:>6}  {:<7} {}\n", row.stage, visible(&row.why)))?;
        }
        print(&format!("{:<width$}  {sent:>6}  tokens sent, about\n", ""))
    }
}

fn stayed(pool: &Pool, tool: &toolwright::registry::Pooled) -> Row {
    let name = tool.form().name.clone().into_owned();
    let is_deferred = pool.is_deferred(&name);
    let tokens = tokens_about(tool.definition());
    let why = match (is_deferred, pool.backend()) {
        (false, _) => "sent".to_owned(),
        (true, Backend::Emulated) => {
            format!("deferred: by its name until it is loaded, then {tokens} tokens")
        }
        (true, Backend::Native) => "deferred: sent, and kept from the model until it is found".to_owned(),
    };
    let is_sent = !is_deferred || pool.backend() == Backend::Native;
    Row { name, stage: "stayed".to_owned(), why, tokens, is_sent }
}

fn fell(fallen: &toolwright::registry::Fallen) -> Row {
    Row {
        name: fallen.candidate.tool.form().name.clone().into_owned(),
        stage: fallen.why.stage().to_string(),
        why: fallen.why.to_string(),
        tokens: 0,
        is_sent: false,
    }
}

impl Row {
    fn as_json(&self) -> Value {
        let Row { name, stage, why, tokens, is_sent } = self;
        let stayed = stage == "stayed";
        let fell_at = (!stayed).then_some(stage);
        json!({"name": name, "stayed": stayed, "fell_at": fell_at, "why": why, "tokens": tokens, "sent": is_sent})
    }
}

fn costs(pool: &Pool) -> Result<(), Fault> {
    print("mode      back-end  definitions  tokens sent  tokens read\n")?;
    for Cost { mode, backend, definitions, sent_tokens, read_tokens } in pool.costs() {
        let (mode, backend) = (mode.to_string(), backend.to_string());
        print(&format!(
            "{mode:<8}  {backend:<8}  {definitions:>11}  {sent_tokens:>11}  {read_tokens:>11}\n"
        ))?;
    }
    Ok(())
}

fn listed(pool: &Pool) -> Result<(), Fault> {
    for tool in pool.tools() {
        let summary = tool.tool().prompt().lines().next().unwrap_or_default().to_owned();
        let (name, bytes) = (&tool.form().name, tool.definition().len());
        print(&format!("{name:<14} {bytes:>5} bytes  {}\n", visible(&summary)))?;
    }
    Ok(())
}
