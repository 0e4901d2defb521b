//! The part of a text that is shown: so many lines from a first one, within a limit of bytes.

use super::text;

/// How many characters of a line are shown.
pub(crate) const LINE_CHARS_MAX: usize = 2_000;

/// Which part is wanted, and how much of it may be shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    /// The first line, counted from 1.
    pub(crate) first: usize,
    /// How many lines at the most.
    pub(crate) lines_max: usize,
    /// How many bytes at the most.
    pub(crate) bytes_max: usize,
}

/// A part of a text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Excerpt {
    /// The lines, joined by `\n`.
    pub(crate) content: String,
    /// How many lines are shown.
    pub(crate) shown: usize,
    /// How many lines the whole text has.
    pub(crate) total: usize,
    /// How many of the lines shown are cut.
    pub(crate) cut: usize,
}

impl Excerpt {
    /// Takes the part that is wanted. At least one line is shown where there is one, since a line has its own limit.
    pub(crate) fn of(text: &str, wanted: Wanted) -> Excerpt {
        let mut part = Excerpt { content: String::new(), shown: 0, total: 0, cut: 0 };
        let mut is_full = false;
        for line in text::lines(text) {
            part.total += 1;
            if part.total < wanted.first || part.shown >= wanted.lines_max || is_full {
                continue;
            }
            let (line, left_out) = cut(line);
            is_full = part.shown > 0 && part.content.len() + line.len() >= wanted.bytes_max;
            if !is_full {
                part.push(line, left_out);
            }
        }
        part
    }

    fn push(&mut self, line: &str, left_out: usize) {
        if self.shown > 0 {
            self.content.push('\n');
        }
        self.content.push_str(line);
        self.shown += 1;
        if left_out > 0 {
            self.content.push_str(&format!("… [{left_out} more characters in this line]"));
            self.cut += 1;
        }
    }

    /// Whether it is the whole text.
    pub(crate) fn is_whole(&self) -> bool {
        self.shown == self.total && self.cut == 0
    }
}

/// The part of a line that is shown, and how many characters of it are not.
fn cut(line: &str) -> (&str, usize) {
    if line.len() <= LINE_CHARS_MAX {
        return (line, 0);
    }
    match line.char_indices().nth(LINE_CHARS_MAX) {
        Some((place, _first_left_out)) => (&line[..place], line[place..].chars().count()),
        None => (line, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(text: &str, first: usize, lines_max: usize, bytes_max: usize) -> (String, usize, usize) {
        let part = Excerpt::of(text, Wanted { first, lines_max, bytes_max });
        (part.content, part.shown, part.total)
    }

    #[test]
    fn lines_are_taken_from_the_first_one_on() {
        let text = "a\r\nb\nc\n\n";
        assert_eq!(part(text, 1, 9, 99), ("a\nb\nc\n".to_owned(), 4, 4));
        assert_eq!(part(text, 2, 2, 99), ("b\nc".to_owned(), 2, 4));
        assert_eq!(part(text, 5, 2, 99), (String::new(), 0, 4));
        assert_eq!(part("", 1, 2, 99), (String::new(), 0, 0));
    }

    #[test]
    fn bytes_are_limited_at_a_line_and_one_line_always_fits() {
        assert_eq!(part("aaaa\nbbbb\ncccc", 1, 9, 10), ("aaaa\nbbbb".to_owned(), 2, 3));
        assert_eq!(part("aaaa\nbbbb", 1, 9, 1), ("aaaa".to_owned(), 1, 2));
    }

    #[test]
    fn a_long_line_is_cut_at_a_character() {
        let part =
            Excerpt::of(&"ü".repeat(LINE_CHARS_MAX + 3), Wanted { first: 1, lines_max: 1, bytes_max: 1 });
        assert!(part.content.ends_with("ü… [3 more characters in this line]"), "{}", part.content);
        assert_eq!(part.cut, 1);
        assert!(!part.is_whole());
    }
}
