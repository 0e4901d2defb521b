//! A run from its prompt to its end: what a person's signals do to it, and why it ended.

use std::pin::pin;
use std::sync::Arc;

use tokio::signal::unix::{Signal, SignalKind, signal};
use toolwright::message::{Block, Message, Turn};
use toolwright::query::{Budget, End, Spent};
use toolwright::session::Session;
use toolwright_tools::agents::{AgentStatus, Agents};

use super::live::Heard;
use super::output::{Fault, complain};

/// A session that is to run.
pub(super) struct Running {
    pub(super) session: Arc<Session>,
    pub(super) model: Heard,
    pub(super) agents: Agents,
    pub(super) budget: Budget,
}

/// The signals that stop a run, or a server.
pub(super) struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hang_up: Signal,
}

/// What a person, or the system, wants of a run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    Interrupt,
    Abort,
}

impl Signals {
    pub(super) fn new() -> Result<Signals, Fault> {
        let of =
            |kind| signal(kind).map_err(|error| Fault::new(format!("signals cannot be watched: {error}")));
        Ok(Signals {
            interrupt: of(SignalKind::interrupt())?,
            terminate: of(SignalKind::terminate())?,
            hang_up: of(SignalKind::hangup())?,
        })
    }

    pub(super) async fn next(&mut self) -> Wanted {
        tokio::select! {
            _ = self.interrupt.recv() => Wanted::Interrupt,
            _ = self.terminate.recv() => Wanted::Abort,
            _ = self.hang_up.recv() => Wanted::Abort,
        }
    }
}

/// Runs to the end. The first interrupt has the calls that run end as their tools say, and the model is not asked again;
/// the second stops them, and whoever insists does not wait for them.
pub(super) async fn until_stopped(running: &Running, prompt: &str) -> Result<End, Fault> {
    let mut signals = Signals::new()?;
    let mut run = pin!(run_all(running, prompt));
    let mut is_aborted = false;
    loop {
        let wanted = tokio::select! {
            end = &mut run => return Ok(end),
            wanted = signals.next() => wanted,
        };
        if is_aborted {
            return Err(Fault::new("interrupted again: what was started may still run"));
        }
        let was_interrupted = running.model.stand.is_interrupted();
        let only_speaks = running.model.stand.interrupt();
        match wanted {
            Wanted::Interrupt if !was_interrupted && !only_speaks => {
                complain("interrupted: what runs may finish; interrupt again to stop it");
                running.session.interrupt();
            }
            Wanted::Interrupt | Wanted::Abort => {
                is_aborted = true;
                running.session.abort();
                stop(&running.agents);
            }
        }
    }
}

/// Runs the prompt, and then what agents in the background have to say once they have ended, and other tasks by then.
async fn run_all(running: &Running, prompt: &str) -> End {
    let Running { session, model, agents, budget } = running;
    let mut prompt = prompt.to_owned();
    loop {
        if let Some(recording) = model.live.recording() {
            recording.prompt(&prompt);
        }
        let end = session.run(model, &prompt, *budget).await;
        // The calls of a message that broke off are stopped, and the next turn begins when they have ended.
        session.run_turn(Turn::default()).await;
        let in_background = in_motion(agents);
        let End::Answered(_) = end else {
            stop(agents);
            return end;
        };
        for id in &in_background {
            agents.running().end_of(id).await;
        }
        let mut notices: Vec<String> = agents.running().take_notices().iter().map(text_of).collect();
        notices.extend(session.take_notes());
        if notices.is_empty() || model.stand.is_interrupted() {
            return end;
        }
        prompt = notices.join("\n\n");
    }
}

/// The agents that run.
fn in_motion(agents: &Agents) -> Vec<String> {
    let all = agents.running().all().into_iter();
    all.filter(|(_id, status)| *status == AgentStatus::Running).map(|(id, _status)| id).collect()
}

fn stop(agents: &Agents) {
    for id in in_motion(agents) {
        agents.running().stop(&id);
    }
}

fn text_of(message: &Message) -> String {
    let text = |block: &Block| match block {
        Block::Text(text) => Some(text.clone()),
        _other => None,
    };
    message.content.iter().filter_map(text).collect::<Vec<_>>().join("\n")
}

/// Says why a run ended where the model has not answered; whether it has.
pub(super) fn told(end: End, is_interrupted: bool) -> bool {
    let why = match end {
        End::Answered(_) if !is_interrupted => return true,
        _any if is_interrupted => "interrupted".to_owned(),
        End::Answered(_) | End::Aborted => "stopped".to_owned(),
        End::OutOfBudget(Spent::Requests) => {
            "the model was asked as often as it may be: see `--max-turns`".to_owned()
        }
        End::OutOfBudget(Spent::Tokens) => "the tokens are spent: see `--max-tokens`".to_owned(),
        End::OutOfBudget(Spent::Time) => "the time is over: see `--max-seconds`".to_owned(),
        End::Failed(error) => format!("the model gave no whole answer: {error}"),
        End::Blocked(why) => format!("a hook would not have the prompt reach the model: {why}"),
        End::Stopped(why) => format!("a hook would not have the agent go on: {why}"),
    };
    complain(&why);
    false
}
