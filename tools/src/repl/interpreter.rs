//! One interpreter as a process of its own: requests go in on one pipe, answers come on another, and what the code writes
//! on a third, so that neither can be taken for the other. An answer counts only with the number of its request.

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use rustix::process::Signal;
use serde::Deserialize;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::unix::pipe;
use tokio::process::Child;
use toolwright::contract::{Context, Effects, SandboxPolicy};
use toolwright::env::{Either, Env};

use super::Language;
use crate::process_group::begin_session;
use crate::process_tree::{Mark, Tree};
use crate::shell::{Confinement, Output, Ready, command, spawn};

/// How much is taken at once.
const CHUNK_BYTES: usize = 64 * 1024;
/// How often output is taken before other tasks have a go.
const CHUNKS_IN_A_ROW: usize = 8;
/// How much output that is there already is taken behind an answer: what never stops must not keep it.
const DRAINED_BYTES_MAX: usize = 16 * 1024 * 1024;
/// How long an answer may be: the interpreter's side cuts what is longer.
const ANSWER_BYTES_MAX: usize = 4 * 1024 * 1024;
/// How long the end of a process whose pipes are closed is waited for.
const END_GRACE: Duration = Duration::from_secs(1);

/// What stands in the first answer, which is to no request.
const READY: &str = "ready";

/// Gives a program its requests on descriptor 3 and its answers on 4; nothing is to be read on 0, and 1 is where 2 is.
const WIRING: &str = r#"exec 3<&0 4>&1 0</dev/null 1>&2 && exec "$0" "$@""#;

/// Where an interpreter runs, as the session said when it was started: in the sandbox that settings want, among folders.
/// Nothing where there is to be none.
pub(super) type Bounds = Option<(Arc<SandboxPolicy>, Vec<PathBuf>)>;

/// What a session says now of where interpreters run.
pub(super) fn bounds(context: &Context) -> Bounds {
    let folders = || context.directories().map(Path::to_owned).collect();
    context.sandbox.as_ref().map(|policy| (Arc::clone(policy), folders()))
}

/// An interpreter that runs. Dropping it kills it and all it started.
#[derive(Debug)]
pub(super) struct Interpreter {
    /// Dropped first, so that the group is killed while its leader still holds its number.
    tree: Tree,
    child: Child,
    requests: pipe::Sender,
    answers: pipe::Receiver,
    /// What came of an answer that is not complete yet.
    partial: Vec<u8>,
    written: pipe::Receiver,
    /// Whether nothing can be written any more.
    is_silent: bool,
    /// What the code has written since its last answer.
    output: Output,
    confinement: Option<Confinement>,
    bounds: Bounds,
}

/// What an interpreter answers.
#[derive(Debug, Deserialize)]
pub(super) struct Answer {
    nonce: String,
    /// The value of the last expression, as the language shows it.
    pub(super) value: Option<String>,
    /// The exception that ended the code, as the language shows it.
    pub(super) error: Option<String>,
}

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum Broken {
    /// The process has ended; nothing where its end could not be told.
    Ended(Option<ExitStatus>),
    /// It answers in a way that cannot be read.
    Garbled,
}

impl Interpreter {
    /// Starts one in a folder, in a room that is ready for it.
    pub(super) fn start(
        language: Language,
        cwd: &Path,
        ready: Ready,
        bounds: Bounds,
    ) -> io::Result<Interpreter> {
        let (requests_in, requests) = io::pipe()?;
        let (answers, answers_out) = io::pipe()?;
        let (written, written_out) = io::pipe()?;
        let (mark, confinement) = (Mark::new(), ready.confinement);
        let (program, arguments) = language.program();
        let mut command = command("/bin/sh", cwd, confinement.as_ref());
        command.arg("-c").arg(mark.script() + WIRING).arg(program).args(arguments);
        command.envs(ready.variables).envs([mark.variable()]).env_remove("ENV");
        command.kill_on_drop(true);
        begin_session(command.as_std_mut());
        command
            .stdin(Stdio::from(requests_in))
            .stdout(Stdio::from(answers_out))
            .stderr(Stdio::from(written_out));
        let child = spawn(command, confinement.as_ref())?;
        Ok(Interpreter {
            tree: Tree::new(child.id(), mark),
            child,
            requests: pipe::Sender::from_owned_fd(OwnedFd::from(requests))?,
            answers: pipe::Receiver::from_owned_fd(OwnedFd::from(answers))?,
            partial: Vec::new(),
            written: pipe::Receiver::from_owned_fd(OwnedFd::from(written))?,
            is_silent: false,
            output: Output::default(),
            confinement,
            bounds,
        })
    }

    /// Whether it runs within these bounds.
    pub(super) fn is_within(&self, bounds: &Bounds) -> bool {
        self.bounds == *bounds
    }

    /// Whether something confines it, so that there may be something to be told of that.
    pub(super) fn is_confined(&self) -> bool {
        self.confinement.is_some()
    }

