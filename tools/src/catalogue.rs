//! The one list of all tools of this crate.

use toolwright::registry::{Catalogue, Layer};

use crate::agents::{Agent, Agents, SendMessage};
#[cfg(feature = "repl")]
use crate::repl::{Repl, Repls};
use crate::shell::{Bash, ShellState};
use crate::skills::{SkillState, UseSkill};
use crate::tasks::Tasks;
use crate::tool_search::ToolSearch;
use crate::{files, tasks};

/// The feature switch of sessions whose shell finds files and searches in them by itself: Glob and Grep give way.
pub const EMBEDDED_SEARCH: &str = "embedded_search";

/// The feature switch of sessions that may be told the lines of a command or a file as they come.
pub const MONITOR: &str = "monitor";
/// A feature switch of sessions that may wait.
pub const ASSISTANT: &str = "assistant";
/// Another feature switch of sessions that may wait.
pub const PROACTIVE: &str = "proactive";
/// The feature switch of sessions with interpreters that stay.
pub const REPL: &str = "repl";

/// Adds the tool that loads others. With it in a catalogue, remote tools and those that say so are deferred.
pub fn add_tool_search(catalogue: &mut Catalogue) {
    catalogue.add::<ToolSearch>();
}

/// Every tool of this crate that stands by itself. What a session uses of them is decided where its pool is made.
#[must_use]
pub fn catalogue() -> Catalogue {
    catalogue_with(&Tasks::new())
}

/// The same, with the tasks in the background that its tools share. A line a tool.
#[must_use]
pub fn catalogue_with(tasks: &Tasks) -> Catalogue {
    let mut catalogue = Catalogue::new();
    let shells = ShellState::of(tasks.clone());
    catalogue.add_with::<Bash>(shells.clone());
    catalogue.add::<files::edit::Edit>();
    // A shell may have faster ones built in.
    catalogue.layer(Layer::unless([EMBEDDED_SEARCH]), |catalogue| {
        catalogue.add::<files::glob::Glob>();
        catalogue.add::<files::grep::Grep>();
    });
    #[cfg(feature = "monitor")]
    catalogue.layer(Layer::when_any([MONITOR]), |catalogue| {
        catalogue.add_with::<tasks::monitor::Monitor>(shells.clone());
    });
    catalogue.add::<files::notebook::NotebookEdit>();
    #[cfg(feature = "repl")]
    catalogue.layer(Layer::when_any([REPL]), |catalogue| {
        catalogue.add_with::<Repl>(Repls::beside(shells));
    });
    catalogue.add::<files::read::Read>();
    #[cfg(any(feature = "assistant", feature = "proactive"))]
    catalogue.layer(Layer::when_any([ASSISTANT, PROACTIVE]), |catalogue| {
        catalogue.add::<tasks::sleep::Sleep>();
    });
    catalogue.add_with::<tasks::output::TaskOutput>(tasks.clone());
    catalogue.add_with::<tasks::stop::TaskStop>(tasks.clone());
    catalogue.add::<files::write::Write>();
    catalogue
}

/// Adds the tools around agents and skills, which share a state.
pub fn add_agents(catalogue: &mut Catalogue, agents: &Agents, skills: SkillState) {
    catalogue
        .add_with::<Agent>(agents.clone())
        .add_with::<SendMessage>(agents.clone())
        .add_with::<UseSkill>(skills);
}
