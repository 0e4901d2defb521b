//! Tools known only at run time: a name, a description, a JSON Schema, and a function.
//!
//! Remote servers describe their tools so. Inputs are read like those of typed tools, with the same conversions and the
//! same words for problems; a full validator has the last word.

mod call;
mod judge;
mod tool;

pub use self::judge::SchemaError;
pub use self::tool::DescribedTool;
