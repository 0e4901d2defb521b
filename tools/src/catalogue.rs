//! The one list of all tools of this crate.

use toolwright::registry::Catalogue;

use crate::agents::{Agent, Agents, SendMessage};
use crate::files::{Edit, Glob, Grep, NotebookEdit, Read, Write};
use crate::shell::Bash;
use crate::skills::{SkillState, UseSkill};

/// Every tool of this crate. What a session uses of them is decided where its pool is made.
#[must_use]
pub fn catalogue() -> Catalogue {
    let mut catalogue = Catalogue::new();
    catalogue.add::<Bash>().add::<Edit>().add::<Glob>().add::<Grep>();
    catalogue.add::<NotebookEdit>().add::<Read>().add::<Write>();
    catalogue
}

/// Adds the tools around agents and skills, which share a state.
pub fn add_agents(catalogue: &mut Catalogue, agents: &Agents, skills: SkillState) {
    catalogue
        .add_with::<Agent>(agents.clone())
        .add_with::<SendMessage>(agents.clone())
        .add_with::<UseSkill>(skills);
}
