//! What several hooks said of one call, merged: deny before defer before ask before allow, rewrites in their order.

use serde_json::Value;

use super::heard::{Heard, strictness};
use super::wire::{PermissionWord, Specific};
use super::{HookStage, PreDecision, PreToolUse};
use crate::contract::Origin;
use crate::message::RawInput;
use crate::permission::{Decision, HookSays};

/// What one PreToolUse hook said.
#[derive(Clone, Debug, Default)]
pub(super) struct PreSaid {
    /// Its name.
    pub(super) hook: String,
    /// Its word, and the reason.
    pub(super) word: Option<(PermissionWord, String)>,
    /// The whole input to run instead.
    pub(super) input: Option<RawInput>,
    /// Whether it is code in this process, which may set what the model may not.
    pub(super) is_ours: bool,
    /// What the model should know.
    pub(super) context: Vec<String>,
    /// What the person should know.
    pub(super) notices: Vec<String>,
    /// Why the agent is not to go on.
    pub(super) stop: Option<String>,
    /// Whose decision it passes on.
    pub(super) source: Option<String>,
}

/// What all PreToolUse hooks said together.
#[derive(Debug, Default)]
pub(crate) struct PreToolUses {
    /// The denial, if there is one.
    pub(crate) denied: Option<Decision>,
    /// What else they said.
    pub(crate) says: HookSays,
    /// The input to run instead, and whose it is.
    pub(crate) input: Option<(RawInput, Origin)>,
    /// What the model should know.
    pub(crate) context: Vec<String>,
    /// What the person should know.
    pub(crate) notices: Vec<String>,
    /// Why the agent is not to go on.
    pub(crate) stop: Option<String>,
    /// Whether the denial stands for a deferral only.
    is_deferred: bool,
}

/// What all hooks after a body said together.
#[derive(Debug, Default)]
pub(crate) struct PostToolUses {
    /// What the model should know.
    pub(crate) context: Vec<String>,
    /// What the person should know.
    pub(crate) notices: Vec<String>,
    /// The output to show instead, and the hook that says so.
    pub(crate) output: Option<(Value, String)>,
    /// Why the agent is not to go on.
    pub(crate) stop: Option<String>,
    /// What the classifier should know.
    pub(crate) for_classifier: Vec<String>,
}

impl PreSaid {
    /// What code in this process said; one that failed denies.
    pub(super) fn in_process(hook: String, said: Result<PreToolUse, String>) -> PreSaid {
        let said = match said {
            Ok(said) => said,
            Err(error) => return PreSaid::broken(hook, &error),
        };
        let word = said.decision.map(|decision| match decision {
            PreDecision::Allow(reason) => (PermissionWord::Allow, reason),
            PreDecision::Ask(reason) => (PermissionWord::Ask, reason),
            PreDecision::Deny(reason) => (PermissionWord::Deny, reason),
        });
        PreSaid {
            hook,
            word,
            input: said.input,
            is_ours: true,
            context: said.context.into_iter().collect(),
            source: said.source,
            ..PreSaid::default()
        }
    }

    /// Code in this process that failed denies.
    pub(super) fn broken(hook: String, error: &str) -> PreSaid {
        let reason = format!("the hook `{hook}` failed, so the call is denied: {error}");
        PreSaid { hook, word: Some((PermissionWord::Deny, reason)), ..PreSaid::default() }
    }

    /// What a hook outside the process said.
    pub(super) fn outside(hook: String, heard: Heard, fails_closed: bool) -> PreSaid {
        let asked = heard.ask.clone().map(|reason| (PermissionWord::Ask, reason));
        let failed = (heard.has_failed && fails_closed).then(|| {
            let why = heard.notices.join("; ");
            (PermissionWord::Deny, format!("the hook `{hook}` failed, so the call is denied: {why}"))
        });
        let words = [heard.word(), asked, failed];
        let input = match &heard.output.hook_specific_output {
            Some(Specific::PreToolUse(said)) => said.updated_input.clone().map(Value::Object),
            _other => None,
        };
        PreSaid {
            hook,
            word: words.into_iter().flatten().max_by_key(|(word, _)| strictness(*word)),
            input: input.map(|input| RawInput::from_value(&input)),
            is_ours: false,
            stop: heard.stop(),
            context: heard.context,
            notices: heard.notices,
            source: None,
        }
    }
}

