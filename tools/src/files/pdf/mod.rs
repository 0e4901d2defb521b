//! Pages of a PDF file as text, taken from it by poppler's programs.
//!
//! Pictures are not looked at, and what is encrypted is not read.

mod poppler;
mod range;

use std::path::{Path, PathBuf};

use serde::Serialize;
use toolwright::cut::start_of;

use self::poppler::Document;
use super::stop::{Stop, TIME_MAX};

pub(super) use self::range::{BadPages, Pages};

/// How many bytes a PDF file may have: pictures in it take many.
pub(super) const PDF_BYTES_MAX: u64 = 100 * 1024 * 1024;
/// How many pages are shown where none are named.
const UNNAMED_PAGES_MAX: usize = 10;

/// Pages of a PDF file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PdfParts {
    /// The absolute path.
    pub file_path: PathBuf,
    /// How many bytes the file has.
    pub original_size: usize,
    /// How many pages are shown.
    pub count: usize,
    /// How many pages the file has.
    pub total_pages: usize,
    /// The pages shown.
    pub pages: Vec<PdfPage>,
    /// The last page that was asked for.
    #[serde(skip)]
    pub asked_last: usize,
}

/// A page of a PDF file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PdfPage {
    /// Its number, counted from 1.
    pub page: usize,
    /// Its text.
    pub text: String,
    /// Whether there is more text than is shown.
    #[serde(skip)]
    pub is_cut: bool,
}

/// What may be shown of a PDF file, and until when it is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct PdfLimits<'a> {
    /// How many bytes of text are shown.
    pub(super) text_bytes_max: usize,
    pub(super) stop: &'a Stop,
}

/// What stands where it is not known which character is meant.
const UNKNOWN: char = char::REPLACEMENT_CHARACTER;

/// Why pages cannot be shown; behind the name of the file.
#[derive(Debug, thiserror::Error)]
pub(super) enum PdfError {
    /// It is something else.
    #[error("is not a PDF file, whatever its name says: look at it with `file`")]
    NotPdf,
    /// It cannot be read as it is.
    #[error(
        "is encrypted: make a copy that is not, as with `qpdf --decrypt IN OUT`, which asks for a password only where \
         one is needed"
    )]
    Encrypted,
    /// Nothing can be found in it.
    #[error(
        "is broken, and its pages cannot be found: try to repair it, as with `qpdf IN OUT` or `mutool clean`"
    )]
    Broken,
    /// There are none.
    #[error("is a PDF file without pages")]
    Empty,
    /// It has too many to show them all.
    #[error(
        "has {0} pages, more than the {UNNAMED_PAGES_MAX} that are shown unasked: give `pages`, such as \
         `1-{UNNAMED_PAGES_MAX}`"
    )]
    Many(usize),
    /// There is no such page.
    #[error("has no page {first}: give `pages` within 1 to {total}")]
    NoSuchPage {
        /// The first page that was asked for.
        first: usize,
        /// How many there are.
        total: usize,
    },
    /// Its pages unpack to more than is looked at.
    #[error("unpacks to more than can be looked at: ask for fewer `pages`")]
    TooLarge,
    /// Nobody is there who can read it.
    #[error(
        "cannot be read here: there is no program `pdftotext`; install poppler's, such as the package `poppler-utils`"
    )]
    NoReader,
    /// A file or a program failed.
    #[error("cannot be read: {0}")]
    Io(#[from] std::io::Error),
    /// There was no time left.
    #[error(
        "could not be read within {} s: ask for fewer `pages`", TIME_MAX.as_secs()
    )]
    Stopped,
}

/// Whether a path is named like a PDF file.
pub(super) fn is_pdf(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("pdf"))
}

impl PdfParts {
    /// Takes the text of some of a file's pages; of all where none are named.
    pub(super) fn read(
        file_path: PathBuf,
        bytes: Vec<u8>,
        asked: Option<Pages>,
        limits: PdfLimits<'_>,
    ) -> Result<PdfParts, PdfError> {
        let original_size = bytes.len();
        let document = Document::of(&bytes, limits.stop)?;
        let total_pages = document.pages()?;
        let asked = within(asked, total_pages)?;
        let mut parts = PdfParts {
            file_path,
            original_size,
            count: 0,
            total_pages,
            pages: Vec::new(),
            asked_last: asked.last,
        };
        let mut left = limits.text_bytes_max;
        for (page, mut text) in (asked.first..).zip(document.texts(asked)?) {
            let is_cut = text.len() > left;
            if is_cut && !parts.pages.is_empty() {
                break;
            }
            text.truncate(start_of(&text, left).len());
            left -= text.len();
            parts.pages.push(PdfPage { page, text, is_cut });
        }
        parts.count = parts.pages.len();
        Ok(parts)
    }

    /// What the model reads: page by page, and where to go on.
    pub(super) fn to_text(&self) -> String {
        let mut said: Vec<String> = self.pages.iter().map(PdfPage::to_text).collect();
        let bare: Vec<String> =
            self.pages.iter().filter(|page| page.is_bare()).map(|page| page.page.to_string()).collect();
        if let Some(first) = bare.first() {
            said.push(format!(
                "(no readable text on {} {}: what is there may be a picture, of which `pdftoppm -png -r 100 -f {first} -l \
                 {first} FILE NAME` makes one that can be read)",
                if bare.len() == 1 { "page" } else { "pages" },
                bare.join(", ")
            ));
        }
        let last = self.pages.last().map_or(0, |page| page.page);
        if last < self.asked_last {
            let (next, asked) = (last + 1, self.asked_last);
            said.push(format!("(more text does not fit: go on with `pages` `{next}-{asked}`)"));
        }
        said.push(format!("(pages {} to {last} of {})", last + 1 - self.count, self.total_pages));
        said.join("\n")
    }
}

impl PdfPage {
    /// Whether there is nothing on it that says something: most of its letters are not known, or there are none.
    fn is_bare(&self) -> bool {
        let letters = self.text.chars().filter(|c| !c.is_whitespace());
        let (all, unknown) =
            letters.fold((0, 0), |(all, unknown), c| (all + 1, unknown + usize::from(c == UNKNOWN)));
        unknown * 2 >= all
    }

    fn to_text(&self) -> String {
        let PdfPage { page, text, is_cut } = self;
        let cut = if *is_cut { "\n… [more text on this page, which does not fit]" } else { "" };
        format!("<page number=\"{page}\">\n{text}{cut}\n</page>")
    }
}

/// The pages that were asked for, of so many; a range may go beyond the last.
fn within(asked: Option<Pages>, total: usize) -> Result<Pages, PdfError> {
    match asked {
        _any if total == 0 => Err(PdfError::Empty),
        None if total > UNNAMED_PAGES_MAX => Err(PdfError::Many(total)),
        None => Ok(Pages { first: 1, last: total }),
        Some(Pages { first, .. }) if first > total => Err(PdfError::NoSuchPage { first, total }),
        Some(Pages { first, last }) => Ok(Pages { first, last: last.min(total) }),
    }
}
