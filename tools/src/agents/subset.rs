//! Which of its parent's tools an agent has.

use toolwright::permission::Mode;

use super::AgentDefinition;
use crate::front_matter::names::tool_of;

/// Tools that no agent has: they belong to the conversation with the person.
const NEVER: &[&str] = &[
    "AskUserQuestion",
    "EndConversation",
    "EnterPlanMode",
    "ScheduleWakeup",
    "TaskOutput",
    "WaitForMcpServers",
    "Workflow",
];
/// What an agent in the background keeps, besides the tools of servers.
const IN_BACKGROUND: &[&str] = &[
    "Artifact",
    "Bash",
    "Edit",
    "EnterWorktree",
    "ExitWorktree",
    "Glob",
    "Grep",
    "Monitor",
    "NotebookEdit",
    "PowerShell",
    "Read",
    "SendMessage",
    "Skill",
    "TaskStop",
    "TodoWrite",
    "ToolSearch",
    "WebFetch",
    "WebSearch",
    "Write",
];

/// Where an agent is to run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    /// Whether nobody waits for it.
    pub(crate) in_background: bool,
    /// Whether it may start no agents itself.
    pub(crate) is_deepest: bool,
    /// The mode it works in.
    pub(crate) mode: Mode,
}

/// Whether an agent has a tool that its parent has: not if it is never there, not if the agent may not have it, and
/// then only if it is among those it may have.
pub(crate) fn has(agent: &AgentDefinition, setting: Setting, tool: &str) -> bool {
    let is_remote = tool.starts_with("mcp__");
    let is_removed = NEVER.contains(&tool)
        || (tool == "Agent" && setting.is_deepest)
        || (tool == "ExitPlanMode" && setting.mode != Mode::Plan)
        || (setting.in_background && !is_remote && !IN_BACKGROUND.contains(&tool));
    let is_among = |entries: &[String]| entries.iter().any(|entry| means(entry, tool));
    !is_removed
        && !agent.disallowed_tools.iter().any(|entry| closes(entry, tool))
        && agent.tools.as_deref().is_none_or(is_among)
}

/// Whether an entry that opens is about a tool. Content in brackets opens the tool; rules say what it may be used for.
fn means(entry: &str, tool: &str) -> bool {
    let name = tool_of(entry);
    name == tool || of_server(name, tool)
}

/// Whether an entry that closes is about a tool. One with content closes the whole tool: closing less than its author
/// wants would be worse.
pub(super) fn closes(entry: &str, tool: &str) -> bool {
    let name = tool_of(entry);
    means(entry, tool) || name == "*" || (name == "mcp__*" && tool.starts_with("mcp__"))
}

/// `mcp__server` and `mcp__server__*` are about every tool of the server.
fn of_server(name: &str, tool: &str) -> bool {
    let Some(server) = name.strip_prefix("mcp__") else { return false };
    let server = server.strip_suffix("__*").unwrap_or(server);
    !server.is_empty()
        && !server.contains('*')
        && tool
            .strip_prefix("mcp__")
            .and_then(|rest| rest.strip_prefix(server))
            .is_some_and(|rest| rest.starts_with("__"))
}
