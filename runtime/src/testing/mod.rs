//! For tests of tools: one line that checks a tool or a whole catalogue, and inputs as the pipeline would parse them.
//!
//! ```
//! use toolwright::prelude::*;
//!
//! /// Greets someone.
//! #[tool(read_only)]
//! struct Greet {
//!     /// Whom to greet.
//!     name: String,
//! }
//!
//! impl Tool for Greet {
//!     type Output = String;
//!
//!     async fn call(&self, _cx: &Cx<'_, Self>) -> Result<String, ToolError> {
//!         Ok(format!("Hello {}", self.name))
//!     }
//! }
//!
//! // In a test:
//! toolwright::testing::check::<Greet>();
//! ```
//!
//! With the feature `proptest`, `check_arbitrary` does for any input of a tool what examples do for some.
//!
//! [`check`] and its siblings look at everything that can be known of a tool without running it, and panic once, with
//! all that was found. [`check_golden`] keeps the bytes that models see in a file, so that a change of a schema is a
//! diff in a review; [`check_golden_text`] any other text.

#[cfg(feature = "proptest")]
mod arbitrary;
mod check;
mod field;
mod golden;
mod parse;

#[cfg(feature = "proptest")]
pub use self::arbitrary::check_arbitrary;
pub use self::check::{check, check_catalogue, check_with, findings};
pub use self::golden::{BLESS, check_golden, check_golden_text};
pub use self::parse::parse_input;
