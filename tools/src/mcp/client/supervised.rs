//! One server: connected, listed, lost and connected again, for as long as the session wants it.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Map, Value};
use tokio::sync::Notify;
use toolwright::contract::ErasedTool;
use toolwright::cut::start_of;
use toolwright::env::{Either, Env};

use super::config::ServerConfig;
use super::link::{About, CallAnswer, Connect, Heard, Link, LinkError, Progress, RemoteTool};
use super::names::ServerNames;
use super::tool::tool;

/// How long is waited before a lost server is started again; twice as long each further time.
const BACKOFF_FIRST: Duration = Duration::from_millis(200);
/// The longest such wait.
const BACKOFF_MAX: Duration = Duration::from_secs(30);
/// How often in a row a server may fail.
const FAILURES_MAX: u32 = 8;
/// How long is waited after a list before the next one, however often a server says that it has changed.
const RELIST_PAUSE: Duration = Duration::from_secs(1);
/// How many tools one server may have had in a session, those that it no longer lists included.
const TOOLS_MAX: usize = 20_000;
/// How much of what went wrong is kept.
const PROBLEMS_MAX: usize = 100;
/// How many bytes of a stranger's text are told.
const TOLD_BYTES_MAX: usize = 500;
/// A server that ran for so long did not fail in a row.
const STEADY: Duration = Duration::from_secs(30);

/// How a server stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// It is being started or reached, for the first time or again.
    Connecting,
    /// It answers.
    Connected(About),
    /// It was given up; this is why.
    Failed(String),
    /// It was stopped.
    Stopped,
}

/// Who is told of a server's tools, whenever they are others than before.
pub(super) type Listener = Arc<dyn Fn(&[Arc<dyn ErasedTool>]) + Send + Sync>;

/// The names that are in use, and for which tool of which server each stands.
#[derive(Debug, Default)]
pub(super) struct Taken(Mutex<TakenNames>);

#[derive(Debug, Default)]
struct TakenNames {
    by_name: BTreeMap<String, (String, String)>,
    /// How many each server has.
    counts: BTreeMap<String, usize>,
}

/// One server.
pub(super) struct Supervised {
    env: Env,
    config: ServerConfig,
    names: ServerNames,
    taken: Arc<Taken>,
    state: Mutex<State>,
    /// The status has changed.
    changed: Notify,
    /// The server has other tools.
    relist: Arc<Notify>,
    /// Held while a listener is told, so that what it hears last is what is so.
    telling: Mutex<()>,
}

struct State {
    status: Status,
    link: Option<Arc<dyn Link>>,
    listed: Vec<RemoteTool>,
    tools: Vec<Arc<dyn ErasedTool>>,
    problems: Vec<String>,
    listener: Option<Listener>,
    was_tried: bool,
    /// Nothing keeps the server connected any more, and its program has ended.
    is_over: bool,
}

/// Says that a server is over, however its task ends.
struct Over<'a>(&'a Supervised);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.change(|state| {
            state.is_over = true;
            state.was_tried = true;
        });
    }
}

struct News(Arc<Notify>);

impl Heard for News {
    fn tools_changed(&self) {
        self.0.notify_one();
    }
}

impl Supervised {
    pub(super) fn new(env: Env, config: ServerConfig, names: ServerNames, taken: Arc<Taken>) -> Supervised {
        let state = State {
            status: Status::Connecting,
            link: None,
            listed: Vec::new(),
            tools: Vec::new(),
            problems: Vec::new(),
            listener: None,
            was_tried: false,
            is_over: false,
        };
        Supervised {
            env,
            config,
            names,
            taken,
            state: Mutex::new(state),
            changed: Notify::new(),
            relist: Arc::default(),
            telling: Mutex::default(),
        }
    }

    pub(super) fn config(&self) -> &ServerConfig {
        &self.config
    }

    pub(super) fn status(&self) -> Status {
        self.lock().status.clone()
    }

    pub(super) fn tools(&self) -> Vec<Arc<dyn ErasedTool>> {
        self.lock().tools.clone()
    }

    pub(super) fn problems(&self) -> Vec<String> {
        self.lock().problems.clone()
    }

    /// Tells a listener of the tools that are there, and of others whenever they change.
    pub(super) fn listen(&self, listener: Listener) {
        self.lock().listener = Some(listener);
        self.tell();
    }

