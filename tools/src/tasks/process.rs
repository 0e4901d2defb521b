//! A shell that goes on in the background: from its start, or from when its call would wait no longer.

use std::borrow::Cow;
use std::io;
use std::pin::pin;
use std::process::ExitStatus;
use std::sync::Arc;

use toolwright::contract::{Cx, Tool};
use toolwright::env::{Either, Env, TaskName};

use super::events::Events;
use super::spool::Listener;
use super::task::{Task, TaskKind, Why};
use super::{Spool, TaskStatus, Tasks};
use crate::process_tree::Tree;
use crate::shell::{Shell, code};

/// What is to go on in the background.
pub(crate) struct Background {
    pub(crate) kind: TaskKind,
    /// What it is, in a line.
    pub(crate) description: String,
    pub(crate) shell: Shell,
    /// Its lines, where the model is told them as they come.
    pub(crate) events: Option<Arc<Events>>,
}

/// Lets a shell run in the background.
///
/// # Errors
/// In words: a limit; the shell and all it started are ended then.
pub(crate) async fn begin<T: Tool>(
    cx: &Cx<'_, T>,
    tasks: &Tasks,
    background: Background,
) -> Result<Arc<Task>, String> {
    let Background { kind, description, mut shell, events } = background;
    let tree = shell.mark().map(|mark| Tree::new(shell.id(), mark));
    let id = cx.env().new_id(kind.word());
    let spool = match shell.output().copy() {
        // A command that was late may have a file already.
        Some(spool) => Arc::clone(spool),
        None => {
            let spool = spool(cx, tasks, &id, events.as_ref()).await;
            shell.copy_output(&spool);
            spool
        }
    };
    let task = Arc::new(Task::new(id, kind, description, cx.ties(), spool, events, tree));
    tasks.add(Arc::clone(&task))?;
    let name = TaskName { kind: "command in the background", index: 0 };
    let run = run(cx.env().clone(), Arc::clone(&task), shell, tasks.limits().output_bytes_max);
    drop(cx.env().spawn(name, run));
    Ok(task)
}

/// A place for the output of a task: in memory where there can be no file.
pub(crate) async fn spool<T: Tool>(
    cx: &Cx<'_, T>,
    tasks: &Tasks,
    id: &str,
    events: Option<&Arc<Events>>,
) -> Arc<Spool> {
    let (results, name) = (cx.results(), id.to_owned());
    let begun = cx.env().blocking(move || results.map(|results| results.begin(&name))).await;
    let file = begun.ok().flatten().and_then(io::Result::ok);
    let listener = events.map(|events| {
        let (env, events) = (cx.env().clone(), Arc::clone(events));
        Box::new(move |bytes: &[u8]| events.push(bytes, env.now())) as Listener
    });
    Arc::new(Spool::new(file, tasks.limits().file_bytes_max).heard_by(listener))
}

/// Runs a shell to its end, or until its task is stopped. Whatever ends this, the task has an end.
async fn run(env: Env, task: Arc<Task>, mut shell: Shell, output_bytes_max: u64) {
    let given_up = EndWhenDropped(&task);
    let ended = {
        let mut running = pin!(to_end(&env, &task, &mut shell, output_bytes_max));
        let mut stopped = pin!(task.stopped());
        env.race("command in the background", &mut running, &mut stopped).await
    };
    let status = match ended {
        Either::Left(status) => {
            drop(shell.release());
            task.forget_group();
            status
        }
        Either::Right(why) => {
            shell.stop(&env).await;
            let left = Arc::clone(&task);
            // What cannot be looked for now is looked for when the task is dropped.
            drop(env.blocking(move || left.kill_what_is_left()).await);
            TaskStatus::Stopped(words(why))
        }
    };
    task.ended(status);
    drop(given_up);
}

/// Waits until the shell has ended and nothing holds its output any more.
async fn to_end(env: &Env, task: &Task, shell: &mut Shell, output_bytes_max: u64) -> TaskStatus {
    let bound = |output: &crate::shell::Output| {
        if output.total() > output_bytes_max {
            let limit = format!("it wrote more than {output_bytes_max} bytes");
            task.stop(Why::Limit(Cow::Owned(limit)));
        }
    };
    let ended: io::Result<ExitStatus> = shell.finish(env, bound).await;
    shell.rest(env, bound).await;
    match ended {
        Ok(status) => TaskStatus::Ended(Some(code(status))),
        Err(error) => TaskStatus::Failed(error.to_string()),
    }
}

/// Why a task was stopped, in words.
pub(crate) fn words(why: Why) -> String {
    match why {
        Why::Asked => "it was asked for".to_owned(),
        Why::Over => "whoever it belonged to is over".to_owned(),
        Why::Limit(limit) => limit.into_owned(),
    }
}

/// A task whose run is given up has ended.
struct EndWhenDropped<'a>(&'a Arc<Task>);

impl Drop for EndWhenDropped<'_> {
    fn drop(&mut self) {
        if self.0.is_running() {
            self.0.kill();
            self.0.ended(TaskStatus::Stopped(words(Why::Over)));
        }
    }
}
