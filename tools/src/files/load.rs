//! Taking a whole text file into memory, without hanging on what is not a file.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use rustix::fs::OFlags;
use toolwright::contract::FileSeen;

use super::nearest::nearest_name;
use super::place::{self, MOVED, is_moved};
use super::text::{Encoding, NotText, Text};

/// How many bytes a file may have to be taken at all, whatever part of it is wanted.
pub(crate) const FILE_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// A text file as it was when it was taken.
#[derive(Debug)]
pub(crate) struct Loaded {
    /// Its path with all links resolved: the name it is remembered by.
    pub(crate) path: PathBuf,
    /// Its text.
    pub(crate) content: Arc<str>,
    /// How the text was written down.
    pub(crate) encoding: Encoding,
    /// What the file system said of it.
    pub(crate) metadata: Metadata,
}

/// Why a file could not be taken.
#[derive(Debug, thiserror::Error)]
#[error("`{}` {problem}", .path.display())]
pub(crate) struct LoadError {
    path: PathBuf,
    problem: LoadProblem,
}

/// What is wrong with a file that could not be taken.
#[derive(Debug, thiserror::Error)]
enum LoadProblem {
    /// There is no such file.
    #[error("does not exist{}", did_you_mean(.0))]
    Missing(Option<String>),
    /// It is a folder.
    #[error("is a folder, not a file: list it with Glob or with `ls`")]
    Folder,
    /// It is neither a file nor a folder.
    #[error("is a {0}, not a file: reading it could take forever")]
    Special(&'static str),
    /// It is larger than so many bytes, which is what a tool takes of its kind.
    #[error("has more than the {0} bytes that fit: take parts of it with `grep`, `head` or `sed -n`")]
    TooLarge(u64),
    /// It is not text.
    #[error("cannot be shown as text: {0}")]
    NotText(NotText),
    /// There is a link on the way that was not there when the call was decided on.
    #[error("{MOVED}")]
    Moved,
    /// The system refused.
    #[error("cannot be read: {0}")]
    Io(io::Error),
}

impl LoadError {
    fn new(path: &Path, problem: LoadProblem) -> LoadError {
        LoadError { path: path.to_owned(), problem }
    }

    /// There is no such file; says which name is near.
    pub(crate) fn missing(path: &Path) -> LoadError {
        LoadError::new(path, LoadProblem::Missing(nearest_name(path)))
    }

    /// What the system's refusals mean for this path.
    pub(crate) fn io(path: &Path) -> impl Fn(io::Error) -> LoadError + Copy {
        move |error| match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => LoadError::missing(path),
            _other if is_moved(&error) => LoadError::new(path, LoadProblem::Moved),
            _other => LoadError::new(path, LoadProblem::Io(error)),
        }
    }
}

impl Loaded {
    /// Takes a text file whole, as [`take`] does, where it has no more bytes than any tool changes.
    pub(crate) fn from_place(place: &Path) -> Result<Loaded, LoadError> {
        Loaded::within(place, FILE_BYTES_MAX)
    }

    /// Takes a text file of so many bytes at the most.
    pub(crate) fn within(place: &Path, bytes_max: u64) -> Result<Loaded, LoadError> {
        let (bytes, metadata) = take(place, bytes_max)?;
        let text = Text::decode(bytes).map_err(|error| LoadError::new(place, LoadProblem::NotText(error)))?;
        Ok(Loaded { path: place.to_owned(), content: text.content.into(), encoding: text.encoding, metadata })
    }

    /// What is remembered of it.
    pub(crate) fn seen(&self, whole: bool) -> FileSeen {
        FileSeen { content: Arc::clone(&self.content), modified: self.modified(), whole, shown: None }
    }

    /// When it was last modified.
    pub(crate) fn modified(&self) -> Option<SystemTime> {
        self.metadata.modified().ok()
    }
}

/// Takes a file's bytes, all of them, of which there may be so many. `place` is absolute, and no link is followed to it.
pub(crate) fn take(place: &Path, bytes_max: u64) -> Result<(Vec<u8>, Metadata), LoadError> {
    let (mut file, metadata) = open_regular(place)?;
    let too_large = || LoadError::new(place, LoadProblem::TooLarge(bytes_max));
    if metadata.len() > bytes_max {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or_default());
    // The file may grow while it is read, and files of the system do not say how large they are.
    file.by_ref()
        .take(bytes_max + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| LoadError::new(place, LoadProblem::Io(error)))?;
    if bytes.len() as u64 > bytes_max {
        return Err(too_large());
    }
    Ok((bytes, metadata))
}

/// Opens a file that is a file. What it is is asked of the opened file too, since its name may mean another by then.
fn open_regular(place: &Path) -> Result<(File, Metadata), LoadError> {
    let failed = LoadError::io(place);
    check_regular(place, &std::fs::symlink_metadata(place).map_err(failed)?)?;
    let file = place::open(place, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    check_regular(place, &metadata)?;
    Ok((file, metadata))
}

fn check_regular(path: &Path, metadata: &Metadata) -> Result<(), LoadError> {
    let kind = metadata.file_type();
    let problem = if kind.is_dir() {
        LoadProblem::Folder
    } else if kind.is_symlink() {
        LoadProblem::Moved
    } else if !kind.is_file() {
        LoadProblem::Special(kind_name(kind))
    } else {
        return Ok(());
    };
    Err(LoadError::new(path, problem))
}

/// What a file that is neither a file nor a folder is called.
pub(crate) fn kind_name(kind: std::fs::FileType) -> &'static str {
    if kind.is_fifo() {
        "named pipe"
    } else if kind.is_socket() {
        "socket"
    } else {
        "device"
    }
}

fn did_you_mean(near: &Option<String>) -> String {
    near.as_ref().map(|name| format!("; did you mean `{name}` in the same folder?")).unwrap_or_default()
}
