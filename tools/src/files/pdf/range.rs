//! Which pages are asked for.

use crate::one_line::one_line;

/// How many pages are shown at once.
const PAGES_MAX: usize = 20;

/// Pages that follow each other, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::files) struct Pages {
    pub(super) first: usize,
    pub(super) last: usize,
}

/// Why pages cannot be asked for.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(in crate::files) enum BadPages {
    /// It is no page and no range.
    #[error("`pages` is `{0}`: give a page or a range of pages, such as `3` or `1-5`")]
    Unclear(String),
    /// There is no page 0.
    #[error("`pages` is `{0}`, but pages are counted from 1")]
    Zero(String),
    /// It ends before it begins.
    #[error("`pages` is `{0}`, which ends before it begins: give the lower number first")]
    Backwards(String),
    /// It is too much at once.
    #[error("`pages` is `{0}`: ask for {PAGES_MAX} pages at the most, and for the others in further calls")]
    Many(String),
}

impl Pages {
    /// Reads `3` or `1-5`.
    pub(in crate::files) fn parse(text: &str) -> Result<Pages, BadPages> {
        let said = || one_line(text);
        let number =
            |part: &str| part.trim().parse::<usize>().map_err(|_no_number| BadPages::Unclear(said()));
        let (first, last) = match text.split_once(['-', '–']) {
            Some((first, last)) => (number(first)?, number(last)?),
            None => (number(text)?, number(text)?),
        };
        if first == 0 {
            Err(BadPages::Zero(said()))
        } else if last < first {
            Err(BadPages::Backwards(said()))
        } else if last - first >= PAGES_MAX {
            Err(BadPages::Many(said()))
        } else {
            Ok(Pages { first, last })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_or_a_range_is_read_and_all_else_refused_with_what_to_write() {
        for (text, first, last) in [("3", 3, 3), ("1-5", 1, 5), (" 2 - 21 ", 2, 21), ("7–7", 7, 7)] {
            assert_eq!(Pages::parse(text), Ok(Pages { first, last }), "{text}");
        }
        for (text, reason) in [
            ("all", "such as `3` or `1-5`"),
            ("1,3", "such as `3` or `1-5`"),
            ("1-", "such as `3` or `1-5`"),
            ("-1", "such as `3` or `1-5`"),
            ("1-2-3", "such as `3` or `1-5`"),
            ("99999999999999999999", "such as `3` or `1-5`"),
            ("0", "counted from 1"),
            ("0-3", "counted from 1"),
            ("5-1", "lower number first"),
            ("1-21", "20 pages at the most"),
        ] {
            let error = Pages::parse(text).expect_err(text).to_string();
            assert!(error.contains(reason) && error.contains(text.trim()), "{text}: {error}");
        }
        assert!(Pages::parse(&"x".repeat(100_000)).expect_err("it is none").to_string().len() < 200);
    }
}
