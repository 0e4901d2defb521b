//! How long files and functions may be. The lists of exceptions only shrink: one that is needed no more is a problem too.

use std::collections::BTreeMap;

use super::Tree;

/// How many lines a file may have without its tests.
pub(super) const FILE_LINES_MAX: usize = 500;
/// How many lines a function may have.
pub(super) const FUNCTION_LINES_MAX: usize = 70;
/// Files that may be longer. The list only shrinks.
const LONGER_FILES: &[&str] = &[];
/// Functions that may be longer, as `file:function`. The list only shrinks.
const LONGER_FUNCTIONS: &[&str] = &[];

/// Files that are too long.
pub(super) fn files(tree: &Tree) -> Vec<String> {
    let lengths = tree.rust().map(|(name, text)| {
        let lines = text.lines().take_while(|line| *line != "#[cfg(test)]").count();
        (name.to_owned(), lines)
    });
    against(lengths, FILE_LINES_MAX, LONGER_FILES)
}

/// Functions that are too long.
pub(super) fn functions(tree: &Tree) -> Vec<String> {
    let all = tree.rust().flat_map(|(name, text)| {
        let place = move |(function, lines)| (format!("{name}:{function}"), lines);
        lengths_of_functions(text).into_iter().map(place)
    });
    against(all, FUNCTION_LINES_MAX, LONGER_FUNCTIONS)
}

/// What is over a limit without being excused, and excuses that nothing needs. Of two of one name the longer counts.
pub(super) fn against(
    lengths: impl Iterator<Item = (String, usize)>,
    limit: usize,
    excused: &[&str],
) -> Vec<String> {
    let mut longest = BTreeMap::new();
    for (name, lines) in lengths {
        let known: &mut usize = longest.entry(name).or_default();
        *known = lines.max(*known);
    }
    longest.retain(|_, lines| *lines > limit);
    let idle = excused.iter().filter(|name| !longest.contains_key(**name));
    let idle = idle.map(|name| format!("{name}: excused, and not too long: take it off the list")).collect();
    longest.retain(|name, _| !excused.contains(&name.as_str()));
    let over = longest.into_iter().map(|(name, lines)| format!("{name}: {lines} lines, at most {limit}"));
    over.chain::<Vec<String>>(idle).collect()
}

/// Every function that spans lines, with how many. The formatter has the closing brace below the `fn`.
fn lengths_of_functions(text: &str) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    let mut open: Option<(usize, String, &str)> = None;
    for (number, line) in text.lines().enumerate() {
        match &open {
            Some((start, end, name)) if line.trim_end() == end => {
                found.push(((*name).to_owned(), number - start + 1));
                open = None;
            }
            Some(_) => {}
            None => {
                let is_short = line.trim_end().ends_with(['}', ';']);
                let indent = &line[..line.len() - line.trim_start().len()];
                open = function_name(line)
                    .filter(|_| !is_short)
                    .map(|name| (number, format!("{indent}}}"), name));
            }
        }
    }
    found
}

/// The name of the function that begins on this line.
fn function_name(line: &str) -> Option<&str> {
    let words = ["pub(crate) ", "pub(super) ", "pub ", "default ", "const ", "async ", "unsafe "];
    let mut rest = line.trim_start();
    while let Some(shorter) = words.iter().find_map(|word| rest.strip_prefix(word)) {
        rest = shorter;
    }
    rest.strip_prefix("fn ")?.split(['(', '<']).next()
}
