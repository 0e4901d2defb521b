//! Where a command runs: in the sandbox that settings want, outside it, or nowhere.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;
use toolwright::contract::{Context, Effects};
use toolwright::env::Env;
use toolwright::prelude::*;

use crate::process_tree::Mark;

use super::process::{Shell, Start};
use super::sandbox::{Backend, Confinement, is_excluded};
use super::state::ShellState;

/// Where a command runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Room {
    /// Outside, with something to be told where a sandbox was wanted and none is there.
    Outside(Option<String>),
    /// In a sandbox.
    Confined(Backend),
    /// Nowhere.
    Nowhere(String),
}

/// A command that is to be started.
#[derive(Clone, Debug)]
pub(crate) struct Wanted<'a> {
    pub(crate) command: &'a str,
    /// What it would do, in the session's context.
    pub(crate) effects: &'a Effects,
    /// Whether it asks to run outside the sandbox.
    pub(crate) leaves: bool,
}

/// A command that runs.
#[derive(Debug)]
pub(crate) struct Running {
    pub(crate) shell: Shell,
    /// What it may do, where it is confined.
    pub(crate) confinement: Option<Confinement>,
    /// What is to be told besides.
    pub(crate) notice: Option<String>,
}

/// A room that something can be started in.
#[derive(Debug)]
pub(crate) struct Ready {
    /// What may be done in it, where it is confined.
    pub(crate) confinement: Option<Confinement>,
    /// Variables on top of those of this process.
    pub(crate) variables: BTreeMap<String, String>,
    /// What is to be told besides.
    pub(crate) notice: Option<String>,
}

impl ShellState {
    /// Where a command would run.
    pub(crate) async fn room(&self, env: &Env, context: &Context, wanted: &Wanted<'_>) -> Room {
        let Some(policy) = &context.sandbox else { return Room::Outside(None) };
        if wanted.leaves {
            return if policy.may_be_left {
                Room::Outside(None)
            } else {
                Room::Nowhere(
                    "settings let no command run outside the sandbox: leave `dangerouslyDisableSandbox` out"
                        .to_owned(),
                )
            };
        }
        if is_excluded(wanted.effects, &policy.excluded) {
            return Room::Outside(None);
        }
        let state = self.clone();
        match env.blocking(move || state.backend()).await {
            Ok(Ok(backend)) => Room::Confined(backend),
            Ok(Err(unavailable)) if policy.is_required => Room::Nowhere(format!(
                "{unavailable}, and settings let no command run without one: install bubblewrap"
            )),
            Ok(Err(unavailable)) => {
                Room::Outside(Some(format!("({unavailable}: commands run without one, as the rules allow)")))
            }
            Err(ended) => Room::Nowhere(ended.to_string()),
        }
    }

    /// What the tool says of a command's permission: that a sandbox answers the question, where settings let it.
    pub(crate) async fn opinion(&self, env: &Env, context: &Context, wanted: &Wanted<'_>) -> Opinion {
        match self.room(env, context, wanted).await {
            Room::Confined(_) if context.sandbox.as_ref().is_some_and(|policy| policy.is_answer) => {
                Opinion::Allow
            }
            Room::Confined(_) | Room::Outside(_) => Opinion::Pass,
            Room::Nowhere(reason) => Opinion::Deny(reason),
        }
    }

    /// Makes a command's room ready, and in its folder for temporary files whatever else is needed.
    ///
    /// # Errors
    /// Why it cannot be had; nothing is to be started elsewhere then.
    pub(crate) async fn ready<T: Send + 'static>(
        &self,
        env: &Env,
        context: &Context,
        wanted: &Wanted<'_>,
        make: impl FnOnce(&Path) -> io::Result<T> + Send + 'static,
    ) -> Result<(Ready, T), ToolError> {
        let (backend, notice) = match self.room(env, context, wanted).await {
            Room::Nowhere(reason) => return Err(ToolError::new(reason)),
            Room::Outside(notice) => (None, notice.filter(|_| self.tells_now())),
            Room::Confined(backend) => (Some(backend), None),
        };
        let (state, cwd) = (self.clone(), context.cwd.clone());
        let confined = backend.zip(context.sandbox.clone());
        let folders: Vec<PathBuf> = context.directories().map(PathBuf::from).collect();
        let mut variables = context.env.clone();
        let prepared = env.blocking(move || {
            if !cwd.is_dir() {
                return Err(ToolError::new(format!("the working directory `{}` is gone", cwd.display())));
            }
            let Some((backend, policy)) = confined else {
                return Ok((Ready { confinement: None, variables, notice }, make(&std::env::temp_dir())?));
            };
            let temporary = state.temporary()?;
            for name in ["TEMP", "TMP", "TMPDIR"] {
                variables.insert(name.to_owned(), temporary.display().to_string());
            }
            let confinement = Some(Confinement::new(backend, &policy, &folders, &temporary));
            Ok((Ready { confinement, variables, notice }, make(&temporary)?))
        });
        prepared.await?
    }

    /// Starts a command where it is to run.
    ///
    /// # Errors
    /// Why it cannot be started there; it is not started elsewhere then.
    pub(crate) async fn start(
        &self,
        env: &Env,
        context: &Context,
        wanted: &Wanted<'_>,
    ) -> Result<Running, ToolError> {
        let (ready, directory) =
            self.ready(env, context, wanted, |folder| NamedTempFile::new_in(folder)).await?;
        let Ready { confinement, variables, notice } = ready;
        let shell = Shell::start_in(Start {
            command: wanted.command,
            cwd: &context.cwd,
            env: &variables,
            directory,
            mark: Mark::new(),
            confinement: confinement.as_ref(),
        })?;
        Ok(Running { shell, confinement, notice })
    }
}
