//! A skill's text made ready: filled in, and with the output of its commands in their place.

use toolwright::contract::{Cx, Tool, ToolError};
use toolwright::env::{Cancellation, Cause};
use toolwright::message::{ToolResult, ToolUse, Turn};

use super::commands::{Piece, pieces};
use super::{Fill, Skill};

/// The tool that runs commands.
const BASH: &str = "Bash";

/// Fills a skill's text in and runs its commands, in order, each as a call of Bash that goes through the whole pipeline.
pub(super) async fn filled<T: Tool>(cx: &Cx<'_, T>, skill: &Skill, fill: &Fill) -> Result<String, ToolError> {
    let pieces = pieces(&skill.text);
    let raw: Vec<&str> = pieces
        .iter()
        .map(|piece| match piece {
            Piece::Text(text) => *text,
            Piece::Command { command, .. } => *command,
        })
        .collect();
    let mut texts = fill.texts(&raw);
    // Where no piece asks for the arguments they come last, and not into a command.
    let is_command = |piece: &Piece<'_>| matches!(piece, Piece::Command { .. });
    let mut end = String::new();
    if pieces.last().is_some_and(is_command) {
        let alone = fill.texts(&raw.iter().copied().chain([""]).collect::<Vec<_>>());
        let last = alone.last().cloned().unwrap_or_default();
        texts = alone.into_iter().take(raw.len()).collect();
        end = last;
    }
    let commands: Vec<String> = pieces
        .iter()
        .zip(&texts)
        .filter(|(piece, _)| is_command(piece))
        .map(|(_, text)| text.clone())
        .collect();
    let mut outputs = outputs(cx, skill, commands).await?.into_iter();
    let parts = pieces.iter().zip(texts).map(|(piece, text)| match piece {
        Piece::Text(_) => text,
        Piece::Command { written, .. } => outputs.next().unwrap_or_else(|| (*written).to_owned()),
    });
    Ok(parts.collect::<String>() + &end)
}

/// What stands in the place of each command.
async fn outputs<T: Tool>(
    cx: &Cx<'_, T>,
    skill: &Skill,
    commands: Vec<String>,
) -> Result<Vec<String>, ToolError> {
    if commands.is_empty() {
        return Ok(Vec::new());
    }
    let not_run = |command: &String, why: &str| format!("(the command `{command}` was not run: {why})");
    let cancellation = Cancellation::new();
    let kind = format!("skill {}", skill.name);
    let child = cx.child(cx.env().new_id("skill"), kind, cancellation.clone());
    let Some(session) = child.map(|child| child.keep(|form| form.name == BASH).build()) else {
        return Ok(commands.iter().map(|command| not_run(command, "this call is in no session")).collect());
    };
    if session.pool().tools().is_empty() {
        let why = "there is no tool for commands in this session";
        return Ok(commands.iter().map(|command| not_run(command, why)).collect());
    }
    // Nobody is asked any more once this is given up.
    let _ends = CancelWhenDropped(cancellation);
    let calls = commands.iter().map(|command| {
        let input = serde_json::json!({ "command": command }).to_string();
        ToolUse::new(cx.env().new_id("call"), BASH, input)
    });
    // One after another: a later one may build on what an earlier one did.
    let mut outputs = Vec::new();
    for (call, command) in calls.zip(&commands) {
        let outcome = session.run_turn(Turn::new(vec![call])).await;
        outputs.push(match outcome.results.into_iter().next() {
            Some(ToolResult { content, is_error: false, .. }) => content.to_text(),
            Some(ToolResult { content, is_error: true, .. }) => {
                format!("(the command `{command}` gave nothing: {})", content.to_text())
            }
            None => not_run(command, "it has no result"),
        });
    }
    Ok(outputs)
}

struct CancelWhenDropped(Cancellation);

impl Drop for CancelWhenDropped {
    fn drop(&mut self) {
        self.0.cancel(Cause::Aborted);
    }
}
