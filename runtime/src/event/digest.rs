//! What was said, told apart without being told again: an event says that two inputs or lists are the same, and does not
//! carry them.

use std::fmt;
use std::sync::Arc;

use serde::{Serialize, Serializer};

use crate::env::label_hash;

/// Stands for a text: the same text has the same digest on every machine. To tell accidents apart, not forgeries.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Digest(u64);

impl Digest {
    /// The digest of a text.
    #[must_use]
    pub fn of(text: &str) -> Digest {
        Digest(label_hash(text))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The definitions of tools that a model was sent, in order. As JSON: how many there are, and one digest of all their
/// bytes.
#[derive(Clone)]
pub struct SentTools(Vec<Arc<str>>);

impl SentTools {
    /// These definitions.
    #[must_use]
    pub fn new(definitions: Vec<Arc<str>>) -> SentTools {
        SentTools(definitions)
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether this list begins with all of the other, byte for byte.
    #[must_use]
    pub fn begins_with(&self, other: &SentTools) -> bool {
        let is_same = |(one, other): (&Arc<str>, &Arc<str>)| Arc::ptr_eq(one, other) || one == other;
        self.0.len() >= other.0.len() && self.0.iter().zip(&other.0).all(is_same)
    }

    /// The digest of all bytes.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::of(&self.0.concat())
    }
}

impl PartialEq for SentTools {
    fn eq(&self, other: &SentTools) -> bool {
        self.0.len() == other.0.len() && self.begins_with(other)
    }
}

impl fmt::Debug for SentTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} tools, {}", self.len(), self.digest())
    }
}

impl Serialize for SentTools {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        /// The public form.
        #[derive(Serialize)]
        struct Sent {
            count: usize,
            digest: Digest,
        }
        Sent { count: self.len(), digest: self.digest() }.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(tools: &[&str]) -> SentTools {
        SentTools::new(tools.iter().map(|tool| Arc::from(*tool)).collect())
    }

    #[test]
    fn lists_are_told_apart_by_their_bytes_and_order() {
        let list = sent(&["a", "b"]);
        assert_eq!(list, sent(&["a", "b"]));
        assert_eq!(list, list.clone());
        for other in [sent(&["b", "a"]), sent(&["a"]), sent(&["a", "b", "c"]), sent(&["a", "B"])] {
            assert_ne!(list, other);
            assert_eq!(other.begins_with(&list), other.len() == 3, "{other:?}");
        }
        assert!(list.begins_with(&sent(&[])) && sent(&[]).is_empty());
    }

    #[test]
    fn a_digest_is_written_as_sixteen_digits() {
        let json = serde_json::to_string(&sent(&["a"])).expect("it is JSON");
        assert_eq!(json, format!(r#"{{"count":1,"digest":"{}"}}"#, Digest::of("a")));
        assert_eq!(Digest::of("").to_string(), "cbf29ce484222325", "the offset basis of FNV-1a");
    }
}
