//! What is found in one file.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::time::SystemTime;

use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkFinish, SinkMatch};

use super::line::{Line, shown, without_end};
use super::order::Amount;
use crate::files::stop::Stop;

/// How much of a file is held at once: its longest line, or all of it where a match may go over several lines.
pub(crate) const HELD_BYTES_MAX: usize = 64 * 1024 * 1024;

/// How many bytes behind the lines of a match are looked at to tell how it ends.
const AHEAD_BYTES: usize = 128;

/// What is wanted of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Whether it matches.
    Name,
    /// How many lines match, or, over several lines, how many matches there are.
    Count,
    /// The lines that match, and so many around them.
    Lines { before: usize, after: usize },
    /// What matches, and nothing else of its line.
    Matches,
}

/// What is done with a file that is not text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    /// It is left at its first zero byte.
    Left,
    /// It is looked through, and none of its lines is shown.
    Searched,
}

/// What is found in a file.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// How many lines match, as [`Wanted`] says; at least that it is not 0 is true of any.
    pub(crate) matches: u64,
    /// The lines that are shown.
    pub(crate) lines: Vec<Line>,
    bytes: usize,
    /// When the file was last modified.
    pub(crate) modified: Option<SystemTime>,
    /// Where its first zero byte is, as far as it was looked at.
    pub(crate) zero_at: Option<u64>,
    /// Whether it matches behind a zero byte.
    pub(crate) is_match_hidden: bool,
}

impl Found {
    /// Whether the file matches, as far as that is told.
    pub(crate) fn is_shown(&self) -> bool {
        self.matches > 0 || self.is_match_hidden
    }

    /// How much it is.
    pub(crate) fn amount(&self) -> Amount {
        Amount { lines: self.lines.len(), bytes: self.bytes }
    }
}

/// Why a file was not looked through.
#[derive(Debug)]
pub(crate) enum Left {
    /// It cannot be read.
    Unreadable,
    /// A line of it is longer than what is held at once.
    TooLong,
    /// There was no time left.
    Stopped,
}

/// How files are looked through, one after another.
pub(crate) struct Reader<'a> {
    matcher: &'a RegexMatcher,
    searcher: Searcher,
    wanted: Wanted,
    /// How much is wanted of one file at the most.
    enough: Amount,
    /// Whether a match may go over several lines.
    is_multiline: bool,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(
        matcher: &'a RegexMatcher,
        is_multiline: bool,
        wanted: Wanted,
        binary: Binary,
        enough: Amount,
    ) -> Reader<'a> {
        let (before, after) = match wanted {
            Wanted::Lines { before, after } => (before, after),
            Wanted::Name | Wanted::Count | Wanted::Matches => (0, 0),
        };
        let searcher = SearcherBuilder::new()
            .line_number(matches!(wanted, Wanted::Lines { .. } | Wanted::Matches))
            .multi_line(is_multiline)
            .before_context(before)
            .after_context(after)
            .heap_limit(Some(HELD_BYTES_MAX))
            .binary_detection(match binary {
                Binary::Left => BinaryDetection::quit(0),
                Binary::Searched => BinaryDetection::convert(0),
            })
            .build();
        let is_multiline = searcher.multi_line_with_matcher(matcher);
        Reader { matcher, searcher, wanted, enough, is_multiline }
    }

    /// Looks through an open file.
    pub(crate) fn read(&mut self, file: &File, stop: &Stop) -> Result<Found, Left> {
        let mut into = Notes {
            matcher: self.matcher,
            wanted: self.wanted,
            enough: self.enough,
            is_multiline: self.is_multiline,
            found: Found::default(),
        };
        let watched = Watched { file, stop };
        match self.searcher.search_reader(self.matcher, watched, &mut into) {
            Ok(()) => {
                into.drop_loose_end();
                Ok(into.found)
            }
            Err(_stopped) if stop.is_reached() => Err(Left::Stopped),
            // The system did not say it: it was the limit on what is held.
            Err(error) if error.raw_os_error().is_none() => Err(Left::TooLong),
            Err(_unreadable) => Err(Left::Unreadable),
        }
    }
}

/// A file that cannot be read any more when there is no time left.
struct Watched<'a> {
    file: &'a File,
    stop: &'a Stop,
}

impl Read for Watched<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.stop.is_reached() {
            return Err(io::Error::other("there is no time left"));
        }
        self.file.read(into)
    }
}

/// Takes down what the search tells.
struct Notes<'a> {
    matcher: &'a RegexMatcher,
    wanted: Wanted,
    enough: Amount,
    is_multiline: bool,
    found: Found,
}

