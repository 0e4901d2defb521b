//! `REPL`: runs code in an interpreter that stays.

use std::process::ExitStatus;
use std::time::Duration;

use serde::Serialize;
use toolwright::env::Elapsed;
use toolwright::prelude::*;

use super::Repls;
use super::interpreter::{Answer, Bounds, Broken, Interpreter, bounds};
use super::kept::Before;
use super::literals::literals;
use crate::one_line::one_line;
use crate::shell::{Output, Room, Wanted, code, shortened};

/// How long code may run unless it says otherwise.
const TIMEOUT_MS: u64 = 30_000;
/// How long code may run, whatever it says.
const TIMEOUT_MS_MAX: u64 = 600_000;
/// How long an interpreter has to start; that is no time of the code.
const START_MAX: Duration = Duration::from_secs(60);
/// How long code that was interrupted has to end.
const INTERRUPT_GRACE: Duration = Duration::from_secs(2);
/// How many bytes code may have.
const CODE_BYTES_MAX: usize = 1024 * 1024;
/// How many characters the model reads of what code wrote.
const OUTPUT_CHARS_MAX: usize = 30_000;
/// How many characters the model reads of a value or an exception.
const VALUE_CHARS_MAX: usize = 10_000;
/// The exit code of a shell that has not found the program.
const NOT_FOUND: i32 = 127;

/// Runs code in Python or Node, in an interpreter that stays: names, imports and open files are there in the next call.
///
/// It gives back what the code writes, and the value of its last expression. Code that runs longer than its timeout is
/// interrupted, and killed if that does not end it; what was kept is lost then, and the result says so. There is no input
/// to read. `await` works at the top; in Node, what is declared beside an `await` is not kept, so assign it to `globalThis`.
#[tool(
    name = "REPL",
    should_defer,
    interrupt = cancel,
    max_result_chars = 50_000,
    state = Repls,
    search_hint = "run python or javascript code, keep variables, calculate, analyse data",
    examples = [
        r#"{"code": "x = 6 * 7\nx"}"#,
        r#"{"code": "import json\nprint(json.dumps({'a': 1}))", "description": "Write some JSON", "timeout": 5000}"#,
        r#"{"code": "[1, 2, 3].map((n) => n * n)", "language": "node"}"#
    ]
)]
pub struct Repl {
    /// The code.
    code: String,
    /// The language; Python when left out.
    language: Option<Language>,
    /// What the code does, in five to ten words, for the person.
    description: Option<String>,
    /// How many milliseconds it may run: 30,000 unless said, 600,000 at the most.
    timeout: Option<u64>,
}

/// A language that code may be in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Params)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// Python 3.
    Python,
    /// JavaScript, in Node.
    Node,
}

impl Language {
    /// Its name for people.
    pub(super) fn name(self) -> &'static str {
        match self {
            Language::Python => "Python",
            Language::Node => "Node",
        }
    }

    /// The program that runs it, and its arguments.
    pub(super) fn program(self) -> (&'static str, [&'static str; 3]) {
        match self {
            Language::Python => ("python3", ["-u", "-c", include_str!("python.py")]),
            Language::Node => ("node", ["--no-warnings", "-e", include_str!("node.js")]),
        }
    }
}

/// What code came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReplOutput {
    /// What it wrote, both streams in order of arrival.
    pub output: String,
    /// The value of its last expression, as the language shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// What the tool has to say besides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
    /// What the sandbox refused, and what else is to be told of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sandbox: Vec<String>,
}

/// What is told where a call before has lost what was kept.
const LOST: &str =
    "(a call before was stopped, and the interpreter with it: what it kept is lost, and this one is new)";

/// What is told where an interpreter may not go on.
const CHANGED: &str = "(the sandbox or the folders of the session have changed since the call before: what the interpreter kept \
     is lost, and this one is new)";

impl Tool for Repl {
    type Output = ReplOutput;

    fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
        Effects::Unknown { reason: "code may do anything".to_owned(), raw: literals(&self.code) }
    }

    async fn validate_input(&self, _cx: &Cx<'_, Self>) -> Result<(), InvalidInput> {
        if self.code.trim().is_empty() {
            return Err(InvalidInput::new("`code` is empty: give code to run"));
        }
        if self.code.len() > CODE_BYTES_MAX {
            return Err(InvalidInput::new(format!(
                "`code` has {} bytes, more than {CODE_BYTES_MAX}: write it to a file with Write and have the code read that",
                self.code.len()
            )));
        }
        if self.timeout == Some(0) {
            return Err(InvalidInput::new(
                "`timeout` is 0 ms, which no code meets: give more or leave it out",
            ));
        }
        Ok(())
    }

    /// What settings let a sandbox answer for are commands, so code asks as ever.
    async fn check_permissions(&self, cx: &Cx<'_, Self>) -> Opinion {
        let effects = self.effects(&cx.context().for_effects());
        match cx.state().shell().room(cx.env(), cx.context(), &wanted(&effects)).await {
            Room::Confined(_) | Room::Outside(_) => Opinion::Pass,
            Room::Nowhere(reason) => Opinion::Deny(reason),
        }
    }

    async fn call(&self, cx: &Cx<'_, Self>) -> Result<ReplOutput, ToolError> {
        let language = self.language.unwrap_or(Language::Python);
        let (taken, before) = cx.state().take(cx.ties(), language).map_err(ToolError::new)?;
        let (mut interpreter, notice) = match self.interpreter(cx, before).await {
            Ok(had) => had,
            Err(why) => {
                taken.leave();
                return Err(ToolError::new(why));
            }
        };
        let limit = Duration::from_millis(self.timeout.unwrap_or(TIMEOUT_MS).min(TIMEOUT_MS_MAX));
        let ran = self.run(cx, &mut interpreter, limit).await;
        let written = text(&interpreter.take_output());
        match ran {
            Ran::Answered(answer) => {
                let (interpreter, sandbox) = told_of_sandbox(cx, interpreter, &answer, &written).await?;
                taken.keep(interpreter);
                finished(answer, written, notice, sandbox)
            }
            Ran::Interrupted => {
                taken.keep(interpreter);
                let why = format!(
                    "(the code was interrupted because it ran longer than {} ms; what it kept is still there)",
                    limit.as_millis()
                );
                Err(failure(&[&written, &why]))
            }
            Ran::Lost(why) => {
                // Ending it takes a moment, in which this thread waits.
                drop(cx.env().blocking(move || drop(interpreter)).await);
                taken.leave();
                let why =
                    format!("({why}; what it kept is lost, and the next call begins a new interpreter)");
                Err(failure(&[&written, &why]))
            }
        }
    }

    fn result_content(data: &ReplOutput) -> Content {
        let parts = [data.notice.as_deref(), Some(data.output.trim_end()), data.value.as_deref()];
        let parts = parts.into_iter().flatten().chain(data.sandbox.iter().map(String::as_str));
        let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
        if parts.is_empty() { "(no output, no value)".into() } else { parts.join("\n").into() }
    }

    fn description(&self) -> String {
        let name = self.language.unwrap_or(Language::Python).name();
        format!("{name}: {}", one_line(self.description.as_ref().unwrap_or(&self.code)))
    }

    fn classifier_input(&self) -> Option<String> {
        Some(self.code.clone())
    }
}

/// What running code came to.
enum Ran {
    Answered(Answer),
    /// It took too long, and was interrupted.
    Interrupted,
    /// There is no interpreter any more, for this reason.
    Lost(String),
}

impl Repl {
    /// The interpreter that was kept, where it may go on, else a new one; and what is to be told of that.
    async fn interpreter(
        &self,
        cx: &Cx<'_, Self>,
        before: Before,
    ) -> Result<(Box<Interpreter>, Option<String>), String> {
        let bounds = bounds(cx.context());
        let why_new = match before {
            Before::Kept(interpreter) if interpreter.is_within(&bounds) => return Ok((interpreter, None)),
            Before::Kept(interpreter) => {
                // Ending it takes a moment, in which this thread waits.
                drop(cx.env().blocking(move || drop(interpreter)).await);
                Some(CHANGED)
            }
            Before::Lost => Some(LOST),
            Before::Nothing => None,
        };
        let (interpreter, notice) = self.start(cx, bounds).await?;
        let told: Vec<&str> = why_new.into_iter().chain(notice.as_deref()).collect();
        Ok((interpreter, (!told.is_empty()).then(|| told.join("\n"))))
    }

    /// A new interpreter that takes code, and what is to be told of where it runs.
    async fn start(
        &self,
        cx: &Cx<'_, Self>,
        bounds: Bounds,
    ) -> Result<(Box<Interpreter>, Option<String>), String> {
        let language = self.language.unwrap_or(Language::Python);
        let effects = self.effects(&cx.context().for_effects());
        let wanted = wanted(&effects);
        let room = cx.state().shell().ready(cx.env(), cx.context(), &wanted, |_folder| Ok(()));
        let (mut ready, ()) = room.await.map_err(|error| error.to_string())?;
        let notice = ready.notice.take();
        let started = Interpreter::start(language, cx.cwd(), ready, bounds);
        let mut interpreter = Box::new(started.map_err(|error| {
            format!("{} cannot be started in `{}`: {error}", language.name(), cx.cwd().display())
        })?);
        let why = match cx.timeout(START_MAX, interpreter.ready(cx.env())).await {
            Ok(Ok(())) => return Ok((interpreter, notice)),
            Ok(Err(broken)) => self.words(&broken),
            Err(_elapsed) => format!("{} did not start within {} s", language.name(), START_MAX.as_secs()),
        };
        let written = text(&interpreter.take_output());
        Err(if written.is_empty() { why } else { format!("{why}:\n{written}") })
    }

