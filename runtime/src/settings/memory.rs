//! Files that are in memory, for simulations and tests.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::permission::{Files, within};

/// How many links one path may lead through.
const LINKS_MAX: usize = 40;

/// Files in memory. Cheap to clone; clones share. A folder is there when something is in it.
#[derive(Clone, Debug, Default)]
pub struct MemoryFiles(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    held: Mutex<BTreeMap<PathBuf, Held>>,
    /// Held while settings are changed.
    changing: Mutex<()>,
}

#[derive(Clone, Debug)]
enum Held {
    File(Vec<u8>),
    Link(PathBuf),
}

impl MemoryFiles {
    /// Puts a file there, in place of what was.
    pub fn put(&self, path: impl Into<PathBuf>, content: impl Into<Vec<u8>>) {
        self.held().insert(path.into(), Held::File(content.into()));
    }

    /// Puts a link there, in place of what was.
    pub fn link(&self, path: impl Into<PathBuf>, target: impl Into<PathBuf>) {
        self.held().insert(path.into(), Held::Link(target.into()));
    }

    /// Takes away what is there, and all below it.
    pub fn remove(&self, path: impl AsRef<Path>) {
        self.held().retain(|held, _| !held.starts_with(&path));
    }

    fn held(&self) -> MutexGuard<'_, BTreeMap<PathBuf, Held>> {
        self.0.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps others from changing settings until it is dropped.
    pub(super) fn alone(&self) -> MutexGuard<'_, ()> {
        self.0.changing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Files for MemoryFiles {
    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        let held = self.held();
        let mut real = PathBuf::new();
        let mut left: Vec<PathBuf> = parts(path);
        let mut links = 0;
        while let Some(part) = left.pop() {
            if part == Path::new("..") {
                real.pop();
                continue;
            }
            let next = real.join(&part);
            match held.get(&next) {
                Some(Held::Link(target)) => {
                    links += 1;
                    if links > LINKS_MAX {
                        return Err(io::Error::other("it leads through too many links"));
                    }
                    left.extend(parts(target));
                }
                Some(Held::File(_)) | None => real = next,
            }
        }
        Ok(real)
    }

    fn read(&self, path: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
        let real = self.resolve(path)?;
        let held = self.held();
        match held.get(&real) {
            Some(Held::File(bytes)) => within(bytes.clone(), bytes_max),
            Some(Held::Link(_)) | None if held.keys().any(|key| key.starts_with(&real)) => {
                Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"))
            }
            Some(Held::Link(_)) | None => Err(io::Error::new(io::ErrorKind::NotFound, "it does not exist")),
        }
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<OsString>> {
        let real = self.resolve(folder)?;
        let mut names: Vec<OsString> = self
            .held()
            .keys()
            .filter_map(|key| Some(key.strip_prefix(&real).ok()?.components().next()?.as_os_str().to_owned()))
            .collect();
        names.dedup();
        if names.is_empty() {
            return Err(io::Error::new(io::ErrorKind::NotFound, "it does not exist"));
        }
        Ok(names)
    }
}

/// The parts of a path, the first one last.
fn parts(path: &Path) -> Vec<PathBuf> {
    let parts = path.components().filter(|part| *part != Component::CurDir);
    let mut parts: Vec<PathBuf> = parts.map(|part| PathBuf::from(part.as_os_str())).collect();
    parts.reverse();
    parts
}
