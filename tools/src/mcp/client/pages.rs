//! A list that a server gives page by page, with an end whatever the server does.

use rmcp::model::PaginatedRequestParams;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::link::LinkError;
use super::peer::as_ours;

/// How many pages of a list are read.
const PAGES_MAX: usize = 1_000;
/// How many entries of a list are taken: as many tools as providers take.
const ENTRIES_MAX: usize = 10_000;
/// How many bytes of a list are taken.
const BYTES_MAX: usize = 64 * 1024 * 1024;

/// What was read of a list so far.
pub(super) struct Pages<T> {
    pub(super) entries: Vec<T>,
    read: usize,
    bytes: usize,
    next: Next,
}

/// Which page is next.
enum Next {
    First,
    At(String),
    None,
}

impl<T> Default for Pages<T> {
    fn default() -> Pages<T> {
        Pages { entries: Vec::new(), read: 0, bytes: 0, next: Next::First }
    }
}

impl<T: DeserializeOwned> Pages<T> {
    /// How the next page is asked for; nothing where there is none.
    ///
    /// # Errors
    /// A list without an end.
    pub(super) fn next(&mut self) -> Result<Option<PaginatedRequestParams>, LinkError> {
        let cursor = match &self.next {
            Next::None => return Ok(None),
            Next::First => None,
            Next::At(cursor) => Some(cursor.clone()),
        };
        self.read += 1;
        if self.read > PAGES_MAX {
            return Err(endless(format!("it has more than {PAGES_MAX} pages")));
        }
        Ok(Some(PaginatedRequestParams::default().with_cursor(cursor)))
    }

    /// Takes a page.
    ///
    /// # Errors
    /// A list that is too long, or turns in a circle.
    pub(super) fn take(
        &mut self,
        entries: Vec<impl Serialize>,
        next: Option<String>,
    ) -> Result<(), LinkError> {
        for entry in entries {
            let entry = serde_json::to_value(entry).map_err(|error| LinkError::Refused(error.to_string()))?;
            self.bytes += entry.to_string().len();
            if self.entries.len() == ENTRIES_MAX || self.bytes > BYTES_MAX {
                let what = format!("more than {ENTRIES_MAX} entries or {BYTES_MAX} bytes");
                return Err(endless(format!("it has {what}")));
            }
            self.entries.push(as_ours(entry)?);
        }
        if let (Some(next), Next::At(this)) = (&next, &self.next)
            && next == this
        {
            return Err(endless("its next page is the same page again".to_owned()));
        }
        self.next = next.map_or(Next::None, Next::At);
        Ok(())
    }
}

fn endless(why: String) -> LinkError {
    LinkError::Refused(format!("its list is not taken: {why}"))
}
