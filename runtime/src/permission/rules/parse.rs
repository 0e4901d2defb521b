//! The text of a rule: `Tool`, `Tool(*)`, `Tool()` or `Tool(content)`, with parentheses in the content escaped.

use std::fmt;
use std::ops::Range;
use std::path::PathBuf;

use serde::Serialize;

use super::problem::Wrong;

/// What a rule says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Behavior {
    /// Never.
    Deny,
    /// Only when a person says so.
    Ask,
    /// Without asking.
    Allow,
}

/// Where a rule comes from, the strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Source {
    /// The command line.
    CliArg,
    /// A slash command's grants.
    Command,
    /// Granted in this session.
    Session,
    /// The local settings file.
    LocalSettings,
    /// The project's settings file.
    ProjectSettings,
    /// The user's settings file.
    UserSettings,
    /// Managed settings.
    PolicySettings,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Source::CliArg => "cliArg",
            Source::Command => "command",
            Source::Session => "session",
            Source::LocalSettings => "localSettings",
            Source::ProjectSettings => "projectSettings",
            Source::UserSettings => "userSettings",
            Source::PolicySettings => "policySettings",
        })
    }
}

/// A rule as it is written, and where it was found.
///
/// | rule | is about |
/// |---|---|
/// | `Book` | every call of `Book`; `mcp__bank` every tool of that server, `mcp__bank__*` too |
/// | `Book(x)` | calls whose [effects](crate::contract::Effects) name `x`, as `Effect::Name("x")` does; `*` stands for anything |
/// | `Book(account:reserve)` | calls whose parameter `account` is `reserve`, however it is written; in rules that deny or ask only |
/// | `Bash(git push *)` | commands that any call would run |
/// | `Read(.env)`, `Edit(/src/**)` | files that any call would read, or change |
/// | `WebFetch(domain:*.example.com)` | hosts that any call would contact |
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleText {
    /// What it says.
    pub behavior: Behavior,
    /// Where it comes from.
    pub source: Source,
    /// The rule itself: `Tool` or `Tool(content)`.
    pub text: String,
    /// The folder that a path `/x` in it hangs on, where that is not the usual one of its source: the folder of a
    /// settings file named on the command line, or the folder of the user's settings.
    pub folder: Option<PathBuf>,
}

impl RuleText {
    /// A rule whose `/x` hangs on the usual folder of its source.
    #[must_use]
    pub fn new(behavior: Behavior, source: Source, text: impl Into<String>) -> RuleText {
        RuleText { behavior, source, text: text.into(), folder: None }
    }

    /// The rule, with the folder that a path `/x` in it hangs on.
    #[must_use]
    pub fn in_folder(self, folder: impl Into<PathBuf>) -> RuleText {
        RuleText { folder: Some(folder.into()), ..self }
    }

    /// What it says of one tool that it names in full; nothing where it means all of the tool, or cannot be read.
    pub(crate) fn content_for(&self, tool: &str) -> Option<String> {
        parse(&self.text).ok().filter(|parsed| parsed.tool == tool)?.content
    }
}

impl<T: Into<String>> From<(Behavior, Source, T)> for RuleText {
    fn from((behavior, source, text): (Behavior, Source, T)) -> RuleText {
        RuleText::new(behavior, source, text)
    }
}

/// A rule taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Parsed {
    /// The tool's name, or a pattern over names.
    pub(super) tool: String,
    /// The content, escapes removed; nothing means the whole tool.
    pub(super) content: Option<String>,
    /// Where the name stands in the text.
    pub(super) name_at: Range<usize>,
    /// Where the content stands in the text, escapes included.
    content_at: Range<usize>,
}

/// Why a text is no rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NoRule {
    pub(super) wrong: Wrong,
    /// The tool it names, where that much can be read.
    pub(super) tool: Option<String>,
}

/// How many characters a rule may have: matching takes time by its length.
const RULE_CHARS_MAX: usize = 4_096;

/// Takes a rule apart.
pub(super) fn parse(written: &str) -> Result<Parsed, NoRule> {
    let start = written.len() - written.trim_start().len();
    let text = written.trim();
    let name_ends = text.find('(').unwrap_or(text.len());
    let (name, rest) = text.split_at(name_ends);
    if let Some(wrong) = wrong_name(name, start) {
        return Err(NoRule { wrong, tool: None });
    }
    let no_rule = |wrong| NoRule { wrong, tool: Some(name.to_owned()) };
    if text.len() > RULE_CHARS_MAX {
        let is_name = name.len() <= RULE_CHARS_MAX;
        let wrong = Wrong::new(format!("it is longer than {RULE_CHARS_MAX} characters"));
        return Err(NoRule { wrong, tool: is_name.then(|| name.to_owned()) });
    }
    let (tool, name_at) = (name.to_owned(), start..start + name_ends);
    let Some(inner) = rest.strip_prefix('(') else {
        return Ok(Parsed { tool, content: None, content_at: name_at.end..name_at.end, name_at });
    };
    let from = name_at.end + 1;
    let (content, closes) = unescape(inner).map_err(|fault| no_rule(unclosed(name, inner, &fault, from)))?;
    let behind = &inner[closes + 1..];
    if !behind.is_empty() {
        let reason = "nothing may stand behind the `)` that closes it: write parentheses in the content as `\\(` \
                      and `\\)`";
        let at = from + closes + 1;
        return Err(no_rule(Wrong::new(reason).at(at..at + behind.len())));
    }
    let is_whole = matches!(content.trim(), "" | "*");
    Ok(Parsed { tool, content: (!is_whole).then_some(content), name_at, content_at: from..from + closes })
}

