//! What settings say and nothing here does: told, since its author counts on it, and closed where it would have closed
//! everything.

use serde_json::Value;

use super::Settings;
use super::diagnostic::Severity;
use super::read::FileSettings;

/// Keys that are read and do nothing, and what that means.
const IDLE: &[(&str, &str)] = &[
    (
        "sandbox",
        "it has no effect, since there is no sandbox here: what it would keep commands from, say in deny rules",
    ),
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
            let is_off = |name: &str| name == "sandbox" && self.sandbox.enabled == Some(false);
            let says = |name: &str| file.plain.get(name).is_some_and(|value| !is_nothing(value));
            let idle: Vec<_> = IDLE.iter().filter(|(name, _)| says(name) && !is_off(name)).collect();
            for (name, meaning) in idle {
                let range = self.range_at(*index, &format!("/{name}"));
                self.say_of(*index, Severity::Warning, range, name, meaning);
            }
        }
        if self.sandbox.enabled == Some(true) && self.sandbox.fail_if_unavailable == Some(true) {
            self.close_without_sandbox(layers);
        }
    }

    /// Nothing is to run without a sandbox, and there is none.
    fn close_without_sandbox(&mut self, layers: &[(usize, FileSettings)]) {
        let wants = |file: &FileSettings| {
            file.plain.get("sandbox").and_then(|sandbox| sandbox.get("failIfUnavailable")).is_some()
        };
        let Some((index, _)) = layers.iter().find(|(_, file)| wants(file)) else { return };
        let range = self.range_at(*index, "/sandbox/failIfUnavailable");
        let message = "there is no sandbox here, so nothing is allowed automatically";
        self.say_of(*index, Severity::Error, range, "sandbox.failIfUnavailable", message);
        self.closed_by.push(self.files[*index].name.clone());
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
