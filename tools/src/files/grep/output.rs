//! What a search found, as the model, programs and people see it.

use std::cmp::Reverse;
use std::path::{Path, PathBuf};

use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use serde::Serialize;

use super::file::HELD_BYTES_MAX;
use super::line::Line;
use super::run::{Everything, FOUND_BYTES_MAX, Omitted};
use super::tool::OutputMode;
use super::walk::by_path;
use crate::files::names::on_one_line;
use crate::files::search::ENTRIES_MAX;
use crate::files::stop::TIME_MAX;

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GrepOutput {
    /// What was asked for.
    pub mode: OutputMode,
    /// How many files what is shown is of.
    pub num_files: usize,
    /// The files, newest first, where they were asked for: relative to the working directory where they are in it.
    pub filenames: Vec<String>,
    /// The lines, or the counts, where they were asked for; joined by line ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// How many lines are shown, where they were asked for; gaps (`--`) are lines too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub num_lines: Option<usize>,
    /// How many lines match in all files, where counts were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub num_matches: Option<u64>,
    /// The limit that left something out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub applied_limit: Option<usize>,
    /// How much was passed over at the beginning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub applied_offset: Option<usize>,
    /// What the model should know besides.
    #[serde(skip)]
    pub notes: Vec<String>,
    /// The first lines as a person sees them, each match between `»` and `«`.
    #[serde(skip)]
    pub marked: Vec<String>,
}

/// Which part of what was found is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Page {
    /// How many lines or files are passed over.
    pub(crate) skip: usize,
    /// How many are shown at the most.
    pub(crate) take: usize,
}

impl Page {
    /// How many have to be found so that it can be told whether there are more than are shown.
    pub(crate) fn enough(self) -> usize {
        self.skip.saturating_add(self.take).saturating_add(1)
    }

    fn of<T>(self, all: Vec<T>) -> Vec<T> {
        all.into_iter().skip(self.skip).take(self.take).collect()
    }
}

/// How lines are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Behind their numbers.
    pub(crate) has_numbers: bool,
    /// With lines around them, so that gaps between files are told.
    pub(crate) has_context: bool,
}

/// How many lines a person sees.
const MARKED_LINES_MAX: usize = 10;

impl GrepOutput {
    fn new(mode: OutputMode, page: Page, omitted: Omitted) -> GrepOutput {
        GrepOutput {
            mode,
            num_files: 0,
            filenames: Vec::new(),
            content: None,
            num_lines: None,
            num_matches: None,
            applied_limit: None,
            applied_offset: (page.skip > 0).then_some(page.skip),
            notes: omitted.notes(),
            marked: Vec::new(),
        }
    }

    /// The files that match, newest first, then by path.
    pub(crate) fn names(mut all: Everything, page: Page, name: impl Fn(&Path) -> String) -> GrepOutput {
        let mut output = GrepOutput::new(OutputMode::FilesWithMatches, page, all.omitted);
        all.files
            .sort_by(|(a, x), (b, y)| (Reverse(x.modified)).cmp(&Reverse(y.modified)).then(by_path(a, b)));
        let total = all.files.len();
        output.filenames = page.of(all.files).iter().map(|(below, _found)| name(below)).collect();
        output.num_files = output.filenames.len();
        output.tell_page(page, output.num_files, total, "files", Total::Known);
        output
    }

    /// How many lines match in each file, by path.
    pub(crate) fn counts(all: Everything, page: Page, name: impl Fn(&Path) -> String) -> GrepOutput {
        let mut output = GrepOutput::new(OutputMode::Count, page, all.omitted);
        let total = all.files.len();
        output.num_matches = Some(all.files.iter().map(|(_below, found)| found.matches).sum());
        let shown = page.of(all.files);
        let lines: Vec<String> = shown
            .iter()
            .map(|(below, found)| format!("{}:{}", on_one_line(&name(below)), found.matches))
            .collect();
        output.num_files = lines.len();
        output.content = Some(lines.join("\n"));
        output.tell_page(page, lines.len(), total, "files", Total::Known);
        output
    }

