//! A session within a session: that of a sub-agent. It can only be narrower than the one it is made from.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use super::{Conversation, Session, Ties};
use crate::contract::{Context, FilesSeen, Form, Mirror, QueryChain};
use crate::env::Cancellation;
use crate::event::Event;
use crate::hooks::{HookAgent, HookLayer};
use crate::message::{CallId, Message, repair};
use crate::permission::race::Askable;
use crate::permission::{Bubble, Mode, Prompter};
use crate::pipeline::Services;
use crate::registry::Pool;

/// What a session is made of that those within it are made from too.
pub(crate) struct Within {
    services: Arc<Services>,
    /// Another one where tools come while the session runs, and at a declared boundary.
    pool: RwLock<Arc<Pool>>,
    pub(super) cap: NonZeroUsize,
    /// Counts the turns of a session and of those within, so that no two have one number.
    pub(super) turns: Arc<AtomicU64>,
    /// The agents it is within.
    chain: QueryChain,
    /// What ties to it whatever outlives its calls.
    ties: Ties,
}

impl Within {
    /// That of a session within no other.
    pub(super) fn outermost(services: Arc<Services>, pool: Arc<Pool>, cap: NonZeroUsize) -> Within {
        let (turns, chain) = (Arc::default(), QueryChain::default());
        Within { services, pool: RwLock::new(pool), cap, turns, chain, ties: Ties::outermost() }
    }

    pub(crate) fn ties(&self) -> &Ties {
        &self.ties
    }

    pub(crate) fn chain(&self) -> &QueryChain {
        &self.chain
    }

    /// The tools, as they are now.
    pub(crate) fn pool(&self) -> Arc<Pool> {
        Arc::clone(&self.pool.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Puts other tools in the place of those there are. Gives those that were there, and those that are.
    pub(super) fn change_pool(&self, change: impl FnOnce(&Pool) -> Pool) -> (Arc<Pool>, Arc<Pool>) {
        let mut pool = self.pool.write().unwrap_or_else(PoisonError::into_inner);
        let after = Arc::new(change(&pool));
        (std::mem::replace(&mut *pool, Arc::clone(&after)), after)
    }

    pub(crate) fn services(&self) -> &Arc<Services> {
        &self.services
    }

    /// Begins to build a session that a call starts.
    pub(crate) fn child(
        self: &Arc<Self>,
        call: CallId,
        agent: String,
        kind: String,
        cancellation: Cancellation,
    ) -> ChildBuilder {
        ChildBuilder::new(Arc::clone(self), Some(call), agent, kind, cancellation)
    }
}

impl std::fmt::Debug for Within {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Within").field("chain", &self.chain).finish_non_exhaustive()
    }
}

/// Builds the [`Session`] of a sub-agent. It has the rules of the session it is made from, hanging on the same
/// directories, also those that are granted later, on either side; the same hooks, classifier, store and files; and the
/// same person, who is told which agent asks. Its tools, its mode and what it was told are narrower or the same. Where it
/// works is the same, unless [`ChildBuilder::work_in`] puts another place in its stead.
pub struct ChildBuilder {
    parent: Arc<Within>,
    agent: HookAgent,
    call: Option<CallId>,
    cancellation: Cancellation,
    mode: Option<Mode>,
    model: Option<String>,
    pool: Pool,
    hooks: Vec<HookLayer>,
    history: Vec<Message>,
    shares_files: bool,
    place: Option<Place>,
}

/// Where a session works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The directory the agent works in, and the only one; absolute.
    pub root: PathBuf,
    /// The working directory that it begins in; absolute, and in the root.
    pub cwd: PathBuf,
    /// What the root is in a copy of, where it is.
    pub mirror: Option<Mirror>,
}

impl Session {
    /// Begins to build the session of a sub-agent of this one. `agent` is its identifier, `kind` what kind of agent it
    /// is, which is also how a person is told who asks. Once it is cancelled it asks nobody any more.
    #[must_use]
    pub fn child(
        &self,
        agent: impl Into<String>,
        kind: impl Into<String>,
        cancellation: Cancellation,
    ) -> ChildBuilder {
        ChildBuilder::new(Arc::clone(&self.within), None, agent.into(), kind.into(), cancellation)
    }

    /// How many sessions this one is within.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.within.chain.depth()
    }

    /// The agents that this session is within.
    #[must_use]
    pub fn chain(&self) -> &QueryChain {
        &self.within.chain
    }
}

impl ChildBuilder {
    fn new(
        parent: Arc<Within>,
        call: Option<CallId>,
        agent: String,
        kind: String,
        cancellation: Cancellation,
    ) -> ChildBuilder {
        ChildBuilder {
            pool: parent.pool().kept(|_all| true),
            parent,
            agent: HookAgent { id: agent, kind },
            call,
            cancellation,
            mode: None,
            model: None,
            hooks: Vec::new(),
            history: Vec::new(),
            shares_files: false,
            place: None,
        }
    }

