//! `mcpServers`: how each server is reached, as settings say it.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::document::{self, Node, NodeValue};

/// A server that offers tools.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct McpServer {
    /// How it is reached. Text such as `${VAR}` stands as it was written.
    pub transport: McpTransport,
    /// How long one of its tools may take, in milliseconds.
    pub timeout_ms: Option<u64>,
    /// Whether its tools are never deferred.
    pub always_load: bool,
    /// The whole entry, as it was written.
    pub entry: Value,
}

/// How a server is reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum McpTransport {
    /// A program that is started.
    Stdio {
        /// The program.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Its variables, on top of the session's.
        env: BTreeMap<String, String>,
    },
    /// Streamable HTTP.
    Http(McpRemote),
    /// Server-sent events.
    Sse(McpRemote),
    /// A web socket.
    Ws(McpRemote),
}

/// Where a server is that runs elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct McpRemote {
    /// Its address.
    pub url: String,
    /// What is sent with each request.
    pub headers: BTreeMap<String, String>,
}

impl McpServer {
    /// Reads one entry that stands elsewhere than in settings.
    ///
    /// # Errors
    /// In words: what is wrong with it.
    pub fn from_json(entry: &Value) -> Result<McpServer, String> {
        let (node, _remarks) = document::read(&entry.to_string()).map_err(|remark| remark.message)?;
        server(&node).map_err(|wrong| match wrong.key {
            "" => wrong.message,
            key => format!("`{key}`: {}", wrong.message),
        })
    }
}

/// What is wrong with an entry, and at which value.
pub(super) struct Wrong<'a> {
    pub(super) at: &'a Node,
    /// The key below the entry; empty for all of it.
    pub(super) key: &'static str,
    pub(super) message: String,
}

/// Reads one entry.
pub(super) fn server(node: &Node) -> Result<McpServer, Wrong<'_>> {
    let entry = Entry { node };
    let kind = entry.text("type")?;
    let transport = match kind {
        None if entry.get("command").is_none() && entry.get("url").is_some() => {
            let message = "a server with a `url` needs a `type`: `http`, `sse` or `ws`".to_owned();
            return Err(Wrong { at: node, key: "", message });
        }
        None | Some("stdio") => McpTransport::Stdio {
            command: entry.needed("command")?,
            args: entry.texts("args")?,
            env: entry.map("env")?,
        },
        Some("http" | "streamable-http") => McpTransport::Http(entry.remote()?),
        Some("sse") => McpTransport::Sse(entry.remote()?),
        Some("ws") => McpTransport::Ws(entry.remote()?),
        Some(other) => {
            let message =
                format!("`{other}` is no way to reach a server: use `stdio`, `http`, `sse` or `ws`");
            return Err(Wrong { at: entry.get("type").unwrap_or(node), key: "type", message });
        }
    };
    Ok(McpServer {
        transport,
        timeout_ms: entry.milliseconds("timeout")?,
        always_load: entry.flag("alwaysLoad")?,
        entry: node.to_json(),
    })
}

struct Entry<'a> {
    node: &'a Node,
}

impl<'a> Entry<'a> {
    /// The last value of this name.
    fn get(&self, name: &str) -> Option<&'a Node> {
        match &self.node.value {
            NodeValue::Object(members) => {
                members.iter().rev().find(|member| member.name == name).map(|member| &member.node)
            }
            NodeValue::Null
            | NodeValue::Bool(_)
            | NodeValue::Number(_)
            | NodeValue::Text(_)
            | NodeValue::List(_) => None,
        }
    }

    fn text(&self, key: &'static str) -> Result<Option<&'a str>, Wrong<'a>> {
        self.get(key).map(|at| text(at, key)).transpose()
    }

    fn needed(&self, key: &'static str) -> Result<String, Wrong<'a>> {
        let found = self.text(key)?.filter(|text| !text.trim().is_empty());
        let missing = || Wrong { at: self.node, key: "", message: format!("it has no `{key}`") };
        found.map(str::to_owned).ok_or_else(missing)
    }

    fn texts(&self, key: &'static str) -> Result<Vec<String>, Wrong<'a>> {
        let Some(at) = self.get(key) else { return Ok(Vec::new()) };
        let NodeValue::List(items) = &at.value else { return Err(wrong(at, key, "an array of strings")) };
        items.iter().map(|item| text(item, key).map(str::to_owned)).collect()
    }

    fn map(&self, key: &'static str) -> Result<BTreeMap<String, String>, Wrong<'a>> {
        let Some(at) = self.get(key) else { return Ok(BTreeMap::new()) };
        let NodeValue::Object(members) = &at.value else { return Err(wrong(at, key, "an object")) };
        let pair =
            |member: &'a document::Member| Ok((member.name.clone(), text(&member.node, key)?.to_owned()));
        members.iter().map(pair).collect()
    }

    fn remote(&self) -> Result<McpRemote, Wrong<'a>> {
        Ok(McpRemote { url: self.needed("url")?, headers: self.map("headers")? })
    }

    fn milliseconds(&self, key: &'static str) -> Result<Option<u64>, Wrong<'a>> {
        let Some(at) = self.get(key) else { return Ok(None) };
        let number = at.to_json().as_u64();
        number.map(Some).ok_or_else(|| wrong(at, key, "a whole number of milliseconds"))
    }

    fn flag(&self, key: &'static str) -> Result<bool, Wrong<'a>> {
        match self.get(key).map(|at| (at, &at.value)) {
            None => Ok(false),
            Some((_, NodeValue::Bool(is_so))) => Ok(*is_so),
            Some((at, _other)) => Err(wrong(at, key, "a boolean")),
        }
    }
}

fn text<'a>(at: &'a Node, key: &'static str) -> Result<&'a str, Wrong<'a>> {
    match &at.value {
        NodeValue::Text(text) => Ok(text),
        NodeValue::Null
        | NodeValue::Bool(_)
        | NodeValue::Number(_)
        | NodeValue::List(_)
        | NodeValue::Object(_) => Err(wrong(at, key, "a string")),
    }
}

fn wrong<'a>(at: &'a Node, key: &'static str, wanted: &str) -> Wrong<'a> {
    Wrong { at, key, message: format!("it must be {wanted}, and is {}", at.kind()) }
}
