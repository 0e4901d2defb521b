//! The text of a rule: `Tool`, `Tool(*)`, `Tool()` or `Tool(content)`, with parentheses in the content escaped.

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;

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
}

/// Why a text is no rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NoRule {
    pub(super) reason: String,
    /// The tool it names, where that much can be read.
    pub(super) tool: Option<String>,
}

/// How many characters a rule may have: matching takes time by its length.
const RULE_CHARS_MAX: usize = 4_096;

/// Takes a rule apart.
pub(super) fn parse(text: &str) -> Result<Parsed, NoRule> {
    let text = text.trim();
    let name_ends = text.find('(').unwrap_or(text.len());
    let (name, rest) = text.split_at(name_ends);
    let legal = |c: char| c.is_alphanumeric() || "_-.*".contains(c);
    if name.is_empty() || !name.chars().all(legal) {
        return Err(NoRule { reason: format!("`{name}` is not the name of a tool"), tool: None });
    }
    let no_rule = |reason: &str| NoRule { reason: reason.to_owned(), tool: Some(name.to_owned()) };
    if text.len() > RULE_CHARS_MAX {
        let is_name = name.len() <= RULE_CHARS_MAX;
        let reason = format!("it is longer than {RULE_CHARS_MAX} characters");
        return Err(NoRule { reason, tool: is_name.then(|| name.to_owned()) });
    }
    let tool = name.to_owned();
    let Some(inner) = rest.strip_prefix('(') else { return Ok(Parsed { tool, content: None }) };
    let inner = inner.strip_suffix(')').filter(|inner| !ends_in_escape(inner));
    let inner = inner.ok_or_else(|| no_rule("it does not end with `)`"))?;
    let content =
        unescape(inner).ok_or_else(|| no_rule("write parentheses in the content as `\\(` and `\\)`"))?;
    let is_whole = matches!(content.trim(), "" | "*");
    Ok(Parsed { tool, content: (!is_whole).then_some(content) })
}

/// Whether what follows is escaped.
fn ends_in_escape(text: &str) -> bool {
    text.chars().rev().take_while(|c| *c == '\\').count() % 2 == 1
}

/// Removes the escapes of parentheses; nothing where one stands bare and does not close.
fn unescape(inner: &str) -> Option<String> {
    let mut out = String::with_capacity(inner.len());
    let mut open = 0_usize;
    let mut chars = inner.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if matches!(chars.peek(), Some('(' | ')')) => out.extend(chars.next()),
            '(' => {
                open += 1;
                out.push(c);
            }
            ')' => {
                open = open.checked_sub(1)?;
                out.push(c);
            }
            other => out.push(other),
        }
    }
    (open == 0).then_some(out)
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
}
