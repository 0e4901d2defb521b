//! Writing a file all at once: whoever reads it sees the old content or the new, and never a part.

use std::ffi::OsStr;
use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use toolwright::contract::{FileSeen, FilesSeen};

use super::fresh::Fresh;
use super::load::kind_name;
use super::place::{Folder, MOVED, is_moved};
use super::text::Text;

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
    /// A part of the path is not a folder.
    #[error("is a file, not a folder, so nothing can be written below it")]
    BelowFile,
    /// There is a link on the way that was not there when the call was decided on.
    #[error("{MOVED}")]
    Moved,
    /// It changed between being read and being written.
    #[error("changed while it was being written: read it again")]
    Raced,
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
            _other if is_moved(&error) => WriteError::new(path, WriteProblem::Moved),
            _other => WriteError::new(path, WriteProblem::Io(error)),
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

/// Puts new bytes in place of a file's, and keeps its mode.
pub(crate) fn replace(fresh: &Fresh, bytes: &[u8]) -> Result<Metadata, WriteError> {
    let file = fresh.file();
    let failed = WriteError::io(&file.path);
    let (folder, name) = split(&file.path)?;
    let folder = Folder::open(folder).map_err(failed)?;
    let mut temporary = folder.temporary().map_err(failed)?;
    temporary.fill(bytes, Some(file.metadata.permissions())).map_err(failed)?;
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
    temporary.replace(name).map_err(failed)
}

/// Puts a new text in place of a file's, in its encoding, and remembers it.
pub(crate) fn put(fresh: &Fresh, content: &str, files: &FilesSeen) -> Result<(), WriteError> {
    let bytes = fresh.file().encoding.encode(content);
    let metadata = replace(fresh, &bytes)?;
    remember(files, fresh.file().path.clone(), bytes, &metadata);
    Ok(())
}

/// Creates a file where there is none, and the folders above it.
pub(crate) fn create(place: &Path, bytes: &[u8]) -> Result<Metadata, WriteError> {
    let failed = WriteError::io(place);
    let (folder, name) = split(place)?;
    let folder = Folder::make(folder).map_err(failed)?;
    let mut temporary = folder.temporary().map_err(failed)?;
    temporary.fill(bytes, None).map_err(failed)?;
    temporary.create(name).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => WriteError::new(place, WriteProblem::Raced),
        _other => failed(error),
    })
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
    if metadata.permissions().readonly() {
        return Err(WriteError::new(path, WriteProblem::ReadOnly));
    }
    Ok(())
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

/// Remembers what was written, so that the agent may change it again.
pub(crate) fn remember(files: &FilesSeen, path: PathBuf, bytes: Vec<u8>, metadata: &Metadata) {
    match Text::decode(bytes) {
        Ok(text) => {
            let modified = metadata.modified().ok();
            files.put(path, FileSeen { content: text.content.into(), modified, whole: true, shown: None });
        }
        Err(_not_text) => files.forget(&path),
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
        assert!(create(&path, b"new").is_err(), "a file that came to be is not overwritten");
        assert_eq!(std::fs::read(&path).expect("it exists"), b"other");
    }
}
