//! What the tools around agents share: the agents there are, the model, the limits, and the agents that were started.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Arc;

use toolwright::nearest::{edit_distance, nearest};
use toolwright::permission::Profile;
use toolwright::query::{Budget, Model};

use super::running::Running;
use super::servers::Known;
use super::{AgentDefinition, Todos};
use crate::skills::Skills;
use crate::tasks::Tasks;

/// How deep agents may be within agents.
const DEPTH_MAX: usize = 3;
/// The environment variable that says otherwise.
const DEPTH_VARIABLE: &str = "CLAUDE_CODE_MAX_SUBAGENT_SPAWN_DEPTH";
/// How many agents run at a time.
const CONCURRENT_MAX: usize = 20;
/// How many names a message offers.
const NAMES_MAX: usize = 10;

/// What the tools around agents share. Cheap to clone; clones share.
#[derive(Clone)]
pub struct Agents(Arc<Shared>);

struct Shared {
    model: Arc<dyn Model>,
    models: BTreeMap<String, String>,
    definitions: BTreeMap<String, AgentDefinition>,
    skills: Skills,
    profile: Profile,
    trusts_hooks: bool,
    servers: Known,
    depth_max: usize,
    budget: Budget,
    running: Running,
    tasks: Tasks,
    todos: Todos,
}

/// Builds [`Agents`].
pub struct AgentsBuilder {
    model: Arc<dyn Model>,
    models: BTreeMap<String, String>,
    definitions: BTreeMap<String, AgentDefinition>,
    skills: Skills,
    profile: Profile,
    trusts_hooks: bool,
    servers: Known,
    depth_max: Option<usize>,
    concurrent_max: usize,
    budget: Budget,
    tasks: Tasks,
}

impl Agents {
    /// Begins with a model, and the agent for general purposes.
    #[must_use]
    pub fn builder(model: Arc<dyn Model>) -> AgentsBuilder {
        let general = AgentDefinition::general_purpose();
        AgentsBuilder {
            model,
            models: BTreeMap::new(),
            definitions: BTreeMap::from([(general.name.clone(), general)]),
            skills: Skills::default(),
            profile: Profile::default(),
            trusts_hooks: false,
            servers: Known::default(),
            depth_max: None,
            concurrent_max: CONCURRENT_MAX,
            budget: Budget::default(),
            tasks: Tasks::default(),
        }
    }

    pub(super) fn model(&self) -> Arc<dyn Model> {
        Arc::clone(&self.0.model)
    }

    /// The provider's name of a model.
    pub(super) fn model_named(&self, name: &str) -> String {
        self.0.models.get(name).cloned().unwrap_or_else(|| name.to_owned())
    }

    /// The agents that can be started, by name.
    #[must_use]
    pub fn definitions(&self) -> &BTreeMap<String, AgentDefinition> {
        &self.0.definitions
    }

    /// The agent of this name.
    ///
    /// # Errors
    /// In words, with the nearest names.
    pub fn find(&self, name: &str) -> Result<&AgentDefinition, String> {
        let all = &self.0.definitions;
        all.get(name).ok_or_else(|| not_found("agent", name, all.keys().map(String::as_str)))
    }

    /// The skills that agents may have read when they begin.
    #[must_use]
    pub fn skills(&self) -> &Skills {
        &self.0.skills
    }

    /// Which observed behaviour is followed.
    #[must_use]
    pub fn profile(&self) -> Profile {
        self.0.profile
    }

    /// The session's servers, which agents may name.
    pub(super) fn servers(&self) -> &Known {
        &self.0.servers
    }

    /// Whether the hooks that agents bring run, and their servers are started.
    pub(super) fn trusts_hooks(&self) -> bool {
        self.0.trusts_hooks
    }

    /// How deep agents may be within agents.
    #[must_use]
    pub fn depth_max(&self) -> usize {
        self.0.depth_max
    }

    pub(super) fn budget(&self, agent: &AgentDefinition) -> Budget {
        let mut budget = self.0.budget;
        if let Some(turns) = agent.turns_max {
            budget.requests_max = budget.requests_max.min(turns);
        }
        budget
    }

    /// The agents that were started.
    #[must_use]
    pub fn running(&self) -> &Running {
        &self.0.running
    }

    /// What was begun in the background.
    #[must_use]
    pub fn tasks(&self) -> &Tasks {
        &self.0.tasks
    }

    /// The list of things to do, which all agents share with whoever started them.
    #[must_use]
    pub fn todos(&self) -> &Todos {
        &self.0.todos
    }
}

