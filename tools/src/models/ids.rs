//! Identifiers of calls that providers leave out or use again, made whole.

use std::collections::BTreeSet;
use std::sync::Arc;

use toolwright::env::Env;
use toolwright::message::{Block, CallId, Message, Repair, RepairKind};

/// Gives every call of an answer an identifier that no other call of the conversation has.
#[derive(Clone)]
pub(super) struct CallIds {
    env: Env,
    used: Arc<BTreeSet<CallId>>,
    here: BTreeSet<CallId>,
}

impl CallIds {
    /// For an answer to this conversation.
    pub(super) fn new(env: Env, conversation: &[Message]) -> CallIds {
        let blocks = conversation.iter().flat_map(|message| &message.content);
        let used = blocks.filter_map(|block| match block {
            Block::ToolUse(call) => Some(call.id.clone()),
            Block::ToolResult(result) => Some(result.tool_use_id.clone()),
            _other => None,
        });
        CallIds { env, used: Arc::new(used.collect()), here: BTreeSet::new() }
    }

    /// The identifier of the next call, and what was mended.
    pub(super) fn take(&mut self, given: &str, tool: &str) -> (CallId, Option<Repair>) {
        let id = CallId::new(given);
        if !given.is_empty() && !self.is_used(&id) {
            self.here.insert(id.clone());
            return (id, None);
        }
        let mut made = CallId::new(self.env.new_id("call"));
        while self.is_used(&made) {
            made = CallId::new(self.env.new_id("call"));
        }
        self.here.insert(made.clone());
        let (kind, detail) = if given.is_empty() {
            (RepairKind::MissingId, format!("a call of `{tool}` came without an identifier; it got `{made}`"))
        } else {
            let detail =
                format!("a call of `{tool}` came with the used identifier `{given}`; it got `{made}`");
            (RepairKind::ReusedId, detail)
        };
        (made.clone(), Some(Repair { kind, call: Some(made), detail }))
    }

    fn is_used(&self, id: &CallId) -> bool {
        self.used.contains(id) || self.here.contains(id)
    }
}
