//! How configured hooks reach the world: the runtime says what to run, and whoever stands behind this trait runs it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use async_trait::async_trait;

use super::HookShell;
use crate::env::Env;

/// Runs the commands and sends the requests of configured hooks. A future that is dropped stops what it started, with
/// everything that came of it: that is how time limits and cancellation reach it.
#[async_trait]
pub trait HookTransport: Send + Sync + 'static {
    /// Runs a command to its end.
    ///
    /// # Errors
    /// When it could not be started, or its output was not taken.
    async fn command(&self, env: &Env, hook: &CommandHook) -> Result<CommandEnd, HookFailure>;

    /// Sends a request and takes the answer, whatever its status. Redirections are not followed.
    ///
    /// # Errors
    /// When there was no answer, or it was too large.
    async fn request(&self, env: &Env, hook: &HttpHook) -> Result<HttpReply, HookFailure>;

    /// A variable of the environment, for headers.
    fn variable(&self, name: &str) -> Option<String>;
}

/// A command to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandHook {
    /// The command line, or the program where there are arguments.
    pub command: String,
    /// The arguments; without them a shell reads the command line.
    pub args: Option<Vec<String>>,
    /// The shell.
    pub shell: HookShell,
    /// What it reads on its standard input.
    pub input: String,
    /// Where it runs.
    pub cwd: PathBuf,
    /// What its environment has beside ours.
    pub variables: BTreeMap<String, String>,
}

/// How a command ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandEnd {
    /// The exit code; 128 and the signal's number for one that was killed.
    pub code: i32,
    /// What it wrote.
    pub stdout: String,
    /// What it wrote to its error output.
    pub stderr: String,
}

/// A request to send: always a POST of JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpHook {
    /// Where it goes.
    pub url: String,
    /// Its headers, variables filled in.
    pub headers: Vec<(String, String)>,
    /// Its body.
    pub body: String,
}

/// The answer to a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HttpReply {
    /// Its status.
    pub status: u16,
    /// Its body.
    pub body: String,
}

/// Why a hook has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HookFailure {
    /// It never began.
    #[error("it cannot be started: {0}")]
    NotStarted(String),
    /// It began, and then something went wrong.
    #[error("{0}")]
    Broken(String),
}

/// The command lines' placeholders, which programs that no shell reads could not fill in themselves.
pub(super) fn filled(text: &str, variables: &BTreeMap<String, String>) -> String {
    let fill = |text: String, (name, value): (&String, &String)| text.replace(&format!("${{{name}}}"), value);
    variables.iter().fold(text.to_owned(), fill)
}

/// A header with `$NAME` and `${NAME}` filled in; a variable that it may not name is empty.
pub(super) fn header(text: &str, variable: impl Fn(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let (name, behind) = match after.strip_prefix('{').and_then(|inner| inner.split_once('}')) {
            Some((name, behind)) => (name, behind),
            None => {
                let ends =
                    after.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(after.len());
                after.split_at(ends)
            }
        };
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if is_name {
            out.push_str(&variable(name).unwrap_or_default());
            rest = behind;
        } else {
            out.push('$');
            rest = after;
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_have_their_variables_filled_in_and_no_others() {
        let known = |name: &str| (name == "TOKEN").then(|| "secret".to_owned());
        for (text, wanted) in [
            ("Bearer $TOKEN", "Bearer secret"),
            ("Bearer ${TOKEN}!", "Bearer secret!"),
            ("$OTHER$TOKEN", "secret"),
            ("$TOKENS", ""),
            ("a $ b $1 ${", "a $ b $1 ${"),
            ("$", "$"),
        ] {
            assert_eq!(header(text, known), wanted, "{text}");
        }
    }
}
