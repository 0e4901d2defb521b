//! What a hook outside the process said: its exit code, its output or its answer, read as the public procedure has it.

use std::time::Duration;

use super::wire::{HookOutput, PermissionWord, Specific, TopDecision};
use super::{CommandEnd, HookFailure, HookStage, HttpReply, OnExitTwo};

/// How a hook ended.
pub(super) enum Reply {
    Command(Result<CommandEnd, HookFailure>),
    Http(Result<HttpReply, HookFailure>),
    TimedOut(Duration),
}

/// What a hook said at a moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Heard {
    /// Its JSON, where it gave any.
    pub(crate) output: HookOutput,
    /// Why it blocks what was to happen, if its exit code did.
    pub(crate) block: Option<String>,
    /// What the model is to know.
    pub(crate) context: Vec<String>,
    /// What the person is to know.
    pub(crate) notices: Vec<String>,
    /// Whether it failed, so that it has said nothing.
    pub(crate) has_failed: bool,
    /// Why a person must be asked, since it cannot be run at all.
    pub(crate) ask: Option<String>,
}

/// How many characters of a reason are passed on.
const REASON_CHARS_MAX: usize = 10_000;

impl Heard {
    fn failure(notice: String) -> Heard {
        Heard { has_failed: true, notices: vec![notice], ..Heard::default() }
    }

    /// Reads what a hook ended with.
    pub(super) fn new(stage: HookStage, reply: Reply) -> Heard {
        let mut heard = match reply {
            Reply::TimedOut(limit) => {
                Heard::failure(format!("hook error: it was stopped after {limit:?}, which is its limit"))
            }
            Reply::Command(Err(failure)) | Reply::Http(Err(failure)) => {
                Heard::failure(format!("hook error: {failure}"))
            }
            Reply::Command(Ok(end)) => of_command(stage, end),
            Reply::Http(Ok(reply)) => of_request(stage, &reply),
        };
        heard.notices.extend(heard.output.system_message.clone());
        heard.notices.extend(unheeded(&heard.output));
        heard.context.extend(
            heard.output.hook_specific_output.as_ref().and_then(Specific::context).map(str::to_owned),
        );
        heard
    }

    /// What code in this process said.
    pub(super) fn in_process(output: HookOutput) -> Heard {
        let context = output.hook_specific_output.as_ref().and_then(Specific::context).map(str::to_owned);
        let notices = output.system_message.iter().cloned().chain(unheeded(&output)).collect();
        Heard { context: context.into_iter().collect(), notices, output, ..Heard::default() }
    }

    /// Why the agent is not to go on, if so.
    pub(crate) fn stop(&self) -> Option<String> {
        let said =
            || self.output.stop_reason.clone().unwrap_or_else(|| "a hook stopped the agent".to_owned());
        (self.output.go_on == Some(false)).then(said)
    }

    /// Why it blocks what was to happen, where it may.
    pub(crate) fn blocks(&self, stage: HookStage) -> Option<String> {
        self.block.clone().or_else(|| {
            let is_blocked = self.output.decision == Some(TopDecision::Block) && stage.takes_block();
            is_blocked.then(|| self.output.reason.clone().unwrap_or_else(|| "a hook blocked it".to_owned()))
        })
    }

    /// What the model is to know of it when nobody has waited: also why it would have blocked, which now blocks nothing.
    pub(super) fn late(self) -> Vec<String> {
        let blocks = self.block.map(|reason| format!("a hook in the background objects: {reason}"));
        self.context.into_iter().chain(blocks).collect()
    }

    /// The strictest word before a call, and its reason.
    pub(super) fn word(&self) -> Option<(PermissionWord, String)> {
        if let Some(block) = &self.block {
            return Some((PermissionWord::Deny, block.clone()));
        }
        let old = self.output.decision.map(|word| match word {
            TopDecision::Approve => PermissionWord::Allow,
            TopDecision::Block => PermissionWord::Deny,
        });
        let said = match &self.output.hook_specific_output {
            Some(Specific::PreToolUse(said)) => {
                said.permission_decision.map(|word| (word, said.permission_decision_reason.clone()))
            }
            _other => None,
        };
        let words = [old.map(|word| (word, self.output.reason.clone())), said];
        let (word, reason) = words.into_iter().flatten().max_by_key(|(word, _)| strictness(*word))?;
        let reason = reason.unwrap_or_else(|| "it gave no reason".to_owned());
        Some((word, cut(&reason)))
    }
}

/// A notice about what a hook says that nothing heeds, if there is any.
fn unheeded(output: &HookOutput) -> Option<String> {
    let names: Vec<String> = output.unheeded().iter().map(|name| format!("`{name}`")).collect();
    (!names.is_empty()).then(|| format!("a hook said {}, which nothing here heeds", names.join(" and ")))
}

/// How strict a word before a call is.
pub(super) fn strictness(word: PermissionWord) -> u8 {
    match word {
        PermissionWord::Allow => 0,
        PermissionWord::Ask => 1,
        PermissionWord::Defer => 2,
        PermissionWord::Deny => 3,
    }
}

