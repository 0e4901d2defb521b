//! Writing a file all at once: whoever reads it sees the old content or the new, and never a part.

use std::fs::{DirBuilder, Metadata, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use toolwright::contract::{FileSeen, FilesSeen};

use super::fresh::Fresh;
use super::load::kind_name;
use super::text::Text;

/// How many links a path may lead through.
const LINKS_MAX: usize = 40;

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
    /// Links lead in a circle.
    #[error("leads through more than {LINKS_MAX} links: write to the file itself")]
    Links,
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
        move |error| WriteError::new(path, WriteProblem::Io(error))
    }
}

/// The file that writing to a path would change.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// There is a file; its path with all links resolved.
    Existing(PathBuf),
    /// There is none; the path it would get, with all links resolved that exist.
    New(PathBuf),
}

impl Target {
    /// Finds the file behind an absolute path, through links, whether or not it exists.
    pub(crate) fn find(path: &Path) -> Result<Target, WriteError> {
        let failed = WriteError::io(path);
        let mut at = path.to_owned();
        for _link in 0..LINKS_MAX {
            match std::fs::symlink_metadata(&at) {
                Ok(metadata) if metadata.is_symlink() => {
                    let link = std::fs::read_link(&at).map_err(failed)?;
                    at = at.parent().unwrap_or(Path::new("/")).join(link);
                }
                Ok(metadata) => {
                    check_writable(&at, &metadata)?;
                    return at.canonicalize().map(Target::Existing).map_err(failed);
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => return new_target(&at),
                Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
                    return Err(WriteError::new(first_file(&at), WriteProblem::BelowFile));
                }
                Err(error) => return Err(failed(error)),
            }
        }
        Err(WriteError::new(path, WriteProblem::Links))
    }
}

/// Puts new bytes in place of a file's, and keeps its mode.
pub(crate) fn replace(fresh: &Fresh, bytes: &[u8]) -> Result<Metadata, WriteError> {
    let file = fresh.file();
    let failed = WriteError::io(&file.path);
    let temporary = prepare(&file.path, bytes, Some(file.metadata.permissions()))?;
    // The window between this look and the rename is as small as it can be made without a lock that others honour.
    let now = std::fs::symlink_metadata(&file.path).map_err(failed)?;
    let same_time = now.modified().ok() == file.modified();
    if !now.is_file() || !same_time || now.len() != file.metadata.len() {
        return Err(WriteError::new(&file.path, WriteProblem::Raced));
    }
    let written = temporary.persist(&file.path).map_err(|error| failed(error.error))?;
    written.metadata().map_err(failed)
}

/// Creates a file where there is none, and the folders above it.
pub(crate) fn create(path: &Path, bytes: &[u8]) -> Result<Metadata, WriteError> {
    let failed = WriteError::io(path);
    let folder = path.parent().unwrap_or(Path::new("/"));
    DirBuilder::new().recursive(true).mode(0o777).create(folder).map_err(failed)?;
    let temporary = prepare(path, bytes, None)?;
    let written = temporary.persist_noclobber(path).map_err(|error| match error.error.kind() {
        io::ErrorKind::AlreadyExists => WriteError::new(path, WriteProblem::Raced),
        _other => failed(error.error),
    })?;
    written.metadata().map_err(failed)
}

/// A file with these bytes beside the one it will become. It removes itself unless it becomes it.
fn prepare(
    path: &Path,
    bytes: &[u8],
    mode: Option<Permissions>,
) -> Result<tempfile::NamedTempFile, WriteError> {
    let failed = WriteError::io(path);
    let folder = path.parent().unwrap_or(Path::new("/"));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".toolwright-").permissions(Permissions::from_mode(0o666));
    let mut temporary = builder.tempfile_in(folder).map_err(failed)?;
    temporary.write_all(bytes).map_err(failed)?;
    if let Some(mode) = mode {
        temporary.as_file().set_permissions(mode).map_err(failed)?;
    }
    temporary.as_file().sync_all().map_err(failed)?;
    Ok(temporary)
}

fn check_writable(path: &Path, metadata: &Metadata) -> Result<(), WriteError> {
    if metadata.is_dir() {
        return Err(WriteError::new(path, WriteProblem::Folder));
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

fn new_target(path: &Path) -> Result<Target, WriteError> {
    let mut missing = Vec::new();
    let mut folder = path;
    while let (Some(parent), Some(name)) = (folder.parent(), folder.file_name()) {
        missing.push(name);
        folder = parent;
        match folder.canonicalize() {
            Ok(real) if real.is_dir() => {
                return Ok(Target::New(missing.into_iter().rev().fold(real, |path, name| path.join(name))));
            }
            Ok(real) => return Err(WriteError::new(&real, WriteProblem::BelowFile)),
            Err(_missing) => {}
        }
    }
    Err(WriteError::new(path, WriteProblem::Folder))
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
            files.put(path, FileSeen { content: text.content.into(), modified, whole: true });
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
        let path = folder.path().join("a");
        let load = || Loaded::from_file(&path).expect("it is text");
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
