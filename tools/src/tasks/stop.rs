//! `TaskStop`: ends a task in the background.

use serde::Serialize;
use toolwright::prelude::*;

use super::known::{TaskStatus, find};
use super::{TaskKind, Tasks};
use crate::one_line::one_line;

/// Stops a task in the background, with everything that it started: a command, a monitor or an agent. It is asked to end
/// first, and killed when it does not. What it wrote can still be read with TaskOutput.
#[tool(
    default_permission = allow,
    should_defer,
    aliases("KillBash", "KillShell"),
    state = Tasks,
    search_hint = "stop, kill or end a background command, monitor or agent",
    examples = [
        r#"{"task_id": "bash_0123456789abcdef"}"#,
        r#"{"task_id": "monitor_0123456789abcdef"}"#,
        r#"{"shell_id": "bash_0123456789abcdef"}"#
    ]
)]
pub struct TaskStop {
    /// The task, by the identifier that its result had.
    task_id: Option<String>,
    /// The older name of `task_id`: give one of them.
    shell_id: Option<String>,
}

/// A task that was stopped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskStopResult {
    /// Its identifier.
    pub task_id: String,
    /// What kind of task it is.
    pub task_type: TaskKind,
    /// What it is, in a line.
    pub description: String,
    /// What became of it, in words: it may have ended by itself meanwhile.
    pub ended: String,
}

impl Tool for TaskStop {
    type Output = TaskStopResult;

    fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
        Effects::none()
    }

    async fn validate_input(&self, cx: &Cx<'_, Self>) -> Result<(), InvalidInput> {
        let id = self.id().map_err(InvalidInput::new)?;
        find(cx, cx.state(), id).map(drop).map_err(InvalidInput::new)
    }

    async fn call(&self, cx: &Cx<'_, Self>) -> Result<TaskStopResult, ToolError> {
        let known = find(cx, cx.state(), self.id().map_err(ToolError::new)?).map_err(ToolError::new)?;
        let before = known.status();
        if before != TaskStatus::Running {
            let (noun, id, ended) = (known.kind().noun(), known.id(), before.words());
            return Err(ToolError::new(format!(
                "the {noun} `{id}` does not run any more: it {ended}; TaskOutput shows what it wrote"
            )));
        }
        known.stop();
        // It is killed when it does not end by itself, so this is no wait without end.
        known.end().await;
        known.told();
        Ok(TaskStopResult {
            task_id: known.id().to_owned(),
            task_type: known.kind(),
            description: known.description().to_owned(),
            ended: known.status().words(),
        })
    }

    fn result_content(data: &TaskStopResult) -> Content {
        let TaskStopResult { task_id, task_type, description, ended } = data;
        format!("the {} `{task_id}` ({description}) {ended}", task_type.noun()).into()
    }

    fn description(&self) -> String {
        format!("stop {}", one_line(self.id().unwrap_or_default()))
    }

    fn classifier_input(&self) -> Option<String> {
        Some(format!("stop the task {}", self.id().unwrap_or_default()))
    }
}

impl TaskStop {
    /// The task that is meant.
    fn id(&self) -> Result<&str, &'static str> {
        match (&self.task_id, &self.shell_id) {
            (Some(id), None) | (None, Some(id)) => Ok(id),
            (Some(id), Some(old)) if id == old => Ok(id),
            (Some(_), Some(_)) => {
                Err("`task_id` and `shell_id` name two tasks: give `task_id` alone, and stop one at a time")
            }
            (None, None) => Err("no task is named: give its identifier as `task_id`"),
        }
    }
}
