//! Finding tools by what they are for: by their exact names, or ranked by words.

mod build;
mod index;
mod query;
mod words;

pub use self::index::{SearchDoc, SearchIndex};
pub use self::query::Query;

/// How many tools a search gives unless told.
pub const RESULTS_DEFAULT: usize = 5;
/// How many tools a search gives at the most.
pub const RESULTS_MAX: usize = 50;
