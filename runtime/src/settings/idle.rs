//! What settings say and nothing here does: told, since its author counts on it.

use serde_json::Value;

use super::Settings;
use super::diagnostic::Severity;
use super::read::FileSettings;

/// Keys that are read and do nothing, and what that means.
const IDLE: &[(&str, &str)] = &[
    (
        "autoMode",
        "it has no effect: the classifier is told nothing of it; what must not happen, say in deny rules",
    ),
    ("useAutoModeDuringPlan", "it has no effect: while planning no classifier allows anything here"),
];

impl Settings {
    /// Tells of each file what of it does nothing.
    pub(super) fn tell_idle(&mut self, layers: &[(usize, FileSettings)]) {
        for (index, file) in layers {
            let says = |name: &str| file.plain.get(name).is_some_and(|value| !is_nothing(value));
            let idle: Vec<_> = IDLE.iter().filter(|(name, _)| says(name)).collect();
            for (name, meaning) in idle {
                let range = self.range_at(*index, &format!("/{name}"));
                self.say_of(*index, Severity::Warning, range, name, meaning);
            }
        }
    }
}

/// Whether a value says nothing.
fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.values().all(is_nothing),
        Value::Bool(true) | Value::Number(_) | Value::String(_) => false,
    }
}
