//! Matchers: which tools, reasons or kinds a configured hook wants to see.
//!
//! A plain text is a list of exact names; anything else is a regular expression as JavaScript reads it, found anywhere
//! in the name, run by an engine that is linear in time.

use regex_automata::meta::{Config, Regex};
use regex_automata::util::syntax;

use super::HookStage;
use crate::permission::Profile;

/// How large a compiled matcher may be.
const MATCHER_BYTES_MAX: usize = 1 << 20;
/// How long the text of a matcher may be.
const MATCHER_CHARS_MAX: usize = 4_096;

/// A matcher, compiled.
#[derive(Clone, Debug)]
pub(super) enum Matcher {
    /// Everything.
    All,
    /// One of these names, or, where the profile reads `,` and `-` so, what the expression finds.
    Names { names: Vec<String>, has_signs: bool, has_comma_or_hyphen: bool, expression: Regex },
    /// What the expression finds.
    Expression(Regex),
}

impl Matcher {
    /// Compiles a matcher.
    ///
    /// # Errors
    /// In words: why it is no regular expression.
    pub(super) fn new(text: &str) -> Result<Matcher, String> {
        if text.is_empty() || text == "*" {
            return Ok(Matcher::All);
        }
        if text.len() > MATCHER_CHARS_MAX {
            return Err(format!("the matcher is longer than {MATCHER_CHARS_MAX} characters"));
        }
        let expression = compile(text)?;
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "_- ,|".contains(c);
        if !text.chars().all(is_plain) {
            return Ok(Matcher::Expression(expression));
        }
        let names = text.split(['|', ',']).map(str::trim).filter(|name| !name.is_empty());
        Ok(Matcher::Names {
            names: names.map(str::to_owned).collect(),
            has_signs: text.contains([',', '-', ' ']),
            has_comma_or_hyphen: text.contains([',', '-']),
            expression,
        })
    }

    /// Whether a name is wanted.
    pub(super) fn matches(&self, name: &str, stage: HookStage, profile: Profile) -> bool {
        match self {
            Matcher::All => true,
            Matcher::Expression(expression) => expression.is_match(name),
            Matcher::Names { names, has_signs, has_comma_or_hyphen, expression } => {
                let is_expression = match profile {
                    Profile::V2_1_88 => *has_comma_or_hyphen,
                    Profile::Current => false,
                } || (stage.has_narrow_names() && *has_signs);
                if is_expression {
                    expression.is_match(name)
                } else {
                    names.iter().any(|wanted| wanted == name)
                }
            }
        }
    }
}

fn compile(text: &str) -> Result<Regex, String> {
    let config =
        Config::new().nfa_size_limit(Some(MATCHER_BYTES_MAX)).onepass_size_limit(Some(MATCHER_BYTES_MAX));
    let translated = translated(text)?;
    let built = Regex::builder().configure(config).syntax(syntax::Config::new()).build(&translated);
    built.map_err(|error| {
        let text = error.syntax_error().map_or_else(|| error.to_string(), ToString::to_string);
        let last = text.lines().last().unwrap_or_default().trim().trim_start_matches("error: ").to_owned();
        format!("the matcher is no regular expression that can be run in linear time: {last}")
    })
}

/// The expression in the engine's words, where JavaScript means something else by the same signs.
fn translated(text: &str) -> Result<String, String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut in_class = false;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        rest = after;
        match c {
            '\\' => rest = escape(after, in_class, &mut out)?,
            '[' if in_class => out.push_str("\\["),
            '[' => {
                in_class = true;
                out.push('[');
                if let Some(negated) = rest.strip_prefix('^') {
                    out.push('^');
                    rest = negated;
                }
                // An empty class is legal in JavaScript: `[]` finds nothing, `[^]` anything.
                if rest.starts_with(']') {
                    return Err("the matcher has an empty class".to_owned());
                }
            }
            ']' => {
                in_class = false;
                out.push(']');
            }
            // Doubled, these take classes apart in this engine.
            '&' | '~' if in_class => out.extend(['\\', c]),
            '-' if in_class && rest.starts_with('-') => {
                return Err("the matcher has `--` in a class".to_owned());
            }
            '(' if rest.starts_with('?') && !is_group(rest) => {
                return Err("the matcher has a group that JavaScript does not know".to_owned());
            }
            '{' if !in_class && !is_count(rest) => out.push_str("\\{"),
            other => out.push(other),
        }
    }
    Ok(out)
}

/// Whether `?…` behind a parenthesis opens a group of JavaScript's. Look-around is left to the engine to refuse.
fn is_group(rest: &str) -> bool {
    ["?:", "?=", "?!", "?<"].iter().any(|start| rest.starts_with(start))
}

/// Whether `{` is a count.
fn is_count(rest: &str) -> bool {
    let Some((inner, _)) = rest.split_once('}') else { return false };
    let digits = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    let (from, to) = inner.split_once(',').unwrap_or((inner, ""));
    !from.is_empty() && digits(from) && digits(to)
}

