//! The moments of a session at which hooks are called beside those of a call. What the runtime has the moment for it
//! calls itself; the others are for whoever makes the moment: sub-agents, compaction, notifications.

use std::sync::atomic::Ordering;

use super::Session;
use crate::hooks::Told;
use crate::hooks::wire::events::agents::{AgentEnd, SubagentStart};
use crate::hooks::wire::events::calls::{BatchCall, PostToolBatch};
use crate::hooks::wire::events::session::{Notification, SessionEnd, SessionStart, UserPromptSubmit};
use crate::hooks::wire::events::turns::{PreCompact, TurnEnd};
use crate::hooks::wire::{EventInput, HookOutput, Specific, Words};
use crate::message::{CallId, Message};

/// What hooks said at a moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HooksSaid {
    /// Why what was to happen must not, in the words of the hooks.
    pub blocked: Option<String>,
    /// Why the agent is not to go on at all.
    pub stopped: Option<String>,
    /// What the model should know; it is in the conversation already, unless the moment has another place for it.
    pub context: Vec<String>,
    /// What else each hook said.
    pub outputs: Vec<HookOutput>,
}

/// How often in a row hooks may keep the agent from ending its turn.
pub const STOP_BLOCKS_MAX: usize = 8;
/// How many characters of what a hook tells the model go into the conversation.
const CONTEXT_CHARS_MAX: usize = 10_000;
/// How many characters of a longer text the model gets at once.
const CONTEXT_PREVIEW_CHARS: usize = 2_000;

/// The moments at which a session's hooks are called.
#[derive(Clone, Copy, Debug)]
pub struct Moments<'a>(&'a Session);

impl Session {
    /// The moments at which hooks are called, for whoever makes one.
    #[must_use]
    pub fn moments(&self) -> Moments<'_> {
        Moments(self)
    }

    /// Tells hooks that the session begins, unless they were told.
    pub(crate) async fn begin_once(&self) {
        if !self.has_begun.swap(true, Ordering::SeqCst) {
            self.moments().begin("startup").await;
        }
    }
}

