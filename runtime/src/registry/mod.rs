//! Which tools there are, and which one a name means.
//!
//! A [`Catalogue`] lists tools explicitly, in one place; nothing registers itself. A [`Pool`] is what one session
//! uses of it: in a fixed order, duplicates resolved, names and aliases routed by a map.

mod catalogue;
mod pool;

pub use self::catalogue::{Catalogue, CatalogueError};
pub use self::pool::{Pool, Pooled, UnknownTool};
