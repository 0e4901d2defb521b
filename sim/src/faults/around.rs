//! Hooks, a classifier and a store through which faults strike.

use std::io;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;
use toolwright::env::Env;
use toolwright::hooks::{Hook, HookCall, HookError, HookStage, PostToolUse, PreToolUse};
use toolwright::message::CallId;
use toolwright::permission::classifier::{Assessment, Classified, Classifier, ClassifierError};
use toolwright::permission::{Answer, Question};
use toolwright::pipeline::ResultStore;

use super::kind::Fault;
use super::strike::{Faulty, panics};

/// A hook that has nothing to say, if nothing goes wrong with it.
pub(crate) struct FaultyHook(pub(crate) Arc<Faulty>);

impl FaultyHook {
    /// The faults for which it must be there.
    pub(crate) const FAULTS: [Fault; 5] =
        [Fault::HookFails, Fault::HookPanics, Fault::HookHangs, Fault::HookSlow, Fault::DiskFull];

    async fn befalls(&self) -> Result<(), HookError> {
        if self.0.strikes(Fault::HookSlow) {
            self.0.drag().await;
        }
        if self.0.strikes(Fault::HookPanics) {
            panics("a hook panicked as it was told");
        }
        if self.0.strikes(Fault::HookHangs) {
            std::future::pending::<()>().await;
        }
        if self.0.strikes(Fault::HookFails) {
            return Err(HookError("it failed as it was told".to_owned()));
        }
        Ok(())
    }
}

/// More than the conversation takes of a hook, so that it must be stored.
const MUCH_CHARS: usize = 12_000;

#[async_trait]
impl Hook for FaultyHook {
    fn name(&self) -> &str {
        "faulty"
    }

    fn stages(&self) -> &[HookStage] {
        &[
            HookStage::PreToolUse,
            HookStage::PermissionRequest,
            HookStage::PostToolUse,
            HookStage::PostToolUseFailure,
        ]
    }

    /// It says much where the disk may be full: only what is too long for the conversation is stored.
    async fn pre_tool_use(&self, _call: &HookCall) -> Result<PreToolUse, HookError> {
        self.befalls().await?;
        let context = self.0.has(Fault::DiskFull).then(|| "word ".repeat(MUCH_CHARS / 5));
        Ok(PreToolUse { context, ..PreToolUse::default() })
    }

    async fn permission_request(&self, _question: &Question) -> Result<Option<Answer>, HookError> {
        self.befalls().await?;
        Ok(None)
    }

    async fn post_tool_use(&self, _call: &HookCall, _output: &Value) -> Result<PostToolUse, HookError> {
        self.befalls().await?;
        Ok(PostToolUse::default())
    }

    async fn post_tool_use_failure(&self, _call: &HookCall, _error: &str) -> Result<PostToolUse, HookError> {
        self.befalls().await?;
        Ok(PostToolUse::default())
    }
}

/// A classifier that allows everything, if nothing goes wrong with it.
pub(crate) struct FaultyClassifier(pub(crate) Arc<Faulty>);

#[async_trait]
impl Classifier for FaultyClassifier {
    async fn classify(&self, _call: &Classified) -> Result<Assessment, ClassifierError> {
        if self.0.strikes(Fault::ClassifierFails) {
            return Err(ClassifierError("it failed as it was told".to_owned()));
        }
        Ok(Assessment::Allow)
    }
}

/// A store that keeps nothing and says that it does, if nothing goes wrong with it.
pub(crate) struct FaultyStore(pub(crate) Arc<Faulty>);

#[async_trait]
impl ResultStore for FaultyStore {
    async fn keep(&self, _env: &Env, call: &CallId, _text: String) -> io::Result<String> {
        if self.0.strikes(Fault::DiskFull) {
            return Err(io::Error::new(io::ErrorKind::StorageFull, "no space left on the device"));
        }
        Ok(format!("the simulated store, under {call}"))
    }
}
