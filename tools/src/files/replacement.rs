//! Replacing one text by another inside a file's text: exact, unique unless told otherwise, line ends kept.
//!
//! It touches no file system.

use super::text::{Normal, lines, numbered};

/// A replacement that was asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Replacement<'a> {
    /// The text to be replaced; not empty.
    pub(crate) old: &'a str,
    /// The text to put there.
    pub(crate) new: &'a str,
    /// Which of the matches are meant.
    pub(crate) which: Which,
}

/// Which matches are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Which {
    /// The only one there is.
    Only,
    /// Every one.
    All,
}

/// A text with its replacements made.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Replaced {
    /// The new text.
    pub(crate) content: String,
    /// How many matches were replaced.
    pub(crate) count: usize,
    /// Where the first replacement begins in the new text.
    pub(crate) start: usize,
    /// Where the first replacement ends in the new text.
    pub(crate) end: usize,
}

/// Why a replacement cannot be made.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoMatch {
    /// The text is not there.
    #[error("`old_string` is not in the file{0}")]
    None(Hint),
    /// The text is there more than once.
    #[error(
        "`old_string` is in the file {count} times (in lines {}): add lines around it until it is unique, or set \
         `replace_all` to change them all", listed(.lines)
    )]
    Many {
        /// How many matches there are.
        count: usize,
        /// The lines that the first ones begin in.
        lines: Vec<usize>,
    },
    /// Nothing would change.
    #[error("`new_string` is what the file has there already: nothing would change")]
    Same,
}

/// What may have gone wrong when nothing matches.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Hint {
    /// Only white space differs, in this line.
    WhiteSpace(usize),
    /// There are line numbers in it.
    LineNumbers,
    /// Nothing is known.
    Unknown,
}

impl std::fmt::Display for Hint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Hint::WhiteSpace(line) => {
                write!(f, ", but line {line} differs from it only in white space: copy the text exactly")
            }
            Hint::LineNumbers => {
                f.write_str(": leave out the line numbers and the tab that Read shows before a line")
            }
            Hint::Unknown => f.write_str(": read the file again and copy the text exactly"),
        }
    }
}

/// How many lines an error lists.
const LISTED_MAX: usize = 10;
/// How many pairs of lines are compared, at the worst, to tell what may be wrong.
const HINT_WORK_MAX: usize = 100_000_000;
/// How many lines are shown before and after a change.
const AROUND_LINES: usize = 4;
/// How many lines are shown of a change and its surroundings.
const SHOWN_LINES_MAX: usize = 40;

impl Replacement<'_> {
    /// Makes the replacement in a text whose line ends may be of either kind.
    pub(crate) fn apply(self, original: &str) -> Result<Replaced, NoMatch> {
        let normal = Normal::of(original);
        let old = self.old.replace("\r\n", "\n");
        let mut places: Vec<usize> = normal.text.match_indices(&old).map(|(place, _text)| place).collect();
        if self.which == Which::Only && places.len() == 1 {
            places.extend(overlapping(&normal.text, &old, places[0]));
        }
        let Some(first) = places.first() else { return Err(NoMatch::None(hint(&normal.text, &old))) };
        if self.which == Which::Only && places.len() > 1 {
            let lines = places.iter().take(LISTED_MAX).map(|place| line_at(&normal.text, *place));
            return Err(NoMatch::Many { count: places.len(), lines: lines.collect() });
        }
        let new = normal.in_its_line_ends(self.new);
        let mut content = String::with_capacity(original.len());
        let mut done = 0;
        for place in &places {
            content.push_str(&original[done..normal.original_place(*place)]);
            content.push_str(&new);
            done = normal.original_place(place + old.len());
        }
        content.push_str(&original[done..]);
        if content == original {
            return Err(NoMatch::Same);
        }
        let start = normal.original_place(*first);
        Ok(Replaced { content, count: places.len(), start, end: start + new.len() })
    }
}

impl Replaced {
    /// The lines around the first replacement, numbered.
    pub(crate) fn snippet(&self) -> String {
        let ends = self.content[..self.start].rmatch_indices('\n');
        let begin = ends.map(|(at, _end)| at + 1).nth(AROUND_LINES).unwrap_or(0);
        let changed = line_at(&self.content[begin..], self.end - begin);
        let shown = lines(&self.content[begin..]).take((changed + AROUND_LINES).min(SHOWN_LINES_MAX));
        numbered(shown, line_at(&self.content, begin))
    }
}

