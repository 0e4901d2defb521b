//! A tool's form after it was checked: what is here can be written out.

use proc_macro2::TokenStream;
use syn::{Attribute, DeriveInput, Expr, Ident, LitStr, Path, Type};

/// A tool's form.
pub(crate) struct Model {
    /// The user's struct as it stays: without what moves to the wire.
    pub(crate) item: DeriveInput,
    /// The conditions on the struct, which hold for all that is generated.
    pub(crate) conditions: Vec<Attribute>,
    /// The tool's name.
    pub(crate) name: String,
    /// The struct's docs, as an expression.
    pub(crate) docs: TokenStream,
    /// The fields, in declared order.
    pub(crate) fields: Vec<Field>,
    /// Attributes of the whole input that move to the wire.
    pub(crate) wire_attributes: Vec<Attribute>,
}

/// One field of the input.
pub(crate) struct Field {
    /// Its name in the struct.
    pub(crate) ident: Ident,
    /// Its type, as written.
    pub(crate) ty: Type,
    /// Its name on the wire, if it is there.
    pub(crate) wire_name: Option<String>,
    /// Whether it may be left out because serde has a default for it.
    pub(crate) has_default: bool,
    /// The attributes of the field on the wire: docs, and those for serde and schemars.
    pub(crate) wire_attributes: Vec<Attribute>,
    /// Its conditions.
    pub(crate) conditions: Vec<Attribute>,
}

/// What `#[tool(…)]` says. What it does not say is closed.
#[derive(Default)]
pub(crate) struct Options {
    pub(crate) name: Option<LitStr>,
    pub(crate) aliases: Vec<LitStr>,
    pub(crate) search_hint: Option<LitStr>,
    pub(crate) max_result: Option<Limit>,
    pub(crate) should_defer: bool,
    pub(crate) always_load: bool,
    pub(crate) interrupt: Option<Interrupt>,
    pub(crate) cancels_siblings: bool,
    pub(crate) default_permission: Option<DefaultPermission>,
    pub(crate) needs_person: bool,
    pub(crate) read_only: Flag,
    pub(crate) destructive: Flag,
    pub(crate) concurrency_safe: Flag,
    pub(crate) state: Option<Type>,
    pub(crate) progress: Option<Type>,
    pub(crate) rename_all: Option<LitStr>,
    pub(crate) root: Option<Path>,
}

/// What is true of one call.
#[derive(Default)]
pub(crate) enum Flag {
    /// Never.
    #[default]
    No,
    /// Always.
    Yes,
    /// A function of the input says.
    Of(Box<Expr>),
}

/// How large a result may be.
pub(crate) enum Limit {
    /// So many characters.
    Chars(Expr),
    /// The tool limits itself.
    Unlimited,
}

/// What happens to a running call when the person sends a new message.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Interrupt {
    /// It is stopped.
    Cancel,
    /// It finishes.
    Block,
}

/// What happens when neither rules nor mode have an answer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum DefaultPermission {
    /// Someone is asked.
    Ask,
    /// It runs.
    Allow,
}
