//! Toolwright: define a tool for an LLM agent by annotating a struct, run it behind one contract, and test it by
//! replaying recorded model turns in a deterministic simulator.
//!
//! This crate is the runtime: the contract, the registry, the schema room, the scheduler, the pipeline, permission,
//! and the query loop. See `ARCHITECTURE.md` for the map.

pub mod contract;
pub mod env;
pub mod event;
pub mod hooks;
pub mod message;
mod mutant;
pub mod nearest;
pub mod permission;
pub mod pipeline;
pub mod query;
pub mod registry;
pub mod scheduler;
pub mod schema;
pub mod session;
pub mod testing;

#[cfg(feature = "mutants")]
pub use mutant::Mutant;
pub use toolwright_macros::tool;

/// What a file that defines a tool needs.
pub mod prelude {
    pub use crate::contract::{
        Cx, Effect, Effects, EffectsContext, IntoReply, InvalidInput, Opinion, Reply, Tool, ToolError,
    };
    pub use crate::message::Content;
    pub use crate::tool;
}

/// What generated code names; no promise is made about it.
#[doc(hidden)]
pub mod __private {
    pub use std::borrow::Cow;
    pub use std::marker::{Send, Sync};
    pub use std::option::Option::{None, Some};
    pub use std::primitive::str;
    pub use std::sync::LazyLock;
    pub use std::{concat, unreachable, vec};

    pub use schemars;
    pub use serde;

    pub use crate::contract::{
        DefaultPermission, Field, Flags, Form, InterruptBehavior, ResultLimit, ToolForm,
    };
    pub use crate::schema::strict::{NamedVariant, ObjectOnly};

    /// Calls a flag's function with its input; gives closures their type.
    pub fn flag<T>(input: &T, judge: impl FnOnce(&T) -> bool) -> bool {
        judge(input)
    }
}

#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
