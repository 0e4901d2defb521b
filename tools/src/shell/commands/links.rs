//! The links among what a wildcard stands for: a program follows them, and they may lead anywhere.

use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};

/// How many entries of folders are looked at.
const ENTRIES_MAX: usize = 5_000;

/// There is too much to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooMany;

/// The links below a folder that names with wildcards may stand for. What is not there has none.
pub(super) fn among(folder: &Path, names: &[String]) -> Result<Vec<PathBuf>, TooMany> {
    let mut found = Vec::new();
    let mut left = ENTRIES_MAX;
    let mut folders = vec![folder.to_owned()];
    for name in names.iter().filter(|name| !name.is_empty()) {
        let matcher = matcher(name);
        let mut next = Vec::new();
        for folder in folders {
            let Ok(entries) = folder.read_dir() else { continue };
            for entry in entries {
                left = left.checked_sub(1).ok_or(TooMany)?;
                let Ok(entry) = entry else { continue };
                if matcher.as_ref().is_some_and(|matcher| !matcher.is_match(Path::new(&entry.file_name()))) {
                    continue;
                }
                match entry.file_type() {
                    Ok(kind) if kind.is_symlink() => {
                        found.push(entry.path());
                        next.push(entry.path());
                    }
                    Ok(kind) if kind.is_dir() => next.push(entry.path()),
                    _file => {}
                }
            }
        }
        folders = next;
    }
    Ok(found)
}

/// What a name matches; where it cannot be read, everything.
fn matcher(name: &str) -> Option<GlobMatcher> {
    if name.contains('[') {
        return None;
    }
    let braces = name.replace('{', "\\{").replace('}', "\\}");
    GlobBuilder::new(&braces).case_insensitive(true).build().ok().map(|glob| glob.compile_matcher())
}