impl Notes<'_> {
    /// Whether more is wanted.
    fn push(&mut self, line: Line) -> bool {
        self.found.bytes += line.bytes();
        self.found.lines.push(line);
        self.found.lines.len() < self.enough.lines && self.found.bytes < self.enough.bytes
    }

    /// Takes off lines at the end that stand around no match: the search tells what is before an empty match at the very
    /// end, and not that match. Where enough was found, the match may be what came next.
    fn drop_loose_end(&mut self) {
        let lines = &mut self.found.lines;
        let is_whole = lines.len() < self.enough.lines && self.found.bytes < self.enough.bytes;
        let gap = lines.iter().rposition(|line| *line == Line::Gap);
        if let Some(gap) = gap.filter(|_| is_whole)
            && !lines[gap..].iter().any(|line| matches!(line, Line::Match(..)))
        {
            lines.truncate(gap);
        }
    }

    /// Tells each match within the lines of one, by its place in them. What stands around them counts for what begins and
    /// ends a line.
    fn each_match(&self, matched: &SinkMatch<'_>, mut tell: impl FnMut(Range<usize>)) -> io::Result<()> {
        let (buffer, range) = (matched.buffer(), matched.bytes_range_in_buffer());
        let line = matched.bytes().strip_suffix(b"\n").unwrap_or(matched.bytes());
        let seen = if self.is_multiline {
            &buffer[..buffer.len().min(range.end + AHEAD_BYTES)]
        } else {
            &buffer[..range.start + line.len()]
        };
        let each = self.matcher.find_iter_at(seen, range.start, |found| {
            let is_within = found.start() < range.end;
            if is_within {
                tell(found.start() - range.start..found.end().min(range.end) - range.start);
            }
            is_within
        });
        each.map_err(io::Error::from)
    }

    fn push_lines(&mut self, matched: &SinkMatch<'_>) -> bool {
        let first = matched.line_number().unwrap_or_default();
        let matcher = self.matcher;
        for (number, line) in (first..).zip(matched.lines()) {
            let text = shown(without_end(line), |line| first_match(matcher, line));
            if !self.push(Line::Match(number, text)) {
                return false;
            }
        }
        true
    }

    fn push_matches(&mut self, matched: &SinkMatch<'_>) -> io::Result<bool> {
        let (bytes, first) = (matched.bytes(), matched.line_number().unwrap_or_default());
        let mut found = Vec::new();
        self.each_match(matched, |range| found.push(range))?;
        // Matches come in their order, so that each line end is counted once.
        let (mut number, mut counted) = (first, 0);
        for range in found.into_iter().filter(|range| !range.is_empty()) {
            number += line_ends(&bytes[counted..range.start]);
            counted = range.start;
            for (number, line) in (number..).zip(bytes[range].split_inclusive(|byte| *byte == b'\n')) {
                if !self.push(Line::Match(number, shown(without_end(line), |_line| None))) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}

fn first_match(matcher: &RegexMatcher, line: &[u8]) -> Option<Range<usize>> {
    matcher.find(line).ok().flatten().map(|found| found.start()..found.end())
}

fn line_ends(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|byte| **byte == b'\n').count() as u64
}

impl Sink for Notes<'_> {
    type Error = io::Error;

    fn matched(&mut self, _searcher: &Searcher, matched: &SinkMatch<'_>) -> io::Result<bool> {
        match self.wanted {
            Wanted::Name => {
                self.found.matches = 1;
                Ok(false)
            }
            Wanted::Count => {
                let mut count = 0;
                if self.is_multiline {
                    self.each_match(matched, |_range| count += 1)?;
                }
                self.found.matches += count.max(1);
                Ok(true)
            }
            Wanted::Lines { .. } | Wanted::Matches if self.found.zero_at.is_some() => {
                self.found.is_match_hidden = true;
                Ok(false)
            }
            Wanted::Lines { .. } => {
                self.found.matches += 1;
                Ok(self.push_lines(matched))
            }
            Wanted::Matches => {
                self.found.matches += 1;
                self.push_matches(matched)
            }
        }
    }

    fn context(&mut self, _searcher: &Searcher, around: &SinkContext<'_>) -> io::Result<bool> {
        if self.found.zero_at.is_some() {
            return Ok(true);
        }
        let text = shown(without_end(around.bytes()), |_line| None);
        Ok(self.push(Line::Around(around.line_number().unwrap_or_default(), text)))
    }

    fn context_break(&mut self, _searcher: &Searcher) -> io::Result<bool> {
        Ok(self.found.zero_at.is_some() || self.push(Line::Gap))
    }

    fn binary_data(&mut self, _searcher: &Searcher, place: u64) -> io::Result<bool> {
        self.found.zero_at = Some(place);
        Ok(true)
    }

    fn finish(&mut self, searcher: &Searcher, finish: &SinkFinish) -> io::Result<()> {
        let is_left =
            finish.binary_byte_offset().is_some() && searcher.binary_detection().quit_byte().is_some();
        // What was counted before a file turned out to be left says nothing of it.
        if is_left && self.wanted == Wanted::Count {
            self.found.matches = 0;
        }
        Ok(())
    }
}
