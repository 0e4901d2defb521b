//! The schema of a tool as each provider takes it.
//!
//! What a provider's subset cannot express is an error with its place, never a schema that says something else. What
//! only explains (a default, an example) moves into the description where the provider has no word for it. Every input
//! that fits a provider's schema fits the tool.

mod claude;
mod gemini;
mod mcp;
mod openai;
mod shaping;

use std::fmt;
use std::sync::Arc;

use super::{Schema, clean, write};
use shaping::Shaping;

/// A provider's subset of JSON Schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProviderProfile {
    /// The Messages API of Anthropic.
    Claude,
    /// Structured outputs of OpenAI: `"strict": true`.
    OpenAiStrict,
    /// Function declarations of Gemini: a subset of OpenAPI 3.0. Where a tool takes no parameters, its declaration has
    /// none.
    Gemini,
    /// The Model Context Protocol: JSON Schema 2020-12 with an object at its root.
    Mcp,
}

impl ProviderProfile {
    /// All of them.
    pub const ALL: [ProviderProfile; 4] = [
        ProviderProfile::Claude,
        ProviderProfile::OpenAiStrict,
        ProviderProfile::Gemini,
        ProviderProfile::Mcp,
    ];
}

impl fmt::Display for ProviderProfile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ProviderProfile::Claude => "Claude",
            ProviderProfile::OpenAiStrict => "OpenAI (strict)",
            ProviderProfile::Gemini => "Gemini",
            ProviderProfile::Mcp => "MCP",
        })
    }
}

/// What a provider's subset cannot express.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct ProfileError {
    /// Where, such as `questions[].header`; empty for the whole input.
    pub path: String,
    /// Why, and what to write instead.
    pub reason: String,
}

impl fmt::Display for ProfileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            write!(f, "the input {}", self.reason)
        } else {
            write!(f, "`{}` {}", self.path, self.reason)
        }
    }
}

impl Schema {
    /// The schema as a provider takes it: JSON, the same bytes for the same type everywhere.
    ///
    /// # Errors
    /// The first thing that the provider's subset cannot express.
    pub fn for_profile(&self, profile: ProviderProfile) -> Result<Arc<str>, ProfileError> {
        let (text, errors) = self.shaped(profile);
        match errors.into_iter().next() {
            Some(error) => Err(error),
            None => Ok(text),
        }
    }

    /// Everything that a provider's subset cannot express.
    #[must_use]
    pub fn profile_errors(&self, profile: ProviderProfile) -> Vec<ProfileError> {
        self.shaped(profile).1
    }

    fn shaped(&self, profile: ProviderProfile) -> (Arc<str>, Vec<ProfileError>) {
        let mut shown = self.walkable().clone();
        let mut shaping = Shaping::default();
        // Whether a value may be `null` is said where the provider wants it said.
        if profile == ProviderProfile::OpenAiStrict {
            openai::keep_null(&mut shown);
        }
        clean::clean(&mut shown);
        match profile {
            ProviderProfile::Claude => claude::shape(&mut shown, &mut shaping),
            ProviderProfile::OpenAiStrict => openai::shape(&mut shown, &mut shaping),
            ProviderProfile::Gemini => gemini::shape(&mut shown, &mut shaping),
            ProviderProfile::Mcp => mcp::shape(&mut shown, &mut shaping),
        }
        let mut text = String::new();
        write::write(&shown, &mut text);
        // By place, whichever map type `serde_json` was built with.
        shaping.errors.sort_by(|a, b| a.path.cmp(&b.path));
        (text.into(), shaping.errors)
    }
}
