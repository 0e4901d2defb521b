//! What an agent is: its name, what it is for, which tools it has, and what it is told.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use toolwright::hooks::HookConfig;
use toolwright::nearest::nearest;
use toolwright::permission::Mode;
use toolwright::settings::McpServer;

use super::{AgentServer, Isolation};
use crate::front_matter::{Document, Unusable, Value, Warning, names};

/// An agent that can be started.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentDefinition {
    /// Its name: the type of agent that a call asks for.
    pub name: String,
    /// When to use it.
    pub description: String,
    /// The tools it may have; all of its parent's where nothing is said.
    pub tools: Option<Vec<String>>,
    /// The tools it may not have.
    pub disallowed_tools: Vec<String>,
    /// The model, by a provider's name or a short one; its parent's where nothing is said.
    pub model: Option<String>,
    /// The mode it would like to work in. It never gives it more than its parent has.
    pub mode: Option<Mode>,
    /// How often its model is asked at the most.
    pub turns_max: Option<NonZeroUsize>,
    /// Skills that it has read when it begins.
    pub skills: Vec<String>,
    /// Servers whose tools it has: those of the session, by name, and its own, which run while it does. Its own run only
    /// where [`AgentsBuilder::trust_hooks`](super::AgentsBuilder::trust_hooks) says so.
    pub servers: Vec<AgentServer>,
    /// Whether it runs in the background unless a call says otherwise.
    pub background: bool,
    /// Where it works, other than where its parent does, unless a call says otherwise.
    pub isolation: Option<Isolation>,
    /// What it is told: its system prompt.
    pub system_prompt: String,
    /// What stands before the prompt of its first call.
    pub initial_prompt: Option<String>,
    /// The hooks that run while it does, in the form of settings. They run only where
    /// [`AgentsBuilder::trust_hooks`](super::AgentsBuilder::trust_hooks) says so; elsewhere the agent cannot be run.
    pub hooks: Option<serde_json::Value>,
    /// Why it cannot be run: its author asks for something that narrows it and is not available.
    pub unavailable: Option<String>,
    /// The file it is from.
    pub place: Option<PathBuf>,
    /// What is not as it should be.
    pub warnings: Vec<Warning>,
}

/// The keys that mean something.
const KEYS: &[&str] = &[
    "name",
    "description",
    "tools",
    "disallowedTools",
    "model",
    "permissionMode",
    "maxTurns",
    "skills",
    "mcpServers",
    "hooks",
    "memory",
    "background",
    "effort",
    "isolation",
    "color",
    "initialPrompt",
];

impl AgentDefinition {
    /// An agent with its parent's tools and model.
    #[must_use]
    pub fn new(
        name: impl Into<String>,
        description: impl Into<String>,
        system_prompt: impl Into<String>,
    ) -> AgentDefinition {
        AgentDefinition {
            name: name.into(),
            description: description.into(),
            tools: None,
            disallowed_tools: Vec::new(),
            model: None,
            mode: None,
            turns_max: None,
            skills: Vec::new(),
            servers: Vec::new(),
            background: false,
            isolation: None,
            system_prompt: system_prompt.into(),
            initial_prompt: None,
            hooks: None,
            unavailable: None,
            place: None,
            warnings: Vec::new(),
        }
    }

    /// The agent that every program has: any task, with all tools of its parent.
    #[must_use]
    pub fn general_purpose() -> AgentDefinition {
        AgentDefinition::new(
            "general-purpose",
            "Any task of several steps, such as a search whose outcome is needed and whose course is not.",
            "You work on one task for another agent. Do all of it, and nothing beside it. Nobody can answer questions: \
             where something is open, decide and say so. Your last message is all that the other agent gets to see: \
             give it what it asked for, with the absolute paths of the files that matter.",
        )
    }

    /// Reads a definition in the public format.
    ///
    /// # Errors
    /// When it is none: without a legal name or a description nobody could choose it.
    pub fn read(bytes: &[u8]) -> Result<AgentDefinition, Unusable> {
        let mut document = Document::read(bytes)?;
        let Some(name) = document.take_text("name") else {
            return Err(Unusable::BadName("it has no `name`, so it is no agent".to_owned()));
        };
        let name = name.trim().to_owned();
        names::check(&name)?;
        let description = document.take_text("description").ok_or(Unusable::NoDescription)?;
        let mut agent = AgentDefinition::new(name, description.trim(), document.body.trim());
        if agent.name.contains(|c: char| c.is_ascii_uppercase() || c == '_') {
            document.warn_of("name", "use small letters and hyphens");
        }
        agent.tools(&mut document);
        agent.model = document.take_text("model").filter(|model| model.trim() != "inherit");
        agent.mode = document.take_text("permissionMode").map(|mode| {
            mode.trim().parse().unwrap_or_else(|unknown: toolwright::permission::UnknownMode| {
                document.warn_of("permissionMode", format!("{unknown}; taken for `default`"));
                Mode::Default
            })
        });
        agent.turns_max = document.take_text("maxTurns").and_then(|turns| {
            let turns = turns.trim().parse().ok();
            if turns.is_none() {
                // Whoever sets a limit wants a small one.
                document.warn_of("maxTurns", "it is no number above 0; taken for 1");
            }
            turns.or(Some(NonZeroUsize::MIN))
        });
        if let Some(skills) = document.take("skills") {
            match skills.names() {
                Some(skills) => agent.skills = skills,
                None => document.warn_of("skills", "it is no list of names, and is passed over"),
            }
        }
        agent.background = document.take_switch("background", false);
        agent.initial_prompt = document.take_text("initialPrompt");
        agent.hooks(&mut document);
        agent.isolation(&mut document);
        agent.servers(&mut document);
        agent.not_available(&mut document);
        document.warn_of_rest(KEYS);
        if agent.system_prompt.is_empty() {
            let instead = "the agent is told nothing but its prompt".to_owned();
            document.warnings.push(Warning::Missing { key: "system prompt", instead });
        }
        agent.warnings = document.warnings;
        Ok(agent)
    }

