//! A person at the terminal, who is asked whether a call may run.

use std::io::{self, BufRead, Write};

use async_trait::async_trait;
use toolwright::permission::{Answer, Prompter, Question};
use toolwright::visible::visible;

/// Asks on the terminal.
pub(super) struct Terminal;

#[async_trait]
impl Prompter for Terminal {
    async fn ask(&self, question: &Question) -> Option<Answer> {
        // All of it: nobody can judge what is not shown.
        let text = format!(
            "{} wants to run with the input\n  {}\n({})\nallow? [y/N] ",
            visible(&question.tool),
            visible(question.input.as_str()),
            visible(&question.reason)
        );
        let line = tokio::task::spawn_blocking(move || {
            let mut err = io::stderr().lock();
            err.write_all(text.as_bytes()).and_then(|()| err.flush()).ok()?;
            let mut line = String::new();
            // The end of the input is no answer: whoever was asked has gone.
            io::stdin().lock().read_line(&mut line).ok().filter(|bytes| *bytes > 0).map(|_bytes| line)
        });
        let line = line.await.ok()??;
        match line.trim() {
            "y" | "Y" | "yes" => Some(Answer::Allow { input: None }),
            _other => Some(Answer::Deny { message: None }),
        }
    }
}
