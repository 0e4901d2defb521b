//! Finds what steers git, the shell or the agent in folders that commands write in.

use std::path::{Path, PathBuf};

use toolwright::permission::{guards, steers};

/// How deep a folder is looked through.
const DEPTH_MAX: usize = 3;
/// How many entries of a folder are looked at, those below it included.
const ENTRIES_MAX: usize = 20_000;

/// Folders that are not looked through: they are full of other people's files, which are run as they are anyway.
const PASSED_OVER: &[&str] = &["node_modules"];

/// What is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    /// All that steers, a whole `.git` among it.
    Steers,
    /// What nobody may write without a person's word, in a folder that settings open.
    Guards,
}

/// What steers below a folder, as far as it is looked through. Links are not followed: where they lead is no place in
/// the folder.
pub(super) fn steering(folder: &Path, which: Which) -> Vec<PathBuf> {
    let is_steering = |path: &Path| match which {
        Which::Steers => steers(path),
        Which::Guards => guards(path),
    };
    let (mut found, mut seen) = (Vec::new(), 0);
    let mut folders = vec![(folder.to_owned(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            seen += 1;
            if seen > ENTRIES_MAX {
                return found;
            }
            let (path, kind) = (entry.path(), entry.file_type());
            let is_link = kind.as_ref().is_ok_and(std::fs::FileType::is_symlink);
            if is_steering(&path) && !is_link {
                found.push(path);
            } else if depth < DEPTH_MAX
                && kind.is_ok_and(|kind| kind.is_dir())
                && !PASSED_OVER.iter().any(|name| entry.file_name() == *name)
            {
                folders.push((path, depth + 1));
            }
        }
    }
    found
}
