//! One line that names a run: what is run, under which conditions, and by which choices.

use std::fmt;
use std::str::FromStr;

use crate::explore::Identity;
use crate::replay::{Conditions, ConditionsError};
use crate::strategy::{Way, WayError};

/// What tokens of this version begin with.
const VERSION: &str = "tws1";
/// Lengths of a token that is read: no printed one is longer.
const LENGTH_MAX: usize = 1 << 20;

/// A run, by name. As text `tws1.<transcript>.<configuration>.<way>`, with `.<conditions>` where there are any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// What is run.
    pub identity: Identity,
    /// By which choices.
    pub way: Way,
    /// What is changed of it.
    pub conditions: Conditions,
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Token { identity, way, conditions } = self;
        write!(f, "{VERSION}.{}.{}.{way}", identity.transcript, identity.config)?;
        if conditions.is_empty() { Ok(()) } else { write!(f, ".{conditions}") }
    }
}

/// Why a text is no token.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// It is something else.
    #[error("`{0}` is no token: one begins with `{VERSION}.` and has at least four parts between dots")]
    Form(String),
    /// It was written by another version of the format.
    #[error(
        "the token is of version `{0}`, and this build reads `{VERSION}`: explore again to get a new one"
    )]
    Version(String),
    /// A hash is none.
    #[error("`{0}` in the token is no hash of eight hexadecimal digits: copy the token whole")]
    Hash(String),
    /// Its choices cannot be read.
    #[error(transparent)]
    Way(#[from] WayError),
    /// Its conditions cannot be read.
    #[error(transparent)]
    Conditions(#[from] ConditionsError),
}

impl FromStr for Token {
    type Err = TokenError;

    fn from_str(text: &str) -> Result<Token, TokenError> {
        let text = text.trim();
        let form = || TokenError::Form(text.chars().take(80).collect());
        if text.len() > LENGTH_MAX {
            return Err(form());
        }
        let parts: Vec<&str> = text.split('.').collect();
        let (version, rest) = parts.split_first().ok_or_else(form)?;
        if *version != VERSION {
            let is_other = version.strip_prefix("tws").is_some_and(|number| number.parse::<u32>().is_ok());
            return Err(if is_other { TokenError::Version((*version).to_owned()) } else { form() });
        }
        let (transcript, config, way, conditions) = match rest {
            [transcript, config, way] => (transcript, config, way, ""),
            [transcript, config, way, conditions] => (transcript, config, way, *conditions),
            _other => return Err(form()),
        };
        let identity = Identity { transcript: hash(transcript)?, config: hash(config)? };
        Ok(Token { identity, way: way.parse()?, conditions: conditions.parse()? })
    }
}

fn hash(text: &str) -> Result<String, TokenError> {
    let is_hash = text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_hash { Ok(text.to_owned()) } else { Err(TokenError::Hash(text.to_owned())) }
}

/// Why a token may not show here what it showed where it was made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    /// Another transcript, or another scene.
    #[error(
        "the token was made for another recording or scene ({made}; this one is {given}): give the one it was made for"
    )]
    Transcript {
        /// The hash in the token.
        made: String,
        /// The hash of what is given.
        given: String,
    },
    /// The same one, replayed in another way.
    #[error(
        "the token was made under other settings or flags ({made}; these are {given}): give the same ones"
    )]
    Config {
        /// The hash in the token.
        made: String,
        /// The hash of what is given.
        given: String,
    },
}

impl Token {
    /// Whether the token was made for this.
    ///
    /// # Errors
    /// What is another.
    pub fn fits(&self, given: &Identity) -> Result<(), Mismatch> {
        let made = &self.identity;
        if made.transcript != given.transcript {
            let (made, given) = (made.transcript.clone(), given.transcript.clone());
            return Err(Mismatch::Transcript { made, given });
        }
        if made.config != given.config {
            let (made, given) = (made.config.clone(), given.config.clone());
            return Err(Mismatch::Config { made, given });
        }
        Ok(())
    }
}