/// Where a text is once more within its first match: which of the two is meant is not clear either.
fn overlapping(text: &str, old: &str, first: usize) -> Option<usize> {
    let from = first + old.chars().next().map_or(1, char::len_utf8);
    Some(from + text.get(from..)?.find(old)?)
}

/// The 1-based line that a place is in.
fn line_at(text: &str, place: usize) -> usize {
    1 + text.as_bytes()[..place].iter().filter(|byte| **byte == b'\n').count()
}

fn listed(lines: &[usize]) -> String {
    lines.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}

fn hint(text: &str, old: &str) -> Hint {
    let wanted: Vec<&str> = old.trim().lines().map(str::trim).collect();
    let trimmed: Vec<&str> = text.lines().map(str::trim).collect();
    let is_numbered = |line: &&str| {
        line.split_once('\t').is_some_and(|(number, _rest)| number.trim().parse::<usize>().is_ok())
    };
    if !wanted.is_empty() && old.trim().lines().all(|line| is_numbered(&line)) {
        return Hint::LineNumbers;
    }
    if wanted.len().saturating_mul(trimmed.len()) > HINT_WORK_MAX {
        return Hint::Unknown;
    }
    let place = trimmed.windows(wanted.len().max(1)).position(|window| window == wanted.as_slice());
    place.map_or(Hint::Unknown, |index| Hint::WhiteSpace(index + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(original: &str, old: &str, new: &str) -> Result<String, NoMatch> {
        Replacement { old, new, which: Which::Only }.apply(original).map(|replaced| replaced.content)
    }

    #[test]
    fn line_ends_outside_a_match_stay_and_inside_follow_the_file() {
        assert_eq!(only("a\r\nb\r\nc\n", "b\n", "x\ny\n").as_deref(), Ok("a\r\nx\r\ny\r\nc\n"));
        assert_eq!(only("a\nb\nc\n", "b", "x\r\n").as_deref(), Ok("a\nx\r\n\nc\n"));
        assert_eq!(only("a\r\nb\r\n", "a\r\nb", "c").as_deref(), Ok("c\r\n"));
        assert_eq!(only("a\r\nb", "\n", "").as_deref(), Ok("ab"));
    }

    #[test]
    fn many_matches_are_refused_with_their_lines_unless_all_are_meant() {
        let many = only("a\nb\na\n", "a", "x");
        assert_eq!(many, Err(NoMatch::Many { count: 2, lines: vec![1, 3] }));
        let all = Replacement { old: "a", new: "aa", which: Which::All }.apply("a\nb\na\n");
        assert_eq!(all.map(|replaced| (replaced.content, replaced.count)), Ok(("aa\nb\naa\n".to_owned(), 2)));
        assert_eq!(only("}\n}\n}\n", "}\n}\n", "x"), Err(NoMatch::Many { count: 2, lines: vec![1, 2] }));
        let all = Replacement { old: "üü", new: "x", which: Which::All }.apply("üüü");
        assert_eq!(all.map(|replaced| (replaced.content, replaced.count)), Ok(("xü".to_owned(), 1)));
    }

    #[test]
    fn a_miss_says_what_may_be_wrong() {
        let text = "fn a() {\n    b();\n}\n";
        assert_eq!(only(text, "\tb();", "x"), Err(NoMatch::None(Hint::WhiteSpace(2))));
        assert_eq!(only(text, "     2\t    b();", "x"), Err(NoMatch::None(Hint::LineNumbers)));
        assert_eq!(only(text, "zzz", "x"), Err(NoMatch::None(Hint::Unknown)));
        assert_eq!(only(text, "\n \n", "x"), Err(NoMatch::None(Hint::Unknown)));
        assert_eq!(only("a\r\n", "a\n", "a\r\n"), Err(NoMatch::Same));
    }

    #[test]
    fn the_snippet_shows_the_change_with_its_surroundings() {
        let text: String = (1..=20).map(|n| format!("{n}\n")).collect();
        let replaced = Replacement { old: "10\n", new: "ten\n", which: Which::Only }.apply(&text);
        let snippet = replaced.expect("it matches once").snippet();
        assert!(snippet.starts_with("     6\t6\n"), "{snippet}");
        assert!(snippet.contains("\n    10\tten\n"), "{snippet}");
        assert!(snippet.ends_with("    15\t15"), "{snippet}");
    }
}
