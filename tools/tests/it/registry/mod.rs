//! Which tools a session has, what of them is sent, and how the rest is found.

mod cases;
mod deferral;
mod filter;
mod search;
mod stability;
mod tokens;

use std::sync::Arc;

use serde_json::json;
use toolwright::contract::{Context, ErasedTool};
use toolwright::env::Env;
use toolwright::message::Content;
use toolwright::registry::Catalogue;
use toolwright::session::{Session, SessionBuilder};
use toolwright_tools::described::DescribedTool;
use toolwright_tools::{add_tool_search, catalogue};

/// A remote tool that answers with its name.
pub(crate) fn remote(name: &str, description: &str) -> Arc<dyn ErasedTool> {
    let schema = json!({"type": "object", "properties": {"count": {"type": "integer"}, "names": {"type": "array", "items": {"type": "string"}}}});
    let answer = name.to_owned();
    let tool = DescribedTool::new(name, description, schema, move |input, _cx| {
        let answer = format!("{answer} {input}");
        async move { Ok(Content::from(answer)) }
    });
    Arc::new(tool.expect("the schema is one"))
}

/// This crate's tools, those that load others, and these.
pub(crate) fn with_remote(tools: &[Arc<dyn ErasedTool>]) -> Catalogue {
    let mut catalogue = catalogue();
    add_tool_search(&mut catalogue);
    for tool in tools {
        catalogue.add_remote(Arc::clone(tool)).expect("the name is one");
    }
    catalogue
}

/// A session in which every remote tool is allowed.
pub(crate) fn session(catalogue: Catalogue) -> SessionBuilder {
    use toolwright::permission::{Behavior, Source};
    Session::builder(Env::tokio().expect("tests run on tokio"), catalogue)
        .context(Context::new("/"))
        .deferral(toolwright::registry::Deferral::default())
        .rule(Behavior::Allow, Source::CliArg, "mcp__hub")
}
