//! How a server is started or reached, from its entry in settings.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use toolwright::settings::{McpServer, McpTransport};

/// How long a server may take until its tools are known, unless `MCP_TIMEOUT` says otherwise.
const START_TIMEOUT: Duration = Duration::from_secs(30);
/// How long one of its tools may take, unless `MCP_TOOL_TIMEOUT` or its entry says otherwise: for as long as anybody waits.
const CALL_TIMEOUT: Duration = Duration::from_secs(100_000);
/// How many tokens a result may have, unless `MAX_MCP_OUTPUT_TOKENS` says otherwise.
const OUTPUT_TOKENS_MAX: usize = 25_000;
/// About how many characters make a token.
const TOKEN_CHARS: usize = 4;
/// What an entry may say elsewhere and does nothing here, with what to do instead.
const UNSUPPORTED: &[(&str, &str)] = &[
    (
        "oauth",
        "signing in by OAuth is not supported: put a token into `headers`, such as `\"Authorization\": \"Bearer ${TOKEN}\"`",
    ),
    (
        "headersHelper",
        "no program is asked for headers: put them into `headers`, with `${VAR}` where they are secret",
    ),
];
/// How deep defaults may stand in defaults. Deeper ones stay as they are written.
const NESTED_MAX: usize = 4;

/// A server that can be started or reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerConfig {
    /// Its name in settings.
    pub name: String,
    /// How it is reached.
    pub reach: Reach,
    /// How long it may take until its tools are known.
    pub start_timeout: Duration,
    /// How long one of its tools may take.
    pub call_timeout: Duration,
    /// Whether its tools are never deferred.
    pub always_load: bool,
    /// How many characters a result may have before it is stored and shown as a preview.
    pub output_chars_max: usize,
    /// The directories that it is told of as roots; absolute.
    pub roots: Vec<PathBuf>,
}

/// How a server is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    /// By a program that is started, over its standard streams.
    Stdio {
        /// The program.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Its variables, on top of those of this process.
        env: BTreeMap<String, String>,
        /// Where it is started.
        cwd: PathBuf,
    },
    /// By streamable HTTP.
    Http {
        /// Its address.
        url: String,
        /// What is sent with each request.
        headers: BTreeMap<String, String>,
    },
}

/// A server that cannot be used, or a text in its entry that could not be filled in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the server `{server}`: {problem}")]
pub struct ConfigProblem {
    /// Its name.
    pub server: String,
    /// What is wrong.
    pub problem: String,
}

impl ServerConfig {
    /// The server that an entry describes, and what is wrong with it: variables that are not set stay as they are
    /// written. Without a server it cannot be used. `variable` looks up variables of the environment.
    #[must_use]
    pub fn new(
        name: &str,
        server: &McpServer,
        session: &SessionPlace<'_>,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> (Option<ServerConfig>, Vec<ConfigProblem>) {
        let mut expansion = Expansion { variable, unset: Vec::new() };
        let reach = match &server.transport {
            McpTransport::Stdio { command, args, env } => {
                let mut all = session.env.clone();
                all.extend(env.iter().map(|(name, value)| (name.clone(), expansion.expand(value))));
                Ok(Reach::Stdio {
                    command: expansion.expand(command),
                    args: args.iter().map(|arg| expansion.expand(arg)).collect(),
                    env: all,
                    cwd: session.cwd.to_owned(),
                })
            }
            McpTransport::Http(remote) => Ok(Reach::Http {
                url: expansion.expand(&remote.url),
                headers: remote
                    .headers
                    .iter()
                    .map(|(name, value)| (name.clone(), expansion.expand(value)))
                    .collect(),
            }),
            McpTransport::Sse(_) => Err(
                "`sse` is not supported: use `\"type\": \"http\"` with the server's address for streamable HTTP, often \
                     the same with `/mcp` in place of `/sse`, or a program between that speaks `stdio`",
            ),
            McpTransport::Ws(_) => {
                Err("`ws` is not supported: use `\"type\": \"http\"` or `\"type\": \"stdio\"`")
            }
        };
        let problem = |problem: String| ConfigProblem { server: name.to_owned(), problem };
        let unset = expansion.unset.iter().map(|unset| {
            problem(format!(
                "the variable `{unset}` is not set and has no default: set it, or write `${{{unset}:-…}}`"
            ))
        });
        let mut problems: Vec<ConfigProblem> = unset.collect();
        let unsupported = UNSUPPORTED.iter().filter(|(key, _)| server.entry.get(key).is_some());
        problems.extend(unsupported.map(|(key, what)| problem(format!("`{key}` does nothing: {what}"))));
        let reach = match reach {
            Ok(reach) => reach,
            Err(why) => {
                problems.push(problem(why.to_owned()));
                return (None, problems);
            }
        };
        let milliseconds = |name: &str| variable(name)?.trim().parse().ok().map(Duration::from_millis);
        let tokens = variable("MAX_MCP_OUTPUT_TOKENS").and_then(|tokens| tokens.trim().parse().ok());
        let own = server.timeout_ms.map(Duration::from_millis);
        let config = ServerConfig {
            name: name.to_owned(),
            reach,
            start_timeout: milliseconds("MCP_TIMEOUT").unwrap_or(START_TIMEOUT),
            call_timeout: own.or_else(|| milliseconds("MCP_TOOL_TIMEOUT")).unwrap_or(CALL_TIMEOUT),
            always_load: server.always_load,
            output_chars_max: tokens.unwrap_or(OUTPUT_TOKENS_MAX).saturating_mul(TOKEN_CHARS),
            roots: session.roots.to_vec(),
        };
        (Some(config), problems)
    }
}

