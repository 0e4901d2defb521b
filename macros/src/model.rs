//! A tool's form after it was checked: what is here can be written out.

use proc_macro2::TokenStream;
use syn::{Attribute, DeriveInput, Expr, Ident, LitStr, PatType, Path, ReturnType, Stmt, Token, Type};

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
    /// Its conditions.
    pub(crate) conditions: Vec<Attribute>,
    /// Where its value comes from.
    pub(crate) source: Source,
}

/// Where the value of a field comes from.
pub(crate) enum Source {
    /// From the input.
    Wire(Box<OnWire>),
    /// From an expression; from its type's default where there is none. Code in the process may set it by this name.
    Internal { name: String, value: Option<Expr> },
    /// From a function of the tool's state; from the type's own conversion where there is none.
    Inject(Option<Expr>),
}

/// A field as it is in the input.
#[derive(Default)]
pub(crate) struct OnWire {
    /// What is known of it besides its type; none where the parser skips it.
    pub(crate) known: Option<Known>,
    /// The attributes it carries there: docs, and those for serde and schemars.
    pub(crate) attributes: Vec<Attribute>,
    /// Whether serde has a default for it.
    pub(crate) has_default: bool,
    /// Whether its type must have a default.
    pub(crate) needs_default: bool,
    /// Whether its fields stand in the input beside the others.
    pub(crate) is_flat: bool,
    /// Whether the user's own function reads it, of which nothing is known.
    pub(crate) is_read_by_function: bool,
}

impl OnWire {
    /// The names it is read by, its own first.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.known
            .iter()
            .flat_map(|known| std::iter::once(&known.name).chain(&known.aliases))
            .map(String::as_str)
    }
}

/// What is known of a parameter besides its type.
#[derive(Clone, Default)]
pub(crate) struct Known {
    /// Its name on the wire.
    pub(crate) name: String,
    /// Other names it is read by.
    pub(crate) aliases: Vec<String>,
    /// The feature switch it depends on.
    pub(crate) when: Option<LitStr>,
    /// Whether a value in another JSON type stays an error.
    pub(crate) is_exact: bool,
    /// An example of its value, as JSON.
    pub(crate) example: Option<String>,
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
    pub(crate) is_exact: bool,
    pub(crate) timeout_ms: Option<u64>,
    pub(crate) examples: Vec<LitStr>,
    pub(crate) effects: Option<(Ident, EffectsOption)>,
}

/// What a function says of its effects.
pub(crate) enum EffectsOption {
    /// There are none.
    None,
    /// A function of the input says.
    Of(Box<Expr>),
}

impl Flag {
    /// Whether no input changes it.
    pub(crate) fn is_always(&self) -> bool {
        matches!(self, Flag::Yes)
    }
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

/// A type that parameters nest, after it was checked.
pub(crate) struct Nested {
    /// The type as it was written.
    pub(crate) item: DeriveInput,
    /// The attributes of the type on the wire: docs, and those for serde and schemars.
    pub(crate) attributes: Vec<Attribute>,
    /// What it looks like there.
    pub(crate) shape: Shape,
    /// Whether the whole type has a default, from which fields are taken that were left out.
    pub(crate) has_default: bool,
    /// Whether someone who uses it is told not to.
    pub(crate) has_deprecated: bool,
}

/// What a nested type looks like on the wire.
pub(crate) enum Shape {
    /// An object.
    Object(Vec<OnWire>),
    /// What its fields are, without names.
    Positional(Vec<OnWire>),
    /// One of several.
    Choice(Tagging, Vec<Variant>),
}

/// How an enum tells its variants apart.
pub(crate) enum Tagging {
    /// A variant's name around its content.
    External,
    /// A variant's name in its content, under this name.
    Internal(LitStr),
    /// A variant's name beside its content, under these names.
    Adjacent(LitStr, LitStr),
    /// By what fits.
    Untagged,
}

/// One variant of an enum.
pub(crate) struct Variant {
    /// Its name on the wire; none where the parser skips it.
    pub(crate) name: Option<String>,
    /// Other names it is read by.
    pub(crate) aliases: Vec<String>,
    /// The attributes it carries on the wire.
    pub(crate) attributes: Vec<Attribute>,
    /// Its fields.
    pub(crate) fields: Vec<OnWire>,
    /// Whether its fields have names.
    pub(crate) is_named: bool,
}

/// A tool that is written as a function: the struct it stands for, and its body.
pub(crate) struct Function {
    /// The struct: the function's parameters are its fields.
    pub(crate) item: DeriveInput,
    /// What the function says to lints.
    pub(crate) lints: Vec<Attribute>,
    /// The parameters that the body takes from the fields.
    pub(crate) parameters: Vec<Parameter>,
    /// The context, as the function takes it.
    pub(crate) context: Option<PatType>,
    /// What the function returns.
    pub(crate) returned: ReturnType,
    /// The type of a result that is no error.
    pub(crate) output: Option<Type>,
    /// The body.
    pub(crate) body: Vec<Stmt>,
}

/// One parameter of a function.
pub(crate) struct Parameter {
    pub(crate) conditions: Vec<Attribute>,
    pub(crate) mutability: Option<Token![mut]>,
    pub(crate) ident: Ident,
    pub(crate) ty: Type,
}
