//! The configured hooks of a session: one layer for each settings file, and the switches over all of them.

use std::path::PathBuf;

use serde_json::Value;

use super::{HookAction, HookConfig, HookHandler, HookProblem, HookStage};
use crate::permission::Source;

/// The hooks of one settings file, with the file's switches over hooks.
#[derive(Clone, Debug)]
pub struct HookLayer {
    /// Where they come from.
    pub source: Source,
    /// The handlers.
    pub config: HookConfig,
    /// Whether what the file opens counts. Hooks of a project that is not trusted never run, and its switches open
    /// nothing.
    pub is_trusted: bool,
    /// The folder of the plugin that brings them, if one does.
    pub plugin: Option<PathBuf>,
    /// The file's switches.
    pub switches: HookSwitches,
}

/// What a settings file says about hooks as a whole; nothing is no word on it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HookSwitches {
    /// `disableAllHooks`.
    pub disable_all: Option<bool>,
    /// `allowManagedHooksOnly`; counts in managed settings.
    pub managed_only: Option<bool>,
    /// `allowedHttpHookUrls`: where requests may go; `*` stands for anything.
    pub http_urls: Option<Vec<String>>,
    /// `httpHookAllowedEnvVars`: the variables that headers may name.
    pub http_env: Option<Vec<String>>,
}

impl HookLayer {
    /// A layer of these handlers, trusted, without switches.
    #[must_use]
    pub fn new(source: Source, config: HookConfig) -> HookLayer {
        HookLayer { source, config, is_trusted: true, plugin: None, switches: HookSwitches::default() }
    }

    /// Reads `hooks` and the switches over them from a whole settings file; the pointers of problems begin at its
    /// root. A switch that cannot be read closes.
    #[must_use]
    pub fn from_settings(source: Source, settings: &Value) -> (HookLayer, Vec<HookProblem>) {
        let (config, mut problems) = HookConfig::from_json(settings.get("hooks").unwrap_or(&Value::Null));
        problems.iter_mut().for_each(|problem| problem.pointer.insert_str(0, "/hooks"));
        let mut wrong = |name: &str, reason: &str| {
            problems.push(HookProblem { pointer: format!("/{name}"), reason: reason.to_owned() });
        };
        let given = |name: &str| settings.get(name).filter(|value| !value.is_null());
        let disable_all = given("disableAllHooks").and_then(|value| {
            value.as_bool().or_else(|| {
                wrong("disableAllHooks", "this is neither true nor false, so hooks run");
                None
            })
        });
        let managed_only = given("allowManagedHooksOnly").map(|value| {
            value.as_bool().unwrap_or_else(|| {
                wrong("allowManagedHooksOnly", "this is neither true nor false, so only managed hooks run");
                true
            })
        });
        let mut list = |name: &'static str| {
            let value = given(name)?;
            let texts = value
                .as_array()
                .map(|list| list.iter().filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>());
            let all = value.as_array().map_or(0, Vec::len);
            if texts.as_ref().is_none_or(|texts| texts.len() != all) {
                wrong(name, "this is not an array of strings; what is none allows nothing");
            }
            Some(texts.unwrap_or_default())
        };
        let http_urls = list("allowedHttpHookUrls");
        let http_env = list("httpHookAllowedEnvVars");
        let switches = HookSwitches { disable_all, managed_only, http_urls, http_env };
        (HookLayer { switches, ..HookLayer::new(source, config) }, problems)
    }

    fn is_managed(&self) -> bool {
        self.source == Source::PolicySettings
    }
}

/// How strong a file's word on a switch is: managed settings first.
fn rank(source: Source) -> u8 {
    match source {
        Source::PolicySettings => 0,
        Source::CliArg => 1,
        Source::Command => 2,
        Source::Session => 3,
        Source::LocalSettings => 4,
        Source::ProjectSettings => 5,
        Source::UserSettings => 6,
    }
}

/// The handlers that may run, and what limits their requests.
#[derive(Clone, Debug, Default)]
pub(super) struct Configured {
    layers: Vec<HookLayer>,
    pub(super) handlers: Vec<Handler>,
    http_urls: Option<Vec<String>>,
    http_env: Option<Vec<String>>,
}

/// A handler, and the plugin it comes from.
#[derive(Clone, Debug)]
pub(super) struct Handler {
    pub(super) said: HookHandler,
    pub(super) plugin: Option<PathBuf>,
}

impl Handler {
    /// Whether both would run the same thing.
    pub(super) fn is_same(&self, other: &Handler) -> bool {
        self.said.stage == other.said.stage
            && self.said.action == other.said.action
            && self.said.condition == other.said.condition
            && self.plugin == other.plugin
    }

    /// A few words that name it.
    pub(super) fn name(&self) -> String {
        let text = match &self.said.action {
            HookAction::Command { command, args, .. } => {
                let args = args.iter().flatten().map(|arg| format!(" {arg}"));
                std::iter::once(command.clone()).chain(args).collect()
            }
            HookAction::Http { url, .. } => url.clone(),
            HookAction::Unrunnable(reason) => format!("({reason})"),
        };
        let first = text.lines().next().unwrap_or_default();
        let mut name: String = first.chars().take(NAME_CHARS_MAX).collect();
        if name.len() < text.len() {
            name.push('…');
        }
        name
    }
}

