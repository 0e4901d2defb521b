//! The words of a command: as typed, and as a program gets them.

use super::command::Doubt;

/// One word of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Word {
    /// As it was typed, quotes included.
    pub(crate) typed: String,
    /// What the program gets, unless a wildcard or a tilde is expanded.
    pub(crate) value: String,
    /// Whether it has a wildcard that is not quoted.
    pub(crate) has_wildcard: bool,
    /// Whether it begins with a tilde that is not quoted.
    pub(crate) has_tilde: bool,
}

/// Words that the shell itself understands where a program's name could stand.
const RESERVED: &[&str] = &[
    "!", "[[", "]]", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if",
    "in", "select", "then", "time", "until", "while",
];

impl Word {
    /// Adds a character that stands for itself.
    pub(crate) fn push(&mut self, c: char) {
        self.typed.push(c);
        self.value.push(c);
    }

    /// As rules see it: without quotes where it reads the same without, otherwise as it was typed.
    pub(crate) fn shown(&self) -> &str {
        let is_plain = |c: char| c.is_alphanumeric() || "_@%+=:,./-".contains(c);
        let reads_the_same = !self.value.is_empty() && self.value.chars().all(is_plain);
        if reads_the_same { &self.value } else { &self.typed }
    }

    /// Doubts a first word that is not simply the name of a program.
    pub(crate) fn check_names_a_program(&self) -> Result<(), Doubt> {
        let typed = &self.typed;
        if self.value.is_empty() || self.has_wildcard || self.has_tilde {
            return Err(Doubt::new(format!("the program `{typed}` is not named plainly")));
        }
        if self.value.contains(char::is_whitespace) {
            return Err(Doubt::new(format!("the program `{typed}` has white space in its name")));
        }
        if RESERVED.contains(&self.value.as_str()) {
            return Err(Doubt::new(format!("`{typed}` is a word of the shell's own")));
        }
        let name = self.value.split('=').next().unwrap_or_default().trim_end_matches('+');
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if self.value.contains('=') && is_name {
            return Err(Doubt::new(format!("the variable `{name}` is set before or in place of a command")));
        }
        Ok(())
    }
}
