//! A call as hooks see it, and what they say about it put where it belongs: to the model, to the person, to the agent.

use std::pin::pin;

use serde_json::Value;

use super::map::stored;
use super::parsed::Known;
use super::permitted::Brought;
use super::run::Running;
use super::valid::ValidCall;
use crate::contract::Context;
use crate::env::{Env, Tick};
use crate::event::Event;
use crate::hooks::wire::PermissionUpdate;
use crate::hooks::{AfterBody, HookStage, Hooks, PostToolUses};
use crate::message::Content;
use crate::permission::{Mode, Subject};
use crate::schema::fits;

/// A call, and the hooks that it concerns.
pub(super) struct Seen {
    known: Box<Known>,
    /// The hooks bound to it, where some are configured.
    bound: Option<Box<BoundHooks>>,
}

/// The hooks bound to a call.
struct BoundHooks {
    hooks: Hooks,
    /// When its body began, where it has.
    begun: Option<Tick>,
}

/// How many characters of what a hook tells the model go into the conversation.
const CONTEXT_CHARS_MAX: usize = 10_000;
/// How many characters of a longer text the model gets at once.
const CONTEXT_PREVIEW_CHARS: usize = 2_000;

impl ValidCall {
    /// The hooks that the call concerns, with its input as it is now, where some are configured; others need not be bound.
    pub(super) fn bound(&self, running: &Running<'_>) -> Option<Hooks> {
        let services = running.services;
        let hooks = &services.askable.hooks;
        if !hooks.are_configured() {
            return None;
        }
        let (parsed, context) = (&self.parsed, &running.cx.context);
        let effects = parsed.call.effects(&context.for_effects());
        let files = services.files.as_ref();
        let subject = Subject::new(
            parsed.known.tool.form(),
            parsed.known.flags,
            effects,
            parsed.known.inputs(),
            context,
            files,
        );
        Some(hooks.for_call(&parsed.known.seen, &subject, files))
    }

    /// The call as it is now, which runs no body, and the hooks that it concerns.
    pub(super) fn seen(self, running: &Running<'_>) -> Seen {
        let bound = self.bound(running).map(|hooks| Box::new(BoundHooks { hooks, begun: None }));
        Seen { known: self.parsed.known, bound }
    }
}

impl Seen {
    /// A call whose body begins now.
    pub(super) fn begun(known: Box<Known>, hooks: Option<Hooks>, env: &Env) -> Seen {
        let bound = hooks.map(|hooks| Box::new(BoundHooks { hooks, begun: Some(env.now()) }));
        Seen { known, bound }
    }

    /// What is known of it.
    pub(super) fn known(&self) -> &Known {
        &self.known
    }

    /// Whether a hook may want to know of a body that ended well.
    pub(super) fn tells_of_success(&self, running: &Running<'_>) -> bool {
        self.hooks(running).are_any_at(HookStage::PostToolUse)
    }

