//! The configured hooks at work: which of them a moment concerns, and running one through the transport.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;

use super::heard::{Heard, Reply};
use super::late::Late;
use super::layers::{Configured, Handler};
use super::transport::{filled, header};
use super::watch::{NoAnswer, Watched, watch};
use super::wire::{Common, EventInput, HookInput, PermissionUpdate, PermissionWord, RequestWord, Specific};
use super::{
    CommandHook, HookAction, HookFailure, HookLayer, HookStage, HookTransport, HttpHook, TIMEOUT_DEFAULT,
};
use crate::contract::{Context, Effect, Effects, absolute};
use crate::env::{Env, Task, TaskName};
use crate::event::Event;
use crate::message::{CallId, RawInput};
use crate::permission::{Condition, Files, Profile, Subject};

/// How long hooks at the session's end may take together unless one asks for more.
const SESSION_END_DEFAULT: Duration = Duration::from_millis(1_500);
/// How long they may take however much they ask for.
const SESSION_END_MAX: Duration = Duration::from_secs(60);
/// How long a hook at a prompt may take unless it says otherwise.
const PROMPT_TIMEOUT: Duration = Duration::from_secs(30);
/// How long a hook at a message may take unless it says otherwise.
const MESSAGE_TIMEOUT: Duration = Duration::from_secs(10);

/// Who a session is, for hooks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HookSession {
    /// The session's identifier.
    pub id: String,
    /// Where its transcript is; may be empty.
    pub transcript: PathBuf,
}

/// Which sub-agent a session is, for hooks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HookAgent {
    pub(crate) id: String,
    pub(crate) kind: String,
}

/// The configured hooks of a session.
#[derive(Default)]
pub(super) struct Outside {
    configured: Configured,
    /// The conditions of the handlers, in their order.
    conditions: Vec<Option<Condition>>,
    pub(super) transport: Option<Arc<dyn HookTransport>>,
    pub(super) profile: Profile,
    pub(super) fails_closed: bool,
    session: HookSession,
    agent: Option<HookAgent>,
    background: Mutex<BTreeMap<u64, Task<()>>>,
    /// What those want the model to know that nobody waits for.
    pub(super) late: Late,
    /// What answers to permission questions bring with them, until it is known which answer decides.
    kept: Mutex<BTreeMap<(CallId, String), Kept>>,
}

/// What an answer to a permission question brings with it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Kept {
    pub(crate) updates: Vec<PermissionUpdate>,
    /// Why the agent is to stop.
    pub(crate) stop: Option<String>,
}

/// One call, as far as the choice of hooks depends on it.
#[derive(Clone, Debug)]
pub(super) struct Bound {
    /// Which handlers it concerns, by their places.
    concerned: BTreeSet<usize>,
    pub(super) common: Common,
    pub(super) cwd: PathBuf,
    pub(super) root: PathBuf,
    home: Option<PathBuf>,
    /// What the call would open, absolute.
    paths: BTreeSet<PathBuf>,
}

impl Bound {
    /// An input as hooks outside the process see it, the paths in it absolute. One that is no JSON is shown as the text
    /// it is.
    pub(super) fn shown(&self, input: &RawInput) -> Value {
        let mut shown = serde_json::from_str(input.as_str())
            .unwrap_or_else(|_not_json| Value::String(input.as_str().to_owned()));
        for (name, field) in shown.as_object_mut().into_iter().flatten() {
            if let (true, Some(path)) = (name.ends_with("path"), field.as_str()) {
                let path = absolute(&self.cwd, self.home.as_deref(), Path::new(path));
                // A field of that name need not be a path: only what the call would open is.
                let text = path.to_str().filter(|_| self.paths.contains(&path));
                *field = text.map_or_else(|| field.take(), Value::from);
            }
        }
        shown
    }
}

impl Outside {
    pub(super) fn new(
        configured: Configured,
        transport: Option<Arc<dyn HookTransport>>,
        profile: Profile,
        fails_closed: bool,
        session: HookSession,
    ) -> Outside {
        let condition = |handler: &Handler| handler.said.condition.as_deref().map(Condition::new);
        let conditions = configured.handlers.iter().map(condition).collect();
        Outside { configured, conditions, transport, profile, fails_closed, session, ..Outside::default() }
    }

    /// The same for a sub-agent, with its own hooks behind these.
    pub(super) fn of_agent(&self, agent: HookAgent, own: Vec<HookLayer>) -> Outside {
        let (configured, transport) = (self.configured.of_agent(own), self.transport.clone());
        let outside =
            Outside::new(configured, transport, self.profile, self.fails_closed, self.session.clone());
        Outside { agent: Some(agent), ..outside }
    }

