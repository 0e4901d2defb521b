//! Whoever always says yes at once, in any place where one may be asked.

use async_trait::async_trait;
use toolwright::hooks::{Hook, HookError, HookStage};
use toolwright::permission::{Answer, Prompter, Question};

/// A person, or a hook in a person's place.
#[derive(Clone, Copy)]
pub struct Yes;

#[async_trait]
impl Prompter for Yes {
    async fn ask(&self, _question: &Question) -> Option<Answer> {
        Some(Answer::Allow { input: None })
    }
}

#[async_trait]
impl Hook for Yes {
    fn name(&self) -> &str {
        "yes"
    }

    fn stages(&self) -> &[HookStage] {
        &[HookStage::PermissionRequest]
    }

    async fn permission_request(&self, _question: &Question) -> Result<Option<Answer>, HookError> {
        Ok(Some(Answer::Allow { input: None }))
    }
}
