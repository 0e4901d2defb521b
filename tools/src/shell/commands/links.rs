//! The links among what a wildcard stands for: a program follows them, and they may lead anywhere.

use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};

/// How many entries of folders are looked at.
const ENTRIES_MAX: usize = 5_000;

/// There is too much to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooMany;

/// What matters among the files that names with wildcards may stand for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Among {
    /// The links, also on the way.
    pub(super) links: Vec<PathBuf>,
    /// Whether a name has something in it at which a reader of lines would split it.
    pub(super) has_odd_names: bool,
}

/// What is below a folder by names with wildcards; `**` stands for any folders, but for those behind links. What is not
/// there has nothing.
pub(super) fn among(folder: &Path, names: &[String]) -> Result<Among, TooMany> {
    let mut found = Among::default();
    let mut left = ENTRIES_MAX;
    let mut folders = vec![folder.to_owned()];
    for name in names.iter().filter(|name| !name.is_empty()) {
        let is_deep = name == "**";
        let matcher = if is_deep { None } else { matcher(name) };
        let mut next = if is_deep { folders.clone() } else { Vec::new() };
        while let Some(folder) = folders.pop() {
            let Ok(entries) = folder.read_dir() else { continue };
            for entry in entries {
                left = left.checked_sub(1).ok_or(TooMany)?;
                let Ok(entry) = entry else { continue };
                let name = entry.file_name();
                let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
                let is_passed = is_deep && !is_folder;
                let is_other = matcher.as_ref().is_some_and(|matcher| !matcher.is_match(Path::new(&name)));
                if is_passed || is_other {
                    continue;
                }
                found.has_odd_names |= is_odd(&name.to_string_lossy());
                match entry.file_type() {
                    Ok(kind) if kind.is_symlink() => {
                        found.links.push(entry.path());
                        next.push(entry.path());
                    }
                    Ok(kind) if kind.is_dir() => {
                        next.push(entry.path());
                        if is_deep {
                            folders.push(entry.path());
                        }
                    }
                    _file => {}
                }
            }
        }
        folders = next;
    }
    Ok(found)
}

fn is_odd(name: &str) -> bool {
    name.contains(|c: char| c.is_whitespace() || matches!(c, '\'' | '"' | '\\' | char::REPLACEMENT_CHARACTER))
}

/// What a name matches; where it cannot be read, everything.
fn matcher(name: &str) -> Option<GlobMatcher> {
    if name.contains('[') {
        return None;
    }
    let braces = name.replace('{', "\\{").replace('}', "\\}");
    GlobBuilder::new(&braces).case_insensitive(true).build().ok().map(|glob| glob.compile_matcher())
}
