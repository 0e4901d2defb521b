//! Front matter: what stands between two `---` at the top of a Markdown file, in YAML or in what people take for it.
//!
//! A file is read as YAML first. Many that are in use are not YAML (a colon in a description is enough); they are read
//! a line at a time, with a warning. Nothing in a file makes reading it fail: what cannot be used is told.

pub(crate) mod folder;
mod lines;
pub(crate) mod names;
mod values;
mod yaml;

use std::fmt;

pub use self::values::Value;

/// How many bytes a file may have.
pub const FILE_BYTES_MAX: usize = 512 * 1024;
/// How many bytes the front matter of a file may have.
pub const FRONT_BYTES_MAX: usize = 64 * 1024;

/// A file taken apart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    /// What the front matter says, in its order; a key that comes again replaces the one before.
    pub fields: Vec<(String, Value)>,
    /// What is below the front matter.
    pub body: String,
    /// What was not as it should be.
    pub warnings: Vec<Warning>,
}

/// Something in a definition that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Warning {
    /// It has no front matter.
    NoFrontMatter,
    /// The front matter does not end.
    Unclosed,
    /// The front matter is not YAML, and was read a line at a time. This is what a YAML parser says.
    NotYaml(String),
    /// The file has bytes that are not text; they were replaced.
    NotUtf8,
    /// A key is there twice; the later one counts.
    Repeated(String),
    /// A key that means nothing.
    UnknownKey {
        /// The key.
        key: String,
        /// The key that may have been meant.
        nearest: Option<String>,
    },
    /// A key that ought to be there, and what is used instead.
    Missing {
        /// The key.
        key: &'static str,
        /// What is used instead.
        instead: String,
    },
    /// A value that cannot be used, and what is done instead.
    BadValue {
        /// The key.
        key: String,
        /// What is wrong and what is done.
        problem: String,
    },
    /// It names a tool that does not exist.
    UnknownTool {
        /// The name.
        name: String,
        /// The tool that may have been meant.
        nearest: Option<String>,
    },
    /// It names a server that does not exist.
    UnknownServer {
        /// The name.
        name: String,
        /// The server that may have been meant.
        nearest: Option<String>,
    },
    /// It asks for something that is not available yet.
    NotAvailable {
        /// The key.
        key: String,
        /// What that means for it.
        effect: String,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let meant = |nearest: &Option<String>| match nearest {
            Some(nearest) => format!("; `{nearest}` may be meant"),
            None => String::new(),
        };
        match self {
            Warning::NoFrontMatter => f.write_str("it has no front matter"),
            Warning::Unclosed => f.write_str("its front matter has no end, so all of it is text"),
            Warning::NotYaml(why) => write!(f, "its front matter is not YAML ({why}); read a line at a time"),
            Warning::NotUtf8 => f.write_str("it has bytes that are not text; they were replaced"),
            Warning::Repeated(key) => write!(f, "`{key}` is there twice; the later one counts"),
            Warning::UnknownKey { key, nearest } => {
                write!(f, "`{key}` means nothing here{}", meant(nearest))
            }
            Warning::Missing { key, instead } => write!(f, "it has no `{key}`; {instead}"),
            Warning::BadValue { key, problem } => write!(f, "`{key}`: {problem}"),
            Warning::UnknownTool { name, nearest } => {
                write!(f, "there is no tool `{name}`{}", meant(nearest))
            }
            Warning::UnknownServer { name, nearest } => {
                write!(f, "there is no server `{name}`, so its tools are missing{}", meant(nearest))
            }
            Warning::NotAvailable { key, effect } => write!(f, "`{key}` is not available yet: {effect}"),
        }
    }
}

/// Why a file is no definition at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unusable {
    /// It is too large.
    #[error("it has {bytes} bytes, and {FILE_BYTES_MAX} is the most")]
    TooLarge {
        /// How many bytes it has.
        bytes: u64,
    },
    /// Its front matter is too large.
    #[error("its front matter has more than {FRONT_BYTES_MAX} bytes")]
    FrontTooLarge,
    /// Nothing is in it.
    #[error("it is empty")]
    Empty,
    /// It could not be read.
    #[error("{0}")]
    Unreadable(String),
    /// Its name is none that could be used.
    #[error("{0}")]
    BadName(String),
    /// It says nothing about what it is for.
    #[error("it has no `description`, so nobody could choose it")]
    NoDescription,
}