    /// What code was refused that said this, and what it made that steers other programs. Blocks: it looks at the disk.
    pub(super) fn notices(&mut self, said: &str, failed: bool, cwd: &Path) -> Vec<String> {
        let confined = self.confinement.as_mut();
        // What code set out to do, nobody can tell.
        confined.map(|confined| confined.notices(said, failed, &Effects::none(), cwd)).unwrap_or_default()
    }

    /// Waits until it takes requests.
    pub(super) async fn ready(&mut self, env: &Env) -> Result<(), Broken> {
        self.answer(env, READY).await.map(drop)
    }

    /// Gives it code to run. It is not to be used any more when this is given up in the middle.
    pub(super) async fn send(&mut self, env: &Env, nonce: &str, code: &str) -> Result<(), Broken> {
        let line = format!("{}\n", json!({"nonce": nonce, "code": code}));
        // What the code before left behind may write without end, and would not come to read.
        let sent = {
            let mut sending = pin!(self.requests.write_all(line.as_bytes()));
            let mut reading = pin!(drain(&mut self.written, &mut self.output, &mut self.is_silent, env));
            match env.race("request", &mut sending, &mut reading).await {
                Either::Left(sent) => sent,
                Either::Right(()) => sending.await,
            }
        };
        match sent {
            Ok(()) => Ok(()),
            Err(_closed) => Err(self.ended(env).await),
        }
    }

    /// Waits for the answer to a request, and takes what the code writes meanwhile. Can be dropped and called again.
    pub(super) async fn answer(&mut self, env: &Env, nonce: &str) -> Result<Answer, Broken> {
        loop {
            let line = {
                let mut answering = pin!(next_line(&mut self.answers, &mut self.partial));
                let mut reading = pin!(drain(&mut self.written, &mut self.output, &mut self.is_silent, env));
                match env.race("answer", &mut answering, &mut reading).await {
                    Either::Left(line) => line,
                    Either::Right(()) => answering.await,
                }
            };
            match line {
                Line::Whole(line) => match serde_json::from_slice::<Answer>(&line) {
                    // The answer to a request that nobody waits for any more is passed over.
                    Ok(answer) if answer.nonce == nonce => {
                        self.drain_what_is_there();
                        return Ok(answer);
                    }
                    Ok(_other) => {}
                    Err(_no_answer) => return Err(Broken::Garbled),
                },
                Line::TooLong => return Err(Broken::Garbled),
                Line::Closed => return Err(self.ended(env).await),
            }
        }
    }

    /// Interrupts the code as a person at a terminal would.
    pub(super) fn interrupt(&self) {
        if self.confinement.as_ref().is_some_and(Confinement::is_led) {
            // The leader only waits, and would end.
            self.tree.signal_followers(Signal::INT);
        } else {
            self.tree.signal(Signal::INT);
        }
    }

    /// What the code has written since this was last asked.
    pub(super) fn take_output(&mut self) -> Output {
        std::mem::take(&mut self.output)
    }

    /// What was written before an answer is in the pipe when the answer is there.
    fn drain_what_is_there(&mut self) {
        let mut chunk = vec![0; CHUNK_BYTES];
        let mut taken = 0;
        while taken < DRAINED_BYTES_MAX {
            match self.written.try_read(&mut chunk) {
                Ok(0) | Err(_) => return,
                Ok(length) => {
                    self.output.push(&chunk[..length]);
                    taken += length;
                }
            }
        }
    }

    /// Its pipes are closed: how it ended.
    async fn ended(&mut self, env: &Env) -> Broken {
        let status = env.timeout(END_GRACE, self.child.wait()).await;
        self.drain_what_is_there();
        Broken::Ended(status.ok().and_then(Result::ok))
    }
}

/// A line of the pipe for answers.
enum Line {
    Whole(Vec<u8>),
    TooLong,
    Closed,
}

/// Waits for the next line. What came of it stays in `partial` when this is dropped.
async fn next_line(answers: &mut pipe::Receiver, partial: &mut Vec<u8>) -> Line {
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        if let Some(at) = partial.iter().position(|byte| *byte == b'\n') {
            let rest = partial.split_off(at + 1);
            return Line::Whole(std::mem::replace(partial, rest));
        }
        if partial.len() > ANSWER_BYTES_MAX {
            return Line::TooLong;
        }
        match answers.read(&mut chunk).await {
            Ok(0) | Err(_) => return Line::Closed,
            Ok(length) => partial.extend_from_slice(&chunk[..length]),
        }
    }
}

/// Takes what is written until nothing can be any more.
async fn drain(written: &mut pipe::Receiver, output: &mut Output, is_silent: &mut bool, env: &Env) {
    let mut chunk = vec![0; CHUNK_BYTES];
    while !*is_silent {
        for _ in 0..CHUNKS_IN_A_ROW {
            match written.read(&mut chunk).await {
                Ok(0) | Err(_) => {
                    *is_silent = true;
                    return;
                }
                Ok(length) => output.push(&chunk[..length]),
            }
        }
        env.settle().await;
    }
}