    /// The lines, file by file in the order of their paths.
    pub(crate) fn lines(
        all: Everything,
        page: Page,
        shape: Shape,
        matcher: &RegexMatcher,
        name: impl Fn(&Path) -> String,
    ) -> GrepOutput {
        let mut output = GrepOutput::new(OutputMode::Content, page, all.omitted);
        let is_one_file = all.is_one_file;
        output.notes.extend(about_binaries(&all));
        let (files, is_cut) = first_files(all, page);
        let mut text = String::new();
        let (mut number, mut shown) = (0, 0);
        for (index, (below, lines)) in files.into_iter().enumerate() {
            let name = name(&below);
            let name = on_one_line(&name);
            let name = (!is_one_file).then_some(&*name);
            let gap = (shape.has_context && index > 0).then_some(Line::Gap);
            let mut is_shown = false;
            for line in gap.into_iter().chain(lines) {
                number += 1;
                if number <= page.skip || shown >= page.take {
                    continue;
                }
                if shown > 0 {
                    text.push('\n');
                }
                line.write(name, shape.has_numbers, &mut text);
                shown += 1;
                is_shown |= line != Line::Gap;
                output.mark(&line, name, matcher);
            }
            output.num_files += usize::from(is_shown);
        }
        output.content = Some(text);
        output.num_lines = Some(shown);
        let total = if is_cut { Total::AtLeast } else { Total::Known };
        output.tell_page(page, shown, number, "lines", total);
        output
    }

    fn mark(&mut self, line: &Line, name: Option<&str>, matcher: &RegexMatcher) {
        if let Line::Match(number, text) = line
            && self.marked.len() < MARKED_LINES_MAX
        {
            let mut marked = String::new();
            Line::Match(*number, mark(text, matcher)).write(name, true, &mut marked);
            self.marked.push(marked);
        }
    }

    fn tell_page(&mut self, page: Page, shown: usize, total: usize, what: &str, is: Total) {
        let (first, last) = (page.skip.saturating_add(1), page.skip.saturating_add(shown));
        let of = match is {
            Total::Known if what == "files" => format!(" of {total}"),
            Total::Known | Total::AtLeast => String::new(),
        };
        let note = if shown == 0 && total > 0 && page.skip > 0 {
            format!("nothing is left after `offset` {}: there are {total} {what}", page.skip)
        } else if last < total || is == Total::AtLeast {
            self.applied_limit = Some(shown);
            format!(
                "{what} {first} to {last}{of}; there are more: go on with `offset` {last}, or narrow the search"
            )
        } else {
            return;
        };
        self.notes.insert(0, note);
    }
}

/// Whether all that there is was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Total {
    Known,
    AtLeast,
}

/// The lines of the first files that have enough between them, and whether that left something out which the page does
/// not tell. Threads may have looked at files behind these, or not.
fn first_files(all: Everything, page: Page) -> (Vec<(PathBuf, Vec<Line>)>, bool) {
    let (mut lines, mut bytes) = (0, 0);
    let mut files = Vec::new();
    for (below, found) in all.files.into_iter().filter(|(_below, found)| !found.lines.is_empty()) {
        if lines >= page.enough() || bytes >= FOUND_BYTES_MAX {
            break;
        }
        lines += found.amount().lines;
        bytes += found.amount().bytes;
        files.push((below, found.lines));
    }
    (files, bytes >= FOUND_BYTES_MAX)
}

fn about_binaries(all: &Everything) -> Vec<String> {
    if all.is_one_file {
        let found = all.files.first().map(|(_below, found)| found);
        let hidden = found.filter(|found| found.is_match_hidden).and_then(|found| found.zero_at);
        let note = |place| {
            format!(
                "it is a binary file with a zero byte at {place}, and matches behind it: no lines are shown of that"
            )
        };
        return hidden.map(note).into_iter().collect();
    }
    let cut = all.files.iter().filter(|(_below, found)| found.zero_at.is_some()).count();
    if cut == 0 {
        Vec::new()
    } else {
        vec![format!("{cut} files are binary, and were left at their first zero byte")]
    }
}

/// The text with each match between `»` and `«`.
fn mark(text: &str, matcher: &RegexMatcher) -> String {
    let mut marked = String::new();
    let mut done = 0;
    let each = matcher.find_iter(text.as_bytes(), |found| {
        let (start, end) = (found.start(), found.end());
        if let (Some(before), Some(within)) = (text.get(done..start), text.get(start..end))
            && start < end
        {
            marked.extend([before, "»", within, "«"]);
            done = end;
        }
        true
    });
    marked.push_str(&text[done..]);
    if each.is_ok() { marked } else { text.to_owned() }
}

impl Omitted {
    fn notes(self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.is_list_cut {
            notes.push(format!(
                "stopped after {ENTRIES_MAX} files and folders; search a smaller folder to see all"
            ));
        }
        if self.is_out_of_time {
            notes.push(format!(
                "stopped after {} s, before everything was searched; search a smaller folder or give `glob` or `type`",
                TIME_MAX.as_secs()
            ));
        }
        if self.unreadable > 0 {
            notes.push(format!("{} files or folders could not be read", self.unreadable));
        }
        if self.too_long > 0 {
            notes.push(format!(
                "{} files were left out: a line of theirs, or with `multiline` the file, has more than {HELD_BYTES_MAX} bytes",
                self.too_long
            ));
        }
        notes
    }
}
