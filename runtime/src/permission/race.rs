//! The race for a permission question: hooks, a classifier and a person, each in a task of its own; the first answer
//! decides. Who may answer what is fixed before it begins.

use std::borrow::Cow;
use std::sync::Arc;

use tokio::sync::oneshot;

use super::candidates::{Candidates, May, Present, Ready, candidates};
use super::classifier::{Classified, Watched, Word};
use super::live::Changes;
use super::{Answer, Asking, Claim, Decision, Prompter, Question, QuestionKey};
use crate::env::{Access, Env, Handle, Object, TaskName};
use crate::event::{Digest, Event, HookStage};
use crate::hooks::{Hooks, Inside};
use crate::message::Message;
use crate::mutant::Mutant;

/// Who may be asked in a session.
#[derive(Clone)]
pub(crate) struct Askable {
    pub(crate) hooks: Hooks,
    pub(crate) prompter: Option<Arc<dyn Prompter>>,
    pub(crate) classifier: Option<Arc<Watched>>,
}

/// One question, and what goes with it.
pub(crate) struct Asked<'a> {
    /// The place of the call in its turn.
    pub(crate) index: usize,
    pub(crate) asking: &'a Asking,
    pub(crate) question: Question,
    /// What a classifier may see of the call.
    pub(crate) visible: Option<String>,
    pub(crate) cwd: String,
    pub(crate) conversation: Arc<Vec<Message>>,
}

/// How decisions name the person.
pub(crate) const PERSON: &str = "person";
/// How decisions name the classifier.
pub(crate) const CLASSIFIER: &str = "classifier";
/// How decisions name that there was nobody.
pub(super) const NOBODY: &str = "nobody";

/// Stops the racers when the question is answered or the call is gone: then dialogs are withdrawn.
struct Racers(Vec<Handle>);

impl Drop for Racers {
    fn drop(&mut self) {
        self.0.iter().for_each(Handle::abort);
    }
}

/// Lets those who may answer compete, and waits for the first answer. Nobody to ask means no. Nothing comes back when
/// the mode has changed since: then the question is another.
pub(crate) async fn ask(
    env: &Env,
    changes: &Changes,
    askable: &Askable,
    asked: Asked<'_>,
) -> Option<Decision> {
    let hooks = askable.hooks.at(HookStage::PermissionRequest, &asked.question.tool);
    let present =
        |classifier| Present { hooks: !hooks.is_empty(), classifier, person: askable.prompter.is_some() };
    let mode = asked.question.mode;
    let classifier = askable.classifier.as_ref();
    let ready = classifier.map_or(Ready::No, |watched| watched.ready(mode, asked.visible.as_deref()));
    let mut who = candidates(asked.asking, mode, present(ready));
    if let (May::Decide, Some(watched)) = (who.classifier, classifier) {
        announce(env, &asked, vec![CLASSIFIER.to_owned()]);
        match decided_by(env, watched, &asked).await {
            Some(decision) => {
                return Claim::settle(env, &asked.question.key, changes, decision);
            }
            // It wants a person to look.
            None => who = candidates(asked.asking, mode, present(Ready::No)),
        }
    }
    compete(env, changes, askable, asked, (who, hooks)).await
}

/// In the mode `auto`: what the classifier decides by itself; nothing when it has a worry.
async fn decided_by(env: &Env, watched: &Arc<Watched>, asked: &Asked<'_>) -> Option<Decision> {
    let (call, conversation) = (classified(asked), Arc::clone(&asked.conversation));
    let (own, watched) = (env.clone(), Arc::clone(watched));
    let work = async move { watched.judge(&own, call, &conversation).await };
    let word = env.spawn_task(TaskName { kind: CLASSIFIER, index: asked.index }, work).await;
    match word.unwrap_or_else(|end| Word::Failed(end.to_string())) {
        Word::Allow => Some(Decision::allow(CLASSIFIER, "the classifier allows it")),
        Word::Worry(worry) => {
            asked.question.worry.say(worry);
            None
        }
        Word::Block(reason) => Some(blocked(&reason)),
        Word::Failed(error) => Some(failed(&error)),
    }
}

/// Whoever may answer does so in a task of its own.
async fn compete(
    env: &Env,
    changes: &Changes,
    askable: &Askable,
    asked: Asked<'_>,
    (who, hooks): (Candidates, Vec<Inside>),
) -> Option<Decision> {
    let hooks = if who.hooks { hooks } else { Vec::new() };
    let person = askable.prompter.clone().filter(|_| who.person);
    let classifier = askable.classifier.clone().filter(|_| who.classifier == May::Deny);
    let racers = hooks.len() + usize::from(person.is_some()) + usize::from(classifier.is_some());
    let key = asked.question.key.clone();
    if racers == 0 {
        let reason = format!("permission denied: {}, and there is no one to ask", asked.asking.reason);
        let decision = Decision::deny(NOBODY, reason);
        return Claim::settle(env, &key, changes, decision);
    }
    let names = hooks.iter().map(|hook| hook.name().to_owned());
    let names = names.chain(classifier.as_ref().map(|_| CLASSIFIER.to_owned()));
    announce(env, &asked, names.chain(person.as_ref().map(|_| PERSON.to_owned())).collect());
    let (claim, winner) = Claim::new(env, key.clone(), changes, racers);
    let index = asked.index;
    let mut running = Racers(Vec::with_capacity(racers));
    for (racer, hook) in hooks.into_iter().enumerate() {
        let work = race_hook(env.clone(), index, hook, asked.question.clone(), claim.clone());
        running.0.push(env.spawn(TaskName { kind: "permission hook", index: racer }, work));
    }
    if let Some(watched) = classifier {
        let work = race_classifier(env.clone(), watched, &asked, claim.clone());
        running.0.push(env.spawn(TaskName { kind: CLASSIFIER, index }, work));
    }
    if let Some(prompter) = person {
        let work = race_person(env.clone(), index, prompter, asked.question, claim.clone());
        running.0.push(env.spawn(TaskName { kind: PERSON, index }, work));
    }
    drop(claim);
    received(env, key, changes, winner).await
}