    pub(super) fn has(&self, stage: HookStage) -> bool {
        self.configured.at(stage).next().is_some()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.configured.handlers.is_empty()
    }

    /// Finds out which handlers a call concerns: those whose matcher wants one of its tool's names, and whose condition
    /// holds.
    pub(super) fn bind(&self, written: &str, input: &str, subject: &Subject<'_>, files: &dyn Files) -> Bound {
        let form = subject.form;
        let aliases = form.aliases.iter().map(AsRef::as_ref);
        let names: Vec<&str> = [written, form.name.as_ref()].into_iter().chain(aliases).collect();
        let concerns = |(at, handler): (usize, &Handler)| {
            let stage = handler.said.stage;
            let is_wanted = stage.takes_condition()
                && names.iter().any(|name| handler.said.matcher.matches(name, stage, self.profile));
            let holds = || {
                self.conditions[at].as_ref().is_none_or(|condition| condition.holds(subject, input, files))
            };
            (is_wanted && holds()).then_some(at)
        };
        let concerned = self.configured.handlers.iter().enumerate().filter_map(concerns).collect();
        let context = subject.context;
        Bound {
            concerned,
            common: self.common(context),
            cwd: context.cwd.clone(),
            root: context.root.clone(),
            home: context.home.clone(),
            paths: paths(&subject.effects),
        }
    }

    /// A moment that is about no call.
    pub(super) fn unbound(&self, context: &Context) -> Bound {
        Bound {
            concerned: BTreeSet::new(),
            common: self.common(context),
            cwd: context.cwd.clone(),
            root: context.root.clone(),
            home: context.home.clone(),
            paths: BTreeSet::new(),
        }
    }

    fn common(&self, context: &Context) -> Common {
        Common {
            session_id: self.session.id.clone(),
            transcript_path: self.session.transcript.display().to_string(),
            cwd: context.cwd.display().to_string(),
            permission_mode: Some(Common::mode(context.mode)),
            agent_id: self.agent.as_ref().map(|agent| agent.id.clone()),
            agent_type: self.agent.as_ref().map(|agent| agent.kind.clone()),
            ..Common::default()
        }
    }

    /// The handlers that a moment concerns, each once, in the order of configuration.
    pub(super) fn concerned(&self, event: &EventInput, bound: &Bound) -> Vec<&Handler> {
        let stage = event.stage();
        let is_wanted = |(at, handler): (usize, &Handler)| {
            if stage.takes_condition() {
                return bound.concerned.contains(&at);
            }
            let matcher = &handler.said.matcher;
            let matched = event.matched(&bound.common);
            matched.is_none_or(|matched| matcher.matches(matched, stage, self.profile))
        };
        self.once(self.configured.at(stage).filter(|found| is_wanted(*found)).map(|(_, handler)| handler))
    }

    /// The handlers that may answer a permission question.
    pub(super) fn racers(&self, bound: &Bound) -> Vec<&Handler> {
        let asked = self.configured.at(HookStage::PermissionRequest);
        self.once(asked.filter(|(at, _)| bound.concerned.contains(at)).map(|(_, handler)| handler))
    }

    /// The handlers that a call meets first.
    pub(super) fn before(&self, bound: &Bound) -> impl Iterator<Item = String> {
        let at = self.configured.at(HookStage::PreToolUse);
        let concerned = at.filter(|(at, _)| bound.concerned.contains(at)).map(|(_, handler)| handler);
        self.once(concerned).into_iter().map(Handler::name)
    }

