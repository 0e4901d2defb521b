//! Files, folders and names as they should not be: each file tool gives one clear result, loses nothing and hangs on
//! nothing.

mod long;
mod machine;
pub(crate) mod pdf;
mod pdf_files;
mod racing;
mod reading;
mod searching;
mod writing;

use std::time::Duration;

use serde_json::Value;
use toolwright_tools::files::edit::Edit;
use toolwright_tools::files::glob::Glob;
use toolwright_tools::files::grep::Grep;
use toolwright_tools::files::notebook::NotebookEdit;
use toolwright_tools::files::read::Read;
use toolwright_tools::files::write::Write;

use crate::session::Session;

/// How long any call may take, on a machine that does much else.
const ONE_CALL: Duration = Duration::from_secs(90);

/// A call of a tool by its name. What it says, or why it was refused.
async fn call(session: &Session, tool: &str, input: Value) -> Result<String, String> {
    let called = async {
        match tool {
            "Read" => session.text::<Read>(input.clone()).await,
            "Write" => session.text::<Write>(input.clone()).await,
            "Edit" => session.text::<Edit>(input.clone()).await,
            "NotebookEdit" => session.text::<NotebookEdit>(input.clone()).await,
            "Glob" => session.text::<Glob>(input.clone()).await,
            "Grep" => session.text::<Grep>(input.clone()).await,
            _other => panic!("there is no file tool `{tool}`"),
        }
    };
    let ended = tokio::time::timeout(ONE_CALL, called).await;
    ended.unwrap_or_else(|_elapsed| panic!("{tool} {input} hangs"))
}

/// A case: which tool, its input, and what its answer contains.
type Case<'a> = (&'a str, Value, Says<'a>);

/// What an answer contains.
#[derive(Clone, Copy, Debug)]
enum Says<'a> {
    /// It is an answer, with this in it.
    Shown(&'a str),
    /// It is a refusal, with this in it.
    Refused(&'a str),
}

/// Makes every call of a table, each within its time.
async fn check(session: &Session, cases: &[Case<'_>]) {
    for (tool, input, says) in cases {
        let answer = call(session, tool, input.clone()).await;
        let is_met = match (&answer, says) {
            (Ok(text), Says::Shown(part)) => text.contains(part),
            (Err(error), Says::Refused(part)) => error.contains(part),
            _other => false,
        };
        assert!(is_met, "{tool} {input}: expected {says:?}, got {answer:?}");
    }
}
