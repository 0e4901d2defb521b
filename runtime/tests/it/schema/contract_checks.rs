//! The one line that checks a user's tools: what it finds, and that it finds nothing where nothing is wrong.

use std::collections::BTreeMap;
use std::num::NonZeroU8;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use toolwright::contract::{ErasedTool, Form, Origin, Parsed, SessionFacts};
use toolwright::message::RawInput;
use toolwright::prelude::*;
use toolwright::registry::Catalogue;
use toolwright::schema::{InputErrors, Schema};
use toolwright::testing::{check, check_catalogue, check_golden, check_with, findings};

/// Greets someone.
#[tool(read_only, aliases("Hello"))]
#[expect(dead_code, reason = "the schema is looked at, not the input")]
struct Greet {
    /// Whom to greet.
    #[tool(example = "Ada")]
    name: String,
    /// How often.
    times: Option<u32>,
}

/// Counts.
#[tool(state = u32)]
struct Count {}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "the schema is looked at, not the input")]
struct Open {
    inner: u8,
}

/// Is careless.
#[tool(aliases("Hello", "9lives"))]
#[expect(dead_code, reason = "the schema is looked at, not the input")]
struct Careless {
    /// A struct.
    open: Open,
    /// A number.
    #[tool(example = -1)]
    count: NonZeroU8,
    /// A map.
    map: BTreeMap<String, u8>,
}

/// Does not know what it does.
#[tool(read_only = |_| true, destructive = |_| true, should_defer)]
struct Torn {}

tools!(Greet, Count, Careless, Torn);

/// A tool whose schema is another each time.
struct Restless;

static FORM: LazyLock<Form> = LazyLock::new(|| Form::closed("Restless".into()));
static TIMES: AtomicU32 = AtomicU32::new(0);

impl ErasedTool for Restless {
    fn form(&self) -> &Form {
        &FORM
    }

    fn prompt(&self) -> String {
        String::new()
    }

    fn is_enabled(&self, _session: &SessionFacts) -> bool {
        true
    }

    fn input_schema(&self, _session: &SessionFacts) -> Schema {
        Schema::new(
            json!({"type": "object", "additionalProperties": false, "description": TIMES.fetch_add(1, Ordering::Relaxed).to_string()}),
        )
    }

    fn parse(&self, _input: &RawInput, _origin: Origin, schema: &Schema) -> Result<Parsed, InputErrors> {
        Err(InputErrors::new(Vec::new(), schema.walkable()))
    }
}

#[test]
fn a_sound_tool_passes_by_one_line() {
    check::<Greet>();
    check_with::<Count>(1);
    let mut catalogue = Catalogue::new();
    catalogue.add::<Greet>().add_with::<Count>(1);
    check_catalogue(&catalogue);
}

#[test]
fn everything_that_is_wrong_is_found_at_once() {
    let mut catalogue = Catalogue::new();
    catalogue.add::<Greet>().add::<Greet>().add::<Careless>().add::<Torn>();
    catalogue.add_erased(Arc::new(Restless)).expect("its name is legal");
    let found = findings(&catalogue).join("\n");
    assert_eq!(found, include_str!("findings.txt").trim_end(), "{found}");
}

#[test]
fn the_bytes_that_models_see_are_kept_in_a_file() {
    let mut catalogue = Catalogue::new();
    catalogue.add::<Greet>();
    check_golden(&catalogue, "tests/it/schema/golden.jsonl");
    catalogue.add_with::<Count>(1);
    let check = |path: &str| {
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check_golden(&catalogue, path)))
    };
    let changed = check("tests/it/schema/golden.jsonl");
    let missing = check("tests/it/schema/no_such_file.jsonl");
    assert!(changed.is_err() && missing.is_err());
}
