//! The facts on a tool's form. Whatever is left blank is closed.

use std::borrow::Cow;
use std::time::Duration;

/// What is true of a tool whatever its input: filled in by `#[tool(…)]`, or by hand for tools known only at run time.
#[derive(Clone, Debug, PartialEq)]
pub struct Form {
    /// The name the model calls it by.
    pub name: Cow<'static, str>,
    /// Other names that find it.
    pub aliases: Cow<'static, [Cow<'static, str>]>,
    /// Words that describe what it is good for, for tool search.
    pub search_hint: Option<Cow<'static, str>>,
    /// What the model reads about it unless the tool overrides its prompt.
    pub docs: Cow<'static, str>,
    /// How large a result may be before it is stored and shown as a preview.
    pub max_result: ResultLimit,
    /// Whether its schema is sent only once it has been searched for.
    pub should_defer: bool,
    /// Whether it is never deferred.
    pub always_load: bool,
    /// What happens to a running call when the person sends a new message.
    pub interrupt: InterruptBehavior,
    /// Whether a failed body cancels the other calls of its turn, where the session's policy honours the mark.
    pub cancels_siblings: bool,
    /// What happens when neither rules nor mode have an answer.
    pub default_permission: DefaultPermission,
    /// Whether only a person can let it run, whatever the rules and the mode say.
    pub needs_person: bool,
    /// How long its body may run; without end unless said.
    pub timeout: Option<Duration>,
    /// Whole inputs that are examples of its use, as JSON. No schema has them; one stands under the problems of an
    /// input that is refused.
    pub examples: Cow<'static, [Cow<'static, str>]>,
    /// What is true of all its calls. A flag that depends on the input is not in it, and one that is not known is not.
    pub always: Flags,
}

impl Form {
    /// A form with nothing filled in but the name: everything unsaid is closed.
    #[must_use]
    pub const fn closed(name: Cow<'static, str>) -> Form {
        Form {
            name,
            aliases: Cow::Borrowed(&[]),
            search_hint: None,
            docs: Cow::Borrowed(""),
            max_result: ResultLimit::Chars(50_000),
            should_defer: false,
            always_load: false,
            interrupt: InterruptBehavior::Block,
            cancels_siblings: false,
            default_permission: DefaultPermission::Ask,
            needs_person: false,
            timeout: None,
            examples: Cow::Borrowed(&[]),
            always: Flags { read_only: false, destructive: false, concurrency_safe: false },
        }
    }
}

/// What is known of one field of an input besides its type. The name on the wire, and what `#[tool(…)]` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name on the wire.
    pub name: &'static str,
    /// Other names it is read by. No model is told of them.
    pub aliases: &'static [&'static str],
    /// The feature switch it depends on: where that is off, the field is in no schema and refused on input.
    pub when: Option<&'static str>,
    /// Whether a value in another JSON type is converted where that loses nothing.
    pub coerce: Coerce,
    /// An example of its value, as JSON.
    pub example: Option<&'static str>,
}

impl Field {
    /// A field of which nothing is said.
    #[must_use]
    pub const fn new(name: &'static str) -> Field {
        Field { name, aliases: &[], when: None, coerce: Coerce::Lossless, example: None }
    }
}

/// Whether a value in another JSON type is converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coerce {
    /// Where nothing is lost.
    Lossless,
    /// Never.
    Never,
}

/// What is true of one call, which may depend on its input. The default is closed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    /// It changes nothing outside the agent.
    pub read_only: bool,
    /// It may destroy what cannot be brought back.
    pub destructive: bool,
    /// It may run beside other calls that say the same.
    pub concurrency_safe: bool,
}

/// How large a result may be before it is stored whole and the model gets a preview with the place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultLimit {
    /// So many characters.
    Chars(usize),
    /// Never stored: the tool limits itself.
    Unlimited,
}

/// What happens to a running call when the person sends a new message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InterruptBehavior {
    /// It is stopped, and its result discarded.
    Cancel,
    /// It finishes; the message waits.
    Block,
}

/// What happens when neither rules nor mode have an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefaultPermission {
    /// Someone is asked.
    Ask,
    /// It runs: only for tools that touch nothing but the agent's own state.
    Allow,
}
