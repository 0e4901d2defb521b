//! The arguments of a call as the model wrote them.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

/// The arguments of a call as the model wrote them: usually JSON, but nothing is promised. Cheap to clone.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct RawInput(Arc<str>);

impl RawInput {
    /// The arguments as text, valid JSON or not.
    #[must_use]
    pub fn new(text: impl Into<Arc<str>>) -> RawInput {
        RawInput(text.into())
    }

    /// The arguments a value stands for.
    #[must_use]
    pub fn from_value(value: &serde_json::Value) -> RawInput {
        RawInput::new(value.to_string())
    }

    /// The text, byte for byte.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for RawInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for RawInput {
    /// As the JSON it is, or as a string when it is not JSON.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match serde_json::from_str::<&RawValue>(&self.0) {
            Ok(raw) => raw.serialize(serializer),
            Err(_not_json) => serializer.serialize_str(&self.0),
        }
    }
}

impl<'de> Deserialize<'de> for RawInput {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(|raw| RawInput(Arc::from(raw.get())))
    }
}
