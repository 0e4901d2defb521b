//! Which tools there are, and which one a name means.
//!
//! A [`Catalogue`] lists tools explicitly, in one place; nothing registers itself. A [`Pool`] is what one session
//! uses of it, after the four stages of [`filter`]: in a fixed order, duplicates resolved, names and aliases routed by a
//! map. Some of its tools the model hears of by name only, until it looks for them ([`loading`], [`search`]).

mod catalogue;
mod cost;
pub mod filter;
mod layer;
pub mod loading;
mod pool;
mod pooled;
pub mod search;
mod sent;

pub use self::catalogue::{Catalogue, CatalogueError};
pub use self::cost::Cost;
pub use self::filter::{Candidate, Fall, Fallen, Part, Stage};
pub use self::layer::{Layer, Shut};
pub use self::loading::{Backend, Deferral, LoadMode, SEARCH_TOOL};
pub use self::pool::{Pool, UnknownTool};
pub(crate) use self::pooled::KnownTools;
pub use self::pooled::Pooled;
pub use self::sent::{Found, NotLoaded};
