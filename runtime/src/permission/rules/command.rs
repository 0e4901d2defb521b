//! Patterns over commands and names: exact, by prefix, or with `*` for anything.

use super::parse::Behavior;

/// A pattern over one simple command, or over a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Pattern {
    /// The text itself.
    Exact(String),
    /// The text itself, or the text, a space and anything.
    Words(String),
    /// The text, and anything behind it.
    Prefix(String),
    /// Pieces with anything between them; the first is the beginning, the last the end.
    Pieces(Vec<String>),
}

impl Pattern {
    /// Reads a pattern. `prefix:P` is `P:*` in allow rules and a plain prefix in the others, so that it is never
    /// read wider than the stricter of both.
    pub(super) fn new(content: &str, behavior: Behavior) -> Pattern {
        let content = spaced(content);
        if let Some(prefix) = content.strip_prefix("prefix:") {
            let prefix = prefix.trim().to_owned();
            return if behavior == Behavior::Allow {
                Pattern::Words(prefix)
            } else {
                Pattern::Prefix(prefix)
            };
        }
        if let Some(prefix) = content.strip_suffix(":*").or_else(|| content.strip_suffix(" *"))
            && !prefix.contains('*')
        {
            return Pattern::Words(prefix.trim_end().to_owned());
        }
        if !content.contains('*') {
            return Pattern::Exact(content);
        }
        let mut pieces: Vec<String> = content.split('*').map(str::to_owned).collect();
        if let Some(bare) = content.strip_suffix(" *") {
            // A trailing ` *` also matches the command without arguments; the pieces before it stay a pattern.
            pieces = bare.split('*').map(str::to_owned).collect();
            pieces.push("\u{0}".to_owned());
        }
        Pattern::Pieces(pieces)
    }

    /// Whether a command, its words one space apart, matches.
    pub(super) fn matches(&self, text: &str) -> bool {
        match self {
            Pattern::Exact(exact) => text == exact,
            Pattern::Words(prefix) => text
                .strip_prefix(prefix.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')),
            Pattern::Prefix(prefix) => text.starts_with(prefix.as_str()),
            Pattern::Pieces(pieces) => match pieces.split_last() {
                Some((last, before)) if last == "\u{0}" => {
                    let open: Vec<String> = before.iter().cloned().chain([String::new()]).collect();
                    pieces_match(before, text)
                        || text.match_indices(' ').any(|(at, _)| pieces_match(before, &text[..at]))
                            && pieces_match(&open, text)
                }
                _other => pieces_match(pieces, text),
            },
        }
    }

    /// Whether any part of a text that could not be understood matches: from each of its words on, up to where a
    /// command may end. For deny and ask rules only, which must not be escaped by writing unreadably.
    pub(super) fn may_match_within(&self, raw: &str) -> bool {
        let ends = |c: char| ";&|\n(){}`<>".contains(c);
        raw.split(ends).any(|part| {
            let part = spaced(&part.replace(['"', '\'', '\\', '$'], ""));
            std::iter::once(0)
                .chain(part.match_indices([' ', '=', '/']).map(|(at, _)| at + 1))
                .any(|start| self.matches(part[start..].trim()) || self.matches_any_beginning(&part[start..]))
        })
    }

    /// Whether the command with fewer of its last words matches.
    fn matches_any_beginning(&self, text: &str) -> bool {
        text.match_indices(' ').any(|(at, _)| self.matches(&text[..at]))
    }
}

/// The text with runs of spaces and tabs as one space, and none at the ends.
fn spaced(text: &str) -> String {
    text.split([' ', '\t']).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Whether the text is the pieces in their order with anything between them.
fn pieces_match(pieces: &[String], text: &str) -> bool {
    let [first, middle @ .., last] = pieces else { return pieces.first().is_some_and(|only| only == text) };
    let Some(mut rest) = text.strip_prefix(first.as_str()) else { return false };
    for piece in middle {
        let Some(at) = rest.find(piece.as_str()) else { return false };
        rest = &rest[at + piece.len()..];
    }
    rest.ends_with(last.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documented_patterns() {
        for (content, text, matches) in [
            ("npm run build", "npm run build", true),
            ("npm run build", "npm run build -x", false),
            ("npm run test *", "npm run test", true),
            ("npm run test *", "npm run test -- -u", true),
            ("ls *", "lsof", false),
            ("ls*", "lsof", true),
            ("git * main", "git push origin main", true),
            ("* install", "npm ci install", true),
            ("git:* push", "git origin push", false),
            ("git:*", "git push", true),
            ("git:*", "gitk", false),
            ("prefix:npm run", "npm run x", true),
            ("prefix:npm run", "npm runx", false),
            ("git stash *", "git stash", true),
            ("a * b *", "a x b", true),
            ("a * b *", "a x b c", true),
            ("a * b *", "a x bc", false),
        ] {
            assert_eq!(Pattern::new(content, Behavior::Allow).matches(text), matches, "{content} ~ {text}");
        }
        assert!(Pattern::new("prefix:npm run", Behavior::Deny).matches("npm runx"));
    }

    #[test]
    fn unreadable_text_does_not_escape_a_deny_rule() {
        let rm = Pattern::new("rm *", Behavior::Deny);
        for raw in [
            "FOO=bar rm -rf tmp",
            "$(rm x)",
            "a && \"rm\" x",
            "sudo rm x",
            "bash -c 'rm -rf x'",
            "/bin/rm x",
            "\\rm x",
            "if true; then rm x; fi",
        ] {
            assert!(rm.may_match_within(raw), "{raw}");
        }
        assert!(!rm.may_match_within("echo $HOME"));
    }
}
