//! The one list of all tools of this crate.

use toolwright::registry::{Catalogue, Layer};

use crate::agents::{Agent, Agents, SendMessage};
use crate::files::{Edit, Glob, Grep, NotebookEdit, Read, Write};
use crate::shell::{Bash, ShellState};
use crate::skills::{SkillState, UseSkill};
use crate::tool_search::ToolSearch;

/// The feature switch of sessions whose shell finds files and searches in them by itself: Glob and Grep give way.
pub const EMBEDDED_SEARCH: &str = "embedded_search";

/// Adds the tool that loads others. With it in a catalogue, remote tools and those that say so are deferred.
pub fn add_tool_search(catalogue: &mut Catalogue) {
    catalogue.add::<ToolSearch>();
}

/// Every tool of this crate that stands by itself. What a session uses of them is decided where its pool is made.
#[must_use]
pub fn catalogue() -> Catalogue {
    let mut catalogue = Catalogue::new();
    catalogue.add_with::<Bash>(ShellState::default()).add::<Edit>();
    // A shell may have faster ones built in.
    catalogue.layer(Layer::unless([EMBEDDED_SEARCH]), |catalogue| {
        catalogue.add::<Glob>().add::<Grep>();
    });
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
