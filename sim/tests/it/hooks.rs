//! Hooks of one stage, from a function that may take its time.

use async_trait::async_trait;
use toolwright::hooks::{Hook, HookCall, HookError, HookStage, PreToolUse};
use toolwright::message::RawInput;
use toolwright::permission::{Answer, Question};

/// Answers a question in a person's place, or stays silent.
pub(crate) struct Rival<F>(pub(crate) F);

#[async_trait]
impl<F, W> Hook for Rival<F>
where
    F: Fn(&Question) -> W + Send + Sync + 'static,
    W: Future<Output = Option<Answer>> + Send,
{
    fn name(&self) -> &str {
        "rival"
    }

    fn stages(&self) -> &[HookStage] {
        &[HookStage::PermissionRequest]
    }

    async fn permission_request(&self, question: &Question) -> Result<Option<Answer>, HookError> {
        Ok((self.0)(question).await)
    }
}

/// Gives the calls whose identifiers begin with `rewritten` another input.
pub(crate) struct Rewrites<F>(pub(crate) F);

#[async_trait]
impl<F, W> Hook for Rewrites<F>
where
    F: Fn() -> W + Send + Sync + 'static,
    W: Future<Output = String> + Send,
{
    fn name(&self) -> &str {
        "rewrites"
    }

    fn stages(&self) -> &[HookStage] {
        &[HookStage::PreToolUse]
    }

    async fn pre_tool_use(&self, call: &HookCall) -> Result<PreToolUse, HookError> {
        // Asked of every call, so that each takes its time.
        let input = (self.0)().await;
        let is_rewritten = call.call.as_str().starts_with("rewritten");
        Ok(PreToolUse { input: is_rewritten.then(|| RawInput::new(input)), ..PreToolUse::default() })
    }
}
