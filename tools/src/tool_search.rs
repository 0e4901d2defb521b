//! `ToolSearch`: finds tools by what they are for, and loads them.

use serde::Serialize;
use serde_json::{Value, json};
use toolwright::event::Event;
use toolwright::prelude::*;
use toolwright::registry::search::{Query, RESULTS_DEFAULT, RESULTS_MAX};
use toolwright::registry::{Backend, Found};

use crate::one_line::one_line;

/// Finds tools that are there but not loaded, and loads them: from the next message on they can be called. Until then
/// only their names are known, so calling them fails.
///
/// - `select:NAME,NAME` loads tools by their exact names.
/// - Words find the tools whose names and descriptions fit best: `create issue`.
/// - `+word` must be there: `+slack send message`.
#[tool(
    always_load,
    read_only,
    default_permission = allow,
    max_result_chars = unlimited,
    search_hint = "find and load tools"
)]
pub struct ToolSearch {
    /// What to look for: words, or `select:` and names.
    query: String,
    /// The most tools to load; 5 unless said. It does not count for `select:`.
    max_results: Option<usize>,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ToolSearchOutput {
    /// The tools' names, best first.
    pub matches: Vec<String>,
    /// What was looked for.
    pub query: String,
    /// Names that were asked for and are none, in words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<String>,
    /// The definitions that the model reads; nothing where the provider shows them itself.
    #[serde(skip)]
    definitions: Option<Vec<String>>,
}

impl Tool for ToolSearch {
    type Output = ToolSearchOutput;

    fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
        Effects::none()
    }

    async fn validate_input(&self, _cx: &Cx<'_, Self>) -> Result<(), InvalidInput> {
        if self.query.trim().is_empty() {
            return Err(InvalidInput::new(
                "`query` is empty: say what the tool should do, or `select:` and its name",
            ));
        }
        if self.max_results == Some(0) {
            return Err(InvalidInput::new("`max_results` is 0: nothing could be found; use 1 or more"));
        }
        Ok(())
    }

    async fn call(&self, cx: &Cx<'_, Self>) -> Result<ToolSearchOutput, ToolError> {
        let Some(pool) = cx.tools() else {
            return Err(ToolError::new("there are no tools to search: this call is in no session"));
        };
        let most = self.max_results.unwrap_or(RESULTS_DEFAULT).min(RESULTS_MAX);
        let Found { tools, unknown } = pool.search(&Query::new(&self.query), most);
        let loaded = pool.load(tools.iter().map(|tool| tool.form().name.as_ref()));
        if !loaded.is_empty() {
            let agent = cx.chain().agent().map(str::to_owned);
            cx.env().emit(|| Event::ToolsLoaded { agent, tools: loaded });
        }
        let definitions = match pool.backend() {
            Backend::Native => None,
            Backend::Emulated => Some(tools.iter().map(|tool| tool.definition().to_string()).collect()),
        };
        Ok(ToolSearchOutput {
            matches: tools.iter().map(|tool| tool.form().name.clone().into_owned()).collect(),
            query: self.query.clone(),
            unknown: unknown.iter().map(ToString::to_string).collect(),
            definitions,
        })
    }

    fn description(&self) -> String {
        format!("ToolSearch {}", one_line(&self.query))
    }

    fn result_content(data: &ToolSearchOutput) -> Content {
        let mut said = data.unknown.join("\n");
        if data.matches.is_empty() && said.is_empty() {
            said = format!(
                "no tool fits `{}`: try other words, fewer of them, or without `+`",
                one_line(&data.query)
            );
        }
        match &data.definitions {
            _none if data.matches.is_empty() => Content::Text(said),
            None => {
                let reference = |name: &String| json!({"type": "tool_reference", "tool_name": name});
                let mut blocks: Vec<Value> = data.matches.iter().map(reference).collect();
                if !said.is_empty() {
                    blocks.push(json!({"type": "text", "text": said}));
                }
                Content::Blocks(blocks)
            }
            Some(definitions) => {
                let mut text = String::from("These tools can be called from now on:\n");
                for definition in definitions {
                    text.extend([definition, "\n"]);
                }
                text.push_str(&said);
                Content::Text(text.trim_end().to_owned())
            }
        }
    }

    fn render_result(data: &ToolSearchOutput) -> Vec<String> {
        match data.matches.as_slice() {
            [] => vec!["no tool found".to_owned()],
            names => vec![names.join(", ")],
        }
    }
}