    fn tools(&mut self, document: &mut Document) {
        if let Some(tools) = document.take("tools") {
            let named = tools.names();
            if named.is_none() {
                document.warn_of("tools", "it is no list of names, so the agent has none");
            }
            self.tools = Some(named.unwrap_or_default()).filter(|tools| tools != &["*"]);
        }
        if let Some(tools) = document.take("disallowedTools") {
            match tools.names() {
                Some(tools) => self.disallowed_tools = tools,
                None => {
                    document.warn_of("disallowedTools", "it is no list of names, so the agent cannot be run");
                    self.unavailable = Some("it cannot be told which tools it may not have".to_owned());
                }
            }
        }
    }

    /// Its hooks. One that cannot be read asks before each call it may be about; hooks that are no table at all, as where
    /// the front matter is not YAML, close the agent.
    fn hooks(&mut self, document: &mut Document) {
        let Some(hooks) = document.take("hooks") else { return };
        if !matches!(hooks, Value::Map(_)) {
            document.warn_of("hooks", "it is no table of hooks, so the agent cannot be run");
            self.unavailable = Some("its `hooks` cannot be read".to_owned());
            return;
        }
        let hooks = hooks.to_json();
        for problem in HookConfig::from_json(&hooks).1 {
            document.warn_of("hooks", problem.to_string());
        }
        self.hooks = Some(hooks);
    }

    /// Where it works. An author who wants it kept apart must not have it work here instead.
    fn isolation(&mut self, document: &mut Document) {
        let Some(isolation) = document.take("isolation") else { return };
        match isolation.text().unwrap_or_default().trim() {
            "worktree" => self.isolation = Some(Isolation::Worktree),
            other => {
                let problem =
                    format!("`{other}` is not available, so the agent cannot be run: use `worktree`");
                document.warn_of("isolation", problem);
                self.unavailable.get_or_insert_with(|| "its `isolation` is not available".to_owned());
            }
        }
    }

    /// Its servers: names, and tables of a name and how the server is reached. What cannot be read is passed over: tools
    /// that are missing open nothing.
    fn servers(&mut self, document: &mut Document) {
        let Some(servers) = document.take("mcpServers") else { return };
        if !cfg!(feature = "mcp") {
            let effect = "it is passed over".to_owned();
            document.warnings.push(Warning::NotAvailable { key: "mcpServers".to_owned(), effect });
            return;
        }
        let entries = match servers {
            Value::List(entries) => entries,
            other @ (Value::Map(_) | Value::Null | Value::Text { .. }) => vec![other],
        };
        for entry in entries {
            match entry {
                // Several names stand in one text where people write no list.
                text @ Value::Text { .. } => {
                    self.servers.extend(text.names().unwrap_or_default().into_iter().map(AgentServer::Named));
                }
                Value::Map(tables) => {
                    tables.iter().for_each(|(name, table)| self.own_server(document, name, table))
                }
                Value::Null | Value::List(_) => {
                    document
                        .warn_of("mcpServers", "an entry is neither a name nor a table, and is passed over");
                }
            }
        }
    }

    fn own_server(&mut self, document: &mut Document, name: &str, table: &Value) {
        match McpServer::from_json(&table.to_json()) {
            Ok(server) => self.servers.push(AgentServer::Own { name: name.to_owned(), server }),
            Err(wrong) => {
                document.warn_of("mcpServers", format!("`{name}`: {wrong}; it is passed over"));
            }
        }
    }

    /// What would help the agent and cannot be done is passed over.
    fn not_available(&mut self, document: &mut Document) {
        for key in ["memory", "effort"] {
            if document.take(key).is_some() {
                let effect = "it is passed over".to_owned();
                document.warnings.push(Warning::NotAvailable { key: key.to_owned(), effect });
            }
        }
    }

    /// Warns of the servers it names that a session does not have.
    pub fn check_servers(&mut self, exist: &[String]) {
        for server in &self.servers {
            if let AgentServer::Named(name) = server
                && !exist.contains(name)
            {
                let nearest = nearest(name, exist.iter().map(String::as_str)).map(str::to_owned);
                self.warnings.push(Warning::UnknownServer { name: name.clone(), nearest });
            }
        }
    }

    /// Warns of the tools it names that do not exist.
    pub fn check_tools(&mut self, exists: &[String]) {
        let named = self.tools.iter().flatten().chain(&self.disallowed_tools).cloned().collect::<Vec<_>>();
        self.warnings.extend(names::unknown_tools(&named, exists));
    }
}