/// How long the name of a configured hook is at the most.
const NAME_CHARS_MAX: usize = 80;

impl Configured {
    pub(super) fn new(layers: &[HookLayer]) -> Configured {
        let trusted = || layers.iter().filter(|layer| layer.is_trusted);
        let strongest = trusted()
            .filter(|layer| layer.switches.disable_all.is_some())
            .min_by_key(|layer| rank(layer.source));
        let is_disabled = strongest.is_some_and(|layer| layer.switches.disable_all == Some(true));
        let is_all_disabled = is_disabled && strongest.is_some_and(HookLayer::is_managed);
        let only_managed = is_disabled
            || layers.iter().any(|layer| layer.is_managed() && layer.switches.managed_only == Some(true));
        let runs = |layer: &&HookLayer| !is_all_disabled && (!only_managed || layer.is_managed());
        let handlers = trusted().filter(runs).flat_map(|layer| {
            let handler = |said: &HookHandler| Handler { said: said.clone(), plugin: layer.plugin.clone() };
            layer.config.handlers().iter().map(handler)
        });
        Configured {
            handlers: handlers.collect(),
            http_urls: merged(layers, |switches| switches.http_urls.as_ref()),
            http_env: merged(layers, |switches| switches.http_env.as_ref()),
            layers: layers.to_vec(),
        }
    }

    /// The same for a sub-agent, with its own hooks behind these: the switches of all of them count. It ends as an agent
    /// and not as the session, so that its own hooks for the one hear of the other.
    pub(super) fn of_agent(&self, own: Vec<HookLayer>) -> Configured {
        let own = own.into_iter().map(|mut layer| {
            layer.config.of_agent();
            layer
        });
        Configured::new(&self.layers.iter().cloned().chain(own).collect::<Vec<_>>())
    }

    /// The handlers of a moment.
    pub(super) fn at(&self, stage: HookStage) -> impl Iterator<Item = (usize, &Handler)> {
        self.handlers.iter().enumerate().filter(move |(_, handler)| handler.said.stage == stage)
    }

    /// Whether requests may go there.
    pub(super) fn allows_url(&self, url: &str) -> bool {
        self.http_urls.as_ref().is_none_or(|allowed| allowed.iter().any(|pattern| is_like(pattern, url)))
    }

    /// Whether headers may name this variable.
    pub(super) fn allows_env(&self, name: &str) -> bool {
        self.http_env.as_ref().is_none_or(|allowed| allowed.iter().any(|known| known == name))
    }
}

/// Lists of all files, one behind another. That a list is there at all closes, whoever says it; what is in it opens.
fn merged<'a>(
    layers: &'a [HookLayer],
    list: impl Fn(&'a HookSwitches) -> Option<&'a Vec<String>>,
) -> Option<Vec<String>> {
    let mut all: Option<Vec<String>> = None;
    for layer in layers {
        if let Some(said) = list(&layer.switches) {
            let all = all.get_or_insert_default();
            if layer.is_trusted {
                all.extend(said.iter().cloned());
            }
        }
    }
    all
}

/// Whether an address is like a pattern in which `*` stands for anything; in the name of the host, for names only.
fn is_like(pattern: &str, url: &str) -> bool {
    let parts = |text: &str| {
        let (scheme, rest) = text.split_once("://").unwrap_or(("", text));
        let host_ends = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
        [scheme.to_ascii_lowercase(), rest[..host_ends].to_ascii_lowercase(), rest[host_ends..].to_owned()]
    };
    if pattern == "*" {
        return true;
    }
    let (wanted, found) = (parts(pattern), parts(url));
    !found[1].contains('@') && wanted.iter().zip(&found).all(|(wanted, found)| is_wild(wanted, found))
}

fn is_wild(pattern: &str, text: &str) -> bool {
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut pieces: Vec<&str> = pieces.collect();
    let Some(last) = pieces.pop() else { return rest.is_empty() };
    for piece in pieces {
        match rest.find(piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_in_an_address_stands_for_anything() {
        for (pattern, text, wanted) in [
            ("https://h.example/*", "https://h.example/a/b", true),
            ("https://h.example/*", "https://h.example.evil/a", false),
            ("https://*.example/x", "https://a.example/x", true),
            ("https://*.example/x", "https://a.example/xy", false),
            ("https://h.example", "https://h.example", true),
            ("https://*.example/x", "https://evil.test/a.example/x", false),
            ("https://h.example/*", "https://h.example@evil.test/x", false),
            ("HTTPS://H.Example/*", "https://h.example/x", true),
            ("http://localhost:*/a*a", "http://localhost:80/a", false),
            ("*", "https://anything.test", true),
            ("", "https://x.test", false),
        ] {
            assert_eq!(is_like(pattern, text), wanted, "{pattern} {text}");
        }
    }
}
