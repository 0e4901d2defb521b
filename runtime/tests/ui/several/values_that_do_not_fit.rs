//! A value of the wrong kind is answered with what to write.

use toolwright::prelude::*;

/// Finds things.
#[tool(
    name = Find,
    aliases(Other, "Third"),
    search_hint = "",
    max_result_chars = "many",
    should_defer = |i| i.is_large(),
    always_load = 1,
    interrupt = stop,
    cancels_siblings(true),
    needs_person = maybe,
    default_permission = deny,
    read_only = "yes",
    destructive(true),
    concurrency_safe =,
    state,
    progress = 5,
    rename_all = "camel",
    crate = toolwright
)]
struct Find {}

/// Finds others.
#[tool(max_result_chars = unlimitted, 5, aliases("A", "A") read_only, interrupt = "cancel")]
struct FindOthers {}

/// Finds even more.
#[tool(max_result_chars = -1, aliases = "A", rename_all = "camelcase", crate = "a b", read_only = self.is_small())]
struct FindMore {}

impl Tool for Find {
    type Output = String;

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok(String::new())
    }
}

impl Tool for FindOthers {
    type Output = String;

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok(String::new())
    }
}

impl Tool for FindMore {
    type Output = String;

    async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
        Ok(String::new())
    }
}

fn main() {}
