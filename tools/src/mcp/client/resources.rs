//! `ListMcpResources` and `ReadMcpResource`: what servers have to read.

use serde::Serialize;
use serde_json::Value;
use toolwright::prelude::*;

use super::content::resource;
use super::{LinkError, Servers, Status};
use crate::one_line::one_line;

/// Lists what the connected servers have to read: files, records, pages, each with the address to read it by.
#[tool(
    aliases = ["ListMcpResourcesTool"],
    should_defer,
    read_only,
    concurrency_safe,
    state = Servers,
    max_result_chars = 100_000,
    timeout = "60s",
    search_hint = "list the resources that MCP servers have to read"
)]
pub struct ListMcpResources {
    /// Only those of this server; of all servers when left out.
    server: Option<String>,
    #[tool(inject = |servers| servers.clone())]
    servers: Servers,
}

/// One thing that a server has to read.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ListedResource {
    /// The server.
    pub server: String,
    /// What the server says of it: its address, its name, its type.
    #[serde(flatten)]
    pub resource: Value,
}

/// Reads what a server has to read, by its address.
#[tool(
    aliases = ["ReadMcpResourceTool"],
    should_defer,
    read_only,
    concurrency_safe,
    state = Servers,
    max_result_chars = 100_000,
    timeout = "60s",
    search_hint = "read a resource of an MCP server"
)]
pub struct ReadMcpResource {
    /// The server.
    server: String,
    /// The address, as it was listed.
    uri: String,
    #[tool(inject = |servers| servers.clone())]
    servers: Servers,
}

impl Tool for ListMcpResources {
    type Output = Vec<ListedResource>;

    async fn validate_input(&self, _cx: &Cx<'_, Self>) -> Result<(), InvalidInput> {
        self.server.as_deref().map_or(Ok(()), |server| known(&self.servers, server))
    }

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<Vec<ListedResource>, ToolError> {
        let (mut all, mut failed) = (Vec::new(), Vec::new());
        for server in self.servers.servers() {
            let name = &server.config().name;
            if self.server.as_ref().is_some_and(|wanted| wanted != name) {
                continue;
            }
            // What is not connected is waited for only where it was asked for.
            if self.server.is_none() && !matches!(server.status(), Status::Connected(_)) {
                failed.push(format!("`{name}` is not connected"));
                continue;
            }
            let listed = async {
                let link = server.link().await?;
                if link.about().has_resources { link.resources().await } else { Ok(Vec::new()) }
            };
            match listed.await {
                Ok(resources) => all.extend(
                    resources.into_iter().map(|resource| ListedResource { server: name.clone(), resource }),
                ),
                Err(error) => failed.push(format!("`{name}`: {error}")),
            }
        }
        if all.is_empty() && !failed.is_empty() {
            return Err(ToolError::new(format!("no server could list anything: {}", failed.join("; "))));
        }
        Ok(all)
    }

    fn result_content(data: &Vec<ListedResource>) -> Content {
        if data.is_empty() {
            return Content::from("no server has anything to read");
        }
        let line = |resource: &ListedResource| serde_json::to_string(resource).unwrap_or_default();
        Content::Text(data.iter().map(line).collect::<Vec<_>>().join("\n"))
    }
}

impl Tool for ReadMcpResource {
    type Output = Vec<Value>;

    async fn validate_input(&self, _cx: &Cx<'_, Self>) -> Result<(), InvalidInput> {
        known(&self.servers, &self.server)
    }

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<Vec<Value>, ToolError> {
        let all = self.servers.servers();
        let server = all.iter().find(|server| server.config().name == self.server);
        let server = server.ok_or_else(|| ToolError::new("the server is gone"))?;
        let read = async { server.link().await?.read(&self.uri).await };
        read.await.map_err(|error| match error {
            LinkError::Gone(why) => {
                ToolError::new(format!("the server `{}` did not answer: {why}", self.server))
            }
            LinkError::Refused(why) => ToolError::new(format!(
                "the server `{}` does not give `{}`: {why}; ListMcpResources tells what it has",
                self.server,
                one_line(&self.uri)
            )),
        })
    }

    fn description(&self) -> String {
        format!("ReadMcpResource {}", one_line(&self.uri))
    }

    fn result_content(data: &Vec<Value>) -> Content {
        resource(data)
    }
}

fn known(servers: &Servers, wanted: &str) -> Result<(), InvalidInput> {
    let names: Vec<String> = servers.status().into_keys().collect();
    if names.iter().any(|name| name == wanted) {
        return Ok(());
    }
    Err(InvalidInput::new(format!(
        "there is no server `{}`; there are `{}`",
        one_line(wanted),
        names.join("`, `")
    )))
}
