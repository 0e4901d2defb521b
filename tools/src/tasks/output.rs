//! `TaskOutput`: what a task in the background has written since it was last asked, and what became of it.

use std::time::Duration;

use serde::Serialize;
use toolwright::prelude::*;

use super::known::{Known, TaskStatus, find};
use super::{TaskKind, Tasks};
use crate::one_line::one_line;

/// How long an end is waited for unless it is said.
const TIMEOUT_MS: u64 = 30_000;
/// How long an end is waited for, whatever is said.
const TIMEOUT_MS_MAX: u64 = 600_000;

/// Tells what a task in the background has written since this was last asked, and whether it has ended.
///
/// Tasks are commands in the background, monitors and agents. Unless `block` is false it waits for the task's end first,
/// no longer than `timeout`; a task that goes on is not stopped by that. You are told of a task's end anyway: ask when you
/// need its output, not again and again. All of the output is in the task's file, which Read shows.
#[tool(
    read_only,
    default_permission = allow,
    should_defer,
    aliases("BashOutput"),
    interrupt = cancel,
    max_result_chars = unlimited,
    state = Tasks,
    search_hint = "output and state of a background command, monitor or agent",
    examples = [
        r#"{"task_id": "bash_0123456789abcdef"}"#,
        r#"{"task_id": "bash_0123456789abcdef", "block": false}"#,
        r#"{"task_id": "agent_0123456789abcdef", "timeout": 120000}"#
    ]
)]
pub struct TaskOutput {
    /// The task, by the identifier that its result had.
    #[serde(alias = "bash_id")]
    task_id: String,
    /// Whether to wait for its end; it is waited for unless this says no.
    block: Option<bool>,
    /// How many milliseconds to wait: 30,000 unless said, 600,000 at the most.
    timeout: Option<u64>,
}

/// What is told of a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskOutputResult {
    /// What the asking came to.
    pub retrieval_status: Retrieval,
    /// The task.
    pub task: TaskSeen,
}

/// What asking for a task came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Retrieval {
    /// It has ended.
    Success,
    /// It goes on, and its end was waited for in vain.
    Timeout,
    /// It goes on, and nobody waited.
    NotReady,
}

/// A task as it is now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskSeen {
    /// Its identifier.
    pub task_id: String,
    /// What kind of task it is.
    pub task_type: TaskKind,
    /// What became of it, in a word.
    pub status: &'static str,
    /// The same in words, where it has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
    /// What it is, in a line.
    pub description: String,
    /// The end of what it has written since this was last asked.
    pub output: String,
    /// How many bytes before that are new too.
    pub bytes_before: u64,
    /// Its exit code, where it has ended by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The file that all of its output is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_file: Option<String>,
    /// Why that file is not whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_file_broken: Option<String>,
}

impl Tool for TaskOutput {
    type Output = TaskOutputResult;

    fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
        Effects::none()
    }

    async fn validate_input(&self, cx: &Cx<'_, Self>) -> Result<(), InvalidInput> {
        find(cx, cx.state(), &self.task_id).map(drop).map_err(InvalidInput::new)
    }

    async fn call(&self, cx: &Cx<'_, Self>) -> Result<TaskOutputResult, ToolError> {
        let known = find(cx, cx.state(), &self.task_id).map_err(ToolError::new)?;
        let blocks = self.block.unwrap_or(true);
        if blocks {
            let limit = Duration::from_millis(self.timeout.unwrap_or(TIMEOUT_MS).min(TIMEOUT_MS_MAX));
            let _asked_below = cx.timeout(limit, known.end()).await;
        }
        // Asked before its output is: what it writes meanwhile is new the next time.
        let status = known.status();
        let retrieval_status = match (&status, blocks) {
            (TaskStatus::Running, true) => Retrieval::Timeout,
            (TaskStatus::Running, false) => Retrieval::NotReady,
            (TaskStatus::Ended(_) | TaskStatus::Failed(_) | TaskStatus::Stopped(_), _) => Retrieval::Success,
        };
        Ok(TaskOutputResult { retrieval_status, task: seen(&known, &status) })
    }

    fn result_content(data: &TaskOutputResult) -> Content {
        let TaskSeen { task_id, task_type, ended, description, output, bytes_before, .. } = &data.task;
        let about = format!("the {} `{task_id}` ({description})", task_type.noun());
        let mut lines = vec![match (ended, data.retrieval_status) {
            (Some(ended), _) => format!("{about} {ended}"),
            (None, Retrieval::Timeout) => format!("{about} still runs; its end was waited for in vain"),
            (None, Retrieval::Success | Retrieval::NotReady) => format!("{about} runs"),
        }];
        if *bytes_before > 0 {
            lines.push(format!("… {bytes_before} bytes before this are new too{}", place(&data.task)));
        }
        if let Some(broken) = &data.task.output_file_broken {
            lines.push(format!("(the file with its output is not whole: {broken})"));
        }
        lines.push(if output.is_empty() { "(nothing new)".to_owned() } else { output.trim_end().to_owned() });
        lines.join("\n").into()
    }

    fn description(&self) -> String {
        format!("output of {}", one_line(&self.task_id))
    }
}

fn seen(known: &Known, status: &TaskStatus) -> TaskSeen {
    let news = known.take_news();
    // What ended since it was looked at is told later.
    if *status != TaskStatus::Running {
        known.told();
    }
    let spool = match known {
        Known::Process(task) => Some(&task.spool),
        Known::Agent(..) => None,
    };
    TaskSeen {
        task_id: known.id().to_owned(),
        task_type: known.kind(),
        status: status.word(),
        ended: (*status != TaskStatus::Running).then(|| status.words()),
        description: known.description().to_owned(),
        output: news.text,
        bytes_before: news.bytes_before,
        exit_code: match status {
            TaskStatus::Ended(code) => *code,
            TaskStatus::Running | TaskStatus::Failed(_) | TaskStatus::Stopped(_) => None,
        },
        output_file: spool.and_then(|spool| Some(spool.place()?.display().to_string())),
        output_file_broken: spool.and_then(|spool| spool.broken()),
    }
}

fn place(task: &TaskSeen) -> String {
    match &task.output_file {
        Some(file) => format!("; all of it is in `{file}`"),
        None => String::new(),
    }
}
