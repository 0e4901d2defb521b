//! One settings file, entry by entry: a broken one is told with its place, and the rest counts.

use std::collections::BTreeMap;
use std::ops::Range;

use serde_json::{Map, Value};

use super::diagnostic::{Diagnostic, Place, Severity};
use super::document::{Member, Node, NodeValue};
use super::keys::{AT_TOP, PLAIN, likely};
use super::mcp::{McpServer, server};
use super::{Layer, plain};
use crate::permission::{Behavior, Mode};

/// How many things are said about one file. What is not said counts all the same.
const DIAGNOSTICS_MAX: usize = 200;

/// What one file says.
#[derive(Clone, Debug, Default)]
pub(super) struct FileSettings {
    pub(super) rules: Vec<RuleEntry>,
    pub(super) directories: Vec<Entry<String>>,
    pub(super) default_mode: Option<Mode>,
    pub(super) is_bypass_disabled: bool,
    pub(super) is_auto_disabled: bool,
    pub(super) only_managed_rules: bool,
    pub(super) env: BTreeMap<String, String>,
    pub(super) mcp_servers: BTreeMap<String, McpServer>,
    /// What is read by its shape alone, as it stands in the file.
    pub(super) plain: Map<String, Value>,
    /// What is not known here.
    pub(super) other: Map<String, Value>,
    /// Whether something may be lost that closes.
    pub(super) is_broken: bool,
}

/// A rule and its place.
#[derive(Clone, Debug)]
pub(super) struct RuleEntry {
    pub(super) behavior: Behavior,
    pub(super) text: Entry<String>,
}

/// A value, its place, and its path.
#[derive(Clone, Debug)]
pub(super) struct Entry<T> {
    pub(super) value: T,
    pub(super) range: Range<usize>,
    pub(super) path: String,
}

/// Reads one file.
pub(super) struct Reader<'a> {
    pub(super) file: &'a str,
    pub(super) text: &'a str,
    pub(super) layer: Layer,
    /// Whether what it opens counts.
    pub(super) opens: bool,
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) out: FileSettings,
}

/// What an array in `permissions` holds, and whether the entry it is in counts for what opens.
pub(super) struct Part<'n> {
    pub(super) member: &'n Member,
    pub(super) path: String,
    pub(super) is_last: bool,
}

