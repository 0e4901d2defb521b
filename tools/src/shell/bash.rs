//! `Bash`: runs a shell command.

use std::borrow::Cow;
use std::io;
use std::pin::pin;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use tokio::sync::Notify;
use toolwright::env::Either;
use toolwright::prelude::*;

use crate::one_line::one_line;
use crate::tasks::{Background, Late, Spool, Task, TaskKind, Tasks, begin};

use super::effects::Judgement;
use super::failure::{failure, flooded, timed_out, whole};
use super::moved::{Moved, Roots};
use super::output::{Output, Spill};
use super::process::{Ended, SCRIPT_BYTES_MAX, Shell, code, script_bytes};
use super::room::{Running, Wanted};
use super::sed_edit::SedEdit;
use super::shown::{self, ShownFile};
use super::state::ShellState;
use super::{exit, sleep};

/// How long a command may run unless it says otherwise.
const TIMEOUT_MS: u64 = 120_000;
/// How long a command may run, whatever it says.
pub(super) const TIMEOUT_MS_MAX: u64 = 600_000;
/// How many characters the model reads of output that is in a file already.
const STORED_CHARS_MAX: usize = 28_000;
/// How often progress is reported.
const PROGRESS_EVERY: Duration = Duration::from_millis(500);
/// How many characters of the output so far progress shows.
const PROGRESS_CHARS_MAX: usize = 4_000;
/// How many lines of a result a person sees.
const SHOWN_LINES_MAX: usize = 10;

/// Runs a command in `bash` and gives back what it writes, both streams in order of arrival.
///
/// The working directory carries over to later commands while it stays within the session's folders; variables do
/// not. Nobody can answer questions: there is no terminal and no input. A command that runs longer than its timeout
/// is stopped with everything it started. One in the background has no timeout: you are told when it has ended,
/// TaskOutput shows what it writes, and TaskStop ends it; it ends with the session at the latest. Use Read, Edit, Write and Glob rather than `cat`, `sed`, `echo >` and
/// `find` for files.
#[tool(
    read_only = Bash::is_read_only,
    destructive = Bash::is_destructive,
    concurrency_safe = Bash::is_safe_beside,
    always_load,
    cancels_siblings,
    interrupt = cancel,
    max_result_chars = 30_000,
    state = ShellState,
    progress = BashProgress,
    search_hint = "run a shell command, script or program",
    examples = [
        r#"{"command": "ls"}"#,
        r#"{"command": "printf '%s\\n' a b | wc -l", "description": "Count two lines", "timeout": 5000}"#,
        r#"{"command": "for i in 1 2 3; do echo $i; sleep 0.1; done", "run_in_background": true}"#
    ]
)]
#[expect(
    non_snake_case,
    reason = "an internal field has the name that answers to permission questions give it"
)]
pub struct Bash {
    /// The command line.
    command: String,
    /// What the command does, in five to ten words, for the person.
    #[expect(dead_code, reason = "a person sees it in the input itself")]
    description: Option<String>,
    /// How many milliseconds it may run: 120,000 unless said, 600,000 at the most.
    timeout: Option<u64>,
    /// Whether to run it in the background, and go on without waiting for it.
    run_in_background: Option<bool>,
    /// Whether to run it without a sandbox.
    #[serde(rename = "dangerouslyDisableSandbox")]
    dangerously_disable_sandbox: Option<bool>,
    /// What a replacement in a file comes to, as a person was shown it.
    #[tool(internal)]
    _simulatedSedEdit: Option<SedEdit>,
    /// What was found out about the command line.
    #[serde(skip)]
    judgement: Judgement,
}

/// What a command has written so far.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BashProgress {
    /// The end of the output so far.
    pub output: String,
    /// How many bytes it has written.
    pub total_bytes: u64,
    /// How long it has run.
    pub elapsed_ms: u64,
}

/// What a command did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BashOutput {
    /// What it wrote, both streams in order of arrival.
    pub stdout: String,
    /// What the tool has to say besides, a line each.
    pub stderr: String,
    /// Whether it was stopped before its end.
    pub interrupted: bool,
    /// What an exit code other than 0 answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub return_code_interpretation: Option<String>,
    /// The task that it is in the background.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub background_task_id: Option<String>,
    /// The file that takes the output of that task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw_output_path: Option<String>,
    /// After how long it was moved to the background, where it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timed_out_after_ms: Option<u64>,
    /// The file that all of its output is in, where memory could not hold it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub persisted_output_path: Option<String>,
    /// How many bytes it wrote then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub persisted_output_size: Option<u64>,
    /// Whether it ran without a sandbox because it was asked to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dangerously_disable_sandbox: Option<bool>,
}

