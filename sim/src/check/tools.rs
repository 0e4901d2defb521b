//! What the model is told of tools stays as it is, and tools that it was not told of do not run.

use std::collections::{BTreeMap, BTreeSet};

use toolwright::event::{Event, SentTools, Stamped};
use toolwright::message::{CallId, TurnId};

use super::{Agent, Checker, Violation, broken, broken_by_all};

/// A model is told of the same tools each time, byte for byte. Where tools came or were loaded since, they are behind
/// the others; only a declared boundary makes the list anew.
#[derive(Default)]
pub(super) struct ListStays {
    sent: BTreeMap<Agent, SentTools>,
    /// Whose list may be longer at the next request. An event that does not say for whom tools came counts for all.
    grown: BTreeSet<Agent>,
    /// Whose list may be another.
    anew: BTreeSet<Agent>,
}

/// The boundary at which a list is made anew.
const COMPACTION: &str = "compaction";

impl Checker for ListStays {
    fn see(&mut self, event: &Stamped, out: &mut Vec<Violation>) {
        match &event.event {
            Event::ToolsLoaded { agent, .. } => drop(self.grown.insert(agent.clone())),
            Event::ToolsChanged { boundary, .. } => {
                let whose = if *boundary == COMPACTION { &mut self.anew } else { &mut self.grown };
                whose.extend(self.sent.keys().cloned());
            }
            Event::Requested { agent, tools } => {
                let (may_grow, is_anew) = (self.grown.remove(agent), self.anew.remove(agent));
                let Some(before) = self.sent.insert(agent.clone(), tools.clone()) else { return };
                let stays = if may_grow { tools.begins_with(&before) } else { *tools == before };
                if !is_anew && !stays {
                    let detail = format!("a model was told of {tools:?} and before of {before:?}");
                    out.push(broken_by_all("tool list", detail));
                }
            }
            _other => {}
        }
    }
}

/// A deferred tool runs only in a session that had loaded it before the call was made.
#[derive(Default)]
pub(super) struct LoadedFirst {
    agents: BTreeMap<TurnId, Agent>,
    loaded: BTreeSet<(Agent, String)>,
    unloaded: BTreeMap<CallId, String>,
}

impl Checker for LoadedFirst {
    fn see(&mut self, event: &Stamped, out: &mut Vec<Violation>) {
        match &event.event {
            Event::TurnStarted { turn, agent, .. } => drop(self.agents.insert(*turn, agent.clone())),
            Event::ToolsLoaded { agent, tools } => {
                self.loaded.extend(tools.iter().map(|tool| (agent.clone(), tool.clone())));
            }
            Event::Planned { turn, call, deferred: Some(tool), .. } => {
                let agent = self.agents.get(turn).cloned().flatten();
                if !self.loaded.contains(&(agent, tool.clone())) {
                    self.unloaded.insert(call.clone(), tool.clone());
                }
            }
            Event::Started { call, .. } => {
                if let Some(tool) = self.unloaded.get(call) {
                    out.push(broken("loaded first", call, format!("it runs though {tool} was not loaded")));
                }
            }
            _other => {}
        }
    }
}