impl Reader<'_> {
    pub(super) fn say(
        &mut self,
        severity: Severity,
        range: Range<usize>,
        path: &str,
        message: impl Into<String>,
        help: Option<String>,
    ) {
        if self.diagnostics.len() > DIAGNOSTICS_MAX {
            return;
        }
        let is_full = self.diagnostics.len() == DIAGNOSTICS_MAX;
        let (severity, path, message, help) = if is_full {
            (Severity::Warning, "", "there is more to say about this file than is shown".to_owned(), None)
        } else {
            (severity, path, message.into(), help)
        };
        self.diagnostics.push(Diagnostic {
            file: self.file.to_owned(),
            place: Some(Place::new(self.text, range)),
            path: path.to_owned(),
            severity,
            message,
            help,
        });
    }

    pub(super) fn wrong(&mut self, node: &Node, path: &str, message: impl Into<String>) {
        self.say(Severity::Error, node.range.clone(), path, message, None);
    }

    /// Something that closes may be lost with this.
    pub(super) fn lost(&mut self, range: Range<usize>, path: &str, message: &str) {
        self.out.is_broken = true;
        let message = format!("{message}; what it denies may be lost, so nothing is allowed automatically");
        self.say(Severity::Error, range, path, message, None);
    }

    /// Something would open, and the project is not trusted.
    pub(super) fn untrusted(&mut self, range: Range<usize>, path: &str) {
        let message = "it does not count, since the project is not trusted";
        self.say(Severity::Note, range, path, message, None);
    }

    pub(super) fn root(&mut self, root: &Node) {
        self.repeated(root, "");
        let NodeValue::Object(members) = &root.value else {
            let message = format!("the file must hold an object, and holds {}", root.kind());
            self.lost(root.range.clone(), "", &message);
            return;
        };
        for member in members {
            let path = member.name.clone();
            let part = Part { member, path, is_last: !member.is_repeated };
            self.top(&part);
        }
    }

    fn top(&mut self, part: &Part<'_>) {
        match part.member.name.as_str() {
            "permissions" => self.permissions(part),
            "allowManagedPermissionRulesOnly" => {
                let is_on = self.managed_only(part);
                self.out.only_managed_rules |= is_on;
            }
            "allowManagedHooksOnly" => {
                self.managed_only(part);
            }
            _last_counts if !part.is_last => {}
            "hooks" => self.hooks(part),
            "env" => self.env(part),
            "mcpServers" => self.mcp_servers(part),
            name if PLAIN.iter().any(|key| key.path[0] == name) => self.plain(part),
            name if AT_TOP.contains(&name) => self.other(part),
            name => {
                self.unknown(part, likely(name, AT_TOP.iter().copied()));
                self.other(part);
            }
        }
    }

    /// A key that nobody knows. One that seems to be what closes is taken for lost.
    pub(super) fn unknown(&mut self, part: &Part<'_>, likely: Option<&str>) {
        let Some(likely) = likely else { return };
        let holds = |names: &[&str]| match &part.member.node.value {
            NodeValue::Object(members) => members.iter().any(|member| names.contains(&member.name.as_str())),
            NodeValue::List(_) => names.is_empty(),
            NodeValue::Null | NodeValue::Bool(_) | NodeValue::Number(_) | NodeValue::Text(_) => false,
        };
        let closes = match likely {
            "permissions" => holds(&["deny", "ask"]),
            "deny" | "ask" => holds(&[]),
            _other => false,
        };
        let message = format!("`{}` is not known: did you mean `{likely}`?", part.member.name);
        if closes {
            self.lost(part.member.name_range.clone(), &part.path, &message);
        } else {
            self.say(Severity::Warning, part.member.name_range.clone(), &part.path, message, None);
        }
    }

    /// Keys for other programs are kept; a project nobody trusts may not speak to them.
    fn other(&mut self, part: &Part<'_>) {
        if self.opens {
            self.out.other.insert(part.member.name.clone(), part.member.node.to_json());
        } else if part.member.name != "$schema" {
            self.untrusted(part.member.name_range.clone(), &part.path);
        }
    }

    /// A switch that only managed settings have. Where its value cannot be read, it is on.
    fn managed_only(&mut self, part: &Part<'_>) -> bool {
        let node = &part.member.node;
        if self.layer != Layer::Managed {
            let message = "only managed settings can say this; here it does nothing";
            self.say(Severity::Warning, part.member.name_range.clone(), &part.path, message, None);
            return false;
        }
        match &node.value {
            NodeValue::Bool(is_on) => *is_on,
            NodeValue::Null
            | NodeValue::Number(_)
            | NodeValue::Text(_)
            | NodeValue::List(_)
            | NodeValue::Object(_) => {
                let message = format!("it must be a boolean, and is {}: it is taken for true", node.kind());
                self.wrong(node, &part.path, message);
                true
            }
        }
    }

    fn hooks(&mut self, part: &Part<'_>) {
        let node = &part.member.node;
        let NodeValue::Object(events) = &node.value else {
            let meaning = match &node.value {
                NodeValue::Null => "no hook runs",
                _other if self.opens => "since one may be there to deny, every call is asked about",
                _other => "no hook runs, and none would in a project that is not trusted",
            };
            let message = format!("it must be an object, and is {}: {meaning}", node.kind());
            self.wrong(node, &part.path, message);
            return;
        };
        for event in events.iter().filter(|_| !self.opens).collect::<Vec<_>>() {
            self.untrusted(event.name_range.clone(), &format!("{}.{}", part.path, event.name));
        }
    }

    fn env(&mut self, part: &Part<'_>) {
        let NodeValue::Object(variables) = &part.member.node.value else {
            let message = format!("it must be an object, and is {}", part.member.node.kind());
            self.wrong(&part.member.node, &part.path, message);
            return;
        };
        for variable in variables.iter().filter(|variable| !variable.is_repeated) {
            let (name, node) = (variable.name.as_str(), &variable.node);
            let path = format!("{}.{name}", part.path);
            if name.is_empty() || name.contains(['=', '\0']) {
                let message = format!("`{name}` is no name of a variable");
                self.say(Severity::Error, variable.name_range.clone(), &path, message, None);
                continue;
            }
            if !self.opens {
                self.untrusted(variable.name_range.clone(), &path);
                continue;
            }
            match &node.value {
                NodeValue::Text(text) if !text.contains('\0') => {
                    self.out.env.insert(name.to_owned(), text.clone());
                }
                NodeValue::Text(_) => self.wrong(node, &path, "it contains a NUL"),
                NodeValue::Bool(_) | NodeValue::Number(_) => {
                    let help = format!("write `\"{}\"`", node.to_json());
                    let message = format!("it must be a string, and is {}", node.kind());
                    self.say(Severity::Error, node.range.clone(), &path, message, Some(help));
                }
                NodeValue::Null | NodeValue::List(_) | NodeValue::Object(_) => {
                    self.wrong(node, &path, format!("it must be a string, and is {}", node.kind()));
                }
            }
        }
    }

    fn mcp_servers(&mut self, part: &Part<'_>) {
        let NodeValue::Object(servers) = &part.member.node.value else {
            let message = format!("it must be an object, and is {}", part.member.node.kind());
            self.wrong(&part.member.node, &part.path, message);
            return;
        };
        for entry in servers.iter().filter(|entry| !entry.is_repeated) {
            let path = format!("{}.{}", part.path, entry.name);
            if !self.opens {
                self.untrusted(entry.name_range.clone(), &path);
            } else if !matches!(entry.node.value, NodeValue::Object(_)) {
                let message = format!("it must be an object, and is {}", entry.node.kind());
                self.wrong(&entry.node, &path, message);
            } else {
                match server(&entry.node) {
                    Ok(server) => {
                        self.out.mcp_servers.insert(entry.name.clone(), server);
                    }
                    Err(wrong) => {
                        let dot = if wrong.key.is_empty() { "" } else { "." };
                        self.wrong(wrong.at, &format!("{path}{dot}{}", wrong.key), wrong.message);
                    }
                }
            }
        }
    }

    fn plain(&mut self, part: &Part<'_>) {
        let mut path = vec![part.member.name.as_str()];
        if let Some(value) = plain::read(self, &part.member.node, &mut path) {
            self.out.plain.insert(part.member.name.clone(), value);
        }
    }

    /// Names that stand more than once in one object.
    fn repeated(&mut self, node: &Node, path: &str) {
        match &node.value {
            NodeValue::Object(members) => {
                for member in members {
                    let path = join(path, &member.name);
                    if member.is_repeated {
                        let message =
                            "the same name comes again below: the last one counts, and what each denies";
                        self.say(Severity::Warning, member.name_range.clone(), &path, message, None);
                    }
                    self.repeated(&member.node, &path);
                }
            }
            NodeValue::List(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.repeated(item, &format!("{path}[{index}]"));
                }
            }
            NodeValue::Null | NodeValue::Bool(_) | NodeValue::Number(_) | NodeValue::Text(_) => {}
        }
    }
}

pub(super) fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}