/// What a hook printed.
enum Printed {
    /// JSON of the public shape.
    Output(Box<HookOutput>),
    /// JSON of another shape, or about another event.
    Wrong(String),
    /// What begins as JSON and is none, and why: plain text, if it is that, which its author would not have wanted.
    Broken(String, String),
    /// Anything else.
    Plain(String),
}

fn printed(stage: HookStage, text: &str) -> Printed {
    let text = text.trim_start_matches('\u{feff}').trim();
    if !text.starts_with('{') {
        return Printed::Plain(text.to_owned());
    }
    let value = match serde_json::from_str::<serde_json::Value>(text) {
        Ok(value) => value,
        Err(error) => return Printed::Broken(text.to_owned(), error.to_string()),
    };
    match serde_json::from_value::<HookOutput>(value) {
        Ok(output) => match &output.hook_specific_output {
            Some(specific) if specific.stage() != stage => {
                let (said, now) = (specific.stage().name(), stage.name());
                Printed::Wrong(format!("`hookEventName` is `{said}`, and the event is `{now}`"))
            }
            _fits => Printed::Output(Box::new(output)),
        },
        Err(error) => Printed::Wrong(error.to_string()),
    }
}

fn of_command(stage: HookStage, end: CommandEnd) -> Heard {
    let stderr = cut(end.stderr.trim());
    let printed = printed(stage, &end.stdout);
    if end.code == 2 || (stage == HookStage::WorktreeCreate && end.code != 0) {
        return of_exit_two(stage, stderr, printed);
    }
    match printed {
        Printed::Output(output) => Heard { output: *output, ..Heard::default() },
        Printed::Wrong(why) => Heard::failure(format!("hook error: its JSON was ignored: {why}")),
        Printed::Broken(_, why) if end.code == 0 && !stage.shows_plain_text() => {
            Heard::failure(format!("hook error: what it printed begins as JSON and is none: {why}"))
        }
        Printed::Plain(text) | Printed::Broken(text, _) => match end.code {
            0 if stage.shows_plain_text() && !text.is_empty() => {
                Heard { context: vec![text], ..Heard::default() }
            }
            0 => Heard::default(),
            127 => Heard::failure(format!("hook error: it cannot be started{}", told(&stderr))),
            code => Heard::failure(format!("hook error: it exited with {code}{}", told(&stderr))),
        },
    }
}

fn of_exit_two(stage: HookStage, stderr: String, printed: Printed) -> Heard {
    let mut heard = Heard::default();
    match printed {
        Printed::Output(output) => heard.output = *output,
        Printed::Wrong(why) => heard.notices.push(format!("hook error: its JSON was ignored: {why}")),
        Printed::Plain(_) | Printed::Broken(..) => {}
    }
    match stage.on_exit_two() {
        OnExitTwo::Blocks => {
            let reason =
                blocking_reason(&heard.output).or_else(|| (!stderr.is_empty()).then(|| stderr.clone()));
            // An interpreter that refuses its own arguments exits with 2 as well: the person should see that.
            heard.notices.push(format!("hook error: it exited with 2, which blocks{}", told(&stderr)));
            let silent = || "the hook exited with 2 and did not say why".to_owned();
            heard.block = Some(reason.unwrap_or_else(silent));
        }
        OnExitTwo::TellsModel if !stderr.is_empty() => heard.context.push(stderr),
        OnExitTwo::TellsPerson if !stderr.is_empty() => heard.notices.push(stderr),
        OnExitTwo::TellsModel | OnExitTwo::TellsPerson => {}
        OnExitTwo::Ignored => {
            let notice =
                format!("hook error: exit code 2 means nothing at `{}`{}", stage.name(), told(&stderr));
            heard.notices.push(notice);
        }
    }
    heard
}

/// The reason that JSON gives for blocking.
fn blocking_reason(output: &HookOutput) -> Option<String> {
    let top = || output.reason.clone().filter(|_| output.decision == Some(TopDecision::Block));
    let reason = match &output.hook_specific_output {
        Some(Specific::PreToolUse(said)) if said.permission_decision == Some(PermissionWord::Deny) => {
            said.permission_decision_reason.clone().or_else(top)
        }
        _other => top(),
    };
    reason.filter(|reason| !reason.trim().is_empty()).map(|reason| cut(&reason))
}

fn of_request(stage: HookStage, reply: &HttpReply) -> Heard {
    let status = reply.status;
    if !(200..300).contains(&status) {
        return Heard::failure(format!("hook error: it answered with the status {status}"));
    }
    if reply.body.trim().is_empty() {
        return Heard::default();
    }
    match printed(stage, &reply.body) {
        Printed::Output(output) => Heard { output: *output, ..Heard::default() },
        Printed::Wrong(why) => Heard::failure(format!("hook error: its JSON was ignored: {why}")),
        Printed::Plain(_) | Printed::Broken(..) => {
            Heard::failure("hook error: its answer is not a JSON object".to_owned())
        }
    }
}

fn told(stderr: &str) -> String {
    if stderr.is_empty() { String::new() } else { format!(": {stderr}") }
}

/// A text within the limit for reasons.
pub(super) fn cut(text: &str) -> String {
    match text.char_indices().nth(REASON_CHARS_MAX) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