    async fn run(&self, cx: &Cx<'_, Self>, interpreter: &mut Interpreter, limit: Duration) -> Ran {
        let (env, nonce) = (cx.env(), cx.env().new_id("cell"));
        let ran = cx.timeout(limit, async {
            interpreter.send(env, &nonce, &self.code).await?;
            Ok(())
        });
        let began = env.now();
        let sent: Result<Result<(), Broken>, Elapsed> = ran.await;
        match sent {
            Ok(Ok(())) => {}
            Ok(Err(broken)) => return Ran::Lost(self.words(&broken)),
            Err(_elapsed) => {
                return Ran::Lost(format!("code of a call before kept it busy for {} ms", limit.as_millis()));
            }
        }
        let left = limit.saturating_sub(env.now().since(began));
        match cx.timeout(left, interpreter.answer(env, &nonce)).await {
            Ok(Ok(answer)) => return Ran::Answered(answer),
            Ok(Err(broken)) => return Ran::Lost(self.words(&broken)),
            Err(_elapsed) => interpreter.interrupt(),
        }
        match cx.timeout(INTERRUPT_GRACE, interpreter.answer(env, &nonce)).await {
            Ok(Ok(_interrupted)) => Ran::Interrupted,
            Ok(Err(broken)) => Ran::Lost(self.words(&broken)),
            Err(_elapsed) => Ran::Lost(format!(
                "the code ran longer than {} ms, did not end when it was interrupted, and was killed",
                limit.as_millis()
            )),
        }
    }

    /// Why there is no answer, in words.
    fn words(&self, broken: &Broken) -> String {
        let language = self.language.unwrap_or(Language::Python);
        let (name, program) = (language.name(), language.program().0);
        match broken {
            Broken::Ended(Some(status)) if status.code() == Some(NOT_FOUND) => {
                format!("`{program}` is not installed here: run the code with something else")
            }
            Broken::Ended(Some(status)) => format!("{name} has ended {}", told(*status)),
            Broken::Ended(None) => format!("{name} does not answer any more"),
            Broken::Garbled => format!("{name} answers in a way that cannot be read, and was killed"),
        }
    }
}

/// Code, as it is to be started: whatever it does, it does not leave the sandbox.
fn wanted(effects: &Effects) -> Wanted<'_> {
    Wanted { command: "", effects, leaves: false }
}

/// What a sandbox has to say of code that has answered.
async fn told_of_sandbox(
    cx: &Cx<'_, Repl>,
    mut interpreter: Box<Interpreter>,
    answer: &Answer,
    written: &str,
) -> Result<(Box<Interpreter>, Vec<String>), ToolError> {
    if !interpreter.is_confined() {
        return Ok((interpreter, Vec::new()));
    }
    let said = format!("{written}\n{}", answer.error.as_deref().unwrap_or_default());
    let (failed, cwd) = (answer.error.is_some(), cx.cwd().to_owned());
    let told = cx.env().blocking(move || {
        let told = interpreter.notices(&said, failed, &cwd);
        (interpreter, told)
    });
    Ok(told.await?)
}

fn told(status: ExitStatus) -> String {
    format!("with exit code {}", code(status))
}

fn finished(
    answer: Answer,
    output: String,
    notice: Option<String>,
    sandbox: Vec<String>,
) -> Result<ReplOutput, ToolError> {
    if let Some(error) = answer.error {
        let error = shortened(&error, VALUE_CHARS_MAX);
        let parts = [notice.as_deref().unwrap_or_default(), &output, &error];
        return Err(failure(&[&parts[..], &sandbox.iter().map(String::as_str).collect::<Vec<_>>()].concat()));
    }
    let value = answer.value.map(|value| shortened(&value, VALUE_CHARS_MAX));
    Ok(ReplOutput { output, value, notice, sandbox })
}

fn text(output: &Output) -> String {
    output.shortened(OUTPUT_CHARS_MAX)
}

fn failure(parts: &[&str]) -> ToolError {
    let parts: Vec<&str> = parts.iter().copied().filter(|part| !part.is_empty()).collect();
    ToolError::new(parts.join("\n"))
}
