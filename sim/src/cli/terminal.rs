//! A person at the terminal, who is asked whether a call may run.

use std::io::{self, BufRead, Write};

use async_trait::async_trait;
use toolwright::permission::{Answer, Prompter, Question};
use toolwright::visible::visible;
use toolwright_tools::{Preview, preview};

use super::status::Status;

/// Asks on the terminal, of which this is the line that would be in the way.
#[derive(Default)]
pub(super) struct Terminal(pub(super) Status);

#[async_trait]
impl Prompter for Terminal {
    async fn ask(&self, question: &Question) -> Option<Answer> {
        let hushed = self.0.hush();
        let asked = question.clone();
        let answered = tokio::task::spawn_blocking(move || {
            let preview = preview(&asked.tool, &asked.input, &asked.context);
            let text = text(&asked, preview.as_ref());
            let mut err = io::stderr().lock();
            err.write_all(text.as_bytes()).and_then(|()| err.flush()).ok()?;
            let mut line = String::new();
            // The end of the input is no answer: whoever was asked has gone.
            let line =
                io::stdin().lock().read_line(&mut line).ok().filter(|bytes| *bytes > 0).map(|_bytes| line);
            Some((line?, preview.and_then(|preview| preview.input)))
        });
        let (line, input) = answered.await.ok()??;
        drop(hushed);
        match line.trim() {
            // What was shown is what is allowed.
            "y" | "Y" | "yes" => Some(Answer::Allow { input }),
            _other => Some(Answer::Deny { message: None }),
        }
    }
}

/// The question in full: nobody can judge what is not shown. The difference that it makes to a file stands below.
fn text(question: &Question, preview: Option<&Preview>) -> String {
    let lines = preview.map(|preview| preview.lines.as_slice()).unwrap_or_default();
    let difference: String = lines.iter().map(|line| format!("  {}\n", visible(line))).collect();
    format!(
        "{} wants to run with the input\n  {}\n{difference}({})\nallow? [y/N] ",
        visible(&question.tool),
        visible(question.input.as_str()),
        visible(&question.reason)
    )
}
