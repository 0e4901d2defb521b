//! Small tools whose effects are what their input says.

use std::sync::Arc;

use toolwright::contract::Registered;
use toolwright::prelude::*;
use toolwright::registry::Catalogue;

/// Runs a command line of simple commands.
#[tool(read_only = |bash| bash.commands().iter().all(|words| looks(words)))]
pub(super) struct Bash {
    /// The command line.
    command: String,
}

/// Reads a file.
#[tool(read_only)]
pub(super) struct Read {
    /// The file.
    path: String,
}

/// Changes a file.
#[tool]
pub(super) struct Edit {
    /// The file.
    path: String,
}

/// Writes a file.
#[tool]
pub(super) struct Write {
    /// The file.
    path: String,
}

/// Reads a page.
#[tool(read_only)]
pub(super) struct WebFetch {
    /// Its host.
    host: String,
}

/// Runs an agent.
#[tool(aliases("Task"))]
pub(super) struct Agent {
    /// Which kind.
    kind: String,
    /// With which model.
    model: Option<String>,
}

/// Uses a skill.
#[tool]
pub(super) struct Skill {
    /// Which.
    name: String,
}

/// A tool of a remote server.
#[tool(name = "mcp__puppeteer__nav")]
pub(super) struct Nav {}

/// A tool of another remote server.
#[tool(name = "mcp__puppeteer2__nav")]
pub(super) struct Nav2 {}

/// Only a person answers it.
#[tool(needs_person)]
pub(super) struct Question {}

pub(super) fn catalogue() -> Catalogue {
    let mut catalogue = Catalogue::new();
    catalogue.add::<Bash>().add::<Read>().add::<Edit>().add::<Write>().add::<WebFetch>();
    catalogue.add::<Agent>().add::<Skill>().add::<Question>();
    catalogue.add_remote(Arc::new(Registered::<Nav>::new(()))).expect("the name fits");
    catalogue.add_remote(Arc::new(Registered::<Nav2>::new(()))).expect("the name fits");
    catalogue
}

fn looks(words: &[&str]) -> bool {
    words.first().is_some_and(|name| matches!(*name, "ls" | "cat" | "echo" | "pwd" | "cd"))
}

impl Bash {
    fn commands(&self) -> Vec<Vec<&str>> {
        let parts = self.command.split(" && ").flat_map(|part| part.split(';'));
        parts.map(|part| part.split(" > ").next().unwrap_or(part).split_whitespace().collect()).collect()
    }
}

impl Tool for Bash {
    type Output = String;

    fn effects(&self, cx: &EffectsContext<'_>) -> Effects {
        if self.command.contains(['$', '`', '|', '(']) {
            let reason = "it is no list of simple commands".to_owned();
            return Effects::Unknown { reason, raw: self.command.clone() };
        }
        let mut effects = Vec::new();
        for words in self.commands() {
            let read_only = looks(&words);
            let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
            effects.push(Effect::Command { text: words.join(" "), words, read_only });
        }
        for target in self.command.split(" > ").skip(1).filter_map(|rest| rest.split_whitespace().next()) {
            if target != "/dev/null" {
                effects.push(Effect::Write(cx.absolute(target)));
            }
        }
        Effects::Known(effects)
    }

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok(format!("ran {}", self.command))
    }
}

impl Tool for Read {
    type Output = String;

    fn effects(&self, cx: &EffectsContext<'_>) -> Effects {
        Effects::one(Effect::Read(cx.absolute(&self.path)))
    }

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok(format!("read {}", self.path))
    }
}

impl Tool for Edit {
    type Output = String;

    fn effects(&self, cx: &EffectsContext<'_>) -> Effects {
        Effects::Known(vec![Effect::Read(cx.absolute(&self.path)), Effect::Write(cx.absolute(&self.path))])
    }

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok(format!("edited {}", self.path))
    }
}

impl Tool for Write {
    type Output = String;

    fn effects(&self, cx: &EffectsContext<'_>) -> Effects {
        Effects::one(Effect::Write(cx.absolute(&self.path)))
    }

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok(format!("wrote {}", self.path))
    }
}

impl Tool for WebFetch {
    type Output = String;

    fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
        Effects::one(Effect::Contact(self.host.clone()))
    }

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok(format!("fetched {}", self.host))
    }
}

impl Tool for Agent {
    type Output = String;

    fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
        Effects::one(Effect::Name(self.kind.clone()))
    }

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok(format!("ran {} with {:?}", self.kind, self.model))
    }
}

impl Tool for Skill {
    type Output = String;

    fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
        Effects::one(Effect::Name(self.name.clone()))
    }

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok(format!("used {}", self.name))
    }
}

impl Tool for Nav {
    type Output = String;

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok("there".to_owned())
    }
}

impl Tool for Nav2 {
    type Output = String;

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok("there".to_owned())
    }
}

impl Tool for Question {
    type Output = String;

    fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
        Effects::none()
    }

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok("asked".to_owned())
    }
}
