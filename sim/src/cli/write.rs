//! Files that a command writes: never over another without being told to, and never half of one.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::output::Fault;

/// What is done with a file that is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Old {
    /// It stays, and that it is there is a mistake.
    Keep,
    /// It is replaced, once what replaces it is whole.
    Replace,
}

impl Old {
    /// What `--force` says.
    pub(super) fn forced(is_forced: bool) -> Old {
        if is_forced { Old::Replace } else { Old::Keep }
    }
}

/// Writes a file. What is no ordinary file, such as a terminal or a pipe, is just written on.
pub(super) fn write(path: &Path, bytes: &[u8], old: Old) -> Result<(), Fault> {
    let there = fs::metadata(path).ok();
    let done = match (&there, old) {
        (Some(meta), _) if meta.is_dir() => Err(io::Error::from(io::ErrorKind::IsADirectory)),
        (Some(meta), _) if !meta.is_file() => {
            OpenOptions::new().write(true).open(path).and_then(|file| put(file, bytes))
        }
        (Some(_), Old::Keep) => Err(io::Error::from(io::ErrorKind::AlreadyExists)),
        // A link stays a link: what it leads to is replaced.
        (Some(_), Old::Replace) => fs::canonicalize(path).and_then(|target| replace(&target, bytes)),
        (None, Old::Keep | Old::Replace) => File::create_new(path).and_then(|file| {
            put(file, bytes).inspect_err(|_failed| {
                // Half a file would be taken for a whole one.
                drop(fs::remove_file(path));
            })
        }),
    };
    done.map_err(|error| failed(path, &error))
}

/// Why a file cannot be written, with what to do about it.
pub(super) fn failed(path: &Path, error: &io::Error) -> Fault {
    let name = path.display();
    Fault::new(match error.kind() {
        io::ErrorKind::AlreadyExists => format!("`{name}` is there already: `--force` overwrites it"),
        _other => format!("`{name}` cannot be written: {error}"),
    })
}

fn put(mut file: File, bytes: &[u8]) -> io::Result<()> {
    file.write_all(bytes)?;
    file.flush()
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside: PathBuf = path.with_file_name(format!(".{name}.{}.part", std::process::id()));
    let written = File::create_new(&beside)
        .and_then(|file| put(file, bytes))
        .and_then(|()| fs::set_permissions(&beside, fs::metadata(path)?.permissions()))
        .and_then(|()| fs::rename(&beside, path));
    written.inspect_err(|_failed| drop(fs::remove_file(&beside)))
}
