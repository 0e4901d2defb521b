//! Patterns over commands and names: exact, by prefix, or with `*` for anything.

use super::literal::LiteralIndexBuilder;
use super::parse::Behavior;
use super::problem::Wrong;
use crate::permission::raw::{RawText, pieces_match, spaced};
use crate::permission::scripts::{scripts, stretches};
use crate::permission::words::{is_approved_only_exactly, program, readings};

/// A pattern over one simple command, or over a name: some globs, one of which must match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pattern {
    globs: Vec<Glob>,
}

/// Whether a command, with single spaces, is what a pattern names: `P`, `P *` and `P:*` are `P`, alone or with words behind
/// it, and `*` within it stands for anything.
#[must_use]
pub fn names_command(pattern: &str, command: &str) -> bool {
    let pattern = pattern.trim();
    let bare = [":*", " *"].iter().find_map(|end| pattern.strip_suffix(end)).unwrap_or(pattern);
    Pattern::new(&format!("{bare}:*"), Behavior::Allow).is_ok_and(|pattern| pattern.matches(command))
}

/// Pieces with anything between them; the first is the beginning, the last the end.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Glob(Vec<String>);

impl Pattern {
    /// Reads a pattern. `P:*` and `P *` are `P`, alone or with words behind it. `prefix:P` is the same in allow rules
    /// and a plain prefix in the others, so that it is never read wider than the stricter of both.
    ///
    /// # Errors
    /// In words: what can never match as its author wants.
    pub(super) fn new(content: &str, behavior: Behavior) -> Result<Pattern, Wrong> {
        let content = spaced(content);
        let opens = behavior == Behavior::Allow;
        let globs = if let Some(prefix) = content.strip_prefix("prefix:") {
            let prefix = prefix.trim();
            if prefix.is_empty() || prefix.contains('*') {
                return Err(Wrong::new("`prefix:` takes the beginning of a command, without `*`"));
            }
            if opens { words(prefix) } else { vec![format!("{prefix}*")] }
        } else if let Some(bare) = content.strip_suffix(":*") {
            // Names may have a colon themselves, and a rule that closes means them too.
            let named = (!opens).then(|| format!("{bare}:*"));
            words(bare).into_iter().chain(named).collect()
        } else if let Some(bare) = content.strip_suffix(" *") {
            words(bare)
        } else {
            vec![content]
        };
        if globs.iter().any(|glob| glob.is_empty() || glob == " *") {
            return Err(Wrong::new("nothing stands before its `*`: name the tool alone to mean all of it"));
        }
        Ok(Pattern { globs: globs.iter().map(|glob| Glob::new(glob)).collect() })
    }

    /// Whether a name, or another text without words, matches.
    pub(super) fn matches(&self, text: &str) -> bool {
        self.globs.iter().any(|glob| glob.matches(text))
    }

    /// Whether one simple command matches. A rule that opens reads it as it is typed, and where it leaves anything
    /// open, only if it is one command without doubt; the others also read it as the program gets it.
    pub(super) fn matches_command(&self, command: &Typed, behavior: Behavior) -> bool {
        match behavior {
            Behavior::Allow => self
                .globs
                .iter()
                .any(|glob| glob.matches(command.typed()) && (glob.is_exact() || command.leaves_open)),
            Behavior::Deny | Behavior::Ask => {
                command.is_too_long || command.readings.iter().any(|text| self.matches(text))
            }
        }
    }

    /// Adds each way to match to an index: one text alone, or texts of which every text that matches has all.
    pub(super) fn add_to(&self, index: &mut LiteralIndexBuilder, id: u32) {
        for glob in &self.globs {
            match glob.0.as_slice() {
                [only] => index.add_exact(id, only),
                pieces => {
                    index.add(id, pieces.iter().map(|piece| piece.trim().as_bytes().to_vec()).collect());
                }
            }
        }
    }

    /// One text for each way to match, with what is in no pattern for what is open.
    pub(super) fn samples(&self) -> impl Iterator<Item = String> {
        self.globs.iter().map(Glob::sample)
    }

    /// Whether it matches wherever another does, as far as can be told.
    pub(super) fn covers(&self, other: &Pattern) -> bool {
        other.globs.iter().all(|theirs| self.globs.iter().any(|ours| ours.covers(theirs)))
    }

    /// Whether some part of a text that was not understood matches.
    pub(super) fn may_match_within(&self, raw: &RawText) -> bool {
        self.globs.iter().any(|glob| raw.has_command(&glob.0))
    }

    /// What every text begins with that matches, for each way to match.
    pub(super) fn beginnings(&self) -> impl Iterator<Item = &str> {
        self.globs.iter().filter_map(|glob| glob.0.first()).map(String::as_str)
    }
}

impl Glob {
    fn new(text: &str) -> Glob {
        Glob(text.split('*').map(str::to_owned).collect())
    }

    fn is_exact(&self) -> bool {
        self.0.len() == 1
    }

    fn matches(&self, text: &str) -> bool {
        pieces_match(&self.0, text)
    }

