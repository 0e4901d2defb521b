//! Replaces secrets in a transcript: keys, tokens, passwords, private keys.
//!
//! The same transcript gives the same result: a secret becomes `[redacted KIND N]`, where N counts the distinct secrets
//! of the kind in the order of the transcript, so that two places of one secret still show that they are one. What is
//! looked for is known by its form, or by the name it stands behind; a secret without either is not found.

mod json;
mod pattern;
mod replace;

pub use replace::{Redacted, redact};
