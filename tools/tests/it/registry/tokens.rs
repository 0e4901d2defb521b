//! What is sent in the three modes, and the table of it in the docs.

use std::sync::Arc;

use toolwright::contract::{ErasedTool, SessionFacts};
use toolwright::registry::{Backend, Catalogue, Cost, LoadMode, Pool};
use toolwright_tools::add_tool_search;
use toolwright_tools::described::DescribedTool;

use super::remote;

/// The table, as the docs of `registry::loading` have it.
const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../runtime/src/registry/costs.md");
/// How many tools a program has of its own, ToolSearch counted, and how many of them are never deferred.
const OWN: usize = 45;
const ALWAYS_LOADED: usize = 13;
/// How many tools its servers have.
const REMOTE: usize = 200;

/// A tool of the size that a coding agent's own tools have.
fn own(number: usize) -> Arc<dyn ErasedTool> {
    let text = |name: &str| serde_json::json!({"type": "string", "description": format!("What the {name} is, in a few words.")});
    let schema = serde_json::json!({"type": "object", "required": ["path"], "properties": {
        "path": text("path"), "content": text("content"), "mode": text("mode"), "limit": {"type": "integer", "minimum": 1}}});
    let about =
        "Does one thing well, says what it is given, what it gives back, and when another tool is better. "
            .repeat(8);
    let tool = DescribedTool::new(format!("Own{number}"), about, schema, |_input, _cx| async {
        Ok(toolwright::message::Content::from("done"))
    });
    let tool = tool.expect("the schema is one").with_form(|form| {
        form.always_load = number < ALWAYS_LOADED;
        form.should_defer = number >= ALWAYS_LOADED;
    });
    Arc::new(tool)
}

fn pool() -> Pool {
    let about =
        "Looks up one thing by its identifier and gives all of its fields, with those of what it belongs to.";
    let mut catalogue = Catalogue::new();
    add_tool_search(&mut catalogue);
    for number in 1..OWN {
        catalogue.add_erased(own(number)).expect("the name is one");
    }
    for number in 0..REMOTE {
        catalogue.add_remote(remote(&format!("mcp__hub__look_up_{number}"), about)).expect("the name is one");
    }
    Pool::new(&catalogue, &SessionFacts::default(), |_| true)
}

fn cost(costs: &[Cost], mode: LoadMode, backend: Backend) -> Cost {
    *costs.iter().find(|cost| cost.mode == mode && cost.backend == backend).expect("each is there")
}

/// hermes-agent#6318 tells of 19,210 tokens that became 2,198.
#[test]
fn deferred_tools_cost_a_fraction_of_what_all_tools_cost() {
    let costs = pool().costs();
    assert_eq!(costs.len(), 6);
    let all = cost(&costs, LoadMode::Standard, Backend::Emulated);
    assert_eq!((all.definitions, all.sent_tokens), (OWN + REMOTE, all.read_tokens));
    let by_name = cost(&costs, LoadMode::Deferred, Backend::Emulated);
    assert_eq!(by_name.definitions, ALWAYS_LOADED);
    assert!(
        by_name.read_tokens * 3 < all.read_tokens && by_name.sent_tokens * 5 < all.sent_tokens,
        "{costs:?}"
    );
    let native = cost(&costs, LoadMode::Deferred, Backend::Native);
    assert_eq!(native.definitions, OWN + REMOTE);
    assert_eq!(native.read_tokens, by_name.read_tokens, "the model reads the same");
    assert_eq!(costs[4].read_tokens, costs[2].read_tokens, "they would fill more than a tenth of the window");
}

/// `GOLDEN=overwrite` writes it anew.
#[test]
fn the_table_in_the_docs_is_what_the_tools_cost() {
    let mut table = format!(
        "What the first request of a session has of {OWN} tools of the program's own, of which {ALWAYS_LOADED} are always \
         loaded, and {REMOTE} of servers, in tokens by estimate:\n\n\
         | mode | back-end | definitions | tokens sent | tokens the model reads |\n|---|---|---:|---:|---:|\n"
    );
    for Cost { mode, backend, definitions, sent_tokens, read_tokens } in pool().costs() {
        table
            .push_str(&format!("| `{mode}` | {backend} | {definitions} | {sent_tokens} | {read_tokens} |\n"));
    }
    table.push_str(
        "\nMade by `GOLDEN=overwrite cargo test -p toolwright-tools --test it -- registry::tokens`; what a session's own tools \
         cost is printed by `toolwright tools --costs`.\n",
    );
    if std::env::var("GOLDEN").is_ok_and(|golden| golden == "overwrite") {
        std::fs::write(TABLE, &table).expect("the docs can be written");
    }
    assert_eq!(std::fs::read_to_string(TABLE).unwrap_or_default(), table);
}