    /// Whether it matches all that another does: then it matches the other's own text, with something in place of its
    /// `*` that is in no pattern.
    fn covers(&self, other: &Glob) -> bool {
        self.matches(&other.sample())
    }

    fn sample(&self) -> String {
        self.0.join("\u{0}")
    }
}

/// One simple command, as rules read it.
#[derive(Clone, Debug)]
pub(super) struct Typed {
    /// As it is typed, for rules that open, where that is not the first reading.
    typed: Option<String>,
    /// Whether it is one command without doubt, of which rules that open may leave something open.
    leaves_open: bool,
    /// As it may be meant, for rules that close; no two the same.
    pub(super) readings: Vec<String>,
    /// Whether there is too much of it to be read: then every rule that closes matches.
    pub(super) is_too_long: bool,
}

impl Typed {
    pub(super) fn new(text: &str, words: &[String]) -> Typed {
        let leaves_open = !is_approved_only_exactly(words) && is_one_command(text);
        let is_single_spaced = !text.contains(|c: char| c.is_control() || (c.is_whitespace() && c != ' '))
            && !text.contains("  ")
            && text.trim().len() == text.len();
        let mut typed = None;
        let mut readings = vec![text.to_owned()];
        if !is_single_spaced {
            typed = Some(single_spaced(text));
            let spaced = spaced(&text.replace(|c: char| c.is_control(), " "));
            if spaced != text {
                readings.push(spaced);
            }
        }
        let meant = self::readings(words);
        for words in meant.iter().flatten() {
            let Some((first, rest)) = words.split_first() else { continue };
            for first in [first.as_str(), program(first)] {
                if !readings.iter().any(|reading| is_joined(reading, first, rest)) {
                    let all = std::iter::once(first).chain(rest.iter().map(String::as_str));
                    readings.push(all.collect::<Vec<_>>().join(" "));
                }
            }
        }
        // Code of another language may hand any of it to a shell.
        for stretch in scripts(words).flat_map(|script| stretches(script)) {
            if !readings.contains(&stretch) {
                readings.push(stretch);
            }
        }
        Typed { typed, leaves_open, is_too_long: meant.is_none(), readings }
    }

    /// As it is typed, for rules that open.
    fn typed(&self) -> &str {
        self.typed.as_deref().unwrap_or(&self.readings[0])
    }

    /// Every text that a rule is matched against, each once.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        let typed =
            self.typed.as_deref().filter(|typed| !self.readings.iter().any(|reading| reading == typed));
        self.readings.iter().map(String::as_str).chain(typed)
    }
}

/// Whether a text is these words with a space between each two.
fn is_joined(text: &str, first: &str, rest: &[String]) -> bool {
    let behind = rest.iter().try_fold(text.strip_prefix(first), |left, word| {
        Some(left?.strip_prefix(' ').and_then(|left| left.strip_prefix(word.as_str())))
    });
    behind.flatten().is_some_and(str::is_empty)
}

/// A command alone, and with words behind it.
fn words(bare: &str) -> Vec<String> {
    let bare = bare.trim_end();
    vec![bare.to_owned(), format!("{bare} *")]
}

