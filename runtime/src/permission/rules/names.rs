//! Rules by the tools they name: a plain name is looked up, and only patterns over names are searched for.

use std::collections::BTreeMap;

use super::literal::{LiteralIndex, LiteralIndexBuilder};
use super::tool::ToolPattern;

/// Rules by the names of tools.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    plain: BTreeMap<String, Vec<u32>>,
    patterns: LiteralIndex,
}

/// Collects rules for an index by name.
#[derive(Default)]
pub(super) struct NamesBuilder {
    plain: BTreeMap<String, Vec<u32>>,
    patterns: LiteralIndexBuilder,
}

impl NamesBuilder {
    pub(super) fn add(&mut self, rule: u32, tool: &ToolPattern) {
        match tool {
            // The name of a remote tool may mean a whole server.
            ToolPattern::Name(name) if !name.starts_with("mcp__") => {
                self.plain.entry(name.clone()).or_default().push(rule);
            }
            ToolPattern::Name(_) | ToolPattern::Server(_) | ToolPattern::Glob(_) => {
                self.patterns.add(rule, tool.literals());
            }
        }
    }

    pub(super) fn build(self) -> Names {
        Names { plain: self.plain, patterns: self.patterns.build(false) }
    }
}

impl Names {
    /// Tells every rule that might mean a tool of this name; some more than once.
    pub(super) fn each(&self, name: &str, mut tell: impl FnMut(u32)) {
        self.plain.get(name).into_iter().flatten().for_each(|rule| tell(*rule));
        self.patterns.each(name.as_bytes(), tell);
    }

    /// Tells every rule that might mean all tools that a pattern over names means: a plain name does not.
    pub(super) fn each_over(&self, pattern: &str, tell: impl FnMut(u32)) {
        self.patterns.each(pattern.as_bytes(), tell);
    }
}
