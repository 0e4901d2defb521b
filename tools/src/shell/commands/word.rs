//! The words of a command: as typed, and as a program gets them, as far as that can be told.

use crate::shell::syntax::Doubt;

/// One word of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Word {
    /// As it was typed, quotes included.
    pub(crate) typed: String,
    /// What the program gets, unless a wildcard or a tilde is expanded or a part is unknown; that stands as typed.
    pub(crate) value: String,
    /// Whether it has a wildcard that is not quoted.
    pub(crate) has_wildcard: bool,
    /// Whether it begins with a tilde that is not quoted.
    pub(crate) has_tilde: bool,
    /// What is not known of it, if anything is not.
    pub(crate) unknown: Option<Unknown>,
    /// Whether it names the other end of a command that runs beside.
    pub(crate) is_stream: bool,
    /// Whether it stands for what another command finds; its wildcards then stand for leading dots too.
    pub(crate) found: Option<Found>,
}

/// How what is found becomes words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// Whether links may be among it.
    pub(crate) may_be_links: bool,
    /// Whether a name with a blank in it becomes several words.
    pub(crate) may_split: bool,
}

/// How little is known of a part of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unknown {
    pub(crate) origin: Origin,
    /// Whether it may become several words, or none.
    pub(crate) splits: bool,
    /// Whether it stands at the beginning, where it may become an option.
    pub(crate) leads: bool,
}

/// Where something comes from that is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Origin {
    /// It is a number.
    Number,
    /// It is the name of a commit, as git makes them.
    Hash,
    /// Commands of the same command line make it.
    Computed,
    /// It was there before the command line.
    Inherited,
}

/// Words that the shell itself understands where a program's name could stand.
const RESERVED: &[&str] = &[
    "!", "]]", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if", "in",
    "select", "then", "until", "while", "{", "}",
];

impl Word {
    /// A word that stands for itself.
    pub(crate) fn plain(value: &str) -> Word {
        Word { typed: value.to_owned(), value: value.to_owned(), ..Word::default() }
    }

    /// Words that are put in later, such as those that `xargs` reads.
    pub(crate) fn given() -> Word {
        let unknown = Unknown { origin: Origin::Computed, splits: true, leads: true };
        Word { unknown: Some(unknown), ..Word::default() }
    }

    /// Whether it stands for words that are put in later.
    pub(crate) fn is_given(&self) -> bool {
        self.typed.is_empty() && (self.found.is_some() || (self.value.is_empty() && self.unknown.is_some()))
    }

    /// Adds what is not known to it.
    pub(crate) fn add_unknown(&mut self, origin: Origin, splits: bool, typed: &str) {
        let leads = self.value.is_empty();
        self.value.push_str(typed);
        let before = self.unknown.unwrap_or(Unknown { origin, splits, leads });
        self.unknown = Some(Unknown {
            origin: before.origin.max(origin),
            splits: before.splits || splits,
            leads: before.leads || leads,
        });
    }

    /// Whether it may become an option: a wildcard that stands for whatever a folder holds.
    pub(crate) fn may_become_option(&self) -> bool {
        self.has_wildcard && self.found.is_none()
    }

    /// As rules see it: without quotes where it reads the same without, otherwise as it was typed.
    pub(crate) fn shown(&self) -> &str {
        let is_plain = |c: char| c.is_alphanumeric() || "_@%+=:,./-".contains(c);
        let reads_the_same = !self.value.is_empty() && self.value.chars().all(is_plain);
        if reads_the_same && !self.typed.contains('$') { &self.value } else { &self.typed }
    }

    /// Whether all of it is known.
    pub(crate) fn is_known(&self) -> bool {
        self.unknown.is_none()
    }

    /// Whether it may be something that only a person can know.
    pub(crate) fn is_hidden(&self) -> bool {
        self.unknown.is_some_and(|unknown| unknown.origin == Origin::Inherited)
    }

    /// Doubts a first word that is not simply the name of a program.
    pub(crate) fn check_names_a_program(&self) -> Result<(), Doubt> {
        let typed = &self.typed;
        if self.value.is_empty() || self.has_wildcard || self.has_tilde || !self.is_known() || self.is_stream
        {
            return Err(Doubt::new(format!("the program `{typed}` is not named plainly")));
        }
        if self.value.contains(char::is_whitespace) {
            return Err(Doubt::new(format!("the program `{typed}` has white space in its name")));
        }
        if RESERVED.contains(&self.value.as_str()) {
            return Err(Doubt::new(format!("`{typed}` is a word of the shell's own")));
        }
        let is_assigned = self.value.split_once('=').is_some_and(|(name, _)| {
            let name = name.trim_end_matches('+');
            name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        });
        if is_assigned {
            return Err(Doubt::new(format!("`{typed}` may set a variable")));
        }
        Ok(())
    }
}
