//! `REPL`: runs code in an interpreter that stays.

use std::process::ExitStatus;
use std::time::Duration;

use serde::Serialize;
use toolwright::env::Elapsed;
use toolwright::prelude::*;

use super::Repls;
use super::interpreter::{Answer, Broken, Interpreter};
use super::kept::Before;
use super::literals::literals;
use crate::one_line::one_line;
use crate::shell::{Output, code, shortened};

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
    pub notice: Option<&'static str>,
}

/// What is told where a call before has lost what was kept.
const LOST: &str =
    "(a call before was stopped, and the interpreter with it: what it kept is lost, and this one is new)";

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

    async fn call(&self, cx: &Cx<'_, Self>) -> Result<ReplOutput, ToolError> {
        let language = self.language.unwrap_or(Language::Python);
        let (taken, before) = cx.state().take(cx.ties(), language).map_err(ToolError::new)?;
        let notice = matches!(before, Before::Lost).then_some(LOST);
        let started = match before {
            Before::Kept(interpreter) => Ok(interpreter),
            Before::Nothing | Before::Lost => self.start(cx, language).await,
        };
        let mut interpreter = match started {
            Ok(interpreter) => interpreter,
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
                taken.keep(interpreter);
                finished(answer, written, notice)
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
        let parts = [data.notice, Some(data.output.trim_end()), data.value.as_deref()];
        let parts: Vec<&str> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
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
    /// A new interpreter that takes code.
    async fn start(&self, cx: &Cx<'_, Self>, language: Language) -> Result<Box<Interpreter>, String> {
        let started = Interpreter::start(language, cx.cwd(), &cx.context().env);
        let mut interpreter = Box::new(started.map_err(|error| {
            format!("{} cannot be started in `{}`: {error}", language.name(), cx.cwd().display())
        })?);
        let why = match cx.timeout(START_MAX, interpreter.ready(cx.env())).await {
            Ok(Ok(())) => return Ok(interpreter),
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

fn told(status: ExitStatus) -> String {
    format!("with exit code {}", code(status))
}

fn finished(answer: Answer, output: String, notice: Option<&'static str>) -> Result<ReplOutput, ToolError> {
    if let Some(error) = answer.error {
        return Err(failure(&[notice.unwrap_or_default(), &output, &shortened(&error, VALUE_CHARS_MAX)]));
    }
    let value = answer.value.map(|value| shortened(&value, VALUE_CHARS_MAX));
    Ok(ReplOutput { output, value, notice })
}

fn text(output: &Output) -> String {
    shortened(output.text().trim_end(), OUTPUT_CHARS_MAX)
}

fn failure(parts: &[&str]) -> ToolError {
    let parts: Vec<&str> = parts.iter().copied().filter(|part| !part.is_empty()).collect();
    ToolError::new(parts.join("\n"))
}