impl Tool for Bash {
    type Output = Reply<BashOutput>;

    fn effects(&self, cx: &EffectsContext<'_>) -> Effects {
        self.judgement.effects(&self.command, cx)
    }

    async fn validate_input(&self, _cx: &Cx<'_, Self>) -> Result<(), InvalidInput> {
        if self.command.trim().is_empty() {
            return Err(InvalidInput::new("`command` is empty: give a command to run"));
        }
        if self.command.contains('\0') {
            return Err(InvalidInput::new(
                "`command` has a zero byte in it, which no shell takes: leave it out",
            ));
        }
        if self.timeout == Some(0) {
            return Err(InvalidInput::new(
                "`timeout` is 0 ms, which no command meets: give more or leave it out",
            ));
        }
        if script_bytes(&self.command) > SCRIPT_BYTES_MAX {
            return Err(InvalidInput::new(
                "`command` is too long for a shell: write it to a file with Write and run that",
            ));
        }
        // In the background it holds nothing up.
        if self.is_for_background() { Ok(()) } else { sleep::check(&self.command).map_err(InvalidInput::new) }
    }

    async fn check_permissions(&self, cx: &Cx<'_, Self>) -> Opinion {
        let effects = self.told(cx);
        cx.state().opinion(cx.env(), cx.context(), &self.wanted(&effects)).await
    }

    async fn call(&self, cx: &Cx<'_, Self>) -> Result<Reply<BashOutput>, ToolError> {
        let effects = self.told(cx);
        if let Some(edit) = self._simulatedSedEdit.clone() {
            return self.edited(cx, edit, effects).await;
        }
        let shown = self.shown_before(cx, &effects).await;
        let started = cx.state().start(cx.env(), cx.context(), &self.wanted(&effects)).await?;
        let Running { mut shell, confinement, notice } = started;
        if self.is_for_background() {
            let task = self.to_background(cx, shell).await?;
            return Ok(Reply::new(self.in_background(&task, None, notice)));
        }
        shell.spill_output(self.spill(cx));
        let limit = Duration::from_millis(self.timeout.unwrap_or(TIMEOUT_MS).min(TIMEOUT_MS_MAX));
        let status = match self.wait(cx, &mut shell, limit).await {
            Waited::Ended(status) => status?,
            Waited::Late if self.may_go_on(cx.state().tasks()) => {
                let task = self.to_background(cx, shell).await?;
                return Ok(Reply::new(self.in_background(&task, Some(limit), notice)));
            }
            Waited::Late => return Err(stopped(cx, shell, &timed_out(limit)).await),
            Waited::Flooded(bytes_max) => return Err(stopped(cx, shell, &flooded(bytes_max)).await),
        };
        let code = code(status);
        let ended = shell.release();
        let (roots, now, state) = (Roots::of(cx.context()), cx.cwd().to_owned(), cx.state().clone());
        let files = cx.files().clone();
        let (ended, moved, refused) = cx
            .env()
            .blocking(move || {
                state.leave(ended.mark);
                let refused = confinement
                    .map(|mut confined| confined.notices(&ended.output.text(), code != 0, &effects, &now))
                    .unwrap_or_default();
                let moved = roots.judge(ended.directory(), now);
                if let Some(shown) = shown.filter(|_| code == 0) {
                    shown.remember(&ended.output.text(), &files);
                }
                (ended, moved, refused)
            })
            .await?;
        self.reply(code, &ended, moved, notice.into_iter().chain(refused))
    }

    fn result_content(data: &BashOutput) -> Content {
        let answer =
            data.return_code_interpretation.as_ref().map(|answer| format!("(exit code 1: {answer})"));
        let parts = [Some(data.stdout.trim_end().to_owned()), answer, Some(data.stderr.clone())];
        let parts: Vec<String> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
        if parts.is_empty() { "(no output)".into() } else { parts.join("\n").into() }
    }

    fn description(&self) -> String {
        one_line(&self.command)
    }

    fn user_facing_name(&self) -> Cow<'_, str> {
        Cow::Borrowed("Bash")
    }

    fn classifier_input(&self) -> Option<String> {
        Some(self.command.clone())
    }

    fn render_progress(progress: &BashProgress) -> Vec<String> {
        let last = progress.output.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
        vec![format!("{} s, {} bytes: {}", progress.elapsed_ms / 1_000, progress.total_bytes, one_line(last))]
    }

    fn render_result(data: &BashOutput) -> Vec<String> {
        let text = Self::result_content(data).to_text();
        let mut lines: Vec<String> = text.lines().take(SHOWN_LINES_MAX).map(str::to_owned).collect();
        let more = text.lines().count() - lines.len();
        if more > 0 {
            lines.push(format!("… {more} more lines"));
        }
        lines
    }
}

