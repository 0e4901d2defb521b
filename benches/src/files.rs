//! Files to bench tools on, in a folder of their own.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tokio::runtime::Runtime;
use toolwright::contract::{CallContext, Cx, IntoReply, Tool};
use toolwright::env::Env;
use toolwright::testing::parse_input;

/// A folder that goes with this, and an executor to call tools on.
pub struct Files {
    folder: PathBuf,
    runtime: Runtime,
    context: CallContext,
}

/// What a tool gives.
type Data<T> = <<T as Tool>::Output as IntoReply>::Data;

impl Files {
    /// An empty folder of this name.
    ///
    /// # Panics
    /// When it cannot be made.
    #[must_use]
    pub fn new(name: &str) -> Files {
        let folder = std::env::temp_dir().join(format!("toolwright-bench-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("folders can be made");
        let folder = folder.canonicalize().expect("it exists");
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("an executor can be made");
        let context = runtime.block_on(async {
            let env = Env::tokio().expect("there is an executor");
            CallContext::for_test(env, &folder)
        });
        Files { folder, runtime, context }
    }

    /// Puts a file into the folder.
    ///
    /// # Panics
    /// When it cannot be written.
    pub fn put(&self, name: &str, content: &str) -> PathBuf {
        let path = self.folder.join(name);
        std::fs::write(&path, content).expect("files can be written");
        path
    }

    /// Validates a call and runs its body, as a session does.
    ///
    /// # Panics
    /// When the input does not fit, or the call fails.
    pub fn call<T: Tool<State = ()>>(&self, input: &Value) -> Data<T> {
        let call: T = parse_input(&input.to_string(), &()).expect("the input fits the schema");
        let cx = Cx::for_test(&self.context, &());
        self.runtime.block_on(async {
            call.validate_input(&cx).await.unwrap_or_else(|invalid| panic!("{}", invalid.message));
            let ended = call.call(&cx).await;
            ended.unwrap_or_else(|error| panic!("{error}")).into_reply().data
        })
    }

    /// Forgets that a tool read a file.
    pub fn forget<T: Tool<State = ()>>(&self, path: &Path) {
        Cx::<T>::for_test(&self.context, &()).files().forget(path);
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        // It is in the folder of what may go at any time.
        let _removed = std::fs::remove_dir_all(&self.folder);
    }
}
