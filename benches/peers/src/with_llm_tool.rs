//! llm-tool: a registry with cached definitions, and its batch.

use llm_tool::{BatchExecutionMode, BatchToolCallOutcome, BatchToolCallStr, ToolContext, ToolRegistry, llm_tool};
use tokio::runtime::Runtime;

use crate::names::{ANSWER, CALLED, INPUT, names};

macro_rules! tools {
    ($($name:ident)*) => {
        $(
            /// Adds two numbers.
            #[llm_tool]
            fn $name(
                /// The one number.
                a: i64,
                /// The other number.
                b: i64,
            ) -> String {
                (a + b).to_string()
            }
        )*

        const ADDS: &[fn(&mut ToolRegistry)] = &[$(|tools| _ = tools.register($name)),*];
    };
}

names!(200, tools);

/// So many tools.
fn registry(tools: usize) -> ToolRegistry {
    let mut registry = ToolRegistry::new();
    ADDS[..tools].iter().for_each(|add| add(&mut registry));
    registry
}

/// A registry, ready for batches of so many calls.
pub struct LlmTool {
    registry: ToolRegistry,
    context: ToolContext,
    calls: usize,
}

impl LlmTool {
    /// With so many tools.
    pub fn new(tools: usize, calls: usize) -> LlmTool {
        LlmTool { registry: registry(tools), context: ToolContext::default(), calls }
    }

    /// One call.
    pub fn call(&self, runtime: &Runtime) -> usize {
        let output = runtime.block_on(self.registry.dispatch_str(CALLED, INPUT, &self.context));
        assert_eq!(output.expect("it is answered").content(), ANSWER);
        1
    }

    /// All calls of a batch.
    pub fn batch(&self, runtime: &Runtime) -> usize {
        let call = |_| BatchToolCallStr { id: "toolu_0000", name: CALLED, arguments_json: INPUT };
        let calls: Vec<BatchToolCallStr<'_>> = (0..self.calls).map(call).collect();
        let all = self.registry.dispatch_batch_str(&calls, BatchExecutionMode::Parallel, &self.context);
        let outcomes = runtime.block_on(all);
        let is_right = |outcome: &BatchToolCallOutcome| outcome.result.as_ref().is_ok_and(|output| output.content() == ANSWER);
        assert!(outcomes.iter().all(is_right), "{outcomes:?}");
        outcomes.len()
    }

    /// The list as it is sent.
    pub fn list(&self) -> usize {
        serde_json::to_string(&*self.registry.definitions_slice()).expect("it serialises").len()
    }
}

/// The list from nothing.
pub fn first_list(tools: usize) -> usize {
    serde_json::to_string(&*registry(tools).definitions_slice()).expect("it serialises").len()
}
