//! The kinds of faults, each with its name, its letter in tokens, and the label of its choices.

use std::fmt;
use std::str::FromStr;

/// Something that goes wrong outside the runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// A tool takes far longer than it should.
    ToolSlow,
    /// A tool fails.
    ToolFails,
    /// A tool panics.
    ToolPanics,
    /// A tool never ends, until a person has had enough and stops the turn.
    ToolHangs,
    /// A tool gives far more than anybody reads.
    ToolHuge,
    /// The server of a remote tool closes the connection in the middle of a call.
    McpDisconnects,
    /// A hook fails.
    HookFails,
    /// A hook panics.
    HookPanics,
    /// A hook never ends, until its time is over.
    HookHangs,
    /// A hook takes far longer than it should.
    HookSlow,
    /// The classifier gives no answer that can be used.
    ClassifierFails,
    /// The person says nothing for a day, and then that they have nothing to say.
    PersonSilent,
    /// Whatever asks the person breaks down with the question.
    PersonLost,
    /// The person aborts the turn in the middle.
    Abort,
    /// The person sends a new message in the middle of the turn.
    Interrupt,
    /// The connection to the model breaks in the middle of its message.
    StreamBreaks,
    /// Nothing more can be stored.
    DiskFull,
}

/// A name that is no fault's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{given}` is no fault; there are all, {}", names())]
pub struct UnknownFault {
    /// What was given.
    pub given: String,
}

fn names() -> String {
    Fault::ALL.iter().map(|fault| fault.name()).collect::<Vec<_>>().join(", ")
}

impl Fault {
    /// All of them.
    pub const ALL: &[Fault] = &[
        Fault::ToolSlow,
        Fault::ToolFails,
        Fault::ToolPanics,
        Fault::ToolHangs,
        Fault::ToolHuge,
        Fault::McpDisconnects,
        Fault::HookFails,
        Fault::HookPanics,
        Fault::HookHangs,
        Fault::HookSlow,
        Fault::ClassifierFails,
        Fault::PersonSilent,
        Fault::PersonLost,
        Fault::Abort,
        Fault::Interrupt,
        Fault::StreamBreaks,
        Fault::DiskFull,
    ];

    /// Its name, its letter in tokens, and the label of its choices, which tells it in words.
    const fn told(self) -> (&'static str, char, &'static str) {
        match self {
            Fault::ToolSlow => ("tool-slow", 's', "fault: a tool is slow"),
            Fault::ToolFails => ("tool-fails", 'f', "fault: a tool fails"),
            Fault::ToolPanics => ("tool-panics", 'p', "fault: a tool panics"),
            Fault::ToolHangs => ("tool-hangs", 'h', "fault: a tool hangs"),
            Fault::ToolHuge => ("tool-huge", 'u', "fault: a tool gives far too much"),
            Fault::McpDisconnects => ("mcp-disconnects", 'm', "fault: a server disconnects"),
            Fault::HookFails => ("hook-fails", 'F', "fault: a hook fails"),
            Fault::HookPanics => ("hook-panics", 'P', "fault: a hook panics"),
            Fault::HookHangs => ("hook-hangs", 'H', "fault: a hook hangs"),
            Fault::HookSlow => ("hook-slow", 'S', "fault: a hook is slow"),
            Fault::ClassifierFails => ("classifier-fails", 'c', "fault: the classifier fails"),
            Fault::PersonSilent => ("person-silent", 'q', "fault: the person is silent"),
            Fault::PersonLost => ("person-lost", 'l', "fault: the question to the person is lost"),
            Fault::Abort => ("abort", 'a', "fault: the turn is aborted"),
            Fault::Interrupt => ("interrupt", 'i', "fault: the turn is interrupted"),
            Fault::StreamBreaks => ("stream-breaks", 'b', "fault: the model's message breaks off"),
            Fault::DiskFull => ("disk-full", 'd', "fault: the disk is full"),
        }
    }

    /// Its name, such as `tool-panics`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.told().0
    }

    /// Its letter in tokens.
    #[must_use]
    pub const fn letter(self) -> char {
        self.told().1
    }

    /// The label of its choices, such as `fault: a tool panics`. Option 1 is that it strikes; every other that it does
    /// not.
    #[must_use]
    pub const fn label(self) -> &'static str {
        self.told().2
    }

    /// The fault with this letter.
    #[must_use]
    pub fn of_letter(letter: char) -> Option<Fault> {
        Fault::ALL.iter().copied().find(|fault| fault.letter() == letter)
    }

    /// Some of them, as names between commas; `all` is all of them.
    ///
    /// # Errors
    /// A name that is none.
    pub fn list(text: &str) -> Result<Vec<Fault>, UnknownFault> {
        if text.trim() == "all" {
            return Ok(Fault::ALL.to_vec());
        }
        text.split(',').map(|name| name.trim().parse()).collect()
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Fault {
    type Err = UnknownFault;

    fn from_str(text: &str) -> Result<Fault, UnknownFault> {
        let named = Fault::ALL.iter().copied().find(|fault| fault.name() == text);
        named.ok_or_else(|| UnknownFault { given: text.to_owned() })
    }
}
