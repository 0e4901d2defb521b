//! Which call each result answers, where identifiers are missing or used more than once.

use std::collections::{BTreeMap, BTreeSet};

use super::{Repair, RepairKind};
use crate::message::{Block, CallId, Message, Role, ToolResult, ToolUse};

/// Where a block stands: its message, and its place in it.
pub(super) type Place = (usize, usize);

/// The calls and results to keep, by their places.
#[derive(Default)]
pub(super) struct Paired {
    /// The identifier that each kept call has from now on, and the place of its result.
    pub(super) calls: BTreeMap<Place, (CallId, Option<Place>)>,
}

/// The calls and results of one identifier, in the order of the conversation.
#[derive(Default)]
struct Uses<'a> {
    runs: Vec<Run<'a>>,
}

/// Calls of one identifier with nothing but each other between them, and the results behind them.
#[derive(Default)]
struct Run<'a> {
    calls: Vec<(Place, &'a ToolUse)>,
    results: Vec<(Place, &'a ToolResult)>,
}

pub(super) fn pair(messages: &[Message], repairs: &mut Vec<Repair>) -> Paired {
    let mut uses: BTreeMap<&CallId, Uses<'_>> = BTreeMap::new();
    for (at, message) in messages.iter().enumerate() {
        for (index, block) in message.content.iter().enumerate() {
            match block {
                Block::ToolUse(call) if message.role == Role::Assistant => {
                    uses.entry(&call.id).or_default().call((at, index), call);
                }
                Block::ToolUse(call) => repairs.push(Repair::of(
                    RepairKind::MisplacedBlock,
                    &call.id,
                    format!("a message of the user held the call `{}`; the call was left out", call.id),
                )),
                Block::ToolResult(result) => {
                    uses.entry(&result.tool_use_id).or_default().result((at, index), result);
                }
                Block::Text(_) | Block::Other(_) => {}
            }
        }
    }
    let mut names = Names { used: uses.keys().map(|id| (*id).clone()).collect(), made: 0 };
    let mut paired = Paired::default();
    for (id, uses) in uses {
        uses.settle(id, &mut names, &mut paired, repairs);
    }
    paired
}

impl<'a> Uses<'a> {
    fn call(&mut self, place: Place, call: &'a ToolUse) {
        // Results that come before their call were stored in the wrong order.
        let begins = self.runs.last().is_none_or(|run| !run.results.is_empty() && !run.calls.is_empty());
        if begins {
            self.runs.push(Run::default());
        }
        self.last_run().calls.push((place, call));
    }

    fn result(&mut self, place: Place, result: &'a ToolResult) {
        self.last_run().results.push((place, result));
    }

    fn last_run(&mut self) -> &mut Run<'a> {
        if self.runs.is_empty() {
            self.runs.push(Run::default());
        }
        self.runs.last_mut().expect("there is one")
    }

    /// Decides what is kept and under which identifier.
    fn settle(self, id: &CallId, names: &mut Names, paired: &mut Paired, repairs: &mut Vec<Repair>) {
        let is_missing = id.as_str().is_empty();
        let mut kept: Vec<(&ToolUse, Option<&ToolResult>)> = Vec::new();
        for run in self.runs {
            let mut results = run.results.into_iter();
            let mut here: Vec<&ToolUse> = Vec::new();
            for (place, call) in run.calls {
                if !is_missing && here.contains(&call) {
                    repairs.push(duplicate_call(id));
                    continue;
                }
                here.push(call);
                let result = results.next();
                let says_the_same = |(other, answered): &(&ToolUse, Option<&ToolResult>)| {
                    *other == call && result.is_none_or(|(_, result)| *answered == Some(result))
                };
                if !is_missing && kept.iter().any(says_the_same) {
                    repairs.push(duplicate_call(id));
                    repairs.extend(result.map(|_again| duplicate_result(id)));
                    continue;
                }
                let own = match (is_missing, kept.is_empty()) {
                    (false, true) => id.clone(),
                    (is_missing, _) => names.make(id, &call.name, is_missing, repairs),
                };
                kept.push((call, result.map(|(_, result)| result)));
                paired.calls.insert(place, (own, result.map(|(place, _)| place)));
            }
            let left_over = |_result| if kept.is_empty() { orphan(id) } else { duplicate_result(id) };
            repairs.extend(results.map(left_over));
        }
    }
}

/// Makes identifiers that nobody uses, the same for the same conversation.
struct Names {
    used: BTreeSet<CallId>,
    made: usize,
}

impl Names {
    fn make(&mut self, id: &CallId, tool: &str, is_missing: bool, repairs: &mut Vec<Repair>) -> CallId {
        let made = loop {
            self.made += 1;
            let made = match is_missing {
                true => format!("call_made{}", self.made),
                false => format!("{id}_again{}", self.made),
            };
            let made = CallId::new(made);
            if self.used.insert(made.clone()) {
                break made;
            }
        };
        repairs.push(if is_missing {
            let detail = format!("a call of `{tool}` had no identifier; it got `{made}`");
            Repair::of(RepairKind::MissingId, &made, detail)
        } else {
            let detail = format!("another call of `{tool}` had the used identifier `{id}`; it got `{made}`");
            Repair::of(RepairKind::ReusedId, &made, detail)
        });
        made
    }
}

fn duplicate_call(id: &CallId) -> Repair {
    let detail = format!("the call `{id}` stood there twice; the first was kept");
    Repair::of(RepairKind::DuplicateCall, id, detail)
}

fn duplicate_result(id: &CallId) -> Repair {
    let detail = format!("the call `{id}` had more than one result; the first was kept");
    Repair::of(RepairKind::DuplicateResult, id, detail)
}

fn orphan(id: &CallId) -> Repair {
    let detail = format!("a result is of the call `{id}`, which is not there; it was left out");
    Repair::of(RepairKind::OrphanResult, id, detail)
}
