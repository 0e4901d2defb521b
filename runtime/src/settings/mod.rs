//! Settings files in their public format: read in layers, merged, told what is wrong with them, and written back.
//!
//! Nothing is read but through [`Files`](crate::permission::Files), and nothing but what [`SettingsFiles`] names. A
//! broken entry is told with its place, and the rest counts; where something may be lost that closes, nothing is
//! allowed automatically. What a project's own files open counts only when it is trusted.

mod apply;
mod diagnostic;
mod document;
mod files;
mod idle;
mod keys;
mod load;
mod mcp;
mod memory;
mod merged;
mod plain;
mod read;
mod rules;
mod sandbox;
mod store;
mod tracked;
mod update;

pub use self::diagnostic::{Diagnostic, Place, Severity};
pub use self::files::{ExtraSettings, Layer, SettingsFiles, Trust};
pub use self::load::FILE_BYTES_MAX;
pub use self::mcp::{McpRemote, McpServer, McpTransport};
pub use self::memory::MemoryFiles;
pub use self::merged::{Settings, SettingsFile, SettingsHooks, SettingsRule};
pub use self::plain::{AutoModeSettings, SandboxFiles, SandboxNetwork, SandboxSettings};
pub use self::store::{Change, SettingsMemory, SettingsStore, StoreError, StorePlace, save};
pub use self::update::{PermissionUpdate, UpdateError, update};
