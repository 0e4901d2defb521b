//! A session for one test: a folder of its own, and calls of the tools as the pipeline would make them.

use std::path::{Path, PathBuf};

use serde_json::Value;
use toolwright::contract::{CallContext, Cx, IntoReply, InvalidInput, Reply, Tool, ToolError};
use toolwright::env::Env;
use toolwright::message::Content;
use toolwright::testing::parse_input;

/// A session with a folder that is removed at its end.
pub(crate) struct Session {
    folder: tempfile::TempDir,
    cx: CallContext,
}

/// The data that a tool gives back.
pub(crate) type Data<T> = <<T as Tool>::Output as IntoReply>::Data;

impl Session {
    pub(crate) fn new() -> Session {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let root = folder.path().canonicalize().expect("the folder exists");
        let env = Env::tokio().expect("tests run on tokio");
        Session { folder, cx: CallContext::for_test(env, root) }
    }

    /// The absolute path of something in the session's folder, links in front of it resolved.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().expect("the folder exists").join(name)
    }

    /// Puts a file into the folder, and folders above it.
    pub(crate) fn put(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("it is in a folder")).expect("folders can be made");
        std::fs::write(&path, content).expect("files can be written");
        path
    }

    /// The bytes of a file in the folder.
    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Validates an input and runs it, as the pipeline does.
    pub(crate) async fn reply<T: Tool<State: Default>>(
        &self,
        input: Value,
    ) -> Result<Reply<Data<T>>, String> {
        let call = parse::<T>(input);
        let state = T::State::default();
        let cx = Cx::for_test(&self.cx, &state);
        call.validate_input(&cx).await.map_err(|invalid| invalid.message)?;
        call.call(&cx).await.map(IntoReply::into_reply).map_err(|error| error.to_string())
    }

    /// What the model reads of a call's result.
    pub(crate) async fn text<T: Tool<State: Default>>(&self, input: Value) -> Result<String, String> {
        self.reply::<T>(input).await.map(|reply| content::<T>(&reply.data))
    }

    /// What validation alone says.
    pub(crate) async fn validate<T: Tool<State: Default>>(&self, input: Value) -> Result<(), InvalidInput> {
        parse::<T>(input).validate_input(&Cx::for_test(&self.cx, &T::State::default())).await
    }

    /// Runs an input without validating it first.
    pub(crate) async fn call_only<T: Tool<State: Default>>(
        &self,
        input: Value,
    ) -> Result<T::Output, ToolError> {
        parse::<T>(input).call(&Cx::for_test(&self.cx, &T::State::default())).await
    }

    /// The session's context.
    pub(crate) fn cx(&self) -> &CallContext {
        &self.cx
    }
}

/// The typed input of a tool.
pub(crate) fn parse<T: Tool<State: Default>>(input: Value) -> T {
    parse_input(&input.to_string(), &T::State::default()).expect("the input fits the schema")
}

/// What the model reads of some data.
pub(crate) fn content<T: Tool>(data: &Data<T>) -> String {
    match T::result_content(data) {
        Content::Text(text) => text,
        Content::Blocks(blocks) => panic!("not text: {blocks:?}"),
    }
}

/// Makes a named pipe that nobody writes to.
pub(crate) fn make_pipe(path: &Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status().expect("mkfifo runs");
    assert!(made.success());
}

/// Whether these tests run as one whom no mode stops.
pub(crate) fn is_root() -> bool {
    let id = std::process::Command::new("id").arg("-u").output().expect("id runs");
    id.stdout.trim_ascii() == b"0"
}

impl Session {
    /// A file as the agent last saw it.
    pub(crate) fn cx_files(&self, path: &Path) -> Option<toolwright::contract::FileSeen> {
        Cx::<toolwright_tools::files::read::Read>::for_test(&self.cx, &()).files().get(path)
    }
}
