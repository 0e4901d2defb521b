//! The schemas and prompts of a session, frozen at their first use so that the model's cache stays valid.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use crate::contract::ErasedTool;

/// What the model is told of each tool, as JSON text: made once a session, then never again.
#[derive(Debug, Default)]
pub struct SchemaCache {
    frozen: Mutex<BTreeMap<String, Arc<str>>>,
}

impl SchemaCache {
    /// The definition of a tool as the model gets it: `{"name":…,"description":…,"input_schema":…}`. The first use
    /// freezes the bytes.
    pub fn definition(&self, name: &str, tool: &dyn ErasedTool) -> Arc<str> {
        let mut frozen = self.frozen.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = frozen.get(name) {
            return Arc::clone(found);
        }
        let quoted = |text: &str| Value::from(text).to_string();
        let schema = tool.input_schema();
        let definition: Arc<str> = format!(
            r#"{{"name":{},"description":{},"input_schema":{}}}"#,
            quoted(name),
            quoted(&tool.prompt()),
            schema.text()
        )
        .into();
        frozen.insert(name.to_owned(), Arc::clone(&definition));
        definition
    }
}
