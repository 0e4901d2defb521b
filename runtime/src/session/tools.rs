//! The tools of a session while it runs: those that come late, and the boundary at which the list is made anew.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Session;
use crate::contract::{ErasedTool, Form};
use crate::event::Event;
use crate::message::{Message, Repair, repair};
use crate::permission::Mode;
use crate::registry::Pool;

impl Session {
    /// Adds remote tools that came while the session runs, or other versions of those that are there. What the model was
    /// told so far stays as it is, byte for byte; new tools are behind it, and the next request announces them where
    /// they are deferred. Tools with a name that providers refuse are passed over.
    pub fn add_remote(&self, tools: &[Arc<dyn ErasedTool>]) {
        self.change_pool("arrival", |pool, denial| pool.with_arrivals(tools, denial));
    }

    /// Puts a shorter conversation in the place of the present one; while a step of the query loop is in motion it waits.
    /// Tools that were loaded stay loaded. It is a declared boundary: the list of tools is made anew, from the newest
    /// versions of all tools and the rules that are in force. Gives what was mended in the messages.
    pub async fn compact(&self, messages: Vec<Message>) -> Vec<Repair> {
        let _alone = self.step_lock.lock().await;
        let mended = repair(messages);
        self.conversation.replace(mended.messages);
        self.change_pool("compaction", |pool, denial| pool.renewed(denial));
        mended.repairs
    }

    fn change_pool(
        &self,
        boundary: &'static str,
        change: impl FnOnce(&Pool, &dyn Fn(&Form) -> Option<String>) -> Pool,
    ) {
        let in_force = self.services.rules.now();
        let denial = |form: &Form| in_force.in_mode(Mode::Default).whole_denial(form, self.services.profile);
        let (before, after) = self.within.change_pool(|pool| change(pool, &denial));
        let (had, has) = (versions(&before), versions(&after));
        let names = |of: &BTreeMap<String, *const ()>, keep: &dyn Fn(&str, *const ()) -> bool| {
            let kept = of.iter().filter(|(name, version)| keep(name, **version));
            kept.map(|(name, _)| name.clone()).collect::<Vec<String>>()
        };
        let added = names(&has, &|name, _| !had.contains_key(name));
        let removed = names(&had, &|name, _| !has.contains_key(name));
        let renewed = names(&has, &|name, version| had.get(name).is_some_and(|old| *old != version));
        if added.len() + removed.len() + renewed.len() > 0 {
            self.env().emit(|| Event::ToolsChanged { added, removed, renewed, boundary });
        }
    }
}

/// The tools by name, and which version of each it is.
fn versions(pool: &Pool) -> BTreeMap<String, *const ()> {
    let of = |tool: &Arc<crate::registry::Pooled>| {
        (tool.form().name.clone().into_owned(), Arc::as_ptr(tool.tool()).cast())
    };
    pool.tools().iter().map(of).collect()
}
