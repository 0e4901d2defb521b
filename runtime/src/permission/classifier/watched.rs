//! A classifier and what it may cost: how often it is asked, how much it sees, how long it takes, and how often it may
//! block before a person is asked again.

use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::FutureExt;

use super::{Assessment, Classified, Classifier, ClassifierError, Done};
use crate::env::{Env, panic_message};
use crate::message::{Block, Message, Role};
use crate::permission::{Mode, Ready};

/// How many calls one session has judged.
const CALLS_MAX: usize = 500;
/// How many characters a call may have to be judged. It is never cut: what was cut off might be what matters.
const INPUT_CHARS_MAX: usize = 20_000;
/// How many characters of what was said and done before are shown, the latest first.
const HISTORY_CHARS_MAX: usize = 20_000;
/// How many characters hooks may tell it, the latest first.
const HOOKS_CHARS_MAX: usize = 2_000;
/// How many calls that ran are kept.
const DONE_MAX: usize = 100;
/// How long one judgement may take.
const TIME_MAX: Duration = Duration::from_secs(30);
/// How many blocks in a row, and in all, until questions go to a person again.
const BLOCKS_IN_A_ROW_MAX: usize = 3;
const BLOCKS_MAX: usize = 20;

/// What a classifier said, in a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    /// It may run.
    Allow,
    /// A person should look at it.
    Worry(String),
    /// It may not run.
    Block(String),
    /// It gave no answer that counts, so that it may not run.
    Failed(String),
}

/// The classifier of a session.
pub(crate) struct Watched {
    classifier: Arc<dyn Classifier>,
    counts: Mutex<Counts>,
}

#[derive(Default)]
struct Counts {
    asked: usize,
    blocks: usize,
    blocks_in_a_row: usize,
    done: VecDeque<Done>,
    hooks_said: Vec<String>,
}

impl Watched {
    pub(crate) fn new(classifier: Arc<dyn Classifier>) -> Watched {
        Watched { classifier, counts: Mutex::default() }
    }

    /// Whether it can be asked about a call of which it may see this.
    pub(crate) fn ready(&self, mode: Mode, input: Option<&str>) -> Ready {
        let counts = self.lock();
        let is_worn = mode == Mode::Auto
            && (counts.blocks >= BLOCKS_MAX || counts.blocks_in_a_row >= BLOCKS_IN_A_ROW_MAX);
        let sees = input.is_some_and(|input| !input.trim().is_empty() && input.len() <= INPUT_CHARS_MAX);
        if sees && !is_worn && counts.asked < CALLS_MAX { Ready::Yes } else { Ready::No }
    }

    /// A call that does more than look has begun.
    pub(crate) fn done(&self, tool: &str, input: Option<String>) {
        let Some(input) = input.filter(|input| input.len() <= INPUT_CHARS_MAX) else { return };
        let mut counts = self.lock();
        counts.done.push_back(Done { tool: tool.to_owned(), input });
        if counts.done.len() > DONE_MAX {
            counts.done.pop_front();
        }
    }

    /// Hooks want it to know this. Of more than it takes, the latest stays, and a text that is longer is cut.
    pub(crate) fn told(&self, texts: Vec<String>) {
        let mut counts = self.lock();
        let cut = |text: String| text.chars().take(HOOKS_CHARS_MAX).collect();
        counts.hooks_said.extend(texts.into_iter().map(cut));
        let mut left = HOOKS_CHARS_MAX;
        let newest_first = std::mem::take(&mut counts.hooks_said).into_iter().rev();
        counts.hooks_said = latest(newest_first, &mut left, |text| text.chars().count());
    }

    /// A person said yes: the row of blocks is broken.
    pub(crate) fn person_allowed(&self) {
        self.lock().blocks_in_a_row = 0;
    }

    /// Judges a call. `call` has nothing of what was said and done before yet.
    pub(crate) async fn judge(&self, env: &Env, mut call: Classified, conversation: &[Message]) -> Word {
        {
            let mut counts = self.lock();
            counts.asked += 1;
            let mut left = HISTORY_CHARS_MAX;
            call.said = latest(said(conversation), &mut left, |text| text.len());
            let done = counts.done.iter().rev().cloned();
            call.done = latest(done, &mut left, |done| done.tool.len() + done.input.len());
            call.hooks_said.clone_from(&counts.hooks_said);
        }
        let mode = call.mode;
        let work = AssertUnwindSafe(async { self.classifier.classify(&call).await }).catch_unwind();
        let answer = match env.timeout(TIME_MAX, work).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(panic)) => Err(ClassifierError(format!("it panicked: {}", panic_message(&*panic)))),
            Err(elapsed) => Err(ClassifierError(elapsed.to_string())),
        };
        let mut counts = self.lock();
        match answer {
            Ok(Assessment::Allow) => {
                counts.blocks_in_a_row = 0;
                Word::Allow
            }
            Ok(Assessment::Ask(reason)) => Word::Worry(reason),
            Ok(Assessment::Deny(reason)) => {
                if mode == Mode::Auto {
                    counts.blocks += 1;
                    counts.blocks_in_a_row += 1;
                }
                Word::Block(reason)
            }
            Err(error) => Word::Failed(error.to_string()),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Watched {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watched").field("asked", &self.lock().asked).finish_non_exhaustive()
    }
}

/// What the person typed, the latest first: no results of tools, and no notes of the system.
fn said(conversation: &[Message]) -> impl Iterator<Item = String> {
    let typed = conversation.iter().rev().filter(|message| message.role == Role::User && !message.is_meta);
    typed.flat_map(|message| {
        message.content.iter().rev().filter_map(|block| match block {
            Block::Text(text) => Some(text.clone()),
            Block::ToolUse(_) | Block::ToolResult(_) | Block::Other(_) => None,
        })
    })
}

/// As many as fit, from the latest on; the latest last.
fn latest<T>(newest_first: impl Iterator<Item = T>, left: &mut usize, len: impl Fn(&T) -> usize) -> Vec<T> {
    let mut kept = Vec::new();
    for item in newest_first {
        let Some(rest) = left.checked_sub(len(&item)) else { break };
        *left = rest;
        kept.push(item);
    }
    kept.reverse();
    kept
}