/// Where a session works, as its servers are told.
#[derive(Clone, Copy, Debug)]
pub struct SessionPlace<'a> {
    /// The working directory; absolute.
    pub cwd: &'a Path,
    /// The directories the session works in; absolute.
    pub roots: &'a [PathBuf],
    /// Variables for what is started, on top of those of this process.
    pub env: &'a BTreeMap<String, String>,
}

/// Fills in `${VAR}` and `${VAR:-default}`.
struct Expansion<'a> {
    variable: &'a dyn Fn(&str) -> Option<String>,
    unset: Vec<String>,
}

impl Expansion<'_> {
    fn expand(&mut self, text: &str) -> String {
        self.expand_within(text, NESTED_MAX)
    }

    fn expand_within(&mut self, text: &str, levels: usize) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${") {
            out.push_str(before);
            let Some(end) = end_of_braces(after).filter(|_| levels > 0) else {
                out.push_str("${");
                rest = after;
                continue;
            };
            let inner = &after[..end];
            rest = &after[end + 1..];
            let (name, default) = match inner.split_once(":-") {
                Some((name, default)) => (name, Some(default)),
                None => (inner, None),
            };
            let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            let value = if is_name { (self.variable)(name) } else { None };
            match (value, default) {
                (Some(value), None) => out.push_str(&value),
                (Some(value), Some(_)) if !value.is_empty() => out.push_str(&value),
                (_, Some(default)) if is_name => out.push_str(&self.expand_within(default, levels - 1)),
                (None | Some(_), _) => {
                    if is_name && !self.unset.iter().any(|unset| unset == name) {
                        self.unset.push(name.to_owned());
                    }
                    out.extend(["${", inner, "}"]);
                }
            }
        }
        out.push_str(rest);
        out
    }
}

/// Where the braces end that were open before this text.
fn end_of_braces(text: &str) -> Option<usize> {
    let mut depth = 1_usize;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _other => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::Expansion;

    #[test]
    fn variables_are_filled_in_with_defaults_and_what_is_not_set_stays() {
        let variable = |name: &str| match name {
            "HOST" => Some("example".to_owned()),
            "EMPTY" => Some(String::new()),
            _other => None,
        };
        let cases = [
            ("http://${HOST}/x", "http://example/x", ""),
            ("${NONE:-a}${EMPTY:-b}${EMPTY}", "ab", ""),
            ("${NONE:-${HOST}}", "example", ""),
            ("${NONE}", "${NONE}", "NONE"),
            ("${not a name}", "${not a name}", ""),
            ("$HOST ${HOST", "$HOST ${HOST", ""),
            ("${", "${", ""),
            ("${NONE:-{\"a\":{}}}", "{\"a\":{}}", ""),
        ];
        for (text, expected, unset) in cases {
            let mut expansion = Expansion { variable: &variable, unset: Vec::new() };
            assert_eq!(expansion.expand(text), expected, "{text}");
            assert_eq!(expansion.unset.join(" "), unset, "{text}");
        }
    }
}
