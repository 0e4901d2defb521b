//! The race for a permission question: hooks and a person, each in a task of its own; the first answer decides.

use std::sync::Arc;

use tokio::sync::oneshot;

use super::{Answer, Asking, Claim, Decision, Prompter, Question, Who};
use crate::env::{Access, Env, Handle, Object, TaskName};
use crate::event::{Event, HookStage};
use crate::hooks::{self, Hook, Hooks};

/// Who may be asked in a session.
#[derive(Clone)]
pub(crate) struct Askable {
    pub(crate) hooks: Hooks,
    pub(crate) prompter: Option<Arc<dyn Prompter>>,
}

/// Stops the racers when the question is answered or the call is gone: then dialogs are withdrawn.
struct Racers(Vec<Handle>);

impl Drop for Racers {
    fn drop(&mut self) {
        self.0.iter().for_each(Handle::abort);
    }
}

/// Lets those who may answer compete, and waits for the first answer. Nobody to ask means no.
pub(crate) async fn ask(
    env: &Env,
    index: usize,
    asking: &Asking,
    question: Question,
    askable: &Askable,
) -> Decision {
    let hooks = match asking.who {
        Who::Person => Vec::new(),
        Who::Anyone | Who::Hooks => askable.hooks.at(HookStage::PermissionRequest, &question.tool),
    };
    let person = match asking.who {
        Who::Person | Who::Anyone => askable.prompter.clone(),
        Who::Hooks => None,
    };
    let racers = hooks.len() + usize::from(person.is_some());
    let call = question.call.clone();
    if racers == 0 {
        let reason = format!("permission denied: {}, and there is no one to ask", asking.reason);
        return Claim::settle(env, &call, Decision::deny("nobody", reason));
    }
    env.emit(|| Event::Asked {
        call: call.clone(),
        reason: asking.reason.clone(),
        racers: hooks
            .iter()
            .map(|hook| hook.name().to_owned())
            .chain(person.as_ref().map(|_| "person".to_owned()))
            .collect(),
    });
    let (claim, winner) = Claim::new(env, &call, racers);
    let mut running = Racers(Vec::with_capacity(racers));
    for (racer, hook) in hooks.into_iter().enumerate() {
        let work = race_hook(env.clone(), index, hook, question.clone(), claim.clone());
        running.0.push(env.spawn(TaskName { kind: "permission hook", index: racer }, work));
    }
    if let Some(prompter) = person {
        let work = race_person(env.clone(), index, prompter, question, claim.clone());
        running.0.push(env.spawn(TaskName { kind: "person", index }, work));
    }
    drop(claim);
    received(env, &call, winner).await
}

/// Every racer that ends without a word has abstained; only one that panicked has said nothing at all.
async fn received(env: &Env, call: &crate::message::CallId, winner: oneshot::Receiver<Decision>) -> Decision {
    match winner.await {
        Ok(decision) => decision,
        Err(_all_gone) => {
            let reason = "permission denied: whoever was asked failed without an answer";
            Claim::settle(env, call, Decision::deny("nobody", reason))
        }
    }
}

async fn race_hook(env: Env, index: usize, hook: Arc<dyn Hook>, question: Question, claim: Claim) {
    let name = hook.name().to_owned();
    let answer = hooks::permission_request(env.clone(), hook, question).await;
    env.point(Object::Claim(index), Access::Write).await;
    match answer {
        Ok(Some(answer)) => {
            claim.offer(decision(&format!("hook {name}"), answer));
        }
        Ok(None) => claim.abstain(),
        Err(error) => {
            let reason = format!("permission denied: the hook `{name}` failed: {error}");
            claim.offer(Decision::deny(format!("hook {name}"), reason));
        }
    }
}

async fn race_person(env: Env, index: usize, prompter: Arc<dyn Prompter>, question: Question, claim: Claim) {
    let answer = prompter.ask(&question).await;
    env.point(Object::Claim(index), Access::Write).await;
    match answer {
        Some(answer) => {
            claim.offer(decision("person", answer));
        }
        None => claim.abstain(),
    }
}

fn decision(by: &str, answer: Answer) -> Decision {
    match answer {
        Answer::Allow { input } => Decision { input, ..Decision::allow(by, format!("{by} said yes")) },
        Answer::Deny { message } => {
            let ours = || {
                format!(
                    "{by} said no to this call; do not try it again in another way, and wait to be told how to go on"
                )
            };
            Decision::deny(by, message.unwrap_or_else(ours))
        }
    }
}
