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
/// How large both texts together may be; of larger ones no hunks are made.
const BYTES_MAX: usize = 2 * 1024 * 1024;
/// How long a comparison looks for the smallest difference before it takes a larger one.
const SEARCH_MAX: Duration = Duration::from_millis(500);

/// The hunks that lead from one text to another.
pub(crate) fn hunks(old: &str, new: &str) -> Vec<Hunk> {
    if old.len() + new.len() > BYTES_MAX {
        return Vec::new();
    }
    let diff = TextDiff::configure().timeout(SEARCH_MAX).diff_lines(old, new);
    let groups = diff.grouped_ops(CONTEXT_LINES);
    groups.iter().filter_map(|ops| hunk(&diff, ops)).collect()
}

/// How many lines of a difference a person sees.
const SHOWN_LINES_MAX: usize = 40;

/// A difference as a person sees it, a line each.
pub(crate) fn render(hunks: &[Hunk]) -> Vec<String> {
    let mut shown = Vec::new();
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
    shown
}

fn hunk(diff: &TextDiff<'_, '_, '_, str>, ops: &[similar::DiffOp]) -> Option<Hunk> {
    let (first, last) = (ops.first()?, ops.last()?);
    let old = first.old_range().start..last.old_range().end;
    let new = first.new_range().start..last.new_range().end;
    let changes = ops.iter().flat_map(|op| diff.iter_changes(op));
    let lines = changes.map(|change| {
        let mark = match change.tag() {
            ChangeTag::Equal => ' ',
            ChangeTag::Delete => '-',
            ChangeTag::Insert => '+',
        };
        format!("{mark}{}", change.value().trim_end_matches(['\r', '\n']))
    });
    Some(Hunk {
        old_start: old.start + 1,
        old_lines: old.len(),
        new_start: new.start + 1,
        new_lines: new.len(),
        lines: lines.collect(),
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
}
