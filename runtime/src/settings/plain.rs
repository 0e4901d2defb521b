//! What is read by its shape alone: sandbox, auto mode, and a few switches.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::diagnostic::Severity;
use super::document::{Node, NodeValue};
use super::keys::{Key, Opens, PLAIN, Shape, likely};
use super::read::Reader;

/// The sandbox that commands are to run in.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SandboxSettings {
    /// Whether there is to be one.
    pub enabled: Option<bool>,
    /// Whether nothing runs where there can be none.
    pub fail_if_unavailable: Option<bool>,
    /// Whether commands in it run without a question; they do unless said.
    pub auto_allow_bash_if_sandboxed: Option<bool>,
    /// Whether commands may run outside it; they may unless said.
    pub allow_unsandboxed_commands: Option<bool>,
    /// Commands that run outside it.
    pub excluded_commands: Vec<String>,
    /// What it sees of the file system.
    pub filesystem: SandboxFiles,
    /// What it sees of the network.
    pub network: SandboxNetwork,
    /// Credentials; their shape is not public.
    pub credentials: Option<Value>,
}

/// What a sandbox sees of the file system.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SandboxFiles {
    /// Where it may write.
    pub allow_write: Vec<String>,
    /// Where it may not write.
    pub deny_write: Vec<String>,
    /// What it may not read.
    pub deny_read: Vec<String>,
    /// What it may read within that.
    pub allow_read: Vec<String>,
}

/// What a sandbox sees of the network.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SandboxNetwork {
    /// Hosts it may contact.
    pub allowed_domains: Vec<String>,
    /// Hosts it may not contact.
    pub denied_domains: Vec<String>,
    /// Sockets it may use.
    pub allow_unix_sockets: Vec<String>,
    /// The port of the proxy it goes through.
    pub http_proxy_port: Option<serde_json::Number>,
}

/// What a classifier is told in the mode `auto`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct AutoModeSettings {
    /// Where it works.
    pub environment: Vec<String>,
    /// What it may allow.
    pub allow: Vec<String>,
    /// What it should deny.
    pub soft_deny: Vec<String>,
    /// What it must deny.
    pub hard_deny: Vec<String>,
}

/// Reads a value below a known name; gives what counts of it. Unknown keys count where the file is trusted.
pub(super) fn read<'n>(reader: &mut Reader<'_>, node: &'n Node, path: &mut Vec<&'n str>) -> Option<Value> {
    let name = path.join(".");
    if let Some(key) = PLAIN.iter().find(|key| key.path == path.as_slice()) {
        return leaf(reader, node, key, &name);
    }
    let below = || PLAIN.iter().filter(|key| key.path.len() > path.len() && key.path.starts_with(path));
    if below().next().is_none() {
        return other(reader, node, path, &name);
    }
    let NodeValue::Object(members) = &node.value else {
        let message = format!("it must be an object, and is {}", node.kind());
        if below().any(|key| key.opens == Opens::Never) {
            reader.lost(node.range.clone(), &name, &message);
        } else {
            reader.wrong(node, &name, message);
        }
        return None;
    };
    let mut kept = Map::new();
    for member in members.iter().filter(|member| !member.is_repeated) {
        path.push(&member.name);
        if let Some(value) = read(reader, &member.node, path) {
            kept.insert(member.name.clone(), value);
        }
        path.pop();
    }
    Some(Value::Object(kept))
}

fn leaf(reader: &mut Reader<'_>, node: &Node, key: &Key, path: &str) -> Option<Value> {
    let fits = match (key.shape, &node.value) {
        (Shape::Any, _)
        | (Shape::Bool, NodeValue::Bool(_))
        | (Shape::Number, NodeValue::Number(_))
        | (Shape::Texts, NodeValue::List(_)) => true,
        (Shape::Bool | Shape::Number | Shape::Texts, _other) => false,
    };
    if !fits {
        let wanted = match key.shape {
            Shape::Bool => "a boolean",
            Shape::Number => "a number",
            Shape::Texts => "an array of strings",
            Shape::Any => "anything",
        };
        misfit(reader, node, key, path, wanted);
        // A switch that closes is taken to be meant that way.
        return match key.opens {
            Opens::Unless(closed) => Some(Value::Bool(closed)),
            Opens::Always | Opens::Never => None,
        };
    }
    let opens = match key.opens {
        Opens::Always => true,
        Opens::Never => false,
        Opens::Unless(closed) => node.to_json() != Value::Bool(closed),
    };
    if opens && !reader.opens {
        reader.untrusted(node.range.clone(), path);
        return None;
    }
    match &node.value {
        NodeValue::List(items) if key.shape == Shape::Texts => Some(texts(reader, items, key, path)),
        NodeValue::Null
        | NodeValue::Bool(_)
        | NodeValue::Number(_)
        | NodeValue::Text(_)
        | NodeValue::List(_)
        | NodeValue::Object(_) => Some(node.to_json()),
    }
}

fn texts(reader: &mut Reader<'_>, items: &[Node], key: &Key, path: &str) -> Value {
    let mut kept = Vec::new();
    for (index, item) in items.iter().enumerate() {
        if matches!(item.value, NodeValue::Text(_)) {
            kept.push(item.to_json());
        } else {
            misfit(reader, item, key, &format!("{path}[{index}]"), "a string");
        }
    }
    Value::Array(kept)
}

fn misfit(reader: &mut Reader<'_>, node: &Node, key: &Key, path: &str, wanted: &str) {
    let message = format!("it must be {wanted}, and is {}", node.kind());
    match key.opens {
        Opens::Never => reader.lost(node.range.clone(), path, &message),
        Opens::Always => reader.wrong(node, path, message),
        Opens::Unless(closed) => reader.wrong(node, path, format!("{message}: it is taken for {closed}")),
    }
}

fn other(reader: &mut Reader<'_>, node: &Node, path: &[&str], name: &str) -> Option<Value> {
    if let Some((last, above)) = path.split_last() {
        let beside = PLAIN
            .iter()
            .filter(|key| key.path.starts_with(above))
            .filter_map(|key| key.path.get(above.len()));
        if let Some(likely) = likely(last, beside.copied()) {
            let message = format!("`{last}` is not known: did you mean `{likely}`?");
            reader.say(Severity::Warning, node.range.clone(), name, message, None);
        }
    }
    if reader.opens {
        return Some(node.to_json());
    }
    reader.untrusted(node.range.clone(), name);
    None
}
