//! What goes on while a monitor watches: lines are told when they are due, and a file is looked at.

use std::borrow::Cow;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use toolwright::env::{Either, Env, TaskName};

use super::follow::{Followed, Look};
use crate::tasks::events::{GATHER, Rate};
use crate::tasks::process::words;
use crate::tasks::task::Why;
use crate::tasks::{Task, TaskStatus};

/// How often a file is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// Tells a task's lines until it has ended; stops it when its time is over, or when it floods.
pub(super) fn tell_until_end(env: &Env, task: &Arc<Task>, limit: Option<Duration>) {
    let (mine, task) = (env.clone(), Arc::clone(task));
    let deadline = limit.map(|limit| (env.now() + limit, limit));
    let telling = async move {
        let env = mine;
        while task.is_running() {
            let mut due = env.sleep(GATHER);
            let mut ended = pin!(task.end());
            if let Either::Right(_status) = env.race("monitor", &mut due, &mut ended).await {
                return;
            }
            let (lines, rate) =
                task.events.as_ref().map_or((None, Rate::Bearable), |it| it.bundle(env.now()));
            if let Some(lines) = lines {
                task.tell(lines);
            }
            if rate == Rate::Flood {
                let why = "it never stopped flooding: begin another that writes less, such as behind `grep --line-buffered`";
                task.stop(Why::Limit(Cow::Borrowed(why)));
            }
            if let Some((_, limit)) = deadline.filter(|(deadline, _)| env.now() >= *deadline) {
                task.stop(Why::Limit(Cow::Owned(format!("its {} ms are over", limit.as_millis()))));
            }
        }
    };
    drop(env.spawn(TaskName { kind: "events of a monitor", index: 0 }, telling));
}

/// Follows a file until its task is stopped.
pub(super) fn follow(env: &Env, task: &Arc<Task>, followed: Followed) {
    let (mine, task) = (env.clone(), Arc::clone(task));
    let following = async move {
        let status = {
            let mut looking = pin!(look_on(&mine, &task, followed));
            let mut stopped = pin!(task.stopped());
            match mine.race("followed file", &mut looking, &mut stopped).await {
                Either::Left(why) => TaskStatus::Failed(why),
                Either::Right(why) => TaskStatus::Stopped(words(why)),
            }
        };
        task.ended(status);
    };
    drop(env.spawn(TaskName { kind: "followed file", index: 0 }, following));
}

/// Looks at a file again and again; gives why it cannot any more.
async fn look_on(env: &Env, task: &Task, mut followed: Followed) -> String {
    loop {
        let looked = env.blocking(move || {
            let look = followed.look();
            (followed, look)
        });
        let look = match looked.await {
            Ok((again, look)) => {
                followed = again;
                look
            }
            Err(end) => return end.to_string(),
        };
        let Look { bytes, happened, is_more } = match look {
            Ok(look) => look,
            Err(error) => return error.to_string(),
        };
        if let Some(events) = &task.events {
            happened.into_iter().for_each(|what| events.say(what, env.now()));
        }
        if !bytes.is_empty() {
            task.spool.push(&bytes);
        }
        if !is_more {
            env.sleep(LOOK_EVERY).await;
        }
    }
}
