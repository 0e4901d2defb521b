//! A person is asked on the terminal before a tool runs whose effects are not known.
//!
//! `cargo run -p toolwright --example question`

use std::io::{BufRead, Write};

use toolwright::async_trait;
use toolwright::permission::{Answer, Prompter, Question};
use toolwright::prelude::*;

/// Tells the neighbours something.
#[tool]
struct Announce {
    /// What to tell them.
    text: String,
}

impl Tool for Announce {
    type Output = String;

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok(format!("told: {}", self.text))
    }
}

/// Asks on the terminal. An end of the input, as when nobody is there, is no answer, and no answer is a no.
struct Terminal(Env);

#[async_trait]
impl Prompter for Terminal {
    async fn ask(&self, question: &Question) -> Option<Answer> {
        print!("{} {} — {}. Run it? [y/N] ", question.tool, question.input.as_str(), question.reason);
        std::io::stdout().flush().ok()?;
        let line = self.0.blocking(|| std::io::stdin().lock().lines().next()).await.ok()??.ok()?;
        Some(match line.trim() {
            "y" | "yes" => Answer::Allow { input: None },
            "" | "n" | "no" => Answer::Deny { message: None },
            other => Answer::Deny { message: Some(format!("no; do this instead: {other}")) },
        })
    }
}

/// Asks once, and shows what the model would read.
#[tokio::main]
pub(crate) async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut tools = Catalogue::new();
    tools.add::<Announce>();
    let context = Context::new(std::env::current_dir()?);
    let env = Env::tokio()?;
    let session = Session::builder(env.clone(), tools).context(context).prompter(Terminal(env)).build();
    let turn = Turn::new(vec![ToolUse::new("a", "Announce", r#"{"text":"the party is at eight"}"#)]);
    println!("\n{}", session.run_turn(turn).await.results[0].content.to_text());
    Ok(())
}
