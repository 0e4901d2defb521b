//! rig: its set of tools, as its agents run them.

use std::convert::Infallible;
use std::sync::LazyLock;

use futures_util::future::join_all;
use rig_agent::tool::{Tool, ToolContext, ToolSet};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::names::{ANSWER, CALLED, INPUT, names};

/// What each tool takes.
#[derive(Deserialize)]
struct Add {
    a: i64,
    b: i64,
}

/// Kept and copied, as rig's macro has it.
static PARAMETERS: LazyLock<Value> = LazyLock::new(|| {
    json!({
        "type": "object",
        "properties": {
            "a": {"type": "integer", "description": "The one number."},
            "b": {"type": "integer", "description": "The other number."},
        },
        "required": ["a", "b"],
    })
});

macro_rules! tools {
    ($($name:ident)*) => {
        $(
            struct $name;

            impl Tool for $name {
                const NAME: &'static str = stringify!($name);
                type Args = Add;
                type Output = i64;
                type Error = Infallible;

                fn description(&self) -> String {
                    "Adds two numbers.".to_owned()
                }

                fn parameters(&self) -> Value {
                    PARAMETERS.clone()
                }

                async fn call(&self, _context: &mut ToolContext, Add { a, b }: Add) -> Result<i64, Infallible> {
                    Ok(a + b)
                }
            }
        )*

        const ADDS: &[fn(&mut ToolSet)] = &[$(|tools| drop(tools.add_tool($name))),*];
    };
}

names!(200, tools);

/// So many tools.
fn set(tools: usize) -> ToolSet {
    let mut set = ToolSet::default();
    ADDS[..tools].iter().for_each(|add| add(&mut set));
    set
}

/// A set, ready for batches of so many calls.
pub struct Rig {
    set: ToolSet,
    calls: usize,
}

impl Rig {
    /// With so many tools.
    pub fn new(tools: usize, calls: usize) -> Rig {
        Rig { set: set(tools), calls }
    }

    /// All calls.
    pub fn call(&self, runtime: &Runtime) -> usize {
        let one = || async {
            let result = self.set.execute(CALLED, INPUT, &mut ToolContext::new()).await;
            result.output().render()
        };
        let results = runtime.block_on(join_all((0..self.calls).map(|_| one())));
        assert!(results.iter().all(|result| result == ANSWER), "{results:?}");
        results.len()
    }

    /// The list as it is sent.
    pub fn list(&self) -> usize {
        listed(&self.set)
    }
}

/// The list from nothing.
pub fn first_list(tools: usize) -> usize {
    listed(&set(tools))
}

fn listed(set: &ToolSet) -> usize {
    serde_json::to_string(&set.tool_definitions()).expect("it serialises").len()
}
