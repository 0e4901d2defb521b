//! Why a file cannot be imported.

use std::io;

use super::Format;
use super::format::words_read;

/// Why a file cannot be imported. Each message names the file, and the line where there is one.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// There is no such file.
    #[error("`{file}` does not exist; check the path")]
    Missing {
        /// The file.
        file: String,
    },
    /// It is a directory.
    #[error("`{file}` is a directory; name a file in it")]
    Directory {
        /// The directory.
        file: String,
    },
    /// The system would not let it be read.
    #[error("`{file}` could not be read: {source}")]
    Io {
        /// The file.
        file: String,
        /// What the system said.
        source: io::Error,
    },
    /// It is larger than [`super::FILE_BYTES_MAX`].
    #[error("`{file}` is larger than {bytes_max} bytes; split it at a line")]
    TooLarge {
        /// The file.
        file: String,
        /// The limit.
        bytes_max: u64,
    },
    /// There is nothing in it but white space.
    #[error("`{file}` is empty; {}", what_is_read())]
    Empty {
        /// The file.
        file: String,
    },
    /// It is not text in UTF-8.
    #[error("`{file}` is not UTF-8 text (line {line}): it looks like {looks}; {remedy}")]
    NotText {
        /// The file.
        file: String,
        /// The first line that is not text.
        line: usize,
        /// What it looks like.
        looks: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// It is text, but no line of it could be read.
    #[error("no line of `{file}` could be read (line {line}: {reason}); {}", what_is_read())]
    Unreadable {
        /// The file.
        file: String,
        /// The first line that could not be read.
        line: usize,
        /// Why not.
        reason: String,
    },
    /// It is of a format that is recognised and not read.
    #[error("`{file}` is a {format}, which is not read yet; {}", what_is_read())]
    NotReadYet {
        /// The file.
        file: String,
        /// Its format.
        format: Format,
    },
    /// A line of it is longer than [`super::LINE_BYTES_MAX`].
    #[error("`{file}` line {line} is longer than {bytes_max} bytes; give a recording without it")]
    LineTooLong {
        /// The file.
        file: String,
        /// The line.
        line: usize,
        /// The limit.
        bytes_max: usize,
    },
    /// It could be of several formats.
    #[error(
        "`{file}` could be a {} alike; say which with `--format {}`",
        named(candidates, " or a "),
        words(candidates)
    )]
    Ambiguous {
        /// The file.
        file: String,
        /// The formats it could be of.
        candidates: Vec<Format>,
    },
    /// Nothing in it is of the format that was given.
    #[error(
        "nothing in `{file}` is of a {given}{}",
        known.map_or_else(|| format!("; give one of {} to `--format`, or leave it out", words_read()),
            |known| format!(": it looks like a {known}; leave `--format` out, or give `{}`", known.word()))
    )]
    OtherFormat {
        /// The file.
        file: String,
        /// The format that was given.
        given: Format,
        /// The format that its content shows.
        known: Option<Format>,
    },
    /// It is JSON, but no recording that is known.
    #[error("`{file}` holds JSON that is no known recording of a session; {}", what_is_read())]
    Unknown {
        /// The file.
        file: String,
    },
    /// It is a transcript of a later version.
    #[error(
        "`{file}` line {line}: transcript version {found} is newer than {known}, the highest this program reads; use a newer `toolwright`"
    )]
    Version {
        /// The file.
        file: String,
        /// The line of the header.
        line: usize,
        /// The version of the file.
        found: u64,
        /// The highest version that is read.
        known: u32,
    },
}

fn named(formats: &[Format], between: &str) -> String {
    formats.iter().map(Format::to_string).collect::<Vec<_>>().join(between)
}

fn words(formats: &[Format]) -> String {
    formats.iter().map(|format| format.word()).collect::<Vec<_>>().join("` or `--format ")
}

/// What can be given in place of what cannot be read.
fn what_is_read() -> String {
    let titles = Format::ALL.iter().filter(|format| format.is_read()).map(Format::to_string);
    format!("what can be read: {}", titles.collect::<Vec<_>>().join(", "))
}
