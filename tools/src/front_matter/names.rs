//! The names of tools in a definition, and of definitions themselves.

use super::{Unusable, Warning};

/// How many characters the name of a definition may have.
const NAME_CHARS_MAX: usize = 64;

/// Checks the name of an agent or a skill. It goes into rules, dialogs and prompts, so that nothing in it may mean
/// anything there.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn check(name: &str) -> Result<(), Unusable> {
    let shown: String = name.chars().take(NAME_CHARS_MAX).filter(|c| !c.is_control()).collect();
    let bad = |why: &str| Err(Unusable::BadName(format!("`{shown}` is no name for it: {why}")));
    if name.chars().count() > NAME_CHARS_MAX {
        return bad("it is too long");
    }
    let is_legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    match name.chars().next() {
        None => bad("it is empty"),
        Some('-' | '.') => bad("it begins with `-` or `.`"),
        Some(_) if !name.chars().all(is_legal) => bad("use letters, digits, `-`, `_` and `.`"),
        Some(_) if name.contains("..") => bad("it has `..` in it"),
        Some(_) => Ok(()),
    }
}

/// The tool that an entry of a list is about: `Bash` of `Bash(git:*)`.
pub(crate) fn tool_of(entry: &str) -> &str {
    let name = entry.split_once('(').map_or(entry, |(name, _content)| name).trim();
    if name == "Task" { "Agent" } else { name }
}

/// Warnings for the entries whose tool does not exist. The tools of servers are known only once these are there.
pub(crate) fn unknown_tools(entries: &[String], exists: &[String]) -> Vec<Warning> {
    let unknown = entries
        .iter()
        .map(|entry| tool_of(entry))
        .filter(|name| *name != "*" && !name.starts_with("mcp__") && !exists.iter().any(|tool| tool == name));
    let mut warnings: Vec<Warning> = unknown
        .map(|name| Warning::UnknownTool {
            name: name.chars().take(NAME_CHARS_MAX).collect(),
            nearest: toolwright::nearest::nearest(name, exists.iter().map(String::as_str)).map(str::to_owned),
        })
        .collect();
    warnings.sort();
    warnings.dedup();
    warnings
}
