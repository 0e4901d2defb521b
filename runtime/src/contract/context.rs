//! A tool's only door to the system: the context that its methods are given.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde::Serialize;

use super::{EffectsContext, FilesSeen, QueryChain, SandboxPolicy, Tool, ToolForm};
use crate::env::{Cancellation, Elapsed, Env};
use crate::event::Event;
use crate::message::{CallId, Message, TurnId};
use crate::permission::live::InForce;
use crate::permission::{BeforePlan, Behavior, DecidedPlaces, Files, Mode, RealFiles};
use crate::pipeline::ResultStore;
use crate::registry::Pool;
use crate::session::{ChildBuilder, Ties, Within};

/// The chain of a call of the main agent.
static NO_CHAIN: QueryChain = QueryChain::none();

/// What later calls see of the session, and what a call that ran alone may change.
#[derive(Clone, Debug, PartialEq)]
pub struct Context {
    /// The directory the session began in; absolute. The agent works in it wherever the working directory goes.
    pub root: PathBuf,
    /// The working directory; absolute.
    pub cwd: PathBuf,
    /// Further directories the agent works in; absolute.
    pub additional_directories: Vec<PathBuf>,
    /// Directories that the agent may read without a question, and no more; absolute.
    pub readable_directories: Vec<PathBuf>,
    /// What the session works in a copy of, where it does.
    pub mirror: Option<Mirror>,
    /// The home directory, where it is known.
    pub home: Option<PathBuf>,
    /// The permission mode.
    pub mode: Mode,
    /// Variables for what tools start, on top of those of this process.
    pub env: BTreeMap<String, String>,
    /// The sandbox that commands are to run in, where there is to be one.
    pub sandbox: Option<Arc<SandboxPolicy>>,
    /// What planning began from, while the session plans.
    pub before_plan: Option<BeforePlan>,
    /// The model's name, where it is known.
    pub model: Option<String>,
    /// Limits that tools keep.
    pub limits: Limits,
}

impl Context {
    /// The context of a session that begins in a directory, with nothing else said.
    #[must_use]
    pub fn new(root: impl Into<PathBuf>) -> Context {
        let root = root.into();
        Context {
            cwd: root.clone(),
            root,
            additional_directories: Vec::new(),
            readable_directories: Vec::new(),
            mirror: None,
            home: None,
            mode: Mode::Default,
            env: BTreeMap::new(),
            sandbox: None,
            before_plan: None,
            model: None,
            limits: Limits::default(),
        }
    }

    /// The directories the agent works in: the root and the additional ones.
    pub fn directories(&self) -> impl Iterator<Item = &Path> {
        std::iter::once(&self.root).chain(&self.additional_directories).map(PathBuf::as_path)
    }

    /// The part of it that effects depend on.
    #[must_use]
    pub fn for_effects(&self) -> EffectsContext<'_> {
        EffectsContext {
            root: &self.root,
            cwd: &self.cwd,
            additional_directories: &self.additional_directories,
            home: self.home.as_deref(),
        }
    }
}

/// A copy that a session works in. Rules that close what is in the original close the same in the copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mirror {
    /// Where the copy is; absolute.
    pub copy: PathBuf,
    /// What it is a copy of; absolute.
    pub original: PathBuf,
}

/// Limits that tools keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How many paths Glob returns.
    pub glob_paths_max: usize,
    /// How many lines Read returns unless told.
    pub read_lines_max: usize,
    /// How many bytes of a file Read takes.
    pub read_bytes_max: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { glob_paths_max: 100, read_lines_max: 2_000, read_bytes_max: 256 * 1024 }
    }
}

/// What does not change during a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionFacts {
    /// Whether there is a person who can be asked.
    pub has_person: bool,
    /// The feature switches that are on.
    pub features: BTreeSet<String>,
}

/// What one call is given, whatever its tool's type.
#[derive(Clone, Debug)]
pub struct CallContext {
    pub(crate) call: CallId,
    pub(crate) turn: Arc<TurnFacts>,
    pub(crate) context: Arc<Context>,
    pub(crate) cancellation: Cancellation,
    /// The places that the decision was about; nothing before there is one.
    pub(crate) places: OnceLock<DecidedPlaces>,
}

