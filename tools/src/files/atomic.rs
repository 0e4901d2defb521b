//! Writing a file all at once: whoever reads it sees the old content or the new, and never a part.

use std::ffi::OsStr;
use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use toolwright::contract::{FileSeen, FilesSeen};

use super::fresh::Fresh;
use super::kept::{self, Lost};
use super::load::kind_name;
use super::place::{self, Folder, MOVED, is_moved};
use super::text::Encoding;

/// Why a file could not be written.
#[derive(Debug, thiserror::Error)]
#[error("`{}` {problem}", .path.display())]
pub(crate) struct WriteError {
    path: PathBuf,
    problem: WriteProblem,
}

/// What is wrong with a file that could not be written.
#[derive(Debug, thiserror::Error)]
enum WriteProblem {
    /// It is a folder.
    #[error("is a folder: give the path of a file")]
    Folder,
    /// It is neither a file nor a folder.
    #[error("is a {0}, not a file: choose another path")]
    Special(&'static str),
    /// It may not be written.
    #[error("is read-only: make it writable with `chmod u+w` if it is meant to change")]
    ReadOnly,
    /// Nobody may change it.
    #[error("is immutable: make it changeable with `chattr -i -a` if it is meant to change")]
    Immutable,
    /// A part of the path is not a folder.
    #[error("is a file, not a folder, so nothing can be written below it")]
    BelowFile,
    /// There is a link on the way that was not there when the call was decided on.
    #[error("{MOVED}")]
    Moved,
    /// It changed between being read and being written.
    #[error("changed while it was being written: read it again")]
    Raced,
    /// There is no room left for it.
    #[error("cannot be written, and stays as it was: the disk or the quota is full; make room first")]
    Full,
    /// The system does not let whoever runs this.
    #[error(
        "cannot be written: {0}; look at who may write to its folder with `ls -ld`, and whether it is immutable with \
         `lsattr`"
    )]
    NotAllowed(io::Error),
    /// Nothing can be written there.
    #[error("is on a file system that is mounted read-only: choose another path")]
    ReadOnlySystem,
    /// A part of the path has too many characters.
    #[error("has a name that is longer than the file system takes: choose a shorter one")]
    LongName,
    /// The system refused.
    #[error("cannot be written: {0}")]
    Io(io::Error),
}

impl WriteError {
    fn new(path: &Path, problem: WriteProblem) -> WriteError {
        WriteError { path: path.to_owned(), problem }
    }

    /// What turns the system's refusals into errors about this path.
    fn io(path: &Path) -> impl Fn(io::Error) -> WriteError + Copy {
        move |error| match error.kind() {
            io::ErrorKind::NotADirectory => WriteError::new(first_file(path), WriteProblem::BelowFile),
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                WriteError::new(path, WriteProblem::Full)
            }
            io::ErrorKind::PermissionDenied => WriteError::new(path, WriteProblem::NotAllowed(error)),
            io::ErrorKind::ReadOnlyFilesystem => WriteError::new(path, WriteProblem::ReadOnlySystem),
            io::ErrorKind::InvalidFilename => WriteError::new(path, WriteProblem::LongName),
            _other if is_moved(&error) => WriteError::new(path, WriteProblem::Moved),
            _other => WriteError::new(path, WriteProblem::Io(error)),
        }
    }

    /// The same for a file that was there a moment ago.
    fn io_of_known(path: &Path) -> impl Fn(io::Error) -> WriteError + Copy {
        move |error| match error.kind() {
            io::ErrorKind::NotFound => WriteError::new(path, WriteProblem::Raced),
            _other => WriteError::io(path)(error),
        }
    }
}

/// The file that writing to a place would change.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// There is a file.
    Existing(PathBuf),
    /// There is none.
    New(PathBuf),
}

