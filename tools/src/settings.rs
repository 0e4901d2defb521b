//! Writing settings files for real: under a lock, and all at once.

use std::fs::{DirBuilder, File};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use toolwright::permission::{Files, RealFiles};
use toolwright::settings::{Change, FILE_BYTES_MAX, SettingsStore, StoreError, StorePlace};

/// How long a lock is waited for unless said.
const LOCK_WAIT_DEFAULT: Duration = Duration::from_secs(5);
/// How long it is waited before the lock is tried again.
const LOCK_PAUSE: Duration = Duration::from_millis(10);

/// Settings files on this machine. A file is replaced by a new one with its mode; a link to it stays, and the file it
/// leads to is the one replaced. Writers exclude each other by an advisory lock on the folder the file is in.
#[derive(Clone, Copy, Debug)]
pub struct RealSettings {
    lock_wait: Duration,
}

impl Default for RealSettings {
    fn default() -> RealSettings {
        RealSettings { lock_wait: LOCK_WAIT_DEFAULT }
    }
}

impl RealSettings {
    /// With another time to wait for a lock.
    #[must_use]
    pub fn waiting(lock_wait: Duration) -> RealSettings {
        RealSettings { lock_wait }
    }
}

impl SettingsStore for RealSettings {
    fn change(&self, place: &StorePlace, change: &Change<'_>) -> Result<bool, StoreError> {
        let path = &place.path;
        let failed = |error: io::Error| StoreError::Io { path: path.clone(), error };
        let target = target(place)?;
        let folder = target.parent().unwrap_or(Path::new("/"));
        DirBuilder::new().recursive(true).mode(0o777).create(folder).map_err(failed)?;
        let _lock = self.lock(path, folder)?;
        let old = read(&target).map_err(failed)?;
        let changed = change(old.as_ref().map(|(text, _)| text.as_str()));
        let changed = changed.map_err(|error| StoreError::Update { path: path.clone(), error })?;
        let Some(changed) = changed else { return Ok(false) };
        let mode = old.map_or(0o666, |(_, mode)| mode);
        replace(&target, &changed, mode).map_err(failed)?;
        Ok(true)
    }
}

impl RealSettings {
    /// Locks a folder until the file is closed. A lock on the settings file itself would be lost when it is replaced.
    fn lock(&self, path: &Path, folder: &Path) -> Result<File, StoreError> {
        let failed = |error: io::Error| StoreError::Io { path: path.to_owned(), error };
        let file = File::open(folder).map_err(failed)?;
        let began = Instant::now();
        loop {
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(file),
                Err(rustix::io::Errno::WOULDBLOCK | rustix::io::Errno::INTR) => {}
                Err(error) => return Err(failed(error.into())),
            }
            if began.elapsed() >= self.lock_wait {
                return Err(StoreError::Locked { path: path.to_owned() });
            }
            std::thread::sleep(LOCK_PAUSE);
        }
    }
}

/// The file that is to be written, with links resolved.
fn target(place: &StorePlace) -> Result<PathBuf, StoreError> {
    let path = &place.path;
    let failed = |error: io::Error| StoreError::Io { path: path.clone(), error };
    let target = RealFiles.resolve(path).map_err(failed)?;
    if let Some(within) = &place.within {
        let below = path.strip_prefix(within).unwrap_or(path);
        if target != RealFiles.resolve(within).map_err(failed)?.join(below) {
            return Err(StoreError::Link { path: path.clone() });
        }
    }
    Ok(target)
}

/// The text of a file and its mode; nothing where there is none.
fn read(target: &Path) -> io::Result<Option<(String, u32)>> {
    let bytes = match RealFiles.read(target, FILE_BYTES_MAX) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let permissions = target.metadata()?.permissions();
    // Replacing it would work all the same, which is not what its owner meant.
    if permissions.readonly() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is read-only"));
    }
    let text = String::from_utf8(bytes);
    let text = text.map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8"))?;
    Ok(Some((text, permissions.mode() & 0o7777)))
}

/// Puts a new file in place of one. The new one removes itself unless it becomes it.
fn replace(target: &Path, text: &str, mode: u32) -> io::Result<()> {
    let folder = target.parent().unwrap_or(Path::new("/"));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".toolwright-").permissions(std::fs::Permissions::from_mode(mode));
    let mut temporary = builder.tempfile_in(folder)?;
    temporary.write_all(text.as_bytes())?;
    if target.exists() {
        temporary.as_file().set_permissions(std::fs::Permissions::from_mode(mode))?;
    }
    temporary.as_file().sync_all()?;
    temporary.persist(target).map_err(|error| error.error)?;
    // The new name is there after a crash too.
    File::open(folder)?.sync_all()
}
