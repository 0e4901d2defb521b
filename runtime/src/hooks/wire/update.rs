//! Changes of permission that a hook, or a person's answer, may bring.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::permission::Behavior;
pub use crate::permission::Destination;

/// A change of permission.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum PermissionUpdate {
    /// Adds rules.
    AddRules {
        /// The rules.
        rules: Vec<RuleValue>,
        /// What they say.
        behavior: RuleBehavior,
        /// Where they are kept.
        destination: Destination,
    },
    /// Puts rules in place of those of their kind.
    ReplaceRules {
        /// The rules.
        rules: Vec<RuleValue>,
        /// What they say.
        behavior: RuleBehavior,
        /// Where they are kept.
        destination: Destination,
    },
    /// Removes rules.
    RemoveRules {
        /// The rules.
        rules: Vec<RuleValue>,
        /// What they say.
        behavior: RuleBehavior,
        /// Where they are kept.
        destination: Destination,
    },
    /// Changes the mode.
    SetMode {
        /// The mode.
        mode: String,
        /// Where it is kept.
        destination: Destination,
    },
    /// Adds directories.
    AddDirectories {
        /// The directories.
        directories: Vec<String>,
        /// Where they are kept.
        destination: Destination,
    },
    /// Removes directories.
    RemoveDirectories {
        /// The directories.
        directories: Vec<String>,
        /// Where they are kept.
        destination: Destination,
    },
}

/// A rule in two parts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuleValue {
    /// The tool.
    pub tool_name: String,
    /// The content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule_content: Option<String>,
}

impl RuleValue {
    /// A rule in two parts; nothing where these would not make the same rule again.
    #[must_use]
    pub fn of(rule: &str) -> Option<RuleValue> {
        let value = match rule.split_once('(') {
            None => RuleValue { tool_name: rule.to_owned(), rule_content: None },
            Some((tool, rest)) => {
                let content = rest.strip_suffix(')')?.replace("\\(", "(").replace("\\)", ")");
                RuleValue { tool_name: tool.to_owned(), rule_content: Some(content) }
            }
        };
        (value.text() == rule).then_some(value)
    }

    /// The rule as it is written: parentheses in its content are escaped.
    #[must_use]
    pub fn text(&self) -> String {
        match &self.rule_content {
            None => self.tool_name.clone(),
            Some(content) => {
                let content = content.replace('(', "\\(").replace(')', "\\)");
                format!("{}({content})", self.tool_name)
            }
        }
    }
}

/// What a rule says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RuleBehavior {
    /// Without asking.
    Allow,
    /// Never.
    Deny,
    /// Only when a person says so.
    Ask,
}

impl From<RuleBehavior> for Behavior {
    fn from(behavior: RuleBehavior) -> Behavior {
        match behavior {
            RuleBehavior::Allow => Behavior::Allow,
            RuleBehavior::Deny => Behavior::Deny,
            RuleBehavior::Ask => Behavior::Ask,
        }
    }
}
