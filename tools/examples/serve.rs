//! Tools of one's own for other programs: a server of the Model Context Protocol over the standard streams. Every request
//! goes through the pipeline; a question goes to the person behind the client.
//!
//! `cargo run -p toolwright-tools --features mcp --example serve`, as the `command` of a client's settings.

use toolwright::prelude::*;
use toolwright_tools::mcp::server::{Clients, ToolServer};

/// Says how many words a text has.
#[tool(read_only, concurrency_safe)]
struct CountWords {
    /// The text to count in.
    text: String,
}

impl Tool for CountWords {
    type Output = usize;

    fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
        Effects::none()
    }

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<usize, ToolError> {
        Ok(self.text.split_whitespace().count())
    }
}

/// Serves until the client closes the streams.
#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut tools = Catalogue::new();
    tools.add::<CountWords>();
    // What happens to calls, questions and hooks is told to the client that made the call.
    let clients = Clients::new();
    let session = Session::builder(Env::tokio()?.with_sink(clients.sink()), tools)
        .context(Context::new(std::env::current_dir()?))
        .prompter(clients.clone())
        .hook(clients.clone())
        .build();
    Ok(ToolServer::new(session, clients).serve_stdio().await?)
}
