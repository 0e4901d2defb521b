//! What an agent holds while it runs, and nobody holds when it does not: its place among those that run, its working tree,
//! its servers.

use std::sync::Arc;

use toolwright::hooks::wire::EventInput;
use toolwright::hooks::wire::events::places::{WorktreeCreate, WorktreeRemove};
use toolwright::message::Message;

use super::life::Life;
use super::running::Slot;
use super::servers::{OwnServers, Started};
use super::worktree::{TreeInUse, Worktree};

/// What an agent holds while it runs. Dropped, all of it is given up: a place that is free again, a tree that is removed
/// or kept, servers that are stopped.
pub(crate) struct Hold {
    _slot: Slot,
    tree: Option<TreeInUse>,
    servers: Option<OwnServers>,
}

impl Hold {
    /// A place among those that run, and nothing else yet.
    pub(crate) fn of(slot: Slot) -> Hold {
        Hold { _slot: slot, tree: None, servers: None }
    }

    /// Takes what the agent needs and is not held yet: at its start, and when it goes on after it had ended.
    ///
    /// # Errors
    /// In words: why it cannot run. Nothing more is held then than before.
    pub(super) async fn take_up(&mut self, life: &Life) -> Result<(), String> {
        let session = &life.session;
        if let Some(tree) = life.tree.as_ref().filter(|_| self.tree.is_none()) {
            let name = tree.branch().to_owned();
            let said = session.moments().other(EventInput::WorktreeCreate(WorktreeCreate { name })).await;
            if let Some(why) = said.blocked.or(said.stopped) {
                return Err(format!("a hook would not have a working tree made: {why}"));
            }
            let tree = Arc::clone(tree);
            let entered = session.env().blocking(move || Worktree::enter(&tree)).await;
            self.tree = Some(entered.map_err(|end| end.to_string())??);
        }
        if self.servers.is_none() && !life.servers.is_empty() {
            let Started { own, tools, notices } = life.servers.start(session).await;
            session.add_remote(&tools);
            notices.into_iter().for_each(|notice| session.push(Message::note(notice)));
            self.servers = Some(own);
        }
        Ok(())
    }

    /// Gives up the tree: it is removed, or kept where something in it was changed.
    pub(super) async fn leave_tree(&mut self, life: &Life) {
        let Some(held) = self.tree.take() else { return };
        held.leave(life.session.env()).await;
        if let Some(tree) = life.tree.as_ref().filter(|tree| tree.kept().is_none()) {
            let worktree_path = tree.path().display().to_string();
            // It is gone already, whatever hooks say of it.
            let removed = EventInput::WorktreeRemove(WorktreeRemove { worktree_path });
            drop(life.session.moments().other(removed).await);
        }
    }
}