    fn once<'a>(&self, handlers: impl Iterator<Item = &'a Handler>) -> Vec<&'a Handler> {
        let mut once: Vec<&Handler> = Vec::new();
        for handler in handlers {
            if !once.iter().any(|known| known.is_same(handler)) {
                once.push(handler);
            }
        }
        once
    }

    /// How long a handler may take.
    pub(super) fn limit(&self, handler: &Handler) -> Duration {
        let said = &handler.said;
        match said.stage {
            HookStage::SessionEnd => said.timeout.unwrap_or(SESSION_END_MAX).min(self.session_end()),
            HookStage::UserPromptSubmit => said.timeout.unwrap_or(PROMPT_TIMEOUT),
            HookStage::MessageDisplay => said.timeout.unwrap_or(MESSAGE_TIMEOUT),
            _other => said.timeout.unwrap_or(TIMEOUT_DEFAULT),
        }
    }

    /// How long all hooks at the session's end may take together.
    pub(super) fn session_end(&self) -> Duration {
        let asked = self.configured.at(HookStage::SessionEnd).filter_map(|(_, handler)| handler.said.timeout);
        asked.max().map_or(SESSION_END_DEFAULT, |most| most.clamp(SESSION_END_DEFAULT, SESSION_END_MAX))
    }

    /// Whether a decision's author is a configured hook.
    pub(super) fn is_author(&self, by: &str) -> bool {
        by.strip_prefix("hook ")
            .is_some_and(|name| self.configured.handlers.iter().any(|handler| handler.name() == name))
    }

    pub(super) fn keep(&self, call: &CallId, hook: &str, kept: Kept) {
        self.kept().insert((call.clone(), format!("hook {hook}")), kept);
    }

    /// What the deciding answer brings with it; that of the others is dropped.
    pub(super) fn take_kept(&self, call: &CallId, by: &str) -> Option<Kept> {
        let mut kept = self.kept();
        if kept.is_empty() {
            return None;
        }
        let wanted = kept.remove(&(call.clone(), by.to_owned()));
        kept.retain(|(other, _), _| other != call);
        wanted
    }

    fn kept(&self) -> MutexGuard<'_, BTreeMap<(CallId, String), Kept>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a call would open.
fn paths(effects: &Effects) -> BTreeSet<PathBuf> {
    let known = match effects {
        Effects::Known(known) => known.as_slice(),
        Effects::Unknown { .. } => &[],
    };
    let path = |effect: &Effect| match effect {
        Effect::Read(path) | Effect::ReadBelow(path) | Effect::Write(path) | Effect::Remove(path) => {
            Some(path.clone())
        }
        Effect::Command { .. } | Effect::MayWrite(_) | Effect::Contact(_) | Effect::Name(_) => None,
    };
    known.iter().filter_map(path).collect()
}

/// One handler with what it is given: everything that a task of its own needs.
pub(super) struct Run {
    pub(super) outside: Arc<Outside>,
    pub(super) handler: Handler,
    pub(super) input: HookInput,
    pub(super) call: Option<CallId>,
    pub(super) cwd: PathBuf,
    pub(super) root: PathBuf,
}

impl Run {
    /// Runs the handler; one that nobody waits for goes on by itself.
    pub(super) async fn heard(self, env: Env) -> Heard {
        match &self.handler.said.action {
            HookAction::Command { is_async: true, .. } => {
                self.in_background(env);
                Heard::default()
            }
            HookAction::Command { .. } | HookAction::Http { .. } | HookAction::Unrunnable(_) => {
                self.in_time(&env).await
            }
        }
    }

    fn in_background(self, env: Env) {
        let outside = Arc::clone(&self.outside);
        let within = Arc::downgrade(&outside);
        let mut background = outside.background.lock().unwrap_or_else(PoisonError::into_inner);
        let id = background.last_key_value().map_or(0, |(last, _)| last + 1);
        let inner = env.clone();
        // It must not keep alive what keeps it alive.
        let work = async move {
            let Run { outside, handler, input, call, cwd, root } = self;
            let (transport, limit) = (outside.transport.clone(), outside.limit(&handler));
            let job = outside.job(&handler, &input, &cwd, &root);
            drop(outside);
            let heard = finish(&inner, &handler, call, limit, transport, job).await;
            if let Some(outside) = within.upgrade() {
                outside.late.keep(heard.late());
                outside.background.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
            }
        };
        let index = usize::try_from(id).unwrap_or(usize::MAX);
        background.insert(id, env.spawn_task(TaskName { kind: "background hook", index }, work));
    }

    async fn in_time(self, env: &Env) -> Heard {
        let Run { outside, handler, input, call, cwd, root } = self;
        let job = outside.job(&handler, &input, &cwd, &root);
        finish(env, &handler, call, outside.limit(&handler), outside.transport.clone(), job).await
    }
}

/// What is to be run for a handler.
enum Job {
    Command(CommandHook),
    Request(HttpHook),
    /// It may not be run: nothing is said, with a notice.
    Refused(String),
    /// It cannot be run at all.
    Unrunnable(String),
}