/// The turn that a call is in: what all its calls are given.
#[derive(Debug)]
pub(crate) struct TurnFacts {
    pub(crate) env: Env,
    pub(crate) session: Arc<SessionFacts>,
    pub(crate) files: FilesSeen,
    /// The context that it began in.
    pub(crate) context: Arc<Context>,
    /// The rules that it began under; none in tests of a method by itself.
    pub(crate) rules: Arc<InForce>,
    pub(crate) turn: TurnId,
    /// The identifier of its message, where it has one.
    pub(crate) message: Option<String>,
    /// The conversation up to its message.
    pub(crate) conversation: Arc<Vec<Message>>,
    /// How many tokens the model last read and wrote, where it said so.
    pub(crate) context_tokens: Option<u64>,
    /// The session that it is in; nothing in tests of a method by itself.
    pub(crate) within: Option<Arc<Within>>,
}

impl TurnFacts {
    /// A turn of which nothing else is said.
    pub(crate) fn new(
        env: Env,
        session: Arc<SessionFacts>,
        files: FilesSeen,
        (context, rules): (Arc<Context>, Arc<InForce>),
    ) -> TurnFacts {
        TurnFacts {
            env,
            session,
            files,
            context,
            rules,
            turn: TurnId::default(),
            message: None,
            conversation: Arc::default(),
            context_tokens: None,
            within: None,
        }
    }
}

impl CallContext {
    /// A context for testing a tool's methods by themselves, in a working directory of the test's.
    #[must_use]
    pub fn for_test(env: Env, cwd: impl Into<PathBuf>) -> CallContext {
        let context = Arc::new(Context::new(cwd));
        let began = (Arc::clone(&context), Arc::default());
        let turn = TurnFacts::new(env, Arc::default(), FilesSeen::default(), began);
        CallContext {
            call: CallId::new("call_test"),
            turn: Arc::new(turn),
            context,
            cancellation: Cancellation::new(),
            places: OnceLock::new(),
        }
    }
}

impl CallContext {
    /// Reports progress, and what a person sees of it, a line each, while the call runs.
    pub fn progress(&self, data: serde_json::Value, lines: Vec<String>) {
        self.turn.env.emit(|| Event::Progress { call: self.call.clone(), data, lines });
    }

    /// The identifier of this call.
    #[must_use]
    pub fn call_id(&self) -> &CallId {
        &self.call
    }

    /// The environment.
    #[must_use]
    pub fn env(&self) -> &Env {
        &self.turn.env
    }
}

/// The context of one call, typed by its tool.
#[derive(Debug)]
pub struct Cx<'a, T: ToolForm> {
    call: &'a CallContext,
    state: &'a T::State,
}

impl<T: Tool> Cx<'_, T> {
    /// Reports progress, to be shown while the call runs.
    pub fn progress(&self, data: T::Progress) {
        self.call.turn.env.emit(|| Event::Progress {
            call: self.call.call.clone(),
            data: to_json(&data),
            lines: T::render_progress(&data),
        });
    }
}

