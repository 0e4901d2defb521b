//! Rules that outlast one answer: what a person or a hook grants with a yes, and who keeps it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Behavior, Source, Suggestion};

/// Where a change is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Destination {
    /// In this session only.
    Session,
    /// In the local settings file.
    LocalSettings,
    /// In the project's settings file.
    ProjectSettings,
    /// In the user's settings file.
    UserSettings,
}

impl Destination {
    /// The source that a rule kept there has.
    #[must_use]
    pub fn source(self) -> Source {
        match self {
            Destination::Session => Source::Session,
            Destination::LocalSettings => Source::LocalSettings,
            Destination::ProjectSettings => Source::ProjectSettings,
            Destination::UserSettings => Source::UserSettings,
        }
    }
}

/// A rule to be kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Grant {
    /// What it says.
    pub behavior: Behavior,
    /// The rule, as it is written.
    pub rule: String,
    /// Where it is kept.
    pub destination: Destination,
}

impl Grant {
    /// A rule that allows, to be kept there.
    #[must_use]
    pub fn allow(rule: impl Into<String>, destination: Destination) -> Grant {
        Grant { behavior: Behavior::Allow, rule: rule.into(), destination }
    }

    /// A suggested rule, to be kept there.
    #[must_use]
    pub fn of(suggestion: &Suggestion, destination: Destination) -> Grant {
        let rule = &suggestion.rule;
        Grant { behavior: rule.behavior, rule: rule.text.clone(), destination }
    }
}

/// Why a rule was not kept, in words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotRemembered(pub String);

/// Keeps granted rules beyond the session, such as in settings files. Those that are for the session never come here.
pub trait Remember: Send + Sync + 'static {
    /// Keeps a rule. It may block.
    ///
    /// # Errors
    /// Why it could not be kept: then it counts for the session only.
    fn remember(&self, grant: &Grant) -> Result<(), NotRemembered>;
}
