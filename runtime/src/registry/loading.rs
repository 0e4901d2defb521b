//! Deferred loading: which tools the model hears of only by name until they are searched for.
//!
#![doc = include_str!("costs.md")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The name of the tool that loads the others. Where a session has no such tool, nothing is deferred.
pub const SEARCH_TOOL: &str = "ToolSearch";
/// The environment variable that chooses the mode.
const MODE_VARIABLE: &str = "ENABLE_TOOL_SEARCH";
/// Which part of the context window definitions may fill before they are deferred, in percent, unless said.
const AUTO_PERCENT: u8 = 10;
/// How many tokens a context window has unless said.
const WINDOW_TOKENS: usize = 200_000;
/// About how many bytes of a definition make a token.
const TOKEN_BYTES: usize = 4;
/// How many names are announced at once; the others are found by searching.
const ANNOUNCED_MAX: usize = 1_000;

/// Whether tools are deferred, and how that is told to the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deferral {
    /// When.
    pub mode: LoadMode,
    /// How.
    pub backend: Backend,
    /// How many tokens the model's context window has, for [`LoadMode::Auto`].
    pub window_tokens: usize,
}

/// When tools are deferred that may be: remote ones, and those that say so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LoadMode {
    /// Never: all definitions are sent.
    Standard,
    /// Always.
    #[default]
    Deferred,
    /// Where their definitions would fill this part of the context window or more, in percent.
    Auto(u8),
}

/// How a deferred tool is told to the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backend {
    /// By its name alone; when it is loaded, its definition is sent behind the others. Any provider takes that.
    #[default]
    Emulated,
    /// By its definition with the mark `defer_loading`, which the provider keeps from the model until a result refers to
    /// the tool.
    Native,
}

/// An estimate of how many tokens a text is.
#[must_use]
pub fn tokens_about(text: &str) -> usize {
    text.len().div_ceil(TOKEN_BYTES)
}

impl Default for Deferral {
    fn default() -> Deferral {
        Deferral { mode: LoadMode::default(), backend: Backend::default(), window_tokens: WINDOW_TOKENS }
    }
}

impl std::fmt::Display for LoadMode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LoadMode::Standard => f.write_str("standard"),
            LoadMode::Deferred => f.write_str("tst"),
            LoadMode::Auto(AUTO_PERCENT) => f.write_str("tst-auto"),
            LoadMode::Auto(percent) => write!(f, "auto:{percent}"),
        }
    }
}

impl std::fmt::Display for Backend {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Backend::Emulated => "emulated",
            Backend::Native => "native",
        })
    }
}

impl Deferral {
    /// Nothing is deferred.
    #[must_use]
    pub fn standard() -> Deferral {
        Deferral { mode: LoadMode::Standard, ..Deferral::default() }
    }

    /// What the variable `ENABLE_TOOL_SEARCH` of this process says; the default where it says nothing.
    #[must_use]
    pub fn of_environment() -> Deferral {
        let said = std::env::var(MODE_VARIABLE).ok().and_then(|said| LoadMode::parse(&said));
        Deferral { mode: said.unwrap_or_default(), ..Deferral::default() }
    }
}

impl LoadMode {
    /// Where definitions would fill a tenth of the context window or more.
    #[must_use]
    pub fn auto() -> LoadMode {
        LoadMode::Auto(AUTO_PERCENT)
    }

    /// The mode that a word names: `true` (always), `false` (never), `auto`, or `auto:N` with a part in percent.
    #[must_use]
    pub fn parse(word: &str) -> Option<LoadMode> {
        match word.trim().to_ascii_lowercase().as_str() {
            "" | "true" | "1" | "tst" => Some(LoadMode::Deferred),
            "false" | "0" | "standard" => Some(LoadMode::Standard),
            "auto" | "tst-auto" => Some(LoadMode::auto()),
            other => {
                let percent = other.strip_prefix("auto:")?.trim_end_matches('%').parse().ok()?;
                (percent <= 100).then_some(LoadMode::Auto(percent))
            }
        }
    }

    /// Whether definitions of so many tokens are deferred.
    pub(super) fn defers(self, tokens: impl FnOnce() -> usize, window_tokens: usize) -> bool {
        match self {
            LoadMode::Standard => false,
            LoadMode::Deferred => true,
            LoadMode::Auto(percent) => {
                tokens().saturating_mul(100) >= window_tokens.saturating_mul(usize::from(percent))
            }
        }
    }
}

/// What a session has loaded and announced so far. It belongs to the session and not to its conversation, so that a
/// shorter conversation loses nothing.
#[derive(Clone, Debug, Default)]
pub(super) struct Loaded(Arc<Mutex<LoadedNames>>);

#[derive(Debug, Default)]
struct LoadedNames {
    /// In the order they were loaded.
    loaded: Vec<Arc<str>>,
    places: BTreeMap<Arc<str>, usize>,
    announced: BTreeSet<Arc<str>>,
}

impl Loaded {
    /// Loads a tool; says whether it was not loaded before.
    pub(super) fn load(&self, name: &str) -> bool {
        let mut names = self.lock();
        if names.places.contains_key(name) {
            return false;
        }
        let (name, place) = (Arc::<str>::from(name), names.loaded.len());
        names.places.insert(Arc::clone(&name), place);
        names.loaded.push(name);
        true
    }

    pub(super) fn is_loaded(&self, name: &str) -> bool {
        self.lock().places.contains_key(name)
    }

    /// The names, in the order they were loaded.
    pub(super) fn names(&self) -> Vec<Arc<str>> {
        self.lock().loaded.clone()
    }

    /// The names among these that were not announced yet; from now on they are.
    fn announce(&self, names: &[&str]) -> Vec<Arc<str>> {
        let mut known = self.lock();
        let new = names.iter().filter(|name| !known.announced.contains(**name));
        let new: Vec<Arc<str>> = new.map(|name| Arc::from(*name)).collect();
        known.announced.extend(new.iter().cloned());
        new
    }

    /// What was announced is no longer in the conversation.
    pub(super) fn forget_announced(&self) {
        self.lock().announced.clear();
    }

    /// What the model is told of tools that it has not heard of yet; nothing where there are none.
    pub(super) fn announcement(&self, deferred: &[&str]) -> Option<String> {
        let new = self.announce(deferred);
        if new.is_empty() {
            return None;
        }
        let mut text = String::from("<available-deferred-tools>\n");
        for name in new.iter().take(ANNOUNCED_MAX) {
            text.extend([name, "\n"]);
        }
        if new.len() > ANNOUNCED_MAX {
            text.push_str(&format!("and {} more\n", new.len() - ANNOUNCED_MAX));
        }
        text.push_str(&format!(
            "</available-deferred-tools>\nThese tools are there, but not loaded. Find and load them with {SEARCH_TOOL}, \
             by words or by `select:NAME,NAME`; from then on they can be called."
        ));
        Some(text)
    }

    fn lock(&self) -> MutexGuard<'_, LoadedNames> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