    fn tell(&self) {
        let _alone = self.telling.lock().unwrap_or_else(PoisonError::into_inner);
        let (listener, tools) = {
            let state = self.lock();
            (state.listener.clone(), state.tools.clone())
        };
        if let Some(listener) = listener
            && !tools.is_empty()
        {
            listener(&tools);
        }
    }

    /// Waits until it answers or was tried once in vain.
    pub(super) async fn tried(&self) {
        self.until(|state| state.was_tried.then_some(())).await;
    }

    /// Waits until its program has ended.
    pub(super) async fn over(&self) {
        self.until(|state| state.is_over.then_some(())).await;
    }

    /// Keeps the server connected until it is stopped or given up.
    pub(super) async fn run(self: Arc<Self>, connect: Arc<dyn Connect>) {
        let _over = Over(&self);
        let mut failures = 0;
        while !self.is_stopped() {
            let began = self.env.now();
            let ended = match self.attempt(&connect).await {
                Ok(link) => {
                    self.live(&link).await;
                    LinkError::Gone("it has gone".to_owned())
                }
                Err(error) => error,
            };
            let ran = self.env.now().since(began);
            failures = if ran > STEADY + self.config.start_timeout { 1 } else { failures + 1 };
            let status =
                if failures > FAILURES_MAX { Status::Failed(ended.to_string()) } else { Status::Connecting };
            let is_given_up = matches!(status, Status::Failed(_));
            self.change(|state| {
                state.link = None;
                state.was_tried = true;
                if state.status != Status::Stopped {
                    state.status = status;
                    if failures == 1 || is_given_up {
                        state.complain(ended.to_string());
                    }
                }
            });
            if is_given_up {
                return;
            }
            let wait = BACKOFF_FIRST.saturating_mul(1 << (failures - 1).min(16)).min(BACKOFF_MAX);
            let (mut wait, mut stopped) = (self.env.sleep(wait), pin!(self.stopped()));
            let _ended = self.env.race("server backoff", &mut wait, &mut stopped).await;
        }
    }

    /// Connects and lists the tools, in the time that there is.
    async fn attempt(self: &Arc<Self>, connect: &Arc<dyn Connect>) -> Result<Arc<dyn Link>, LinkError> {
        let limit = self.config.start_timeout;
        let started = async {
            let heard = Arc::new(News(Arc::clone(&self.relist)));
            let link = connect.connect(&self.env, &self.config, heard).await?;
            let tools = if link.about().has_tools { link.tools().await? } else { Vec::new() };
            Ok((link, tools))
        };
        let (mut started, mut stopped) = (pin!(self.env.timeout(limit, started)), pin!(self.stopped()));
        let (link, tools) = match self.env.race("server start", &mut started, &mut stopped).await {
            Either::Left(Ok(started)) => started?,
            Either::Left(Err(_elapsed)) => {
                return Err(LinkError::Gone(format!(
                    "it did not answer within {} ms: `MCP_TIMEOUT` gives it longer",
                    limit.as_millis()
                )));
            }
            Either::Right(()) => return Err(LinkError::Gone("it was stopped".to_owned())),
        };
        self.publish(tools);
        self.change(|state| {
            state.was_tried = true;
            if state.status != Status::Stopped {
                state.status = Status::Connected(link.about());
                state.link = Some(Arc::clone(&link));
            }
        });
        Ok(link)
    }

    /// Follows a connection to its end.
    async fn live(self: &Arc<Self>, link: &Arc<dyn Link>) {
        let mut gone = pin!(async {
            let (mut closed, mut stopped) = (pin!(link.closed()), pin!(self.stopped()));
            let _ended = self.env.race("server end", &mut closed, &mut stopped).await;
        });
        loop {
            let mut told = pin!(self.relist.notified());
            match self.env.race("server news", &mut gone, &mut told).await {
                Either::Left(()) => break,
                Either::Right(()) => {
                    let mut list = pin!(self.relist(link));
                    if let Either::Right(()) = self.env.race("server list", &mut list, &mut gone).await {
                        break;
                    }
                }
            }
        }
        if self.is_stopped() {
            link.close().await;
        }
    }

    /// Lists the tools again, and waits until that may be done once more.
    async fn relist(self: &Arc<Self>, link: &Arc<dyn Link>) {
        match self.env.timeout(self.config.start_timeout, link.tools()).await {
            Ok(Ok(tools)) => self.publish(tools),
            Ok(Err(error)) => {
                self.change(|state| state.complain(format!("its changed tools are not known: {error}")))
            }
            Err(_elapsed) => self.change(|state| state.complain("its changed tools were not listed in time")),
        }
        self.env.sleep(RELIST_PAUSE).await;
    }

