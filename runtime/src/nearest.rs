//! Names that are nearly the same: what a message offers in place of a name that does not exist.

/// The name nearest to `wrong`, if one is near: at most two edits, or one a part of the other.
#[must_use]
pub fn nearest<'a>(wrong: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    all_near(wrong, names).into_iter().next()
}

/// All names that are near to `wrong`, the nearest first; of equally near ones the first by name.
#[must_use]
pub fn all_near<'a>(wrong: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let folded = wrong.to_lowercase().replace('-', "_");
    let length = folded.chars().count();
    // That a letter or two stand somewhere in a word says nothing.
    let is_part = |part: &str, whole: &str| part.len() >= 3 && whole.contains(part);
    let near = names.filter_map(|name| {
        let other = name.to_lowercase().replace('-', "_");
        let is_contained = is_part(&folded, &other) || is_part(&other, &folded);
        let others_length = other.chars().count();
        // As many edits are needed as the lengths differ.
        if !is_contained && length.abs_diff(others_length) > EDITS_MAX {
            return None;
        }
        let edits = edit_distance(&folded, &other);
        (edits <= EDITS_MAX.min(others_length / 2) || is_contained).then_some((edits, name))
    });
    let mut near: Vec<(usize, &str)> = near.collect();
    near.sort_unstable();
    near.into_iter().map(|(_edits, name)| name).collect()
}

/// How much longer or shorter than another a name can be, to be that name misspelt.
const LETTERS_APART_MAX: usize = 2;

/// Whether a name is another misspelt, most likely, where that is [`nearest`] to it: one that has it as a part of many is
/// another word.
#[must_use]
pub fn is_misspelt(wrong: &str, near: &str) -> bool {
    near.len().abs_diff(wrong.len()) <= LETTERS_APART_MAX
}

/// How many edits make another name of one.
const EDITS_MAX: usize = 2;
/// How many characters of a name are compared: beyond it two names are not the same by mistake.
const COMPARED_CHARS_MAX: usize = 64;

/// The number of insertions, deletions and replacements between two words (Levenshtein).
#[must_use]
pub fn edit_distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().take(COMPARED_CHARS_MAX).collect();
    let b: Vec<char> = b.chars().take(COMPARED_CHARS_MAX).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(from != to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        let names = || ["file_path", "old_string", "new_string", "limit"].into_iter();
        assert_eq!(nearest("filepath", names()), Some("file_path"));
        assert_eq!(nearest("new_str", names()), Some("new_string"));
        assert_eq!(nearest("path", names()), Some("file_path"));
        assert_eq!(nearest("frobnicate", names()), None);
        assert_eq!(nearest("secret", ["s", "re", ""].into_iter()), None);
        assert_eq!(all_near("new_sting", names()), ["new_string"]);
        assert_eq!(all_near("string", names()), ["new_string", "old_string"]);
    }

    #[test]
    fn the_edit_distance_is_levenshteins() {
        assert_eq!(edit_distance("kitten", "sitting"), 3);
        assert_eq!(edit_distance("", "abc"), 3);
        assert_eq!(edit_distance("abc", "abc"), 0);
    }
}
