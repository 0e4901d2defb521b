//! Patterns over the names of tools.

use super::literal::Literals;
use super::parse::Behavior;
use super::problem::{ProblemKind, Wrong};
use crate::contract::Form;
use crate::permission::raw::pieces_match;

/// Which tools a rule is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ToolPattern {
    /// This one.
    Name(String),
    /// Every tool of a server: `mcp__server__…`.
    Server(String),
    /// Every tool whose name is these pieces with anything between them.
    Glob(Vec<String>),
}

/// The usual name of a tool that has two.
pub(super) fn usual(name: &str) -> &str {
    if name == "Task" { "Agent" } else { name }
}

impl ToolPattern {
    /// Reads the name in a rule.
    ///
    /// # Errors
    /// In words: an allow rule that might open more than its author knows.
    pub(super) fn new(name: &str, behavior: Behavior) -> Result<ToolPattern, Wrong> {
        let glob = || ToolPattern::Glob(name.split('*').map(str::to_owned).collect());
        let inner = name.strip_prefix("mcp__");
        let server = inner.map(|rest| rest.strip_suffix("__*").or(rest.strip_suffix("__")).unwrap_or(rest));
        match server {
            Some(server) if !server.is_empty() && !server.contains("__") && !server.contains('*') => {
                Ok(ToolPattern::Server(format!("mcp__{server}__")))
            }
            _other if !name.contains('*') => Ok(ToolPattern::Name(usual(name).to_owned())),
            Some(rest) if rest.split_once("__").is_some_and(|(server, _)| !server.contains('*')) => {
                Ok(glob())
            }
            _other if behavior == Behavior::Allow => {
                let reason =
                    "an allow rule takes `*` only behind `mcp__<server>__`: name the tools one by one";
                let at = name.find('*').unwrap_or(0);
                Err(Wrong { kind: ProblemKind::TooManyNames, ..Wrong::new(reason).at(at..at + 1) })
            }
            _other => Ok(glob()),
        }
    }

    /// Whether it means a tool. A rule that closes also means it by its other names; one that opens does not, since
    /// those may be the word of whoever offers the tool.
    pub(super) fn matches(&self, form: &Form, behavior: Behavior) -> bool {
        self.matches_name(&form.name, behavior)
            || (behavior != Behavior::Allow
                && form.aliases.iter().any(|alias| self.matches_name(alias, behavior)))
    }

    /// Whether some tool may be meant by both.
    pub(super) fn may_overlap(&self, other: &ToolPattern) -> bool {
        let means = |pattern: &ToolPattern, other: &ToolPattern| match other {
            ToolPattern::Name(name) => pattern.matches_name(name, Behavior::Deny),
            ToolPattern::Server(prefix) => pattern.matches_name(prefix, Behavior::Deny),
            ToolPattern::Glob(_) => matches!(pattern, ToolPattern::Glob(_)),
        };
        means(self, other) || means(other, self)
    }

    /// Texts that each name has that it means.
    pub(super) fn literals(&self) -> Literals {
        match self {
            ToolPattern::Name(name) => vec![name.as_bytes().to_vec()],
            ToolPattern::Server(prefix) => vec![prefix.as_bytes().to_vec()],
            ToolPattern::Glob(pieces) => pieces.iter().map(|piece| piece.as_bytes().to_vec()).collect(),
        }
    }

    fn matches_name(&self, tool: &str, behavior: Behavior) -> bool {
        let tool = usual(tool);
        match self {
            ToolPattern::Name(name) if name == tool => true,
            // The name of a server may look like that of a tool.
            ToolPattern::Name(name) => {
                behavior != Behavior::Allow
                    && name.starts_with("mcp__")
                    && tool.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with("__"))
            }
            ToolPattern::Server(prefix) => tool.starts_with(prefix.as_str()),
            ToolPattern::Glob(pieces) => pieces_match(pieces, tool),
        }
    }
}
