//! What an input must look like, and reading inputs that almost do.
//!
//! A valid input is parsed once, straight into its type. Only when that fails does the schema-guided walker run: it
//! converts what can be converted without loss, and collects every problem for the model to mend.

mod cache;
mod canonical;
mod parse;
mod problem;
mod walker;

pub use self::cache::SchemaCache;
pub use self::canonical::Schema;
pub(crate) use self::parse::parse;
pub use self::problem::{InputErrors, Problem};
pub use self::walker::{Coercion, Walked, walk};
