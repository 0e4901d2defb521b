//! Toolwright: define a tool for an LLM agent by annotating a struct, run it behind one contract, and test it by
//! replaying recorded model turns in a deterministic simulator.
//!
//! This crate is the runtime: the contract, the registry, the schema room, the scheduler, the pipeline, permission,
//! and the query loop. See `ARCHITECTURE.md` for the map.
//!
//! Features, none of them on by default:
//!
//! - `proptest`: `testing::check_arbitrary`, for every input of a tool that can be generated.
//! - `mutants`: bugs put in on purpose, one of which a process switches on by name. Only for tests of what finds them.

pub mod contract;
pub mod cut;
pub mod env;
pub mod event;
pub mod hooks;
mod latest;
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
pub mod settings;
pub mod testing;
pub mod visible;

/// Writes `async` methods of [`Hook`](hooks::Hook), [`Prompter`](permission::Prompter) and other traits that are used
/// behind a pointer.
pub use async_trait::async_trait;
#[cfg(feature = "mutants")]
pub use mutant::Mutant;
pub use toolwright_macros::{Params, tool};

/// What a file needs that defines a tool, or runs some in a session.
pub mod prelude {
    pub use crate::contract::{
        Context, Cx, Effect, Effects, EffectsContext, IntoReply, InvalidInput, Opinion, Reply, Tool,
        ToolError,
    };
    pub use crate::env::Env;
    pub use crate::message::{Content, ToolUse, Turn};
    pub use crate::permission::{Behavior, Mode, Source};
    pub use crate::registry::Catalogue;
    pub use crate::session::Session;
    pub use crate::{Params, tool};
}

/// What generated code names; no promise is made about it.
#[doc(hidden)]
pub mod __private {
    pub use std::any::type_name;
    pub use std::borrow::Cow;
    pub use std::clone::Clone;
    pub use std::convert::From;
    pub use std::default::Default;
    pub use std::marker::{Send, Sync};
    pub use std::option::Option::{None, Some};
    pub use std::primitive::str;
    pub use std::result::Result::{self, Err, Ok};
    pub use std::string::String;
    pub use std::sync::LazyLock;
    pub use std::time::Duration;
    pub use std::vec::Vec;
    pub use std::{concat, unreachable, vec};

    pub use schemars;
    pub use serde;
    pub use serde_json::Value;

    pub use crate::contract::{
        Coerce, Cx, DefaultPermission, Effects, EffectsContext, Field, Flags, Form, InterruptBehavior,
        ResultLimit, Tool, ToolError, ToolForm,
    };
    pub use crate::schema::nested::{EnumMarks, Flattened, StructMarks, Tagging, flattened};
    pub use crate::schema::parameter::{Is, OnWire, Parameter, Probe, Unreadable};
    pub use crate::schema::strict::{NamedVariant, ObjectOnly};

    pub use crate::contract::{Blank, FromState, Internal, ReadInternal, RefuseInternal, no_internal};

    /// Calls the function of an injected field with the tool's state; gives closures their type.
    pub fn injected<S, T>(state: &S, give: impl FnOnce(&S) -> T) -> T {
        give(state)
    }

    /// Calls the function that tells a call's effects; gives closures their type.
    pub fn effects<T>(
        input: &T,
        cx: &EffectsContext<'_>,
        tell: impl FnOnce(&T, &EffectsContext<'_>) -> Effects,
    ) -> Effects {
        tell(input, cx)
    }

    /// Calls a flag's function with its input; gives closures their type.
    pub fn flag<T>(input: &T, judge: impl FnOnce(&T) -> bool) -> bool {
        judge(input)
    }
}

#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;

#[cfg(doctest)]
#[doc = include_str!("../../macros/src/reference/tool.md")]
struct ToolReference;

#[cfg(doctest)]
#[doc = include_str!("../../macros/src/reference/params.md")]
struct ParamsReference;