    /// The hooks that it concerns.
    pub(super) fn hooks<'h>(&'h self, running: &'h Running<'_>) -> &'h Hooks {
        running.hooks(self.bound.as_ref().map(|bound| &bound.hooks))
    }

    /// Tells hooks of a body that ended well with this output, where there are any; gives the output to show instead,
    /// where one says so and it fits.
    pub(super) async fn after_success(
        &self,
        running: &Running<'_>,
        output: Option<Value>,
    ) -> Option<Content> {
        let said = self.told(running, &AfterBody::Success(output?)).await?;
        Box::pin(self.heed(running, *said)).await
    }

    /// Keeps what hooks said of a body that ended well; gives the output to show instead.
    async fn heed(&self, running: &Running<'_>, mut said: PostToolUses) -> Option<Content> {
        let instead = said.output.take();
        running.keep(said).await;
        let (output, hook) = instead?;
        if self.takes_output(&output) {
            return Some(Content::Text(match output {
                Value::String(text) => text,
                other => other.to_string(),
            }));
        }
        let text =
            "hook error: the output it gave is not as the tool's output is, so it was ignored".to_owned();
        self.notice(running, hook, HookStage::PostToolUse, text);
        None
    }

    /// Tells hooks of a body that failed, or of a denial.
    pub(super) async fn after_failure(&self, running: &Running<'_>, error: &str) {
        if self.hooks(running).are_any_at(HookStage::PostToolUseFailure)
            && let Some(said) = self.told(running, &AfterBody::Failure(error.to_owned())).await
        {
            running.keep(*said).await;
        }
    }

    /// What hooks say when they are told; nothing where they are stopped before.
    async fn told(&self, running: &Running<'_>, end: &AfterBody) -> Option<Box<PostToolUses>> {
        let begun = self.bound.as_ref().and_then(|bound| bound.begun);
        let (env, call) = (&running.services.env, &self.known.seen);
        let hooks = pin!(self.hooks(running).after_body(env, call, end, begun));
        running.unless_stopped(hooks).await?
    }

    /// A tool that promises nothing about its output has no other put in its place; what remote tools give is text.
    fn takes_output(&self, output: &Value) -> bool {
        let is_remote = self.known.tool.form().name.starts_with("mcp__");
        match self.known.tool.tool().output_schema() {
            Some(schema) => fits(output, &schema),
            None => is_remote,
        }
    }

    fn notice(&self, running: &Running<'_>, hook: String, stage: HookStage, text: String) {
        running.tell(vec![format!("hook {hook}: {text}")]);
        let call = Some(self.known.seen.call.clone());
        running.services.env.emit(|| Event::HookNotice { call, hook, stage, text });
    }

    /// Makes the changes that the deciding answer of a hook brought with it.
    pub(super) fn apply(&self, running: &Running<'_>, brought: Brought) {
        let Brought { kept, by } = brought;
        running.services.askable.hooks.stop_agent(kept.stop);
        for update in kept.updates {
            if let Err(reason) = applied(running, &update) {
                let hook = by.strip_prefix("hook ").unwrap_or(&by).to_owned();
                let text = format!("hook error: a change of permission was not made: {reason}");
                self.notice(running, hook, HookStage::PermissionRequest, text);
            }
        }
    }
}

impl Running<'_> {
    /// Keeps what hooks after a body said.
    async fn keep(&self, said: PostToolUses) {
        self.tell(said.notices);
        self.services.askable.hooks.stop_agent(said.stop);
        if let Some(classifier) = &self.services.askable.classifier {
            classifier.told(said.for_classifier);
        }
        self.note_all(said.context).await;
    }

    /// Keeps what hooks want the model to know: whole where it is short, else its beginning and its place.
    pub(super) async fn note_all(&self, contexts: Vec<String>) {
        for context in contexts {
            let chars = context.chars().count();
            let note = if chars <= CONTEXT_CHARS_MAX {
                context
            } else {
                let preview: String = context.chars().take(CONTEXT_PREVIEW_CHARS).collect();
                let place = match Box::pin(stored(self, context)).await {
                    Ok(place) => format!("all of it is in `{place}`"),
                    Err(error) => format!("the rest is lost, since it could not be stored: {error}"),
                };
                format!(
                    "a hook says {chars} characters, more than {CONTEXT_CHARS_MAX}; {place}; it begins:\n{preview}"
                )
            };
            self.note(note);
        }
    }
}

/// Makes one change for this session; nothing is written to a file.
fn applied(running: &Running<'_>, update: &PermissionUpdate) -> Result<(), String> {
    let context = &running.services.context;
    let absolute = |context: &Context, path: &str| context.for_effects().absolute(path);
    match update {
        PermissionUpdate::SetMode { mode, .. } => {
            let mode: Mode =
                mode.parse().map_err(|error: crate::permission::UnknownMode| error.to_string())?;
            if mode == Mode::BypassPermissions && context.now().mode != Mode::BypassPermissions {
                return Err("the mode bypassPermissions is not switched on by a hook".to_owned());
            }
            context.change(|context| context.mode = mode);
        }
        PermissionUpdate::AddDirectories { directories, .. } => context.change(|context| {
            for directory in directories {
                let directory = absolute(context, directory);
                if !context.additional_directories.contains(&directory) {
                    context.additional_directories.push(directory);
                }
            }
        }),
        PermissionUpdate::RemoveDirectories { directories, .. } => context.change(|context| {
            let gone: Vec<_> = directories.iter().map(|directory| absolute(context, directory)).collect();
            context.additional_directories.retain(|directory| !gone.contains(directory));
        }),
        PermissionUpdate::AddRules { .. }
        | PermissionUpdate::ReplaceRules { .. }
        | PermissionUpdate::RemoveRules { .. } => {
            return Err("only new rules are taken from a hook while a session runs".to_owned());
        }
    }
    Ok(())
}
