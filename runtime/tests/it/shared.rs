//! Real files that may lie beside the project, and are not part of it.

use std::path::PathBuf;

/// A file or a folder among them. Says so and gives nothing where it is not there.
pub(crate) fn shared(below: &str) -> Option<PathBuf> {
    let shared = std::env::var_os("TOOLWRIGHT_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared"), PathBuf::from);
    let path = shared.join(below);
    if !path.exists() {
        eprintln!("skipped: there is no `{below}`; set TOOLWRIGHT_SHARED to the folder that has it");
        return None;
    }
    Some(path)
}