impl Parsed {
    /// Where bytes of the content stand in the text that it was read from.
    pub(super) fn span(&self, written: &str, at: Option<&Range<usize>>) -> Range<usize> {
        let Some(at) = at else { return self.content_at.clone() };
        let inner = &written[self.content_at.clone()];
        let mut places: Vec<usize> = Vec::with_capacity(inner.len() + 1);
        let mut chars = inner.char_indices().peekable();
        while let Some((place, c)) = chars.next() {
            let next = chars.peek().map(|(_, next)| *next);
            let c = if c == '\\' && matches!(next, Some('(' | ')')) {
                chars.next().expect("it was seen").1
            } else {
                c
            };
            places.extend(std::iter::repeat_n(place, c.len_utf8()));
        }
        places.push(inner.len());
        let place = |byte: usize| self.content_at.start + places[byte.min(places.len() - 1)];
        place(at.start)..place(at.end)
    }
}

/// What keeps a text from being the name of a tool.
fn wrong_name(name: &str, start: usize) -> Option<Wrong> {
    if name.is_empty() {
        return Some(Wrong::new("the name of a tool is missing: write `Tool` or `Tool(content)`"));
    }
    let illegal = |c: &(usize, char)| !(c.1.is_alphanumeric() || "_-.*".contains(c.1));
    let (at, c) = name.char_indices().find(illegal)?;
    let remedy = if c.is_whitespace() { "; what a tool is used on stands in parentheses" } else { "" };
    let reason =
        format!("`{name}` is not the name of a tool: `{}` cannot be in one{remedy}", c.escape_debug());
    Some(Wrong::new(reason).at(start + at..start + at + c.len_utf8()))
}

/// What keeps content from being closed.
fn unclosed(name: &str, inner: &str, fault: &Unclosed, from: usize) -> Wrong {
    match fault {
        Unclosed::Escaped(at) => {
            let reason = "its last `)` is escaped, so it does not end with `)`: write one more";
            Wrong::new(reason).at(from + at..from + inner.len())
        }
        Unclosed::Open(at) => {
            let reason = "this `(` is not closed: write parentheses in the content as `\\(` and `\\)`";
            Wrong::new(reason).at(from + at..from + at + 1)
        }
        Unclosed::Missing => {
            let reason = format!("it does not end with `)`: write `{name}({inner})`");
            Wrong::new(reason).at(from - 1..from + inner.len())
        }
    }
}

/// Why content does not end.
enum Unclosed {
    /// The last parenthesis is escaped; it begins here.
    Escaped(usize),
    /// A parenthesis in the content stands open, from here on.
    Open(usize),
    /// There is no parenthesis at the end.
    Missing,
}

/// Whether what follows is escaped.
fn ends_in_escape(text: &str) -> bool {
    text.chars().rev().take_while(|c| *c == '\\').count() % 2 == 1
}

/// Removes the escapes of parentheses up to the one that closes the content, and tells where that is.
fn unescape(inner: &str) -> Result<(String, usize), Unclosed> {
    let mut out = String::with_capacity(inner.len());
    let mut open: Vec<usize> = Vec::new();
    let mut escaped = None;
    // A backslash before the last parenthesis is its own when it is escaped itself.
    let is_closed = inner.strip_suffix(')').is_some_and(|inner| !ends_in_escape(inner));
    let is_end = |at: usize| is_closed && at + 2 == inner.len();
    let mut chars = inner.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        match c {
            '\\' if !is_end(at) && matches!(next, Some('(' | ')')) => {
                escaped = Some(at);
                out.extend(chars.next().map(|(_, c)| c));
            }
            '(' => {
                open.push(at);
                out.push(c);
            }
            ')' if open.is_empty() => return Ok((out, at)),
            ')' => {
                open.pop();
                out.push(c);
            }
            other => out.push(other),
        }
    }
    match (open.first(), escaped) {
        (Some(at), _) => Err(Unclosed::Open(*at)),
        (None, Some(at)) if inner.ends_with("\\)") => Err(Unclosed::Escaped(at)),
        (None, _) => Err(Unclosed::Missing),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forms_of_a_rule() {
        for (text, tool, content) in [
            ("Bash", "Bash", None),
            ("Bash(*)", "Bash", None),
            ("Bash()", "Bash", None),
            (" Read(~/p/**) ", "Read", Some("~/p/**")),
            ("Bash(git log:*)", "Bash", Some("git log:*")),
            (r"Bash(echo \(x\))", "Bash", Some("echo (x)")),
            ("Bash(f(x))", "Bash", Some("f(x)")),
            ("mcp__a__*", "mcp__a__*", None),
            ("toString", "toString", None),
        ] {
            let rule = parse(text).expect("it is a rule");
            assert_eq!((rule.tool.as_str(), rule.content.as_deref()), (tool, content), "{text}");
        }
    }

    #[test]
    fn what_is_no_rule_says_which_tool_it_names() {
        for (text, tool) in [
            ("", None),
            ("(x)", None),
            ("a b(x)", None),
            ("Bash(x", Some("Bash")),
            ("Bash(a)b)", Some("Bash")),
            ("Bash(a)(b)", Some("Bash")),
            ("Bash((a)", Some("Bash")),
            (r"Bash(a\)", Some("Bash")),
            ("Bash(a) b", Some("Bash")),
        ] {
            assert_eq!(parse(text).expect_err("it is no rule").tool.as_deref(), tool, "{text}");
        }
    }

    #[test]
    fn places_in_the_content_are_places_in_the_text() {
        let written = r" Bash(a\(é\) b)";
        let rule = parse(written).expect("it is a rule");
        let content = rule.content.clone().expect("it has content");
        for (at, c) in content.char_indices() {
            let span = rule.span(written, Some(&(at..at + c.len_utf8())));
            assert_eq!(written[span].trim_start_matches('\\'), c.to_string());
        }
    }
}
