//! `Monitor`: tells the lines of a command or a file as they come.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use toolwright::prelude::*;

use super::follow::Followed;
use super::run::{follow, tell_until_end};
use crate::files::check_length;
use crate::one_line::one_line;
use crate::shell::{Judgement, Running, SCRIPT_BYTES_MAX, ShellState, Wanted, script_bytes};
use crate::tasks::events::Events;
use crate::tasks::{Background, Task, TaskKind, begin, spool};

/// How long a monitor watches unless it is said.
const TIMEOUT_MS: u64 = 300_000;
/// How long a monitor watches that is not persistent, whatever is said.
const TIMEOUT_MS_MAX: u64 = 3_600_000;

/// Watches in the background, and tells you each line as it comes: what a command writes, or what is added to a file.
///
/// It gives back a task at once; you go on, and the lines are told before you are asked next. Lines that come within a
/// fifth of a second are told together, and of more than 20 only the number: have the command write only what matters, such
/// as `tail -F app.log | grep --line-buffered ERROR` or `until CONDITION; do sleep 1; done; echo ready`. What never stops
/// flooding is stopped. It ends with its command, after `timeout_ms`, or by TaskStop; TaskOutput shows all lines.
#[tool(
    read_only = Monitor::is_read_only,
    destructive = Monitor::is_destructive,
    should_defer,
    state = ShellState,
    search_hint = "watch a log, file, build or condition and be told of events",
    examples = [
        r#"{"command": "for i in 1 2; do echo event $i; done", "description": "two events"}"#,
        r#"{"command": "until [ -e ready ]; do sleep 0.05; done; echo ready", "description": "the server is ready", "timeout_ms": 60000}"#,
        r#"{"file_path": "app.log", "description": "lines of the log", "persistent": true}"#
    ]
)]
pub struct Monitor {
    /// The command whose lines are told; or give `file_path`.
    command: Option<String>,
    /// The file whose new lines are told, also after another file takes its name; or give `command`.
    file_path: Option<PathBuf>,
    /// What is watched for, in a few words: it stands before each event.
    description: String,
    /// After how many milliseconds to stop: 300,000 unless said, 3,600,000 at the most.
    timeout_ms: Option<u64>,
    /// Whether to watch until the session ends.
    persistent: Option<bool>,
    /// What was found out about the command.
    #[serde(skip)]
    judgement: Judgement,
}

/// A monitor that was begun.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MonitorOutput {
    /// The task.
    pub task_id: String,
    /// What is watched for.
    pub description: String,
    /// After how many milliseconds it stops; nothing when it watches until the session ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// The file that all lines go to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_file: Option<String>,
    /// What is to be told besides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

