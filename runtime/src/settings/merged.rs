//! All layers as one: arrays joined, objects key by key, and of everything else the highest layer's word.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::diagnostic::{Diagnostic, Severity};
use super::document::Node;
use super::mcp::McpServer;
use super::plain::{AutoModeSettings, SandboxSettings};
use super::{Layer, Trust};
use crate::hooks::HookLayer;
use crate::permission::{Mode, RuleText};

/// Settings as they count, and what is wrong with the files they come from.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The rules of every layer, the highest first.
    pub rules: Vec<SettingsRule>,
    /// Further directories the agent works in; absolute.
    pub additional_directories: Vec<PathBuf>,
    /// The mode that sessions begin in, and who chose it.
    pub default_mode: Option<(Mode, Layer)>,
    /// Whether nobody may enter the mode `bypassPermissions`.
    pub is_bypass_disabled: bool,
    /// Whether nobody may enter the mode `auto`.
    pub is_auto_disabled: bool,
    /// Whether only the rules of managed settings count.
    pub only_managed_rules: bool,
    /// The hooks of every file that has some or a word on them, the highest layer first; which of them run, the hooks
    /// room tells.
    pub hooks: Vec<SettingsHooks>,
    /// Variables for what tools start.
    pub env: BTreeMap<String, String>,
    /// Servers that offer tools, by name; of those with one name the highest layer's.
    pub mcp_servers: BTreeMap<String, (Layer, McpServer)>,
    /// The sandbox that commands are to run in.
    pub sandbox: SandboxSettings,
    /// What a classifier is told in the mode `auto`.
    pub auto_mode: AutoModeSettings,
    /// Whether a classifier also decides while planning.
    pub use_auto_mode_during_plan: Option<bool>,
    /// Every other key, as it was written.
    pub other: Map<String, Value>,
    /// The files in which something may be lost that closes. While there is one, nothing is allowed automatically.
    pub closed_by: Vec<String>,
    /// What is wrong, file by file, the highest layer first.
    pub diagnostics: Vec<Diagnostic>,
    /// The files that were read, the highest layer first.
    pub files: Vec<SettingsFile>,
}

/// A rule, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingsRule {
    /// The rule.
    pub rule: RuleText,
    /// The file, among [`Settings::files`].
    pub file: usize,
    /// Its place there, quotes included.
    pub range: Range<usize>,
    /// The entry, such as `permissions.deny[2]`.
    pub path: String,
}

/// The hooks of one file, and its switches over hooks.
#[derive(Clone, Debug)]
pub struct SettingsHooks {
    /// The file, among [`Settings::files`].
    pub file: usize,
    /// What it says.
    pub hooks: HookLayer,
}

/// A file that was read.
#[derive(Clone, Debug)]
pub struct SettingsFile {
    /// Its name in diagnostics.
    pub name: String,
    /// Where it is; nothing for what the command line holds itself.
    pub path: Option<PathBuf>,
    /// The layer it is in.
    pub layer: Layer,
    /// Whether what it opens counts.
    pub trust: Trust,
    /// Its text, without a byte order mark; empty where there is none that could be read.
    pub text: String,
    /// The same, taken apart; nothing where that could not be done.
    pub(super) root: Option<Node>,
}

impl Settings {
    /// Whether something is wrong that keeps anything from being allowed automatically.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        !self.closed_by.is_empty()
    }

    /// The hooks of every file, the highest layer first, as a session takes them.
    #[must_use]
    pub fn hook_layers(&self) -> Vec<HookLayer> {
        self.hooks.iter().map(|file| file.hooks.clone()).collect()
    }

    /// The text that a diagnostic speaks of.
    #[must_use]
    pub fn text_of(&self, diagnostic: &Diagnostic) -> Option<&str> {
        self.files.iter().find(|file| file.name == diagnostic.file).map(|file| file.text.as_str())
    }

    /// Whether a diagnostic says that something does not count.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }
}

/// Puts a lower layer's value below a higher one's: arrays are joined without doubles, objects go key by key, and of
/// anything else the higher one stays.
pub(super) fn merge(higher: &mut Value, lower: &Value) {
    match (higher, lower) {
        (Value::Array(above), Value::Array(below)) => {
            for item in below {
                if !above.contains(item) {
                    above.push(item.clone());
                }
            }
        }
        (Value::Object(above), Value::Object(below)) => merge_maps(above, below),
        _one_stays => {}
    }
}

pub(super) fn merge_maps(above: &mut Map<String, Value>, below: &Map<String, Value>) {
    for (name, lower) in below {
        match above.get_mut(name) {
            Some(higher) => merge(higher, lower),
            None => {
                above.insert(name.clone(), lower.clone());
            }
        }
    }
}

/// A value whose shape was checked when it was read.
pub(super) fn typed<T: DeserializeOwned + Default>(plain: &mut Map<String, Value>, name: &str) -> T {
    plain.remove(name).and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default()
}