impl Moments<'_> {
    /// The session begins, or goes on: `startup`, `resume`, `clear`, `compact` or `fork`. What hooks say is put into the
    /// conversation. [`Session::run`] does this once by itself.
    pub async fn begin(&self, source: &str) -> HooksSaid {
        self.0.has_begun.store(true, Ordering::SeqCst);
        let model = self.0.context().model.clone();
        let start = SessionStart { source: source.to_owned(), model };
        let said = self.tell(None, EventInput::SessionStart(start)).await;
        for first in said.outputs.iter().filter_map(|output| words(output)?.initial_user_message.clone()) {
            self.0.push(Message::user(first));
        }
        self.say(&said);
        said
    }

    /// The session ends. Hooks have 1.5 seconds together, or as long as the longest of their own limits, up to a minute.
    pub async fn end(&self, reason: &str) -> HooksSaid {
        self.tell(None, EventInput::SessionEnd(SessionEnd { reason: reason.to_owned() })).await
    }

    /// A person sent a prompt. A blocked one must not reach the model. [`Session::run`] asks by itself.
    /// What a sub-agent is told comes from no person: no hook is asked there.
    pub async fn prompt(&self, prompt: &str) -> HooksSaid {
        if self.0.depth() > 0 {
            return HooksSaid::default();
        }
        self.tell(None, EventInput::UserPromptSubmit(UserPromptSubmit { prompt: prompt.to_owned() })).await
    }

    /// The agent wants to end its turn, having said this last; when that is blocked it must go on, with the reason as
    /// its next message. In a sub-agent it is the agent that wants to end. After [`STOP_BLOCKS_MAX`] blocks in a row it ends all the same. [`Session::run`] asks by itself.
    pub async fn stop(&self, last_assistant_message: &str) -> HooksSaid {
        let before = self.0.stop_blocks.load(Ordering::SeqCst);
        let end = TurnEnd {
            stop_hook_active: before > 0,
            last_assistant_message: last_assistant_message.to_owned(),
            ..TurnEnd::default()
        };
        let event = match self.0.depth() {
            0 => EventInput::Stop(end),
            _within => EventInput::SubagentStop(AgentEnd { end, ..AgentEnd::default() }),
        };
        let mut said = self.tell(None, event).await;
        if said.blocked.is_some() && said.stopped.is_none() && before < STOP_BLOCKS_MAX {
            self.0.stop_blocks.fetch_add(1, Ordering::SeqCst);
        } else {
            said.blocked = None;
            self.0.stop_blocks.store(0, Ordering::SeqCst);
        }
        said
    }

    /// A sub-agent begins. What hooks say is for it, not for this conversation.
    pub async fn subagent_start(&self, agent_id: &str, agent_type: &str, task: Option<&str>) -> HooksSaid {
        let start = SubagentStart { task_description: task.map(str::to_owned) };
        self.tell(Some((agent_id, agent_type)), EventInput::SubagentStart(start)).await
    }

    /// A sub-agent wants to end; when that is blocked it must go on. Whoever runs it counts the blocks.
    pub async fn subagent_stop(&self, agent_id: &str, agent_type: &str, end: AgentEnd) -> HooksSaid {
        self.tell(Some((agent_id, agent_type)), EventInput::SubagentStop(end)).await
    }

    /// The conversation is about to be compacted, by `manual` or `auto`; it is not when that is blocked.
    pub async fn pre_compact(&self, trigger: &str, custom_instructions: &str) -> HooksSaid {
        let (trigger, custom_instructions) = (trigger.to_owned(), custom_instructions.to_owned());
        self.tell(None, EventInput::PreCompact(PreCompact { trigger, custom_instructions })).await
    }

    /// The person is told something, of a kind such as `permission_prompt` or `idle_prompt`.
    pub async fn notify(&self, kind: &str, message: &str, title: Option<&str>) -> HooksSaid {
        let told = Notification {
            message: message.to_owned(),
            title: title.map(str::to_owned),
            notification_type: kind.to_owned(),
        };
        self.tell(None, EventInput::Notification(told)).await
    }

    /// Any other moment that is about no call of a tool.
    pub async fn other(&self, event: EventInput) -> HooksSaid {
        self.tell(None, event).await
    }

    /// Every call of a turn has its result.
    pub(super) async fn batch(&self, calls: Vec<BatchCall>) -> HooksSaid {
        self.tell(None, EventInput::PostToolBatch(PostToolBatch { tool_calls: calls })).await
    }

    async fn tell(&self, agent: Option<(&str, &str)>, event: EventInput) -> HooksSaid {
        let services = &self.0.services;
        let context = self.0.context();
        let Told { blocked, stop, context: said, outputs } =
            services.askable.hooks.tell(&services.env, &context, agent, event).await;
        let mut context = Vec::with_capacity(said.len());
        for text in said {
            context.push(self.short(text).await);
        }
        HooksSaid { blocked, stopped: stop, context, outputs }
    }

    /// A text for the model: whole where it is short, else its beginning and its place.
    async fn short(&self, text: String) -> String {
        let chars = text.chars().count();
        if chars <= CONTEXT_CHARS_MAX {
            return text;
        }
        let services = &self.0.services;
        let preview: String = text.chars().take(CONTEXT_PREVIEW_CHARS).collect();
        let place = match services.store.keep(&services.env, &CallId::new("hook"), text).await {
            Ok(place) => format!("all of it is in `{place}`"),
            Err(error) => format!("the rest is lost, since it could not be stored: {error}"),
        };
        format!(
            "a hook says {chars} characters, more than {CONTEXT_CHARS_MAX}; {place}; it begins:\n{preview}"
        )
    }

    /// Puts what hooks said into the conversation.
    pub(crate) fn say(&self, said: &HooksSaid) {
        for context in &said.context {
            self.0.push(Message::note(context.clone()));
        }
    }
}

fn words(output: &HookOutput) -> Option<&Words> {
    match output.hook_specific_output.as_ref()? {
        Specific::SessionStart(words) => Some(words),
        _other => None,
    }
}