/// The text with runs of spaces and tabs as one space, and none at the ends. Other white space is no separator.
fn single_spaced(text: &str) -> String {
    text.split([' ', '\t']).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Whether a text is one command for every shell: nothing outside quotes ends a command, every quote is closed, and no
/// character is one that terminals and shells treat in ways of their own.
fn is_one_command(text: &str) -> bool {
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c.is_control() && !matches!(c, '\t' | '\n') {
            return false;
        }
        match (quote, c) {
            (Some('\''), '\'') | (Some('"'), '"') => quote = None,
            (Some('\''), _) => {}
            (None | Some(_), '\\') => {
                if chars.next().is_none() {
                    return false;
                }
            }
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, ';' | '&' | '|' | '\n' | '`') => return false,
            (None, _) => {}
        }
    }
    quote.is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(content: &str, behavior: Behavior) -> Pattern {
        Pattern::new(content, behavior).expect("it is a pattern")
    }

    fn matches(content: &str, text: &str, behavior: Behavior) -> bool {
        let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
        pattern(content, behavior).matches_command(&Typed::new(text, &words), behavior)
    }

    #[test]
    fn a_command_is_named_by_its_beginning_word_by_word() {
        for (pattern, command, is_so) in [
            ("docker", "docker", true),
            ("docker", "docker build .", true),
            ("docker", "dockerd", false),
            ("docker *", "docker build .", true),
            (" docker:* ", "docker", true),
            ("git push", "git pull", false),
            ("npm run test*", "npm run test:unit", true),
            ("npm * test", "npm run test", true),
            ("npm * test", "npm run tests", false),
            ("a*bc", "abcd bc", true),
            ("", "ls", false),
            ("*", "ls", true),
        ] {
            assert_eq!(names_command(pattern, command), is_so, "{pattern}: {command}");
        }
    }

    #[test]
    fn the_documented_patterns() {
        for (content, text, expected) in [
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
            ("git commit *", "git \t commit   -m x", true),
            ("a * b *", "a x b", true),
            ("a * b *", "a x b c", true),
            ("a * b *", "a x bc", false),
        ] {
            assert_eq!(matches(content, text, Behavior::Allow), expected, "{content} ~ {text}");
        }
        assert!(matches("prefix:npm run", "npm runx", Behavior::Deny));
        assert!(matches("review:*", "review:deep", Behavior::Deny));
        assert!(!matches("review:*", "review:deep", Behavior::Allow));
    }

    #[test]
    fn pieces_never_overlap() {
        for (content, text, expected) in [
            ("a*a", "a", false),
            ("a*a", "aa", true),
            ("a*a*a", "aa", false),
            ("ab*ba", "aba", false),
            ("*a", "a", true),
            ("a**a", "aa", true),
            ("a*b*c", "a-c-b", false),
        ] {
            assert_eq!(matches(content, text, Behavior::Deny), expected, "{content} ~ {text}");
        }
    }

    #[test]
    fn a_rule_that_opens_matches_one_command_and_no_more() {
        for text in [
            "git log\nrm x",
            "git log; rm x",
            "git log && rm x",
            "git log | sh",
            "git log `rm x`",
            "git log 'x",
            "git log \\",
            "git log \0",
            "git log \u{1b}[2K",
            "git log & rm x",
            "git\u{a0}log",
            "git\nlog",
        ] {
            assert!(!matches("git *", text, Behavior::Allow), "{text:?}");
        }
        for text in
            ["git log 'a;b'", "git commit -m \"a\nb\"", r"git log \;", "git log \"it's\"", "git log 2>1"]
        {
            assert!(matches("git *", text, Behavior::Allow), "{text:?}");
        }
        assert!(matches("a; b", "a; b", Behavior::Allow), "what is named exactly is meant exactly");
    }

    #[test]
    fn a_rule_that_closes_is_not_escaped_by_how_a_command_is_written() {
        for text in ["rm x", "rm\tx", "rm\nx", "rm\u{a0}x", "rm\0x", "  rm   x", "/bin/rm x"] {
            assert!(matches("rm *", text, Behavior::Deny), "{text:?}");
        }
        let words = ["rm".to_owned(), "x".to_owned()];
        for text in ["'rm' x", "r\\m x", "r\"\"m x"] {
            assert!(
                pattern("rm *", Behavior::Deny).matches_command(&Typed::new(text, &words), Behavior::Deny),
                "{text:?}"
            );
        }
    }

    #[test]
    fn unreadable_text_does_not_escape_a_deny_rule() {
        for raw in [
            "FOO=bar rm -rf tmp",
            "$(rm x)",
            "a && \"rm\" x",
            "sudo rm x",
            "bash -c 'rm -rf x'",
            "/bin/rm x",
            "\\rm x",
            "if true; then rm x; fi",
            "r''m x",
            "rm${IFS}x",
            "rm\\\n x",
            "rm\tx",
            "rm",
            "a;rm",
            "{ rm x; }",
            "$'rm' x",
            "!rm x",
        ] {
            assert!(pattern("rm *", Behavior::Deny).may_match_within(&RawText::new(raw)), "{raw}");
        }
        for raw in ["echo $HOME", "npm run firm", "rm-all x", "form $x"] {
            assert!(!pattern("rm *", Behavior::Deny).may_match_within(&RawText::new(raw)), "{raw}");
        }
        let push = pattern("git push *", Behavior::Deny);
        for raw in ["git${IFS}push", "git 'push' x", "x=1 git   push", "a | git push \"$x\""] {
            assert!(push.may_match_within(&RawText::new(raw)), "{raw}");
        }
        let quoted = pattern("git commit -m \"x\"", Behavior::Deny);
        assert!(quoted.may_match_within(&RawText::new("$a; git commit -m 'x'")));
        assert!(push.may_match_within(&RawText::new(&"x".repeat(1_000_000))), "too long to be searched");
        assert!(
            pattern("a a", Behavior::Deny).may_match_within(&RawText::new("xa a a $y")),
            "places overlap"
        );
        assert!(pattern("echo $x", Behavior::Deny).may_match_within(&RawText::new("echo \"$x\" | y")));
    }

    #[test]
    fn many_stars_take_no_more_time_than_text_times_pieces() {
        let stars = "*a".repeat(2_000);
        let text = "a".repeat(1_000_000);
        assert!(!matches(&format!("{stars}b"), &text, Behavior::Deny));
        assert!(
            !pattern(&format!("{stars}b"), Behavior::Deny)
                .may_match_within(&RawText::new(&"a".repeat(20_000)))
        );
    }

    #[test]
    fn what_would_mean_everything_or_nothing_is_no_pattern() {
        for content in [":*", "prefix:", "prefix:a*", "", " "] {
            for behavior in [Behavior::Deny, Behavior::Ask, Behavior::Allow] {
                assert!(Pattern::new(content, behavior).is_err(), "{content:?}");
            }
        }
    }
}