/// How waiting for a command ended.
enum Waited {
    Ended(io::Result<ExitStatus>),
    /// It runs longer than it may.
    Late,
    /// It has written more than these bytes, which it may.
    Flooded(u64),
}

impl Bash {
    /// Whether the command is known to change nothing.
    fn is_read_only(&self) -> bool {
        self.judgement.anywhere(&self.command).is_read_only
    }

    /// Whether the command may run beside others.
    fn is_safe_beside(&self) -> bool {
        // A task in the background is something that later calls see.
        !self.is_for_background() && self.judgement.anywhere(&self.command).is_safe_beside
    }

    fn is_for_background(&self) -> bool {
        self.run_in_background == Some(true)
    }

    /// Whether the command goes on in the background when it is late: one that only waits would do so for nothing, and
    /// one of git would hold locks that later commands want.
    fn may_go_on(&self, tasks: &Tasks) -> bool {
        match tasks.late() {
            Late::Stop => false,
            Late::Move => {
                !self.command.trim_start().starts_with("sleep")
                    && !self.command.contains("git")
                    && self.judgement.is_understood(&self.command)
            }
        }
    }

    /// The file that the command only shows, as it is before.
    async fn shown_before(&self, cx: &Cx<'_, Self>, effects: &Effects) -> Option<ShownFile> {
        let place = cx.decided_place(shown::only_file(effects)?).ok()?;
        cx.env().blocking(move || ShownFile::before(place)).await.ok().flatten()
    }

    /// Waits for the end of the command, for as long as it may run and as much as it may write.
    async fn wait(&self, cx: &Cx<'_, Self>, shell: &mut Shell, limit: Duration) -> Waited {
        let (bytes_max, flood) = (cx.state().tasks().limits().output_bytes_max, Notify::new());
        let mut report = self.reporter(cx);
        let take = |output: &Output| {
            report(output);
            if output.total() > bytes_max {
                flood.notify_one();
            }
        };
        let waiting = async {
            let (mut ending, mut flooding) = (pin!(shell.finish(cx.env(), take)), pin!(flood.notified()));
            match cx.env().race("shell ends or floods", &mut ending, &mut flooding).await {
                Either::Left(status) => Waited::Ended(status),
                Either::Right(()) => Waited::Flooded(bytes_max),
            }
        };
        cx.timeout(limit, waiting).await.unwrap_or(Waited::Late)
    }

    /// Makes a file for output that memory cannot hold.
    fn spill(&self, cx: &Cx<'_, Self>) -> Spill {
        let (results, id, bytes_max) =
            (cx.results(), cx.env().new_id("output"), cx.state().tasks().limits().file_bytes_max);
        Box::new(move || {
            // Making a file is quick, and what is read meanwhile would be lost.
            let file = results.and_then(|results| results.begin(&id).ok());
            Arc::new(Spool::new(file, bytes_max))
        })
    }

    /// Lets a shell go on in the background.
    async fn to_background(&self, cx: &Cx<'_, Self>, shell: Shell) -> Result<Arc<Task>, ToolError> {
        let background =
            Background { kind: TaskKind::Bash, description: one_line(&self.command), shell, events: None };
        begin(cx, cx.state().tasks(), background).await.map_err(ToolError::new)
    }

    /// What is told of a command that goes on in the background.
    fn in_background(&self, task: &Task, late: Option<Duration>, said: Option<String>) -> BashOutput {
        let place = task.spool.place().map(|place| place.display().to_string());
        let what = match late {
            None => "it runs".to_owned(),
            Some(limit) => format!("it has run for {} ms, and goes on", limit.as_millis()),
        };
        let output = place.as_ref().map_or(String::new(), |place| format!("; its output goes to `{place}`"));
        let notice = format!(
            "({what} in the background as `{}`{output}; you are told when it has ended, and TaskOutput shows what it \
             writes)",
            task.id
        );
        BashOutput {
            // What is shown here is not new to TaskOutput.
            stdout: if late.is_some() { task.spool.take_news(false).text } else { String::new() },
            stderr: said.into_iter().chain([notice]).collect::<Vec<_>>().join("\n"),
            background_task_id: Some(task.id.clone()),
            raw_output_path: place,
            timed_out_after_ms: late.map(|limit| u64::try_from(limit.as_millis()).unwrap_or(u64::MAX)),
            dangerously_disable_sandbox: self.dangerously_disable_sandbox,
            ..BashOutput::default()
        }
    }

