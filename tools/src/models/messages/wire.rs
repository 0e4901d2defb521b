//! The events of the stream, as they stand in it.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use toolwright::query::Usage;

use crate::models::refusal::Said;

/// One event. What a kind of event does not have is left out.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Event {
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) index: Option<usize>,
    pub(super) message: Option<MessageStart>,
    pub(super) content_block: Option<Box<RawValue>>,
    pub(super) delta: Option<Map<String, Value>>,
    pub(super) usage: Option<Tokens>,
    pub(super) error: Option<Said>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct MessageStart {
    pub(super) id: Option<String>,
    pub(super) model: Option<String>,
    pub(super) usage: Option<Tokens>,
}

/// The beginning of a call, with its arguments as they are written.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CallStart {
    pub(super) id: Option<String>,
    pub(super) name: Option<String>,
    pub(super) input: Option<Box<RawValue>>,
}

/// Counts of tokens; a later one stands in the place of an earlier one.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Tokens {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
}

impl Tokens {
    pub(super) fn put_into(&self, usage: &mut Usage) {
        let put = |from: Option<u64>, to: &mut u64| *to = from.unwrap_or(*to);
        put(self.input_tokens, &mut usage.input);
        put(self.output_tokens, &mut usage.output);
        put(self.cache_read_input_tokens, &mut usage.cache_read);
        put(self.cache_creation_input_tokens, &mut usage.cache_write);
    }
}
