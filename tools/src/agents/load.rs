//! The agents of folders: which there are, and which files are none.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::AgentDefinition;
use crate::front_matter::{Unusable, folder};

/// The agents that were found, and what was not one.
#[derive(Clone, Debug, Default)]
pub struct AgentsFound {
    /// The agents, by name.
    pub agents: BTreeMap<String, AgentDefinition>,
    /// The files that are no agents, and why.
    pub unusable: Vec<(PathBuf, Unusable)>,
    /// The files whose agent another one with its name stands before.
    pub hidden: Vec<PathBuf>,
}

/// Finds the agents of folders, the strongest folder first: where two have a name, the first found counts. A folder
/// that is not there has none. This reads files, so it may block.
#[must_use]
pub fn find_agents<'a>(folders: impl IntoIterator<Item = &'a Path>, tools: &[String]) -> AgentsFound {
    let mut out = AgentsFound::default();
    for folder in folders {
        for found in folder::files(folder, |name| name.ends_with(".md")) {
            match found.bytes.and_then(|bytes| AgentDefinition::read(&bytes)) {
                Err(unusable) => out.unusable.push((found.place, unusable)),
                Ok(agent) if out.agents.contains_key(&agent.name) => out.hidden.push(found.place),
                Ok(mut agent) => {
                    agent.check_tools(tools);
                    agent.place = Some(found.place);
                    out.agents.insert(agent.name.clone(), agent);
                }
            }
        }
    }
    out
}