impl Target {
    /// Looks what is at the place that an absolute path leads to. No link is followed to it.
    pub(crate) fn at(path: &Path, place: io::Result<PathBuf>) -> Result<Target, WriteError> {
        let place = place.map_err(WriteError::io(path))?;
        match std::fs::symlink_metadata(&place) {
            Ok(metadata) => {
                check_writable(&place, &metadata)?;
                Ok(Target::Existing(place))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => new_target(place),
            Err(error) => Err(WriteError::io(&place)(error)),
        }
    }
}

/// A file that was replaced.
#[derive(Debug)]
pub(crate) struct Written {
    metadata: Metadata,
    /// What it does not have any more.
    pub(crate) lost: Vec<Lost>,
}

/// Puts new bytes in place of a file's, and keeps what it has besides.
fn replace(fresh: &Fresh, bytes: &[u8]) -> Result<Written, WriteError> {
    let file = fresh.file();
    let failed = WriteError::io_of_known(&file.path);
    let (folder, name) = split(&file.path)?;
    let old = place::open(&file.path, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY).map_err(failed)?;
    let folder = Folder::open(folder).map_err(failed)?;
    // Nobody but its owner looks into it before it has the mode of the old one.
    let mut temporary = folder.temporary(Mode::from_raw_mode(0o600)).map_err(failed)?;
    temporary.fill(bytes).map_err(failed)?;
    let lost = kept::keep(&old, &file.metadata, temporary.file()).map_err(failed)?;
    // The window between this look and the rename is as small as it can be made without a lock that others honour.
    let now = folder.stat(name).map_err(failed)?;
    let then = &file.metadata;
    let is_same = i128::from(now.st_ino) == i128::from(then.ino())
        && i128::from(now.st_mtime) == i128::from(then.mtime())
        && i128::from(now.st_mtime_nsec) == i128::from(then.mtime_nsec())
        && i128::from(now.st_size) == i128::from(then.size());
    if !is_same {
        return Err(WriteError::new(&file.path, WriteProblem::Raced));
    }
    Ok(Written { metadata: temporary.replace(name).map_err(failed)?, lost })
}

/// Puts a new text in place of a file's, in its encoding, and remembers it. Gives what the file does not have any more.
pub(crate) fn put(fresh: &Fresh, content: &str, files: &FilesSeen) -> Result<Vec<Lost>, WriteError> {
    let bytes = fresh.file().encoding.encode(content);
    let written = replace(fresh, &bytes)?;
    let read_back = fresh.file().encoding.read_back(content);
    remember(files, &fresh.file().path, read_back, &written.metadata);
    Ok(written.lost)
}

/// Creates a text file where there is none, and the folders above it, and remembers it.
pub(crate) fn create(place: &Path, content: &str, files: &FilesSeen) -> Result<(), WriteError> {
    let failed = WriteError::io(place);
    let (folder, name) = split(place)?;
    let folder = Folder::make(folder).map_err(failed)?;
    let mut temporary = folder.temporary(Mode::from_raw_mode(0o666)).map_err(failed)?;
    temporary.fill(content.as_bytes()).map_err(failed)?;
    let metadata = temporary.create(name).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => WriteError::new(place, WriteProblem::Raced),
        _other => failed(error),
    })?;
    remember(files, place, Encoding::Utf8.read_back(content), &metadata);
    Ok(())
}

/// The folder that a file is in, and its name there.
fn split(place: &Path) -> Result<(&Path, &OsStr), WriteError> {
    place.parent().zip(place.file_name()).ok_or_else(|| WriteError::new(place, WriteProblem::Folder))
}

fn check_writable(path: &Path, metadata: &Metadata) -> Result<(), WriteError> {
    if metadata.is_dir() {
        return Err(WriteError::new(path, WriteProblem::Folder));
    }
    if metadata.is_symlink() {
        return Err(WriteError::new(path, WriteProblem::Moved));
    }
    if !metadata.is_file() {
        return Err(WriteError::new(path, WriteProblem::Special(kind_name(metadata.file_type()))));
    }
    // A rename would replace it all the same, which is not what its owner meant.
    let read_only = || WriteError::new(path, WriteProblem::ReadOnly);
    if metadata.permissions().readonly() {
        return Err(read_only());
    }
    let (folder, name) = split(path)?;
    let asked = Folder::open(folder).and_then(|folder| folder.check_writable(name));
    asked.map_err(|error| match Errno::from_io_error(&error) {
        Some(Errno::ACCESS) => read_only(),
        Some(Errno::PERM) => WriteError::new(path, WriteProblem::Immutable),
        _other => WriteError::io_of_known(path)(error),
    })
}

fn new_target(place: PathBuf) -> Result<Target, WriteError> {
    let there = place.ancestors().skip(1).find_map(|folder| Some((folder, folder.symlink_metadata().ok()?)));
    match there {
        Some((_folder, metadata)) if metadata.is_dir() => Ok(Target::New(place)),
        Some((folder, metadata)) if metadata.is_symlink() => {
            Err(WriteError::new(folder, WriteProblem::Moved))
        }
        Some((file, _metadata)) => Err(WriteError::new(file, WriteProblem::BelowFile)),
        None => Err(WriteError::new(&place, WriteProblem::Folder)),
    }
}

/// The first part of a path that is not a folder.
fn first_file(path: &Path) -> &Path {
    path.ancestors().find(|part| part.is_file()).unwrap_or(path)
}

/// Remembers what was written, so that the agent may change it again. What is no text any more is forgotten.
fn remember(files: &FilesSeen, path: &Path, content: Option<&str>, metadata: &Metadata) {
    let modified = metadata.modified().ok();
    match content {
        Some(content) => {
            files.put(path, FileSeen { content: content.into(), modified, whole: true, shown: None });
        }
        None => files.forget(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::load::Loaded;

    #[test]
    fn a_change_between_reading_and_writing_is_noticed() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let path = folder.path().canonicalize().expect("it exists").join("a");
        let load = || Loaded::from_place(&path).expect("it is text");
        std::fs::write(&path, "old").expect("files can be written");
        let files = FilesSeen::default();
        files.put(load().path, load().seen(true));
        let fresh = Fresh::check(load(), &files).expect("it was just read");
        std::fs::write(&path, "other").expect("files can be written");
        let error = replace(&fresh, b"new").expect_err("it changed");
        assert!(error.to_string().contains("changed while it was being written"), "{error}");
        assert!(create(&path, "new", &files).is_err(), "a file that came to be is not overwritten");
        assert_eq!(std::fs::read(&path).expect("it exists"), b"other");
    }
}
