//! Which files the agent has read, and what they were then: the memory behind "read before edit".

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use lru::LruCache;

/// How many files are remembered.
const FILES_MAX: NonZeroUsize = NonZeroUsize::new(1_000).expect("a thousand is not zero");
/// How many bytes of content are remembered over all files.
const BYTES_MAX: usize = 25 * 1024 * 1024;

/// A file as it was when the agent last read or wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileSeen {
    /// The whole content then.
    pub content: Arc<str>,
    /// When it was last modified then.
    pub modified: Option<SystemTime>,
    /// Whether the agent saw all of it.
    pub whole: bool,
    /// Which part a tool showed last, its first line and how many lines at the most, where it need not be shown at once
    /// again.
    pub shown: Option<(usize, usize)>,
}

/// The files the agent has seen, the least recently used forgotten first. Cheap to clone; clones share.
#[derive(Clone)]
pub struct FilesSeen(Arc<Mutex<Seen>>);

struct Seen {
    files: LruCache<PathBuf, FileSeen>,
    bytes: usize,
}

impl FilesSeen {
    /// Remembers a file.
    pub fn put(&self, path: impl Into<PathBuf>, file: FileSeen) {
        let mut seen = self.lock();
        seen.bytes += file.content.len();
        if let Some((_path, old)) = seen.files.push(path.into(), file) {
            seen.bytes -= old.content.len();
        }
        while seen.bytes > BYTES_MAX
            && let Some((_path, old)) = seen.files.pop_lru()
        {
            seen.bytes -= old.content.len();
        }
    }

    /// The file as it was last seen.
    #[must_use]
    pub fn get(&self, path: &Path) -> Option<FileSeen> {
        self.lock().files.get(path).cloned()
    }

    /// Forgets a file.
    pub fn forget(&self, path: &Path) {
        let mut seen = self.lock();
        if let Some(old) = seen.files.pop(path) {
            seen.bytes -= old.content.len();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for FilesSeen {
    fn default() -> FilesSeen {
        FilesSeen(Arc::new(Mutex::new(Seen { files: LruCache::new(FILES_MAX), bytes: 0 })))
    }
}

impl std::fmt::Debug for FilesSeen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FilesSeen").field("files", &self.lock().files.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(bytes: usize) -> FileSeen {
        FileSeen { content: "x".repeat(bytes).into(), modified: None, whole: true, shown: None }
    }

    #[test]
    fn the_least_recently_used_is_forgotten_when_the_budget_is_spent() {
        let seen = FilesSeen::default();
        seen.put("/a", file(BYTES_MAX / 2));
        seen.put("/b", file(BYTES_MAX / 2));
        assert!(seen.get(Path::new("/a")).is_some(), "both fit");
        seen.put("/c", file(BYTES_MAX / 4));
        assert!(seen.get(Path::new("/b")).is_none(), "b was used least recently");
        assert!(seen.get(Path::new("/a")).is_some());
    }

    #[test]
    fn a_file_put_twice_counts_once() {
        let seen = FilesSeen::default();
        for _ in 0..10 {
            seen.put("/a", file(BYTES_MAX / 2));
        }
        assert!(seen.get(Path::new("/a")).is_some());
        seen.forget(Path::new("/a"));
        assert_eq!(seen.lock().bytes, 0);
    }
}
