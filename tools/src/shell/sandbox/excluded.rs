//! Commands that settings keep out of the sandbox.

use toolwright::contract::{Effect, Effects};

/// Whether a command line runs outside: what it runs is excluded, and whatever else it runs only looks. What cannot be
/// told is confined.
pub(crate) fn is_excluded(effects: &Effects, patterns: &[String]) -> bool {
    let Effects::Known(known) = effects else { return false };
    let mut is_any = false;
    for effect in known {
        let Effect::Command { text, read_only, .. } = effect else { continue };
        let is_named = patterns.iter().any(|pattern| is_meant(pattern, text));
        if !is_named && !read_only {
            return false;
        }
        is_any |= is_named;
    }
    is_any
}

/// Whether a pattern means a command: as it begins, word by word, or with `*` for anything.
fn is_meant(pattern: &str, command: &str) -> bool {
    let pattern = pattern.trim();
    let pattern = [":*", " *"].iter().find_map(|end| pattern.strip_suffix(end)).unwrap_or(pattern);
    let mut pieces = pattern.split('*');
    let Some(rest) = pieces.next().and_then(|first| command.strip_prefix(first)) else { return false };
    if pattern.is_empty() {
        return false;
    }
    let mut rest = rest;
    let mut is_open = false;
    for piece in pieces {
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
        is_open = piece.is_empty();
    }
    rest.is_empty() || rest.starts_with(' ') || is_open
}

#[cfg(test)]
mod tests {
    use super::is_meant;

    #[test]
    fn a_pattern_means_what_begins_with_its_words() {
        for (pattern, command, is_so) in [
            ("docker", "docker", true),
            ("docker", "docker build .", true),
            ("docker", "dockerd", false),
            ("docker *", "docker build .", true),
            ("docker:*", "docker", true),
            ("git push", "git pull", false),
            ("npm run test*", "npm run test:unit", true),
            ("npm * test", "npm run test", true),
            ("npm * test", "npm run tests", false),
            ("", "ls", false),
            ("*", "ls", true),
        ] {
            assert_eq!(is_meant(pattern, command), is_so, "{pattern}: {command}");
        }
    }
}
