//! A session within another is never wider than it.

use std::collections::BTreeMap;

use toolwright::event::{Event, Stamped, Verdict};
use toolwright::message::{CallId, TurnId};
use toolwright::permission::Mode;

use super::{Agent, Checker, Violation, broken, broken_by_all};

/// An agent has no tool that the session above it lacks, begins in no wider mode, and no mode allows a call of it while
/// a session above is in a narrower one.
#[derive(Default)]
pub(super) struct Narrower {
    modes: BTreeMap<Agent, Mode>,
    above: BTreeMap<String, Agent>,
    turns: BTreeMap<TurnId, Agent>,
    calls: BTreeMap<CallId, String>,
}

/// How much a mode allows by itself: the more the wider.
fn width(mode: Mode) -> u8 {
    match mode {
        Mode::Plan | Mode::DontAsk => 0,
        Mode::Default | Mode::Bubble => 1,
        Mode::AcceptEdits | Mode::Auto => 2,
        Mode::BypassPermissions => 3,
    }
}

impl Narrower {
    /// The first session above an agent that is in a narrower mode.
    fn narrower_above(&self, agent: &str) -> Option<(Mode, Mode)> {
        let mode = *self.modes.get(&Some(agent.to_owned()))?;
        let mut below = agent;
        while let Some(above) = self.above.get(below) {
            let known = self.modes.get(above).filter(|known| width(**known) < width(mode));
            if let Some(narrower) = known {
                return Some((mode, *narrower));
            }
            below = above.as_deref()?;
        }
        None
    }

    fn begins(&mut self, began: &Event, out: &mut Vec<Violation>) {
        let Event::AgentStarted { agent, above, mode, mode_above, tools, tools_above, .. } = began else {
            return;
        };
        self.modes.insert(Some(agent.clone()), *mode);
        self.modes.insert(above.clone(), *mode_above);
        self.above.insert(agent.clone(), above.clone());
        if width(*mode) > width(*mode_above) {
            let detail = format!("the agent {agent} begins in the mode {mode}, below one in {mode_above}");
            out.push(broken_by_all("child", detail));
        }
        if let Some(tool) = tools.iter().find(|tool| !tools_above.contains(tool)) {
            let detail = format!("the agent {agent} has the tool {tool}, which the session above has not");
            out.push(broken_by_all("child", detail));
        }
    }
}

impl Checker for Narrower {
    fn see(&mut self, event: &Stamped, out: &mut Vec<Violation>) {
        match &event.event {
            began @ Event::AgentStarted { .. } => self.begins(began, out),
            Event::ModeChanged { agent, mode } => drop(self.modes.insert(agent.clone(), *mode)),
            Event::TurnStarted { turn, agent, .. } => drop(self.turns.insert(*turn, agent.clone())),
            Event::Planned { turn, call, .. } => {
                if let Some(Some(agent)) = self.turns.get(turn) {
                    self.calls.insert(call.clone(), agent.clone());
                }
            }
            Event::Decided(decided) if decided.by == "mode" && decided.decision == Verdict::Allow => {
                let agent = self.calls.get(&decided.call);
                if let Some((mode, above)) = agent.and_then(|agent| self.narrower_above(agent)) {
                    let detail = format!("its mode {mode} allowed it while one above was {above}");
                    out.push(broken("child", &decided.call, detail));
                }
            }
            _other => {}
        }
    }
}
