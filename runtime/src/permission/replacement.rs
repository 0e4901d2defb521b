//! Scripts of `sed` that are one replacement: for the mode acceptEdits, and for tools that tell what commands would do.

/// Whether a script of `sed` is one `s/a/b/`, with flags that only choose what is replaced. One with a line end in it is
/// none, escaped or not: versions of `sed` differ in what they take for the end of a command.
#[must_use]
pub fn is_plain_replacement(script: &str) -> bool {
    let Some(rest) = script.strip_prefix('s').filter(|rest| !rest.contains(['\n', '\r'])) else {
        return false;
    };
    let is_mark = |mark: &char| mark.is_ascii_punctuation() && *mark != '\\';
    let Some(mark) = rest.chars().next().filter(is_mark) else { return false };
    let (mut marks, mut chars) = (0, rest.chars());
    while let Some(c) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            _mark if c == mark => marks += 1,
            _text => {}
        }
        if marks == 3 {
            return chars.all(|flag| matches!(flag, 'g' | 'p' | 'i' | 'I') || flag.is_ascii_digit());
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::is_plain_replacement;

    #[test]
    fn only_one_replacement_is_plain() {
        for script in ["s/a/b/", "s|a/b|c|g", "s/a\\/b/c/2p", "s,a,,Ig"] {
            assert!(is_plain_replacement(script), "{script}");
        }
        for script in [
            "s/a/b",
            "s/a/b/w x",
            "s/a/b/e",
            "s/a/b/;w x",
            "s/a/b/\nw x",
            "s/a/b\\\nc/",
            "s/a/b\r/",
            "s\\a\\b\\",
            "sxaxbx",
            "y/a/b/",
            "s",
            "",
        ] {
            assert!(!is_plain_replacement(script), "{script}");
        }
    }
}