impl Document {
    /// Takes a file apart.
    ///
    /// # Errors
    /// When it is too large or empty.
    pub fn read(bytes: &[u8]) -> Result<Document, Unusable> {
        if bytes.len() > FILE_BYTES_MAX {
            return Err(Unusable::TooLarge { bytes: bytes.len() as u64 });
        }
        let mut warnings = Vec::new();
        let text = String::from_utf8_lossy(bytes);
        if matches!(text, std::borrow::Cow::Owned(_)) {
            warnings.push(Warning::NotUtf8);
        }
        let text = text.trim_start_matches('\u{FEFF}').replace("\r\n", "\n").replace('\0', "\u{FFFD}");
        if text.trim().is_empty() {
            return Err(Unusable::Empty);
        }
        let (front, body) = match split(&text) {
            Split::None => {
                warnings.push(Warning::NoFrontMatter);
                return Ok(Document { fields: Vec::new(), body: text, warnings });
            }
            Split::Unclosed => {
                warnings.push(Warning::Unclosed);
                return Ok(Document { fields: Vec::new(), body: text, warnings });
            }
            Split::Both(front, body) => (front, body),
        };
        if front.len() > FRONT_BYTES_MAX {
            return Err(Unusable::FrontTooLarge);
        }
        let (pairs, body) = match yaml::read(front) {
            Ok(pairs) => (pairs, body.to_owned()),
            Err(why) => {
                warnings.push(Warning::NotYaml(why));
                (lines::read(front), body.to_owned())
            }
        };
        let mut fields: Vec<(String, Value)> = Vec::new();
        for (key, value) in pairs {
            match fields.iter_mut().find(|(other, _)| *other == key) {
                Some(field) => {
                    warnings.push(Warning::Repeated(key));
                    field.1 = value;
                }
                None => fields.push((key, value)),
            }
        }
        Ok(Document { fields, body, warnings })
    }

    /// Takes the value of a key out.
    pub fn take(&mut self, key: &str) -> Option<Value> {
        let at = self.fields.iter().position(|(other, _)| other == key)?;
        Some(self.fields.remove(at).1).filter(|value| *value != Value::Null)
    }

    /// Warns of every key that is left.
    pub fn warn_of_rest(&mut self, known: &[&str]) {
        for (key, _value) in std::mem::take(&mut self.fields) {
            if known.contains(&key.as_str()) {
                continue;
            }
            let nearest = toolwright::nearest::nearest(&key, known.iter().copied()).map(str::to_owned);
            self.warnings.push(Warning::UnknownKey { key, nearest });
        }
    }

    /// Warns of a value that cannot be used.
    pub fn warn_of(&mut self, key: &str, problem: impl Into<String>) {
        self.warnings.push(Warning::BadValue { key: key.to_owned(), problem: problem.into() });
    }

    /// A yes or a no, by any of its names.
    pub fn take_switch(&mut self, key: &str, otherwise: bool) -> bool {
        match self.take(key) {
            None => otherwise,
            Some(value) => value.switch().unwrap_or_else(|| {
                self.warn_of(key, format!("it is neither yes nor no; taken for `{otherwise}`"));
                otherwise
            }),
        }
    }

    /// A text.
    pub fn take_text(&mut self, key: &str) -> Option<String> {
        match self.take(key)?.text() {
            Some(text) => Some(text).filter(|text| !text.trim().is_empty()),
            None => {
                self.warn_of(key, "it is no text, and is passed over");
                None
            }
        }
    }
}

enum Split<'a> {
    None,
    Unclosed,
    Both(&'a str, &'a str),
}

fn split(text: &str) -> Split<'_> {
    let is_fence = |line: &str| line.trim_end() == "---";
    let Some((first, rest)) = text.trim_start_matches('\n').split_once('\n') else { return Split::None };
    if !is_fence(first) {
        return Split::None;
    }
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if is_fence(line) {
            return Split::Both(&rest[..at], &rest[at + line.len()..]);
        }
        at += line.len();
    }
    Split::Unclosed
}
