//! Poppler's programs, which know what is in a PDF file.

use std::io::Write as _;
use std::process::Command;

use crate::files::stop::Stop;
use crate::program::{Allowance, Ended, NotEnded, run};

use super::{Pages, PdfError};

/// What a program may take for one file: a small file can be made to unpack to very much.
const ALLOWANCE: Allowance =
    Allowance { memory_bytes: Some(2 * 1024 * 1024 * 1024), output_bytes: Some(64 * 1024 * 1024) };
/// How far into a file its first words may stand.
const HEAD_BYTES: usize = 1024;
/// The end of each page.
const PAGE_END: char = '\u{c}';

/// A PDF file, where poppler's programs find it: what was opened, whatever stands at its path by now.
#[derive(Debug)]
pub(super) struct Document<'a> {
    copy: tempfile::NamedTempFile,
    stop: &'a Stop,
}

impl Document<'_> {
    pub(super) fn of<'a>(bytes: &[u8], stop: &'a Stop) -> Result<Document<'a>, PdfError> {
        let head = &bytes[..bytes.len().min(HEAD_BYTES)];
        if !head.windows(5).any(|window| window == b"%PDF-") {
            return Err(PdfError::NotPdf);
        }
        let mut copy = tempfile::NamedTempFile::new()?;
        copy.write_all(bytes)?;
        Ok(Document { copy, stop })
    }

    /// How many pages it has.
    pub(super) fn pages(&self) -> Result<usize, PdfError> {
        let said = self.run("pdfinfo", &[], None)?;
        let pages = said.lines().find_map(|line| line.strip_prefix("Pages:"));
        pages.and_then(|number| number.trim().parse().ok()).ok_or(PdfError::Broken)
    }

    /// The text of some pages, each by itself.
    pub(super) fn texts(&self, pages: Pages) -> Result<Vec<String>, PdfError> {
        let (first, last) = (pages.first.to_string(), pages.last.to_string());
        let arguments = ["-q", "-layout", "-enc", "UTF-8", "-f", &first, "-l", &last];
        let said = self.run("pdftotext", &arguments, Some("-"))?;
        let texts = said.split(PAGE_END).map(|text| text.trim_end().to_owned());
        Ok(texts.take(pages.last + 1 - pages.first).collect())
    }

    fn run(&self, program: &str, arguments: &[&str], output: Option<&str>) -> Result<String, PdfError> {
        let mut command = Command::new(program);
        command.args(arguments).arg(self.copy.path()).args(output).env("LC_ALL", "C.UTF-8");
        let mut ended = run(&mut command, ALLOWANCE, || self.stop.is_reached())?;
        if ended.status.success() { Ok(ended.output()?) } else { Err(refusal(&mut ended)?) }
    }
}

/// Why a program found nothing; one that ended by a signal took more than it may.
fn refusal(ended: &mut Ended) -> Result<PdfError, PdfError> {
    let said = ended.errors()?;
    Ok(if said.contains("Incorrect password") || said.contains("encryption") {
        PdfError::Encrypted
    } else if said.contains("the last page (0)") {
        PdfError::Empty
    } else if ended.status.code().is_none() || said.contains("memory") {
        PdfError::TooLarge
    } else {
        PdfError::Broken
    })
}

impl From<NotEnded> for PdfError {
    fn from(error: NotEnded) -> PdfError {
        match error {
            NotEnded::Missing => PdfError::NoReader,
            NotEnded::NotRun(error) => PdfError::Io(error),
            NotEnded::Stopped => PdfError::Stopped,
        }
    }
}
