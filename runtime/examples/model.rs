//! A model of one's own: whatever turns a request into a stream of events. This one answers by a rule.
//!
//! `cargo run -p toolwright --example model`

use toolwright::message::Block;
use toolwright::prelude::*;
use toolwright::query::{Budget, End, Model, ModelStream, Request, blocks};

/// Says how far a place is, in kilometres.
#[tool(read_only, concurrency_safe)]
struct Distance {
    /// The place.
    to: String,
}

impl Tool for Distance {
    type Output = usize;

    fn effects(&self, _cx: &EffectsContext<'_>) -> Effects {
        Effects::none()
    }

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<usize, ToolError> {
        Ok(self.to.len() * 100)
    }
}

/// Asks for two distances at once, and then says what it was told.
struct Traveller;

impl Model for Traveller {
    fn respond(&self, request: Request) -> ModelStream {
        let told: Vec<String> =
            request.messages.iter().flat_map(|message| &message.content).filter_map(result).collect();
        blocks(if told.is_empty() {
            let ask = |id: &str, to: &str| {
                Block::ToolUse(ToolUse::new(id, "Distance", format!(r#"{{"to":"{to}"}}"#)))
            };
            vec![ask("a", "Rome"), ask("b", "Lisbon")]
        } else {
            vec![Block::Text(format!("Rome and Lisbon are {} km away", told.join(" and ")))]
        })
    }
}

fn result(block: &Block) -> Option<String> {
    match block {
        Block::ToolResult(result) => Some(result.content.to_text()),
        _other => None,
    }
}

/// A conversation to its end.
#[tokio::main]
pub(crate) async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut tools = Catalogue::new();
    tools.add::<Distance>();
    let session =
        Session::builder(Env::tokio()?, tools).context(Context::new(std::env::current_dir()?)).build();
    let end = session.run(&Traveller, "how far are Rome and Lisbon?", Budget::default()).await;
    println!("{end:?}");
    assert_eq!(end, End::Answered("Rome and Lisbon are 400 and 600 km away".to_owned()));
    Ok(())
}
