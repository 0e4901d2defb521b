//! A hook in this process: it looks at each call before permission, and refuses, rewrites or says nothing.
//!
//! `cargo run -p toolwright --example hook`

use toolwright::async_trait;
use toolwright::hooks::{Hook, HookCall, HookError, HookStage, PreDecision, PreToolUse};
use toolwright::message::RawInput;
use toolwright::prelude::*;

/// Sends a letter.
#[tool]
struct SendLetter {
    /// Who gets it.
    to: String,
}

impl Tool for SendLetter {
    type Output = String;

    fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
        Effects::none()
    }

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok(format!("sent to {}", self.to))
    }
}

/// Letters to the king go to his office, and none goes abroad.
struct PostOffice;

#[async_trait]
impl Hook for PostOffice {
    fn name(&self) -> &str {
        "post office"
    }

    fn stages(&self) -> &[HookStage] {
        &[HookStage::PreToolUse]
    }

    async fn pre_tool_use(&self, call: &HookCall) -> Result<PreToolUse, HookError> {
        let input = call.input.as_str();
        Ok(if input.contains("abroad") {
            let decision = PreDecision::Deny("nothing goes abroad: send it within the country".to_owned());
            PreToolUse { decision: Some(decision), ..PreToolUse::default() }
        } else if input.contains("king") {
            let input = RawInput::new(r#"{"to":"the king's office"}"#);
            PreToolUse { input: Some(input), ..PreToolUse::default() }
        } else {
            PreToolUse::default()
        })
    }
}

/// Three letters, one of them refused and one redirected.
#[tokio::main]
pub(crate) async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut tools = Catalogue::new();
    tools.add::<SendLetter>();
    let context = Context::new(std::env::current_dir()?);
    let session = Session::builder(Env::tokio()?, tools)
        .rule(Behavior::Allow, Source::Session, "SendLetter")
        .context(context)
        .hook(PostOffice)
        .build();
    let letter = |id: &str, to: &str| ToolUse::new(id, "SendLetter", format!(r#"{{"to":"{to}"}}"#));
    let turn =
        Turn::new(vec![letter("a", "my aunt"), letter("b", "the king"), letter("c", "a friend abroad")]);
    let results = session.run_turn(turn).await.results;
    for result in &results {
        println!("{}", result.content.to_text());
    }
    assert_eq!(results[1].content.to_text(), "sent to the king's office");
    assert!(results[2].is_error);
    Ok(())
}
