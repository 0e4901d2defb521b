//! The agents and skills of the usual folders. Those that come with a project count only where it is trusted: they say
//! what is run and what may be used without a question.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use toolwright::permission::Profile;
use toolwright::query::{Budget, Model};
use toolwright::registry::Catalogue;
use toolwright::settings::Trust;
use toolwright_tools::agents::{Agents, find_agents};
use toolwright_tools::mcp::client::Servers;
use toolwright_tools::skills::{SkillFolder, SkillState, find_skills};
use toolwright_tools::tasks::Tasks;

use super::output::complain;

/// Where the usual folders are, the strongest first.
struct Homes {
    /// `.claude` in the working directory and in those above it.
    of_project: Vec<PathBuf>,
    /// The person's own.
    own: Option<PathBuf>,
}

/// How many folders above the working directory are looked into.
const FOLDERS_ABOVE_MAX: usize = 64;

impl Homes {
    fn new(cwd: &Path, home: Option<&Path>) -> Homes {
        let config =
            std::env::var_os("CLAUDE_CONFIG_DIR").map(PathBuf::from).filter(|path| path.is_absolute());
        let own = config.or_else(|| Some(home?.join(".claude")));
        // The person's own folder is not the project's, also where the project is in their home.
        let is_project = |place: &PathBuf| Some(place) != own.as_ref() && place.is_dir();
        let above = cwd.ancestors().take(FOLDERS_ABOVE_MAX).map(|folder| folder.join(".claude"));
        Homes { of_project: above.filter(is_project).collect(), own }
    }

    /// The folders that count, said what is left out.
    fn trusted(self, trust: Trust) -> Vec<PathBuf> {
        let counted = match trust {
            Trust::Trusted => self.of_project,
            Trust::Untrusted => {
                let parts = ["agents", "skills", "commands"];
                let has_some = |home: &PathBuf| parts.iter().any(|part| home.join(part).is_dir());
                for left_out in self.of_project.into_iter().filter(has_some) {
                    let folder = left_out.display();
                    complain(&format!(
                        "the agents and skills of `{folder}` are left out: `--trust` takes them"
                    ));
                }
                Vec::new()
            }
        };
        counted.into_iter().chain(self.own).collect()
    }
}

/// What agents are made with.
pub(super) struct Making {
    pub(super) model: Arc<dyn Model>,
    pub(super) profile: Profile,
    pub(super) budget: Budget,
    pub(super) trust: Trust,
    /// The servers of the session.
    pub(super) servers: Option<Servers>,
    pub(super) tasks: Tasks,
}

/// Adds the tools around agents and skills, with those that are found; says what is wrong with them.
pub(super) fn add_found(
    catalogue: &mut Catalogue,
    cwd: &Path,
    home: Option<&Path>,
    making: Making,
) -> Agents {
    let homes = Homes::new(cwd, home).trusted(making.trust);
    let tools: Vec<String> = names(catalogue);
    let folders: Vec<PathBuf> = homes.iter().map(|home| home.join("agents")).collect();
    let mut found = find_agents(folders.iter().map(PathBuf::as_path), &tools);
    let servers: Vec<String> =
        making.servers.as_ref().map_or_else(Vec::new, |servers| servers.status().into_keys().collect());
    found.agents.values_mut().for_each(|agent| agent.check_servers(&servers));
    let skill_folders: Vec<SkillFolder> = homes
        .iter()
        .flat_map(|home| {
            [SkillFolder::skills(home.join("skills")), SkillFolder::commands(home.join("commands"))]
        })
        .collect();
    let skills = find_skills(&skill_folders, &tools);
    for (place, why) in found.unusable.iter().chain(&skills.unusable) {
        complain(&format!("`{}`: {why}", place.display()));
    }
    for agent in found.agents.values() {
        agent.warnings.iter().for_each(|warning| complain(&format!("the agent `{}`: {warning}", agent.name)));
    }
    for skill in skills.skills.all() {
        skill.warnings.iter().for_each(|warning| complain(&format!("the skill `{}`: {warning}", skill.name)));
    }
    let mut agents = Agents::builder(making.model)
        .profile(making.profile)
        .budget(making.budget)
        .tasks(making.tasks)
        .agents(found.agents.into_values())
        .skills(skills.skills.clone())
        // Only what is trusted was looked for.
        .trust_hooks();
    if let Some(servers) = making.servers {
        agents = agents.servers(servers);
    }
    let agents = agents.build();
    let state =
        SkillState { skills: skills.skills, agents: Some(agents.clone()), variables: BTreeMap::new() };
    toolwright_tools::add_agents(catalogue, &agents, state);
    agents
}

/// The names of the tools there are, those around agents included.
fn names(catalogue: &Catalogue) -> Vec<String> {
    let built_in = catalogue.built_in().iter().map(|tool| tool.form().name.clone().into_owned());
    built_in.chain(["Agent", "SendMessage", "Skill", "Task"].map(str::to_owned)).collect()
}
