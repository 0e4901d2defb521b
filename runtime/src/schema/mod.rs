//! What an input must look like, and reading inputs that almost do.
//!
//! A valid input is parsed once, straight into its type. Only when that fails, or when the type behind the schema may
//! take more than the schema says, does the schema-guided walker run: it converts what can be converted without loss,
//! and collects every problem for the model to mend.

mod build;
mod clean;
mod example;
mod json;
mod marks;
pub(crate) mod nested;
pub(crate) mod parameter;
mod parse;
mod path;
mod pattern;
mod problem;
mod profile;
mod read;
pub(crate) mod strict;
mod walk;
mod words;
mod write;

pub use self::build::Schema;
pub(crate) use self::build::Trust;
pub(crate) use self::parse::{parse_at_once, parse_slowly};
pub use self::path::path_of_pointer;
pub use self::problem::{InputErrors, Problem};
pub use self::profile::{ProfileError, ProviderProfile};
pub use self::read::{Input, Judge, read};
pub use self::walk::{Coercion, PROBLEMS_MAX, Walked, fits, walk};
