//! From a path or bytes to a transcript.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use super::detect::{Detected, detect};
use super::{Format, ImportError, Repair, RepairKind, claude_code};
use crate::transcript::{self, ReadError, Transcript, VERSION};

/// The largest file that is read, in bytes.
pub const FILE_BYTES_MAX: u64 = 1 << 30;

/// A recording that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    /// The session.
    pub transcript: Transcript,
    /// What had to be mended or left out, in the order of the lines.
    pub repairs: Vec<Repair>,
    /// What the file was.
    pub format: Format,
}

impl Imported {
    /// How often something of a kind was mended.
    pub fn repaired(&self, kind: RepairKind) -> usize {
        self.repairs.iter().filter(|repair| repair.kind == kind).map(|repair| repair.count).sum()
    }
}

/// Reads a recording from a file.
///
/// # Errors
/// There is no such file, it cannot be read, or see [`read_bytes`].
pub fn read_path(path: &Path) -> Result<Imported, ImportError> {
    let name = path.display().to_string();
    let failed = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound => ImportError::Missing { file: name.clone() },
        io::ErrorKind::IsADirectory => ImportError::Directory { file: name.clone() },
        _ => ImportError::Io { file: name.clone(), source },
    };
    let meta = fs::metadata(path).map_err(failed)?;
    if meta.is_dir() {
        return Err(ImportError::Directory { file: name });
    }
    let mut bytes = Vec::with_capacity(usize::try_from(meta.len().min(FILE_BYTES_MAX)).unwrap_or(0));
    let file = File::open(path).map_err(failed)?;
    file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(failed)?;
    read_bytes(&name, &bytes)
}

/// Reads a recording; `name` is what messages call it.
///
/// # Errors
/// The bytes are empty, not text, of a format that is not read, of a later version, or without one line
/// that can be read. Anything less is a repair.
pub fn read_bytes(name: &str, bytes: &[u8]) -> Result<Imported, ImportError> {
    let file = name.to_owned();
    if bytes.len() as u64 > FILE_BYTES_MAX {
        return Err(ImportError::TooLarge { file, bytes_max: FILE_BYTES_MAX });
    }
    match detect(bytes) {
        Detected::Known(Format::Toolwright) => {
            let (transcript, repairs) = transcript::read(bytes).map_err(|error| named(file, error))?;
            Ok(Imported { transcript, repairs, format: Format::Toolwright })
        }
        Detected::Known(Format::ClaudeCode) => {
            let (transcript, repairs) = claude_code::read(bytes);
            Ok(Imported { transcript, repairs, format: Format::ClaudeCode })
        }
        Detected::Known(format) => Err(ImportError::NotReadYet { file, format }),
        Detected::Empty => Err(ImportError::Empty { file }),
        Detected::NotText { line, looks, remedy } => Err(ImportError::NotText { file, line, looks, remedy }),
        Detected::Unreadable { line, reason } => Err(ImportError::Unreadable { file, line, reason }),
        Detected::OtherJson => Err(ImportError::Unknown { file }),
    }
}

fn named(file: String, error: ReadError) -> ImportError {
    match error {
        ReadError::Empty => ImportError::Empty { file },
        ReadError::Unreadable { line, reason } => ImportError::Unreadable { file, line, reason },
        ReadError::Version { line, found } => ImportError::Version { file, line, found, known: VERSION },
    }
}