    /// Has it work here, and not in the directories that the session above works in. Of what that one may read without a
    /// question, only stored results stay.
    #[must_use]
    pub fn work_in(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }

    /// Lets it count as seen what the session above has seen of files, and the other way round: for calls that belong to
    /// one conversation though each is a session of its own.
    #[must_use]
    pub fn share_files(mut self) -> Self {
        self.shares_files = true;
        self
    }

    /// The mode that the agent wants. It counts as far as it is no wider than that of the session above, also when that
    /// changes later; see [`Mode::of_agent`].
    #[must_use]
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = Some(mode);
        self
    }

    /// The model's name, where it is another than above.
    #[must_use]
    pub fn model(mut self, model: impl Into<String>) -> Self {
        self.model = Some(model.into());
        self
    }

    /// Keeps only these of the tools; said more than once, those that all of them keep.
    #[must_use]
    pub fn keep(mut self, keep: impl Fn(&Form) -> bool) -> Self {
        self.pool = self.pool.kept(keep);
        self
    }

    /// Adds the agent's own hooks, behind those of the session above and under the same switches. Those for the end of
    /// a turn wait for the end of the agent.
    #[must_use]
    pub fn hooks_configured(mut self, layers: impl IntoIterator<Item = HookLayer>) -> Self {
        self.hooks.extend(layers);
        self
    }

    /// What the agent is told before it begins.
    #[must_use]
    pub fn history(mut self, messages: Vec<Message>) -> Self {
        self.history = messages;
        self
    }

    /// The session.
    #[must_use]
    pub fn build(self) -> Session {
        let chain = self.parent.chain.within(self.agent.id.clone(), self.call.clone());
        let above = &self.parent.services;
        let changes = above.changes.within();
        let (context, mode_above) = above.context.within(self.agent.id.clone(), changes.clone(), self.mode);
        above.env.emit(|| self.started(context.now().mode, mode_above));
        if let Some(place) = self.place {
            let readable = above.store.folder().map(Path::to_owned);
            context.change(|context| place.enter(context, readable));
        }
        if let Some(model) = self.model {
            context.change(|context| context.model = Some(model));
        }
        let prompter = above.askable.prompter.clone().map(|person| {
            let bubble = Bubble::new(above.env.clone(), person, &self.agent.kind, self.cancellation);
            Arc::new(bubble) as Arc<dyn Prompter>
        });
        let services = Services {
            env: above.env.clone(),
            rules: Arc::clone(&above.rules),
            changes,
            remember: above.remember.clone(),
            only_managed_rules: above.only_managed_rules,
            profile: above.profile,
            askable: Askable {
                hooks: above.askable.hooks.of_agent(self.agent, self.hooks),
                prompter,
                classifier: above.askable.classifier.clone(),
            },
            files: Arc::clone(&above.files),
            store: Arc::clone(&above.store),
            bodies: above.bodies.clone(),
            siblings: above.siblings,
            context,
            facts: Arc::clone(&above.facts),
            files_seen: if self.shares_files { above.files_seen.clone() } else { FilesSeen::default() },
        };
        let history = repair(self.history);
        let services = Arc::new(services);
        let within = Within {
            services: Arc::clone(&services),
            pool: RwLock::new(Arc::new(self.pool)),
            cap: self.parent.cap,
            turns: Arc::clone(&self.parent.turns),
            chain,
            ties: if self.shares_files { self.parent.ties.clone() } else { self.parent.ties.within() },
        };
        Session {
            services,
            within: Arc::new(within),
            rule_problems: Vec::new(),
            settings_problems: Vec::new(),
            context_tokens: 0.into(),
            has_begun: AtomicBool::new(true),
            stop_blocks: AtomicUsize::new(0),
            conversation: Conversation::new(history.messages),
            history_repairs: history.repairs,
            in_motion: Mutex::default(),
            turn_lock: Arc::default(),
            step_lock: tokio::sync::Mutex::default(),
            _ends_here: None,
        }
    }
}

impl ChildBuilder {
    /// What is told of its beginning.
    fn started(&self, mode: Mode, mode_above: Mode) -> Event {
        Event::AgentStarted {
            agent: self.agent.id.clone(),
            kind: self.agent.kind.clone(),
            call: self.call.clone(),
            above: self.parent.chain.agent().map(str::to_owned),
            mode,
            mode_above,
            tools: names(&self.pool),
            tools_above: names(&self.parent.pool()),
        }
    }
}

/// The names of the tools of a pool.
fn names(pool: &Pool) -> Vec<String> {
    pool.tools().iter().map(|tool| tool.form().name.clone().into_owned()).collect()
}

impl Place {
    fn enter(self, context: &mut Context, readable: Option<PathBuf>) {
        context.root = self.root;
        context.cwd = self.cwd;
        context.mirror = self.mirror;
        context.additional_directories.clear();
        context.readable_directories = readable.into_iter().collect();
    }
}

impl std::fmt::Debug for ChildBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ChildBuilder")
            .field("agent", &self.agent)
            .field("pool", &self.pool)
            .finish_non_exhaustive()
    }
}
