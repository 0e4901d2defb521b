//! The pieces of a command line that are understood.

/// Statements, one after another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Script(pub(crate) Vec<Item>);

/// One statement of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) statement: Statement,
    /// Whether `&` stands behind it.
    pub(crate) in_background: bool,
}

/// What joins two statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Link {
    /// `|` or `|&`.
    Pipe,
    /// `&&`.
    And,
    /// `||`.
    Or,
    /// `;`, a line end, or nothing more.
    Then,
    /// `&`.
    Background,
}

/// One statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Statement {
    /// A program with its arguments, or assignments or redirections alone.
    Simple(Simple),
    /// `a && b` or `a || b`.
    Chain { left: Box<Statement>, link: Link, right: Box<Statement> },
    /// `a | b | c`.
    Pipeline(Vec<Statement>),
    /// `! a`.
    Not(Box<Statement>),
    /// A compound statement with redirections behind it.
    Redirected { body: Box<Statement>, redirects: Vec<Redirect> },
    /// `( … )`.
    Subshell(Script),
    /// `{ … }`.
    Group(Script),
    /// `if`, with its conditions and what follows each.
    If { arms: Vec<(Script, Script)>, otherwise: Script },
    /// `for` or `select`; without words it goes over the arguments.
    For { variable: String, words: Option<Vec<Text>>, body: Script },
    /// `while` or `until`.
    While { condition: Script, body: Script },
    /// `case`.
    Case { subject: Text, patterns: Vec<Text>, arms: Vec<Script> },
    /// The definition of a function.
    Function { name: String, body: Box<Statement> },
    /// `[[ … ]]`, with both brackets among the words.
    Condition(Vec<Text>),
    /// `(( … ))`.
    Arithmetic(Arithmetic),
}

/// A simple command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Simple {
    pub(crate) assignments: Vec<Assignment>,
    pub(crate) words: Vec<Text>,
    pub(crate) redirects: Vec<Redirect>,
}

/// `NAME=value` before or in place of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Assignment {
    pub(crate) name: String,
    pub(crate) value: Assigned,
    /// As it was typed.
    pub(crate) typed: Text,
}

/// What is assigned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Assigned {
    /// One word.
    Word(Text),
    /// More, such as an array, an element of one, or something added: its parts.
    Other(Vec<Text>),
}

/// Which way the data of a redirection goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// From the file into the command.
    In,
    /// From the command into the file.
    Out,
}

/// A redirection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Redirect {
    /// To or from a file.
    File { direction: Direction, target: Text },
    /// Of one stream to another that is open.
    Join,
    /// From a text that stands in the command line.
    Text(Text),
}

/// A word, or another text that the shell expands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Text {
    /// As it was typed, quotes included.
    pub(crate) typed: String,
    pub(crate) parts: Vec<Part>,
}

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Characters that stand for themselves, quoted or escaped.
    Quoted(String),
    /// Characters without quotes, among which wildcards count.
    Bare(String),
    /// A tilde at the beginning, without quotes.
    Tilde,
    /// `{a,b}` or `{1..3}`: each of these, in turn.
    Braces(Vec<String>),
    /// `$NAME`, `${NAME}`.
    Variable { name: String, is_quoted: bool },
    /// `$(…)`.
    Substitution { script: Script, is_quoted: bool },
    /// `<(…)` or `>(…)`.
    Stream(Script),
    /// `$((…))`, `${#NAME}`, `$?`.
    Number(Arithmetic),
    /// `${NAME:-…}` and the like: a value of which no more is known, and what is expanded for it. `assigns` where it
    /// may set the variable.
    Changed { name: String, assigns: bool, inner: Vec<Part>, is_quoted: bool },
    /// Something that the shell may expand, in a way that is not followed.
    Odd,
}

/// An arithmetic expression: the shell evaluates what the variables in it hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Arithmetic {
    /// As it was typed.
    pub(crate) typed: String,
    /// The variables in it, but for the one that it only sets.
    pub(crate) names: Vec<String>,
    /// The variable that it only sets.
    pub(crate) sets: Option<String>,
}

impl Text {
    /// A text that stands for itself.
    pub(crate) fn literal(typed: &str, value: &str) -> Text {
        Text { typed: typed.to_owned(), parts: vec![Part::Quoted(value.to_owned())] }
    }

    /// Its characters, where it is known to stand for itself.
    pub(crate) fn plain(&self) -> Option<String> {
        self.parts.iter().map(Part::plain).collect()
    }
}

impl Text {
    /// Its characters without quotes, wildcards as they stand; nothing where it is expanded.
    pub(crate) fn without_expansion(&self) -> Option<String> {
        self.parts
            .iter()
            .map(|part| match part {
                Part::Bare(text) => Some(text.as_str()),
                Part::Tilde => Some("~"),
                other => other.plain(),
            })
            .collect()
    }
}

impl Part {
    fn plain(&self) -> Option<&str> {
        match self {
            Part::Quoted(text) => Some(text),
            Part::Bare(text) if !text.contains(['*', '?', '[']) => Some(text),
            Part::Bare(_)
            | Part::Tilde
            | Part::Braces(_)
            | Part::Variable { .. }
            | Part::Substitution { .. }
            | Part::Stream(_)
            | Part::Number(_)
            | Part::Changed { .. }
            | Part::Odd => None,
        }
    }
}
