//! Names that are nearly the same: what a message offers in place of a name that does not exist.

/// The name nearest to `wrong`, if one is near: at most two edits, or one the beginning of the other.
#[must_use]
pub fn nearest<'a>(wrong: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let folded = wrong.to_lowercase().replace('-', "_");
    let near = names.filter_map(|name| {
        let other = name.to_lowercase().replace('-', "_");
        let edits = edit_distance(&folded, &other);
        // That a letter or two stand somewhere in a word says nothing.
        let is_part = |part: &str, whole: &str| part.len() >= 3 && whole.contains(part);
        let contained = is_part(&folded, &other) || is_part(&other, &folded);
        (edits <= 2.min(other.chars().count() / 2) || contained).then_some((edits, name))
    });
    near.min().map(|(_edits, name)| name)
}

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
    }

    #[test]
    fn the_edit_distance_is_levenshteins() {
        assert_eq!(edit_distance("kitten", "sitting"), 3);
        assert_eq!(edit_distance("", "abc"), 3);
        assert_eq!(edit_distance("abc", "abc"), 0);
    }
}
