//! What changed between two versions of a text: hunks for people and programs.

use std::time::Duration;

use serde::Serialize;
use similar::{ChangeTag, TextDiff};

/// One run of changed lines with its surroundings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Hunk {
    /// The 1-based line it begins at in the old text.
    pub old_start: usize,
    /// How many lines of the old text it covers.
    pub old_lines: usize,
    /// The 1-based line it begins at in the new text.
    pub new_start: usize,
    /// How many lines of the new text it covers.
    pub new_lines: usize,
    /// The lines, each behind ` `, `-` or `+`.
    pub lines: Vec<String>,
}

/// How many lines around a change a hunk shows.
const CONTEXT_LINES: usize = 3;
/// How many bytes the parts of both texts between their first and their last change may have; of larger ones no hunks
/// are made.
const BYTES_MAX: usize = 2 * 1024 * 1024;
/// How long a comparison looks for the smallest difference before it takes a larger one.
const SEARCH_MAX: Duration = Duration::from_millis(500);
/// What stands behind a last line that has no end.
const NO_END: &str = "\\ No newline at end of file";

/// The hunks that lead from one text to another. Only what is between the first and the last change is compared, so that
/// a small change of a large text costs little.
pub(crate) fn hunks(old: &str, new: &str) -> Vec<Hunk> {
    let before = lines_before(old, new);
    let behind = lines_behind(&old[before..], &new[before..]);
    let (old_part, new_part) = (&old[before..old.len() - behind], &new[before..new.len() - behind]);
    if old_part.len() + new_part.len() > BYTES_MAX {
        return Vec::new();
    }
    let lines = [old_part, new_part].map(|part| part.split_inclusive('\n').collect::<Vec<&str>>());
    let diff = TextDiff::configure().timeout(SEARCH_MAX).diff_slices(&lines[0], &lines[1]);
    let groups = diff.grouped_ops(CONTEXT_LINES);
    let passed = line_ends(&old[..before]);
    groups.iter().filter_map(|ops| hunk(&diff, ops, passed)).collect()
}

/// How many bytes are compared at once.
const STEP: usize = 4_096;

/// How many bytes both texts begin with that are whole lines, without those that stand around a change.
fn lines_before(old: &str, new: &str) -> usize {
    let (old, new) = (old.as_bytes(), new.as_bytes());
    let steps = old.chunks(STEP).zip(new.chunks(STEP)).take_while(|(a, b)| a == b).count() * STEP;
    let at = steps.min(old.len()).min(new.len());
    let same = at + old[at..].iter().zip(&new[at..]).take_while(|(a, b)| a == b).count();
    let mut ends = old[..same].iter().enumerate().rev().filter(|(_, byte)| **byte == b'\n');
    ends.nth(CONTEXT_LINES).map_or(0, |(end, _)| end + 1)
}

/// How many bytes both texts end with that are whole lines, without those that stand around a change.
fn lines_behind(old: &str, new: &str) -> usize {
    let (old, new) = (old.as_bytes(), new.as_bytes());
    let steps = old.rchunks(STEP).zip(new.rchunks(STEP)).take_while(|(a, b)| a == b).count() * STEP;
    let at = steps.min(old.len()).min(new.len());
    let rest = (&old[..old.len() - at], &new[..new.len() - at]);
    let same = at + rest.0.iter().rev().zip(rest.1.iter().rev()).take_while(|(a, b)| a == b).count();
    let part = &old[old.len() - same..];
    // The first line end is that of a line which may begin with a change.
    let mut ends = part.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    ends.nth(CONTEXT_LINES).map_or(0, |(end, _)| part.len() - end - 1)
}

fn line_ends(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}

/// What a tool says it has done, and what there is to know besides, a line each.
pub(crate) fn with_notes(done: String, notes: &[String]) -> String {
    notes.iter().fold(done, |said, note| format!("{said}\n({note})"))
}

/// How many lines of a difference a person sees.
const SHOWN_LINES_MAX: usize = 40;

/// A difference as a person sees it, a line each, and what there is to know besides.
pub(crate) fn render(hunks: &[Hunk], notes: &[String]) -> Vec<String> {
    let mut shown = Vec::new();
    if hunks.is_empty() {
        shown.push("no difference to show: there is none, or it is too large".to_owned());
    }
    for hunk in hunks {
        shown.push(format!(
            "@@ -{},{} +{},{} @@",
            hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines
        ));
        shown.extend(hunk.lines.iter().cloned());
    }
    if shown.len() > SHOWN_LINES_MAX {
        let more = shown.len() - SHOWN_LINES_MAX;
        shown.truncate(SHOWN_LINES_MAX);
        shown.push(format!("… {more} more lines"));
    }
    shown.extend_from_slice(notes);
    shown
}