/// Writes what follows a backslash; gives the rest behind it.
fn escape<'a>(after: &'a str, in_class: bool, out: &mut String) -> Result<&'a str, String> {
    let Some(c) = after.chars().next() else { return Err("the matcher ends in a backslash".to_owned()) };
    let rest = &after[c.len_utf8()..];
    match c {
        'd' => out.push_str("[0-9]"),
        'D' => out.push_str("[^0-9]"),
        'w' => out.push_str("[0-9A-Za-z_]"),
        'W' => out.push_str("[^0-9A-Za-z_]"),
        'b' if in_class => out.push_str("\\x08"),
        'b' => out.push_str("(?-u:\\b)"),
        'B' if !in_class => out.push_str("(?-u:\\B)"),
        's' | 'S' | 't' | 'n' | 'r' | 'f' | 'v' => out.extend(['\\', c]),
        'x' | 'u' => {
            let length = if c == 'x' { 2 } else { 4 };
            let digits = rest.get(..length).filter(|digits| digits.chars().all(|c| c.is_ascii_hexdigit()));
            match digits {
                Some(digits) => {
                    out.extend(['\\', c]);
                    out.push_str(digits);
                    return Ok(&rest[length..]);
                }
                None => out.push(c),
            }
        }
        'c' | 'k' | '0'..='9' => return Err(format!("the matcher has `\\{c}`, which is not supported")),
        // Any other letter stands for itself there.
        letter if letter.is_ascii_alphabetic() => out.push(letter),
        sign if sign.is_ascii() => out.extend(['\\', sign]),
        other => out.push(other),
    }
    Ok(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finds(matcher: &str, name: &str, profile: Profile) -> bool {
        Matcher::new(matcher).expect("it is a matcher").matches(name, HookStage::PreToolUse, profile)
    }

    #[test]
    fn a_plain_text_is_a_list_of_names_and_anything_else_an_expression_found_anywhere() {
        for (matcher, name, wanted) in [
            ("", "Bash", true),
            ("*", "Bash", true),
            ("Edit", "Edit", true),
            ("Edit", "NotebookEdit", false),
            ("Edit.*", "NotebookEdit", true),
            ("Edit|Write", "Write", true),
            (" Edit | Write ", "Write", true),
            ("edit", "Edit", false),
            ("mcp__memory", "mcp__memory__read", false),
            ("mcp__memory__.*", "mcp__memory__read", true),
            ("^Bash$", "BashOutput", false),
            ("Bash(", "Bash", false),
            ("|", "Bash", false),
        ] {
            for profile in [Profile::V2_1_88, Profile::Current] {
                let found = Matcher::new(matcher)
                    .is_ok_and(|matcher| matcher.matches(name, HookStage::PreToolUse, profile));
                assert_eq!(found, wanted, "{matcher} {name}");
            }
        }
    }

    #[test]
    fn commas_and_hyphens_are_read_as_the_profile_does() {
        for (matcher, name, old, new) in [
            ("Bash,PowerShell", "Bash", false, true),
            ("Bash, PowerShell", "PowerShell", false, true),
            ("code-reviewer", "code-reviewer", true, true),
            ("code-reviewer", "senior-code-reviewer", true, false),
        ] {
            assert_eq!(finds(matcher, name, Profile::V2_1_88), old, "{matcher} {name}");
            assert_eq!(finds(matcher, name, Profile::Current), new, "{matcher} {name}");
        }
        let narrow = Matcher::new("rate-limit").expect("it is a matcher");
        assert!(narrow.matches("a-rate-limit", HookStage::StopFailure, Profile::Current));
    }

    #[test]
    fn expressions_mean_what_javascript_means_by_them() {
        for (matcher, name, wanted) in [
            ("^\\w+$", "Bash", true),
            ("^\\w+$", "Bäsh", false),
            ("\\d", "१", false),
            ("[[]", "a[", true),
            ("[a&&b]c", "&c", true),
            ("x{", "x{", true),
            ("o{2}", "foo", true),
            ("\\Abc", "xAbc", true),
            ("\\zed", "zed", true),
            ("\\u0042ash", "Bash", true),
            ("\\bEdit\\b", "mcp Edit x", true),
            ("(?:Edit|Write)$", "MultiEdit", true),
            ("(?<tool>Edit)", "Edit", true),
            ("a/b", "a/b", true),
        ] {
            assert_eq!(finds(matcher, name, Profile::Current), wanted, "{matcher} {name}");
        }
    }

    #[test]
    fn what_cannot_be_run_in_linear_time_is_no_matcher() {
        for matcher in [
            "(",
            "(?=Bash)",
            "(?<!x)y",
            "(a)\\1",
            "[",
            "((a{1000}){1000}){1000}",
            "(?i)bash",
            "(?P<x>a)",
            "a\\",
        ] {
            assert!(Matcher::new(matcher).is_err(), "{matcher}");
        }
        assert!(Matcher::new(&"a".repeat(5_000)).is_err());
        assert!(!finds("^(a+)+$", &format!("{}!", "a".repeat(50_000)), Profile::Current));
    }
}