impl<'a, T: ToolForm> Cx<'a, T> {
    pub(crate) fn new(call: &'a CallContext, state: &'a T::State) -> Cx<'a, T> {
        Cx { call, state }
    }

    /// A context for testing a tool's methods by themselves.
    #[must_use]
    pub fn for_test(call: &'a CallContext, state: &'a T::State) -> Cx<'a, T> {
        Cx::new(call, state)
    }

    /// What the tool was given at registration.
    #[must_use]
    pub fn state(&self) -> &'a T::State {
        self.state
    }

    /// The identifier of this call.
    #[must_use]
    pub fn call_id(&self) -> &'a CallId {
        &self.call.call
    }

    /// The turn this call is in.
    #[must_use]
    pub fn turn(&self) -> TurnId {
        self.call.turn.turn
    }

    /// The identifier of the assistant message this call came in, where it has one.
    #[must_use]
    pub fn message_id(&self) -> Option<&'a str> {
        self.call.turn.message.as_deref()
    }

    /// The session's context as it was when the call began.
    #[must_use]
    pub fn context(&self) -> &'a Context {
        &self.call.context
    }

    /// The working directory; absolute.
    #[must_use]
    pub fn cwd(&self) -> &'a Path {
        &self.call.context.cwd
    }

    /// The absolute path that `path` means in this session.
    #[must_use]
    pub fn absolute(&self, path: impl AsRef<Path>) -> PathBuf {
        self.call.context.for_effects().absolute(path)
    }

    /// Limits that tools keep.
    #[must_use]
    pub fn limits(&self) -> &'a Limits {
        &self.call.context.limits
    }

    /// Whether there is a person who can be asked.
    #[must_use]
    pub fn has_person(&self) -> bool {
        self.call.turn.session.has_person
    }

    /// The conversation up to the message this call came in.
    #[must_use]
    pub fn conversation(&self) -> &'a [Message] {
        &self.call.turn.conversation
    }

    /// How many tokens the context of the last assistant message had, where the model said so.
    #[must_use]
    pub fn context_tokens(&self) -> Option<u64> {
        self.call.turn.context_tokens
    }

    /// The place without links that was decided on for an absolute path of this call's effects. A body opens this place
    /// and follows no link on the way: then a link that was put there since leads nowhere. Before there is a decision,
    /// and in tests of a method by itself, it is where the path leads now.
    ///
    /// # Errors
    /// When the decision was not about this path, or where it leads cannot be told.
    pub fn decided_place(&self, path: &Path) -> io::Result<PathBuf> {
        match self.call.places.get() {
            Some(places) => places.of(path).map(Path::to_owned),
            None => RealFiles.resolve(path),
        }
    }

    /// The files the agent has seen.
    #[must_use]
    pub fn files(&self) -> &'a FilesSeen {
        &self.call.turn.files
    }

    /// Tells that the call should stop, and why. A body that is stopped is dropped at its next `await`; only one that
    /// works between two `await`s for long needs to look.
    #[must_use]
    pub fn cancellation(&self) -> &'a Cancellation {
        &self.call.cancellation
    }

    /// The agents that this call is within.
    #[must_use]
    pub fn chain(&self) -> &'a QueryChain {
        self.call.turn.within.as_deref().map_or(&NO_CHAIN, Within::chain)
    }

    /// Begins to build a session within this one, for an agent that this call starts, or for calls that are to go
    /// through the whole pipeline; see [`Session::child`](crate::session::Session::child). Nothing in tests of a method
    /// by itself.
    #[must_use]
    pub fn child(
        &self,
        agent: impl Into<String>,
        kind: impl Into<String>,
        cancellation: Cancellation,
    ) -> Option<ChildBuilder> {
        let within = self.call.turn.within.as_ref()?;
        Some(within.child(self.call.call.clone(), agent.into(), kind.into(), cancellation))
    }

    /// Puts rules in force until the person says something; all of them, or, where one is wrong, none. They are rules of
    /// the source `command`. An agent cannot do it: its rules are also those of who started it.
    ///
    /// # Errors
    /// In words: why they are not in force.
    pub fn rules_until_next_prompt(
        &self,
        rules: impl IntoIterator<Item = (Behavior, String)>,
    ) -> Result<(), String> {
        let within = self.call.turn.within.as_ref().ok_or("this call is in no session")?;
        if within.chain().depth() > 0 {
            return Err("an agent's rules are also those of who started it".to_owned());
        }
        within.services().add_span(rules)
    }

    /// The tools of the session that this call is in. Nothing in tests of a method by itself.
    #[must_use]
    pub fn tools(&self) -> Option<Arc<Pool>> {
        self.call.turn.within.as_deref().map(Within::pool)
    }

    /// What ties to the session whatever this call leaves behind: something that goes on when the call has its result.
    /// Nothing in tests of a method by itself.
    #[must_use]
    pub fn ties(&self) -> Option<&'a Ties> {
        self.call.turn.within.as_deref().map(Within::ties)
    }

    /// Where the session keeps what is too large for the conversation. Nothing in tests of a method by itself.
    #[must_use]
    pub fn results(&self) -> Option<Arc<dyn ResultStore>> {
        self.call.turn.within.as_deref().map(|within| Arc::clone(&within.services().store))
    }

    /// Waits, in the session's time.
    pub async fn sleep(&self, wait: Duration) {
        self.env().sleep(wait).await;
    }

    /// Waits for `work` for `limit` at the most, in the session's time.
    ///
    /// # Errors
    /// [`Elapsed`] when the limit passed first; the work is dropped then.
    pub async fn timeout<V>(&self, limit: Duration, work: impl Future<Output = V>) -> Result<V, Elapsed> {
        self.env().timeout(limit, work).await
    }

    /// The environment, for what this context does not offer itself.
    #[must_use]
    pub fn env(&self) -> &'a Env {
        &self.call.turn.env
    }
}

fn to_json(data: &impl Serialize) -> serde_json::Value {
    serde_json::to_value(data).unwrap_or(serde_json::Value::Null)
}
