//! `permissions` of one file: rules, directories, and modes.

use super::Layer;
use super::diagnostic::Severity;
use super::document::{Node, NodeValue};
use super::keys::{OF_PERMISSIONS, likely};
use super::read::{Entry, Part, Reader, RuleEntry};
use crate::permission::{Behavior, Mode};

impl Reader<'_> {
    pub(super) fn permissions(&mut self, part: &Part<'_>) {
        let node = &part.member.node;
        let NodeValue::Object(members) = &node.value else {
            let message = format!("it must be an object, and is {}", node.kind());
            self.lost(node.range.clone(), &part.path, &message);
            return;
        };
        for member in members {
            let path = format!("{}.{}", part.path, member.name);
            let part = Part { member, path, is_last: part.is_last && !member.is_repeated };
            match member.name.as_str() {
                "deny" => self.rules(&part, Behavior::Deny),
                "ask" => self.rules(&part, Behavior::Ask),
                "allow" if part.is_last => self.rules(&part, Behavior::Allow),
                "disableBypassPermissionsMode" => {
                    let is_disabled = self.is_disabled(&part);
                    self.out.is_bypass_disabled |= is_disabled;
                }
                "disableAutoMode" => {
                    let is_disabled = self.is_disabled(&part);
                    self.out.is_auto_disabled |= is_disabled;
                }
                "additionalDirectories" if part.is_last => self.directories(&part),
                "defaultMode" if part.is_last => self.default_mode(&part),
                name if OF_PERMISSIONS.contains(&name) => {}
                name => self.unknown(&part, likely(name, OF_PERMISSIONS.iter().copied())),
            }
        }
    }

    /// Rules that cannot be read as rules are the rule set's to judge: their text goes on.
    fn rules(&mut self, part: &Part<'_>, behavior: Behavior) {
        let node = &part.member.node;
        let NodeValue::List(items) = &node.value else {
            self.bad_rule(node, &part.path, behavior, "an array of rules");
            return;
        };
        for (index, item) in items.iter().enumerate() {
            let path = format!("{}[{index}]", part.path);
            let NodeValue::Text(text) = &item.value else {
                self.bad_rule(item, &path, behavior, "a rule in a string");
                continue;
            };
            if behavior == Behavior::Allow && !self.opens {
                self.untrusted(item.range.clone(), &path);
                continue;
            }
            let text = Entry { value: text.clone(), range: item.range.clone(), path };
            self.out.rules.push(RuleEntry { behavior, text });
        }
    }

    fn bad_rule(&mut self, node: &Node, path: &str, behavior: Behavior, wanted: &str) {
        let message = format!("it must be {wanted}, and is {}", node.kind());
        match behavior {
            Behavior::Deny | Behavior::Ask => self.lost(node.range.clone(), path, &message),
            Behavior::Allow => self.wrong(node, path, message),
        }
    }

    fn directories(&mut self, part: &Part<'_>) {
        let node = &part.member.node;
        let NodeValue::List(items) = &node.value else {
            self.wrong(node, &part.path, format!("it must be an array of strings, and is {}", node.kind()));
            return;
        };
        for (index, item) in items.iter().enumerate() {
            let path = format!("{}[{index}]", part.path);
            match &item.value {
                NodeValue::Text(_) if !self.opens => self.untrusted(item.range.clone(), &path),
                NodeValue::Text(text) if text.trim().is_empty() || text.contains('\0') => {
                    self.wrong(item, &path, "it names no directory");
                }
                NodeValue::Text(text) => {
                    let range = item.range.clone();
                    self.out.directories.push(Entry { value: text.clone(), range, path });
                }
                NodeValue::Null
                | NodeValue::Bool(_)
                | NodeValue::Number(_)
                | NodeValue::List(_)
                | NodeValue::Object(_) => {
                    self.wrong(item, &path, format!("it must be a string, and is {}", item.kind()));
                }
            }
        }
    }

    fn default_mode(&mut self, part: &Part<'_>) {
        let node = &part.member.node;
        let NodeValue::Text(name) = &node.value else {
            self.wrong(node, &part.path, format!("it must be the name of a mode, and is {}", node.kind()));
            return;
        };
        match name.parse::<Mode>() {
            Err(unknown) => self.wrong(node, &part.path, unknown.to_string()),
            Ok(Mode::Bubble) => {
                self.wrong(node, &part.path, "`bubble` is for sub-agents: settings cannot choose it");
            }
            Ok(Mode::Auto) if matches!(self.layer, Layer::Local | Layer::Project) => {
                let message = "`auto` is ignored here: only the user's and managed settings can choose it";
                self.say(Severity::Warning, node.range.clone(), &part.path, message, None);
            }
            // Choosing any other mode may take the place of a stricter one that the user chose.
            Ok(mode) if !self.opens && !matches!(mode, Mode::Plan | Mode::DontAsk) => {
                self.untrusted(node.range.clone(), &part.path);
            }
            Ok(mode) => self.out.default_mode = Some(mode),
        }
    }

    /// Only the word `disable` means something. A value that seems to mean it is taken for it.
    fn is_disabled(&mut self, part: &Part<'_>) -> bool {
        let node = &part.member.node;
        let means_nothing = match &node.value {
            NodeValue::Text(text) if text == "disable" => return true,
            NodeValue::Null | NodeValue::Bool(false) => true,
            NodeValue::Text(text) => matches!(text.as_str(), "" | "enable" | "false"),
            NodeValue::Bool(true) | NodeValue::Number(_) | NodeValue::List(_) | NodeValue::Object(_) => false,
        };
        if means_nothing {
            let message = "only the value `disable` means something here";
            self.say(Severity::Warning, node.range.clone(), &part.path, message, None);
        } else {
            let message = "only the value `disable` means something here; this is taken for it";
            self.say(Severity::Error, node.range.clone(), &part.path, message, None);
        }
        !means_nothing
    }
}