    /// Makes tools of what the server lists, and tells whoever listens, where they are others than before.
    fn publish(self: &Arc<Self>, listed: Vec<RemoteTool>) {
        if self.lock().listed == listed {
            return;
        }
        let raw: Vec<&str> = listed.iter().map(|tool| tool.name.as_str()).collect();
        let (mut tools, mut problems) = (Vec::new(), Vec::new());
        for (name, remote) in self.names.of_tools(&raw).into_iter().zip(&listed) {
            let made = match self.taken.take(&name, &self.config.name, &remote.name) {
                Ok(()) => tool(name, remote, self).map_err(|error| error.to_string()),
                Err(why) => Err(why),
            };
            match made {
                Ok(tool) => tools.push(tool),
                Err(why) => {
                    let name = start_of(&remote.name, TOLD_BYTES_MAX);
                    problems.push(format!("the tool `{name}` is left out: {why}"));
                }
            }
        }
        {
            let mut state = self.lock();
            if state.status == Status::Stopped {
                return;
            }
            state.listed = listed;
            state.tools = tools;
            problems.into_iter().for_each(|problem| state.complain(problem));
        }
        self.tell();
    }

    /// Calls a tool, once the server is there.
    pub(super) async fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
        progress: Arc<dyn Fn(Progress) + Send + Sync>,
    ) -> Result<CallAnswer, LinkError> {
        self.link().await?.call(tool, arguments, progress).await
    }

    /// The connection; waits while there is none but may soon be.
    pub(super) async fn link(&self) -> Result<Arc<dyn Link>, LinkError> {
        let ready = self.until(|state| match (&state.link, &state.status) {
            (Some(link), _) => Some(Ok(Arc::clone(link))),
            (None, Status::Failed(why)) => Some(Err(LinkError::Gone(why.clone()))),
            (None, Status::Stopped) => Some(Err(LinkError::Gone("it was stopped".to_owned()))),
            (None, Status::Connecting | Status::Connected(_)) => None,
        });
        let late = || LinkError::Gone("it is not connected".to_owned());
        self.env.timeout(self.config.start_timeout, ready).await.map_err(|_elapsed| late())?
    }

    /// Stops the server and lets go of its tools, which know it.
    pub(super) fn stop(&self) {
        self.change(|state| {
            state.status = Status::Stopped;
            state.link = None;
            state.was_tried = true;
            state.listener = None;
            state.tools.clear();
            state.listed.clear();
        });
    }

    fn is_stopped(&self) -> bool {
        self.lock().status == Status::Stopped
    }

    async fn stopped(&self) {
        self.until(|state| (state.status == Status::Stopped).then_some(())).await;
    }

    /// Waits until the state is one that is wanted.
    async fn until<T>(&self, wanted: impl Fn(&State) -> Option<T>) -> T {
        loop {
            let mut told = pin!(self.changed.notified());
            told.as_mut().enable();
            if let Some(found) = wanted(&self.lock()) {
                return found;
            }
            told.await;
        }
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.lock());
        self.changed.notify_waiters();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Keeps what went wrong; what was said before is not said again, and no server fills the memory with it.
    fn complain(&mut self, problem: impl Into<String>) {
        let problem = problem.into();
        match self.problems.len() {
            PROBLEMS_MAX.. => {}
            _said if self.problems.contains(&problem) => {}
            LAST_PROBLEM => self.problems.push("more went wrong than is told here".to_owned()),
            _room => self.problems.push(problem),
        }
    }
}

/// The place behind which nothing more is told.
const LAST_PROBLEM: usize = PROBLEMS_MAX - 1;

impl Taken {
    /// Takes a name for a tool of a server, unless it stands for another or the server has had too many.
    fn take(&self, name: &str, server: &str, tool: &str) -> Result<(), String> {
        let mut taken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match taken.by_name.get(name) {
            Some((of, called)) if of == server && called == tool => return Ok(()),
            Some((of, called)) => {
                let called = start_of(called, TOLD_BYTES_MAX);
                return Err(format!("its name belongs to `{called}` of the server `{of}`"));
            }
            None => {}
        }
        let count = taken.counts.entry(server.to_owned()).or_default();
        if *count >= TOOLS_MAX {
            return Err(format!("a server may have {TOOLS_MAX} tools in a session"));
        }
        *count += 1;
        taken.by_name.insert(name.to_owned(), (server.to_owned(), tool.to_owned()));
        Ok(())
    }
}