/// One run of changes behind so many lines that were passed over.
fn hunk(diff: &TextDiff<'_, '_, '_, str>, ops: &[similar::DiffOp], passed: usize) -> Option<Hunk> {
    let (first, last) = (ops.first()?, ops.last()?);
    let old = first.old_range().start..last.old_range().end;
    let new = first.new_range().start..last.new_range().end;
    let mut lines = Vec::new();
    for change in ops.iter().flat_map(|op| diff.iter_changes(op)) {
        let mark = match change.tag() {
            ChangeTag::Equal => ' ',
            ChangeTag::Delete => '-',
            ChangeTag::Insert => '+',
        };
        let ended = change.value().strip_suffix('\n');
        let line = ended.unwrap_or(change.value());
        lines.push(format!("{mark}{}", line.strip_suffix('\r').unwrap_or(line)));
        if ended.is_none() {
            lines.push(NO_END.to_owned());
        }
    }
    Some(Hunk {
        old_start: passed + old.start + 1,
        old_lines: old.len(),
        new_start: passed + new.start + 1,
        new_lines: new.len(),
        lines,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_line_is_a_hunk_with_its_surroundings() {
        let old: String = (1..=10).map(|n| format!("{n}\n")).collect();
        let hunks = hunks(&old, &old.replace("5\n", "five\n"));
        assert_eq!(hunks.len(), 1);
        assert_eq!((hunks[0].old_start, hunks[0].old_lines, hunks[0].new_lines), (2, 7, 7));
        assert_eq!(hunks[0].lines, [" 2", " 3", " 4", "-5", "+five", " 6", " 7", " 8"]);
    }
    /// The texts that the hunks say there are, made by applying them line by line.
    fn applied(old: &str, hunks: &[Hunk]) -> String {
        let lines: Vec<&str> = old.split_inclusive('\n').collect();
        let (mut out, mut at) = (String::new(), 0);
        for hunk in hunks {
            out.push_str(&lines[at..hunk.old_start - 1].concat());
            at = hunk.old_start - 1 + hunk.old_lines;
            let mut shown = hunk.lines.iter().peekable();
            while let Some(line) = shown.next() {
                let end = if shown.next_if(|next| *next == NO_END).is_some() { "" } else { "\n" };
                if !line.starts_with('-') {
                    out.push_str(&line[1..]);
                    out.push_str(end);
                }
            }
        }
        out + &lines[at..].concat()
    }

    #[test]
    fn hunks_lead_from_one_text_to_the_other_wherever_the_change_is() {
        let old: String = (1..=40).map(|n| format!("{}\n", n / 3)).collect();
        let lines: Vec<&str> = old.split_inclusive('\n').collect();
        let mut texts = vec![String::new(), old.trim_end().to_owned(), format!("{old}{old}"), old.clone()];
        for at in 0..lines.len() {
            texts.push([&lines[..at], &["new\n"], &lines[at..]].concat().concat());
            texts.push([&lines[..at], &lines[at + 1..]].concat().concat());
            texts.push([&lines[..at], &["x\n", lines[at]], &lines[at + 1..], &["y"]].concat().concat());
            texts.push(old.replacen('\n', "", at));
        }
        for new in &texts {
            for (from, to) in [(&old, new), (new, &old)] {
                let hunks = hunks(from, to);
                assert_eq!(&applied(from, &hunks), to);
                assert_eq!(hunks.is_empty(), from == to);
                for hunk in &hunks {
                    let count =
                        |marks: [char; 2]| hunk.lines.iter().filter(|line| line.starts_with(marks)).count();
                    assert_eq!((hunk.old_lines, hunk.new_lines), (count([' ', '-']), count([' ', '+'])));
                }
            }
        }
    }

    #[test]
    fn a_small_change_of_a_large_text_is_told() {
        let old = "a line of some length\n".repeat(200_000);
        let middle = old.len() / 2 / 22 * 22;
        let new = format!("{}new\n{}", &old[..middle], &old[middle..]);
        let hunks = hunks(&old, &new);
        assert_eq!((hunks.len(), hunks[0].new_lines - hunks[0].old_lines), (1, 1));
        assert!(super::hunks(&old, &old.replace("some", "other")).is_empty(), "a large change is not");
    }

    #[test]
    fn a_last_line_without_an_end_is_told_apart() {
        let hunks = hunks("a", "a\n");
        assert_eq!(hunks[0].lines, ["-a", NO_END, "+a"]);
    }
}