/// What a monitor watches.
enum Watched<'a> {
    Command(&'a str),
    File(&'a PathBuf),
}

impl Tool for Monitor {
    type Output = MonitorOutput;

    fn effects(&self, cx: &EffectsContext<'_>) -> Effects {
        match self.watched() {
            Ok(Watched::Command(command)) => self.judgement.effects(command, cx),
            Ok(Watched::File(path)) => Effects::one(Effect::Read(cx.absolute(path))),
            Err(why) => Effects::unknown(why),
        }
    }

    async fn validate_input(&self, cx: &Cx<'_, Self>) -> Result<(), InvalidInput> {
        if self.description.trim().is_empty() {
            return Err(InvalidInput::new("`description` is empty: say in a few words what is watched for"));
        }
        if self.timeout_ms == Some(0) {
            return Err(InvalidInput::new(
                "`timeout_ms` is 0, which is over at once: give more or leave it out",
            ));
        }
        match self.watched().map_err(InvalidInput::new)? {
            Watched::Command(command) => check(command).map_err(InvalidInput::new),
            Watched::File(path) => {
                check_length(path)?;
                let place = cx.absolute(path);
                let folder = place.clone();
                let is_folder = cx.env().blocking(move || folder.is_dir()).await.unwrap_or(false);
                if is_folder {
                    let shown = path.display();
                    return Err(InvalidInput::new(format!(
                        "`{shown}` is a folder: give a file in it, or a command such as `inotifywait -m {shown}`"
                    )));
                }
                Ok(())
            }
        }
    }

    async fn check_permissions(&self, cx: &Cx<'_, Self>) -> Opinion {
        let Ok(Watched::Command(command)) = self.watched() else { return Opinion::Pass };
        let effects = self.told(cx);
        cx.state()
            .opinion(cx.env(), cx.context(), &Wanted { command, effects: &effects, leaves: false })
            .await
    }

    async fn call(&self, cx: &Cx<'_, Self>) -> Result<MonitorOutput, ToolError> {
        let events = Arc::new(Events::default());
        let timeout_ms = match self.persistent {
            Some(true) => None,
            Some(false) | None => Some(self.timeout_ms.unwrap_or(TIMEOUT_MS).min(TIMEOUT_MS_MAX)),
        };
        let (task, notice) = match self.watched().map_err(ToolError::new)? {
            Watched::Command(command) => self.run(cx, command, events).await?,
            Watched::File(path) => (self.follow(cx, path, events).await?, None),
        };
        tell_until_end(cx.env(), &task, timeout_ms.map(Duration::from_millis));
        let output_file = task.spool.place().map(|place| place.display().to_string());
        Ok(MonitorOutput {
            task_id: task.id.clone(),
            description: self.description.clone(),
            timeout_ms,
            output_file,
            notice,
        })
    }

    fn result_content(data: &MonitorOutput) -> Content {
        let until = match data.timeout_ms {
            Some(timeout_ms) => format!("for {timeout_ms} ms at the most"),
            None => "until the session ends".to_owned(),
        };
        let notice = data.notice.as_ref().map_or(String::new(), |notice| format!("\n{notice}"));
        format!(
            "the monitor `{}` watches in the background {until} ({}); go on: you are told what it sees{notice}",
            data.task_id,
            one_line(&data.description)
        )
        .into()
    }

    fn description(&self) -> String {
        match self.watched() {
            Ok(Watched::Command(command)) => one_line(&format!("watch {command}")),
            Ok(Watched::File(path)) => one_line(&format!("watch {}", path.display())),
            Err(_) => one_line(&self.description),
        }
    }

    fn classifier_input(&self) -> Option<String> {
        match self.watched().ok()? {
            Watched::Command(command) => Some(command.to_owned()),
            Watched::File(path) => Some(format!("watch the file {}", path.display())),
        }
    }
}

impl Monitor {
    fn watched(&self) -> Result<Watched<'_>, &'static str> {
        match (&self.command, &self.file_path) {
            (Some(command), None) => Ok(Watched::Command(command)),
            (None, Some(path)) => Ok(Watched::File(path)),
            (Some(_), Some(_)) => {
                Err("`command` and `file_path` are both given: one monitor watches one of them")
            }
            (None, None) => Err("nothing is to be watched: give a `command` or a `file_path`"),
        }
    }

    fn is_read_only(&self) -> bool {
        match self.watched() {
            Ok(Watched::Command(command)) => self.judgement.anywhere(command).is_read_only,
            Ok(Watched::File(_)) => true,
            Err(_) => false,
        }
    }

    fn is_destructive(&self) -> bool {
        match self.watched() {
            Ok(Watched::Command(command)) => self.judgement.anywhere(command).is_destructive,
            Ok(Watched::File(_)) | Err(_) => false,
        }
    }

    async fn run(
        &self,
        cx: &Cx<'_, Self>,
        command: &str,
        events: Arc<Events>,
    ) -> Result<(Arc<Task>, Option<String>), ToolError> {
        let effects = self.told(cx);
        let wanted = Wanted { command, effects: &effects, leaves: false };
        let Running { shell, notice, .. } = cx.state().start(cx.env(), cx.context(), &wanted).await?;
        let description = one_line(&self.description);
        let background = Background { kind: TaskKind::Monitor, description, shell, events: Some(events) };
        Ok((begin(cx, cx.state().tasks(), background).await.map_err(ToolError::new)?, notice))
    }

    /// What the command would do, where that matters to how it is run.
    fn told(&self, cx: &Cx<'_, Self>) -> Effects {
        let matters = cx.context().sandbox.is_some();
        if matters { self.effects(&cx.context().for_effects()) } else { Effects::none() }
    }

    async fn follow(
        &self,
        cx: &Cx<'_, Self>,
        path: &PathBuf,
        events: Arc<Events>,
    ) -> Result<Arc<Task>, ToolError> {
        let absolute = cx.absolute(path);
        let cannot = |error: std::io::Error| {
            ToolError::new(format!("`{}` cannot be followed: {error}", absolute.display()))
        };
        let place = cx.decided_place(&absolute).map_err(cannot)?;
        let followed = cx.env().blocking(move || Followed::from_end(place)).await?.map_err(cannot)?;
        let id = cx.env().new_id(TaskKind::Monitor.word());
        let spool = spool(cx, cx.state().tasks(), &id, Some(&events)).await;
        let description = one_line(&self.description);
        let task = Task::new(id, TaskKind::Monitor, description, cx.ties(), spool, Some(events), None);
        let task = Arc::new(task);
        cx.state().tasks().add(Arc::clone(&task)).map_err(ToolError::new)?;
        follow(cx.env(), &task, followed);
        Ok(task)
    }
}

/// What a shell would not take.
fn check(command: &str) -> Result<(), &'static str> {
    if command.trim().is_empty() {
        return Err("`command` is empty: give a command whose lines are to be told");
    }
    if command.contains('\0') {
        return Err("`command` has a zero byte in it, which no shell takes: leave it out");
    }
    if script_bytes(command) > SCRIPT_BYTES_MAX {
        return Err("`command` is too long for a shell: write it to a file with Write and run that");
    }
    Ok(())
}