impl AgentsBuilder {
    /// Adds an agent; one of the same name is replaced.
    #[must_use]
    pub fn agent(mut self, agent: AgentDefinition) -> AgentsBuilder {
        self.definitions.insert(agent.name.clone(), agent);
        self
    }

    /// Adds agents; those of the same names are replaced.
    #[must_use]
    pub fn agents(mut self, agents: impl IntoIterator<Item = AgentDefinition>) -> AgentsBuilder {
        self.definitions.extend(agents.into_iter().map(|agent| (agent.name.clone(), agent)));
        self
    }

    /// The skills that agents may have read when they begin.
    #[must_use]
    pub fn skills(mut self, skills: Skills) -> AgentsBuilder {
        self.skills = skills;
        self
    }

    /// What a short name of a model, such as `opus`, is called by the provider.
    #[must_use]
    pub fn model_name(mut self, short: impl Into<String>, name: impl Into<String>) -> AgentsBuilder {
        self.models.insert(short.into(), name.into());
        self
    }

    /// Which observed behaviour is followed: that of the session.
    #[must_use]
    pub fn profile(mut self, profile: Profile) -> AgentsBuilder {
        self.profile = profile;
        self
    }

    /// The servers of the session: agents may name them.
    #[cfg(feature = "mcp")]
    #[must_use]
    pub fn servers(mut self, servers: crate::mcp::client::Servers) -> AgentsBuilder {
        self.servers.servers = Some(servers);
        self
    }

    /// Lets the hooks run that agents bring, and starts the servers that they do: whoever wrote their files is trusted.
    /// Without it an agent with hooks cannot be run, and one with servers runs without them.
    #[must_use]
    pub fn trust_hooks(mut self) -> AgentsBuilder {
        self.trusts_hooks = true;
        self
    }

    /// How deep agents may be within agents; 3, or `CLAUDE_CODE_MAX_SUBAGENT_SPAWN_DEPTH`, unless said.
    #[must_use]
    pub fn depth_max(mut self, depth: usize) -> AgentsBuilder {
        self.depth_max = Some(depth);
        self
    }

    /// How many agents run at a time; 20 unless said.
    #[must_use]
    pub fn concurrent_max(mut self, agents: NonZeroUsize) -> AgentsBuilder {
        self.concurrent_max = agents.get();
        self
    }

    /// The tasks in the background that the tools of the session share: agents in the background are among them, and
    /// those of an agent end with it.
    #[must_use]
    pub fn tasks(mut self, tasks: Tasks) -> AgentsBuilder {
        self.tasks = tasks;
        self
    }

    /// What one run of an agent may spend.
    #[must_use]
    pub fn budget(mut self, budget: Budget) -> AgentsBuilder {
        self.budget = budget;
        self
    }

    /// The shared state.
    #[must_use]
    pub fn build(self) -> Agents {
        let of_environment = || std::env::var(DEPTH_VARIABLE).ok()?.trim().parse().ok();
        let running = Running::new(self.concurrent_max);
        self.tasks.know_agents(&running);
        Agents(Arc::new(Shared {
            model: self.model,
            models: self.models,
            definitions: self.definitions,
            skills: self.skills,
            profile: self.profile,
            trusts_hooks: self.trusts_hooks,
            servers: self.servers,
            depth_max: self.depth_max.or_else(of_environment).unwrap_or(DEPTH_MAX),
            budget: self.budget,
            running,
            tasks: self.tasks,
            todos: Todos::default(),
        }))
    }
}

/// That there is no such thing, with the names that are nearest, or with those there are.
pub(crate) fn not_found<'a>(what: &str, name: &str, names: impl Iterator<Item = &'a str> + Clone) -> String {
    let shown: String = name.chars().take(64).collect();
    if let Some(near) = nearest(name, names.clone()) {
        return format!("there is no {what} `{shown}`; did you mean `{near}`?");
    }
    let mut all: Vec<&str> = names.collect();
    all.sort_by_key(|other| edit_distance(name, other));
    all.truncate(NAMES_MAX);
    match all.as_slice() {
        [] => format!("there is no {what} `{shown}`, and no other either"),
        some => format!("there is no {what} `{shown}`; there are `{}`", some.join("`, `")),
    }
}

impl std::fmt::Debug for Agents {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Agents").field("definitions", &self.0.definitions.keys()).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for AgentsBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AgentsBuilder").field("definitions", &self.definitions.keys()).finish_non_exhaustive()
    }
}
