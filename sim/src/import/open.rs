//! From a path or bytes to a transcript.

use std::fs::{self, File};
use std::io::{self, BufRead, Read};
use std::iter;
use std::path::Path;

use super::detect::{Detected, detect};
use super::format::Reader;
use super::{Format, ImportError, Repair, RepairKind, log, whole};
use crate::transcript::{self, ReadError, Repairs, Transcript, VERSION};

/// The largest file that is read, in bytes.
pub const FILE_BYTES_MAX: u64 = 1 << 30;

/// The longest line that is read, in bytes.
pub const LINE_BYTES_MAX: usize = 256 << 20;

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
    read_path_as(path, None)
}

/// Reads a recording from a file as one of a format; by its content when none is given.
///
/// # Errors
/// As [`read_path`].
pub fn read_path_as(path: &Path, given: Option<Format>) -> Result<Imported, ImportError> {
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
    // What says so beforehand is not taken into the memory first.
    if meta.len() > FILE_BYTES_MAX {
        return Err(ImportError::TooLarge { file: name, bytes_max: FILE_BYTES_MAX });
    }
    let mut bytes = Vec::with_capacity(usize::try_from(meta.len()).unwrap_or(0));
    let file = File::open(path).map_err(failed)?;
    file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(failed)?;
    read_bytes_as(&name, &bytes, given)
}

/// Reads a recording; `name` is what messages call it.
///
/// # Errors
/// The bytes are empty, not text, of a format that is not read, of a later version, could be of several formats, or
/// have nothing that can be read. Anything less is a repair.
pub fn read_bytes(name: &str, bytes: &[u8]) -> Result<Imported, ImportError> {
    read_bytes_as(name, bytes, None)
}

/// Reads a recording as one of a format; by its content when none is given.
///
/// # Errors
/// As [`read_bytes`].
pub fn read_bytes_as(name: &str, bytes: &[u8], given: Option<Format>) -> Result<Imported, ImportError> {
    let file = name.to_owned();
    if bytes.len() as u64 > FILE_BYTES_MAX {
        return Err(ImportError::TooLarge { file, bytes_max: FILE_BYTES_MAX });
    }
    if let Some(line) = long_line(bytes) {
        return Err(ImportError::LineTooLong { file, line, bytes_max: LINE_BYTES_MAX });
    }
    match (detect(bytes), given) {
        (Detected::Empty, _) => Err(ImportError::Empty { file }),
        (Detected::NotText { line, looks, remedy }, _) => {
            Err(ImportError::NotText { file, line, looks, remedy })
        }
        (Detected::Known(known), Some(given)) if known == given => read_as(file, bytes, given),
        (detected, Some(given)) => read_given(file, bytes, given, &detected),
        (Detected::Known(format), None) => read_as(file, bytes, format),
        (Detected::Log, None) => read_log(file, bytes, None),
        (Detected::Unreadable { line, reason }, None) => Err(ImportError::Unreadable { file, line, reason }),
        (Detected::OtherJson, None) => Err(ImportError::Unknown { file }),
    }
}

/// The first line that is too long.
fn long_line(bytes: &[u8]) -> Option<usize> {
    if bytes.len() <= LINE_BYTES_MAX {
        return None;
    }
    let mut rest = bytes;
    let mut lines = iter::from_fn(|| {
        let line = rest;
        let length = rest.skip_until(b'\n').ok().filter(|length| *length > 0)?;
        Some(line[..length].strip_suffix(b"\n").unwrap_or(&line[..length]))
    });
    lines.position(|line| line.len() > LINE_BYTES_MAX).map(|index| index + 1)
}

/// Reads a recording as one of a format that its content does not show. One in which nothing of that format is was given
/// the wrong one: it would pass for a session in which nothing happened.
fn read_given(
    file: String,
    bytes: &[u8],
    given: Format,
    detected: &Detected,
) -> Result<Imported, ImportError> {
    let imported = read_as(file.clone(), bytes, given)?;
    let is_of_kind = matches!(
        (detected, given),
        (Detected::Log | Detected::OtherJson, Format::Messages | Format::ChatCompletions)
    );
    if imported.transcript.turns.is_empty() && !is_of_kind {
        let known = match detected {
            Detected::Known(known) => Some(*known),
            _not_known => None,
        };
        return Err(ImportError::OtherFormat { file, given, known });
    }
    Ok(imported)
}

fn read_as(file: String, bytes: &[u8], format: Format) -> Result<Imported, ImportError> {
    let mut repairs = Repairs::default();
    let read = match format.particulars().reader {
        Reader::Own => {
            let (transcript, repairs) = transcript::read(bytes).map_err(|error| named(file, error))?;
            return Ok(Imported { transcript, repairs, format });
        }
        Reader::Log => return read_log(file, bytes, Some(format)),
        Reader::Nobody => return Err(ImportError::NotReadYet { file, format }),
        Reader::Lines(read) => read(bytes, &mut repairs),
        Reader::Object(read) => whole::read(bytes, read, &mut repairs),
    };
    match read {
        Ok(transcript) => Ok(Imported { transcript, repairs: repairs.finish(), format }),
        Err((line, reason)) => Err(ImportError::Unreadable { file, line, reason }),
    }
}

/// Reads a log of a model's interface, whose format its messages show.
fn read_log(file: String, bytes: &[u8], given: Option<Format>) -> Result<Imported, ImportError> {
    let mut repairs = Repairs::default();
    let read = log::read(bytes, &mut repairs);
    let log::Log { mut transcript, apis } =
        read.map_err(|(line, reason)| ImportError::Unreadable { file: file.clone(), line, reason })?;
    let Some(format) = given.or_else(|| log::format(&apis)) else {
        return Err(ImportError::Ambiguous {
            file,
            candidates: vec![Format::Messages, Format::ChatCompletions],
        });
    };
    format.word().clone_into(&mut transcript.header.source.format);
    Ok(Imported { transcript, repairs: repairs.finish(), format })
}

fn named(file: String, error: ReadError) -> ImportError {
    match error {
        ReadError::Empty => ImportError::Empty { file },
        ReadError::Unreadable { line, reason } => ImportError::Unreadable { file, line, reason },
        ReadError::Version { line, found } => ImportError::Version { file, line, found, known: VERSION },
    }
}
