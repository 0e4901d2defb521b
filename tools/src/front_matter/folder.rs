//! The files of a folder of definitions, in a fixed order. A link that leads out of the folder is not followed: the
//! folder may come with a project that nobody here wrote.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::{FILE_BYTES_MAX, Unusable};

/// How deep folders may be in each other.
const DEPTH_MAX: usize = 8;
/// How many files and folders are looked at.
const ENTRIES_MAX: usize = 10_000;

/// A file that was found.
#[derive(Debug)]
pub(crate) struct Found {
    /// Where it is.
    pub(crate) place: PathBuf,
    /// Its path from the folder on.
    pub(crate) below: PathBuf,
    /// What is in it.
    pub(crate) bytes: Result<Vec<u8>, Unusable>,
}

/// Every file below a folder that `wanted` wants, by its name. A folder that is not there has none.
pub(crate) fn files(folder: &Path, wanted: impl Fn(&str) -> bool) -> Vec<Found> {
    let Ok(root) = folder.canonicalize() else { return Vec::new() };
    let mut found = Vec::new();
    let mut left = ENTRIES_MAX;
    let mut folders = vec![(PathBuf::new(), 0)];
    while let Some((below, depth)) = folders.pop() {
        let Ok(entries) = fs::read_dir(root.join(&below)) else { continue };
        for entry in entries.flatten() {
            if left == 0 {
                break;
            }
            left -= 1;
            let name = entry.file_name();
            let below = below.join(&name);
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder && depth < DEPTH_MAX {
                folders.push((below, depth + 1));
            } else if !is_folder && name.to_str().is_some_and(&wanted) {
                let place = root.join(&below);
                found.push(Found { bytes: read(&root, &place), place, below });
            }
        }
    }
    found.sort_by(|a, b| a.below.cmp(&b.below));
    found
}

fn read(root: &Path, place: &Path) -> Result<Vec<u8>, Unusable> {
    let unreadable = |error: std::io::Error| Unusable::Unreadable(format!("it cannot be read: {error}"));
    let real = place.canonicalize().map_err(unreadable)?;
    if !real.starts_with(root) {
        return Err(Unusable::Unreadable("it is a link that leads out of its folder".to_owned()));
    }
    // A pipe must not be opened: that may take for ever.
    let about = fs::metadata(&real).map_err(unreadable)?;
    if !about.is_file() {
        return Err(Unusable::Unreadable("it is no file".to_owned()));
    }
    if about.len() > FILE_BYTES_MAX as u64 {
        return Err(Unusable::TooLarge { bytes: about.len() });
    }
    let mut bytes = Vec::new();
    let file = fs::File::open(&real).map_err(unreadable)?;
    file.take(FILE_BYTES_MAX as u64 + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    Ok(bytes)
}