fn announce(env: &Env, asked: &Asked<'_>, racers: Vec<String>) {
    let (call, reason) = (asked.question.call.clone(), asked.asking.reason.clone());
    env.emit(|| Event::Asked { call, reason, racers, input: Digest::of(asked.question.input.as_str()) });
}

/// Every racer that ends without a word has abstained; only one that panicked has said nothing at all.
async fn received(
    env: &Env,
    key: QuestionKey,
    changes: &Changes,
    winner: oneshot::Receiver<Decision>,
) -> Option<Decision> {
    match winner.await {
        Ok(decision) => Some(decision),
        Err(_all_gone) => {
            let reason = "permission denied: whoever was asked failed without an answer";
            Claim::settle(env, &key, changes, Decision::deny(NOBODY, reason))
        }
    }
}

async fn race_hook(env: Env, index: usize, hook: Inside, question: Question, claim: Claim) {
    let name = hook.name().to_owned();
    let key = question.key.clone();
    let answer = hook.permission_request(&env, &question).await;
    env.point(Object::Claim(index), Access::Write).await;
    match answer {
        Ok(Some(answer)) => {
            claim.offer(&key, decision(format!("hook {name}").into(), answer));
        }
        Ok(None) => claim.abstain(),
        Err(error) => {
            let reason = format!("permission denied: the hook `{name}` failed: {error}");
            claim.offer(&key, Decision::deny(format!("hook {name}"), reason));
        }
    }
}

async fn race_person(env: Env, index: usize, prompter: Arc<dyn Prompter>, question: Question, claim: Claim) {
    let answer = prompter.ask(&question).await;
    env.mutants().open(Mutant::SlipsInTheCrowd, index);
    env.mutants().open(Mutant::ClaimReopensInTheCrowd, index);
    env.point(Object::Claim(index), Access::Write).await;
    match answer {
        Some(answer) if env.mutants().is_long(Mutant::SlipsInTheCrowd, index) => {
            claim.slip(decision(PERSON.into(), answer));
        }
        Some(answer) => {
            let decision = decision(PERSON.into(), answer);
            if env.mutants().is_long(Mutant::ClaimReopensInTheCrowd, index) {
                claim.offer(&question.key, decision.clone());
                claim.reopen();
            }
            claim.offer(&question.key, decision);
        }
        None => claim.abstain(),
    }
}

/// Outside the mode `auto` a classifier may only say no; anything else it has to say is for the person to read.
fn race_classifier(
    env: Env,
    watched: Arc<Watched>,
    asked: &Asked<'_>,
    claim: Claim,
) -> impl Future<Output = ()> + Send + 'static {
    let (call, conversation) = (classified(asked), Arc::clone(&asked.conversation));
    let (key, worry, index) = (asked.question.key.clone(), asked.question.worry.clone(), asked.index);
    async move {
        let word = watched.judge(&env, call, &conversation).await;
        env.point(Object::Claim(index), Access::Write).await;
        match word {
            Word::Allow => claim.abstain(),
            Word::Worry(text) => {
                worry.say(text);
                claim.abstain();
            }
            Word::Block(reason) => {
                claim.offer(&key, blocked(&reason));
            }
            Word::Failed(error) => {
                claim.offer(&key, failed(&error));
            }
        }
    }
}

fn classified(asked: &Asked<'_>) -> Classified {
    Classified {
        tool: asked.question.tool.clone(),
        input: asked.visible.clone().unwrap_or_default(),
        reason: asked.asking.reason.clone(),
        mode: asked.question.mode,
        cwd: asked.cwd.clone(),
        said: Vec::new(),
        done: Vec::new(),
        hooks_said: Vec::new(),
    }
}

fn blocked(reason: &str) -> Decision {
    Decision::deny(CLASSIFIER, format!("permission denied: blocked by the classifier: {reason}"))
}

fn failed(error: &str) -> Decision {
    let reason = format!("permission denied: the classifier gave no answer that could be used: {error}");
    Decision::deny(CLASSIFIER, reason)
}

fn decision(by: Cow<'static, str>, answer: Answer) -> Decision {
    let yes = |input, grants| {
        let reason = format!("{by} said yes");
        Decision { input, grants, ..Decision::allow(by.clone(), reason) }
    };
    match answer {
        Answer::Allow { input } => yes(input, Vec::new()),
        Answer::Always { input, grants } => yes(input, grants),
        Answer::Deny { message } => {
            let ours = || {
                format!(
                    "{by} said no to this call; do not try it again in another way, and wait to be told how to go on"
                )
            };
            let reason = message.unwrap_or_else(ours);
            Decision::deny(by, reason)
        }
    }
}