impl Outside {
    fn job(&self, handler: &Handler, input: &HookInput, cwd: &Path, root: &Path) -> Job {
        let input = match serde_json::to_string(input) {
            Ok(input) => input,
            Err(error) => return Job::Unrunnable(format!("its input cannot be written: {error}")),
        };
        match &handler.said.action {
            HookAction::Unrunnable(reason) => Job::Unrunnable(reason.clone()),
            HookAction::Command { command, args, shell, .. } => {
                let variables = variables(handler, root);
                let fill = |text: &String| filled(text, &variables);
                let (command, args) = match args {
                    Some(args) => (fill(command), Some(args.iter().map(fill).collect())),
                    None => (command.clone(), None),
                };
                Job::Command(CommandHook {
                    command,
                    args,
                    shell: *shell,
                    input,
                    cwd: cwd.to_owned(),
                    variables,
                })
            }
            HookAction::Http { url, headers, allowed_env } => {
                if !self.configured.allows_url(url) {
                    return Job::Refused(format!("hook error: `allowedHttpHookUrls` does not allow `{url}`"));
                }
                let may = |name: &str| {
                    allowed_env.iter().any(|known| known == name) && self.configured.allows_env(name)
                };
                let variable = |name: &str| self.transport.as_ref().filter(|_| may(name))?.variable(name);
                let headers = headers.iter().map(|(name, value)| (name.clone(), header(value, variable)));
                Job::Request(HttpHook { url: url.clone(), headers: headers.collect(), body: input })
            }
        }
    }
}

fn variables(handler: &Handler, root: &Path) -> BTreeMap<String, String> {
    let mut variables = BTreeMap::from([("CLAUDE_PROJECT_DIR".to_owned(), root.display().to_string())]);
    if let Some(plugin) = &handler.plugin {
        variables.insert("CLAUDE_PLUGIN_ROOT".to_owned(), plugin.display().to_string());
        variables.insert("CLAUDE_PLUGIN_DATA".to_owned(), plugin.join("data").display().to_string());
    }
    variables
}

/// Runs one job within its time, and reads what it ended with.
async fn finish(
    env: &Env,
    handler: &Handler,
    call: Option<CallId>,
    limit: Duration,
    transport: Option<Arc<dyn HookTransport>>,
    job: Job,
) -> Heard {
    let stage = handler.said.stage;
    let name = handler.name();
    let watched = Watched { stage, call: call.as_ref(), hook: &name, limit };
    let work = async {
        match (job, transport) {
            (Job::Unrunnable(reason), _) => unrunnable(stage, reason),
            (Job::Refused(notice), _) => {
                Heard { has_failed: true, notices: vec![notice], ..Heard::default() }
            }
            (Job::Command(_) | Job::Request(_), None) => {
                unrunnable(stage, "this session runs no hooks outside its process".to_owned())
            }
            (Job::Command(hook), Some(transport)) => {
                Heard::new(stage, Reply::Command(transport.command(env, &hook).await))
            }
            (Job::Request(hook), Some(transport)) => {
                Heard::new(stage, Reply::Http(transport.request(env, &hook).await))
            }
        }
    };
    let heard = match watch(env, &watched, |heard| word(stage, heard), work).await {
        Ok(heard) => heard,
        Err(NoAnswer::TimedOut(limit)) => Heard::new(stage, Reply::TimedOut(limit)),
        Err(NoAnswer::Ended(end)) => {
            Heard::new(stage, Reply::Command(Err(HookFailure::Broken(end.to_string()))))
        }
    };
    for notice in &heard.notices {
        env.emit(|| Event::HookNotice {
            call: call.clone(),
            hook: name.clone(),
            stage,
            text: notice.clone(),
        });
    }
    heard
}

/// A handler that cannot be run: before a call it asks.
fn unrunnable(stage: HookStage, reason: String) -> Heard {
    let ask = format!("a hook that may be there to deny it cannot be run: {reason}");
    Heard {
        ask: (stage == HookStage::PreToolUse).then_some(ask),
        has_failed: stage != HookStage::PreToolUse,
        notices: vec![format!("hook error: it cannot be run: {reason}")],
        ..Heard::default()
    }
}

/// What a hook said, in a word for events.
fn word(stage: HookStage, heard: &Heard) -> &'static str {
    let specific = heard.output.hook_specific_output.as_ref();
    match (heard.word(), specific) {
        _failed if heard.has_failed => "failed",
        _stops if heard.stop().is_some() => "stopped",
        (Some((word, _)), _) if stage == HookStage::PreToolUse => match word {
            PermissionWord::Allow => "allowed",
            PermissionWord::Deny | PermissionWord::Defer => "denied",
            PermissionWord::Ask => "asked",
        },
        _asks if heard.ask.is_some() => "asked",
        (_, Some(Specific::PreToolUse(said))) if said.updated_input.is_some() => "rewrote",
        (_, Some(Specific::PermissionRequest(said))) => match &said.decision {
            Some(RequestWord::Allow { .. }) => "allowed",
            Some(RequestWord::Deny { .. }) => "denied",
            None => "abstained",
        },
        _blocks if heard.blocks(stage).is_some() => "blocked",
        _other => "abstained",
    }
}
