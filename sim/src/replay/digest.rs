//! Digests of traces: the same events give the same digest on every machine.

use serde::Serialize;
use sha2::{Digest as _, Sha256};

/// How many hexadecimal digits a digest shows: 128 bits.
const DIGITS: usize = 32;

/// The digest of a list of values, as JSON lines.
pub(super) fn digest<T: Serialize>(values: impl IntoIterator<Item = T>) -> String {
    let mut hash = Sha256::new();
    for value in values {
        let line = serde_json::to_vec(&value).expect("events serialise: their keys are strings");
        hash.update(&line);
        hash.update(b"\n");
    }
    let bytes = hash.finalize();
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    hex[..DIGITS].to_owned()
}