/// Whether two inputs are the same, however they are written.
pub(super) fn is_same(one: &RawInput, other: &RawInput) -> bool {
    let value = |input: &RawInput| serde_json::from_str::<Value>(input.as_str());
    one == other || matches!((value(one), value(other)), (Ok(one), Ok(other)) if one == other)
}

impl PreToolUses {
    /// Merges what the hooks said of a call with this input.
    pub(super) fn merged(input: &RawInput, said: Vec<PreSaid>) -> PreToolUses {
        let new = |said: &PreSaid| said.input.clone().filter(|new| !is_same(new, input));
        let rewrites: Vec<(RawInput, bool)> =
            said.iter().filter_map(|said| new(said).map(|input| (input, said.is_ours))).collect();
        let last_input = rewrites.last().map(|(input, _)| input.clone());
        let is_last = |input: &RawInput| last_input.as_ref().is_some_and(|last| is_same(input, last));
        let differ = !rewrites.iter().all(|(input, _)| is_last(input));
        let is_ours = rewrites.iter().any(|(input, is_ours)| *is_ours && is_last(input));
        let origin = if is_ours { Origin::Trusted } else { Origin::Model };
        let mut merged =
            PreToolUses { input: last_input.clone().map(|input| (input, origin)), ..PreToolUses::default() };
        for said in said {
            // An allow is for the input that the hook has seen, or that it gives itself.
            let sees_last = match (&last_input, &said.input) {
                (None, _) => true,
                (Some(last), Some(own)) => is_same(own, last),
                (Some(_), None) => false,
            };
            merged.add(said, sees_last);
        }
        if differ && !matches!(merged.says, HookSays::Ask(_)) {
            merged.says = HookSays::Ask("hooks rewrite its input in different ways".to_owned());
        }
        merged
    }

    fn add(&mut self, said: PreSaid, sees_last: bool) {
        let by = || format!("hook {}", said.hook);
        self.context.extend(said.context);
        self.notices.extend(said.notices.into_iter().map(|notice| format!("hook {}: {notice}", said.hook)));
        if let Some(stop) = said.stop {
            // Nothing beats it.
            let is_first = self.stop.is_none();
            if is_first {
                self.is_deferred = false;
                self.denied = Some(Decision::deny(by(), stop.clone()));
                self.stop = Some(stop);
            }
        }
        match said.word {
            Some((PermissionWord::Deny, reason)) if self.denied.is_none() || self.is_deferred => {
                self.is_deferred = false;
                self.denied =
                    Some(Decision { rule: said.source.map(Into::into), ..Decision::deny(by(), reason) });
            }
            Some((PermissionWord::Defer, reason)) if self.denied.is_none() => {
                self.is_deferred = true;
                let notice = "it defers the call, and no later process can take it up: the call is denied";
                self.notices.push(format!("{}: {notice}", by()));
                let reason = format!(
                    "permission denied: a hook defers this call, and this session cannot wait for it: {reason}"
                );
                self.denied = Some(Decision::deny(by(), reason));
            }
            Some((PermissionWord::Ask, reason)) if !matches!(self.says, HookSays::Ask(_)) => {
                self.says = HookSays::Ask(reason);
            }
            Some((PermissionWord::Allow, reason)) if sees_last && self.says == HookSays::Nothing => {
                self.says = HookSays::Allow(reason);
            }
            // A word as strict was there before it.
            Some((
                PermissionWord::Deny | PermissionWord::Defer | PermissionWord::Ask | PermissionWord::Allow,
                _,
            ))
            | None => {}
        }
    }
}

impl PostToolUses {
    /// Adds what one hook outside the process said after a body.
    pub(super) fn add(&mut self, hook: &str, stage: HookStage, heard: Heard) {
        if let Some(reason) = heard.blocks(stage) {
            self.context.push(format!("the hook `{hook}` objects: {reason}"));
        }
        self.stop = self.stop.take().or(heard.stop());
        if let Some(Specific::PostToolUse(said)) = &heard.output.hook_specific_output {
            let output = said.updated_tool_output.clone().or_else(|| said.updated_mcp_tool_output.clone());
            self.output = output.map(|output| (output, hook.to_owned())).or(self.output.take());
            self.for_classifier.extend(said.classifier_context.clone());
        }
        self.context.extend(heard.context);
        self.notices.extend(heard.notices.into_iter().map(|notice| format!("hook {hook}: {notice}")));
    }
}