    /// Whether the command is known to remove something.
    fn is_destructive(&self) -> bool {
        self.judgement.anywhere(&self.command).is_destructive
    }

    /// Reports the output so far, now and then.
    fn reporter<'a>(&self, cx: &'a Cx<'_, Self>) -> impl FnMut(&Output) + 'a {
        let began = cx.env().now();
        let mut last = began;
        move |output| {
            let now = cx.env().now();
            if now.since(last) >= PROGRESS_EVERY {
                last = now;
                let elapsed_ms = u64::try_from(now.since(began).as_millis()).unwrap_or(u64::MAX);
                let (output, total_bytes) = (output.last(PROGRESS_CHARS_MAX), output.total());
                cx.progress(BashProgress { output, total_bytes, elapsed_ms });
            }
        }
    }

    /// What the command would do, where that matters to how it is run.
    fn told(&self, cx: &Cx<'_, Self>) -> Effects {
        let matters = cx.context().sandbox.is_some()
            || self._simulatedSedEdit.is_some()
            || shown::may_show(&self.command);
        if matters { self.effects(&cx.context().for_effects()) } else { Effects::none() }
    }

    /// The command as it is to be started.
    fn wanted<'a>(&'a self, effects: &'a Effects) -> Wanted<'a> {
        Wanted { command: &self.command, effects, leaves: self.dangerously_disable_sandbox == Some(true) }
    }

    /// Writes what a person was shown in place of running the command.
    async fn edited(
        &self,
        cx: &Cx<'_, Self>,
        edit: SedEdit,
        effects: Effects,
    ) -> Result<Reply<BashOutput>, ToolError> {
        let (place, files) = (cx.decided_place(&edit.file_path), cx.files().clone());
        let lost = cx.env().blocking(move || edit.apply(&effects, place, &files)).await??;
        Ok(Reply::new(BashOutput {
            stderr: lost.iter().map(|lost| format!("({lost})")).collect::<Vec<_>>().join("\n"),
            dangerously_disable_sandbox: self.dangerously_disable_sandbox,
            ..BashOutput::default()
        }))
    }

    fn reply(
        &self,
        code: i32,
        ended: &Ended,
        moved: Moved,
        said: impl Iterator<Item = String>,
    ) -> Result<Reply<BashOutput>, ToolError> {
        let answer = exit::answer(&self.command, code);
        let mut notices: Vec<String> = whole(&ended.output).into_iter().chain(said).collect();
        if ended.left_running {
            notices.push(
                "(something still runs in the background; what it writes from now on is lost unless it goes to a file)"
                    .to_owned(),
            );
        }
        if let Moved::Refused(back) = &moved {
            notices.push(format!("(shell cwd was reset to {})", back.display()));
        }
        if code != 0 && answer.is_none() {
            let failure = failure(code, &ended.output, &notices);
            return Err(match moved {
                Moved::Stayed | Moved::Refused(_) => failure,
                Moved::To(to) => failure.with_context_change(move |context| context.cwd = to),
            });
        }
        let spool = ended.output.copy();
        let place = spool.and_then(|spool| spool.place());
        let reply = Reply::new(BashOutput {
            // What is stored already need not be stored again.
            stdout: match place {
                Some(_) => ended.output.shortened(STORED_CHARS_MAX),
                None => ended.output.text(),
            },
            stderr: notices.join("\n"),
            return_code_interpretation: answer.map(str::to_owned),
            persisted_output_path: place.map(|place| place.display().to_string()),
            persisted_output_size: place.and(spool).map(|spool| spool.total()),
            dangerously_disable_sandbox: self.dangerously_disable_sandbox,
            ..BashOutput::default()
        });
        Ok(match moved {
            Moved::Stayed | Moved::Refused(_) => reply,
            Moved::To(to) => reply.with_context_change(move |context| context.cwd = to),
        })
    }
}

/// Stops a command; gives what it has written, and why.
async fn stopped(cx: &Cx<'_, Bash>, mut shell: Shell, why: &str) -> ToolError {
    shell.stop(cx.env()).await;
    let output = shell.output();
    let notices: Vec<String> = whole(output).into_iter().chain([why.to_owned()]).collect();
    failure(128 + 15, output, &notices)
}
