//! Splitting a command line into simple commands, by hand: it understands words, quotes without expansions, lists,
//! pipes and redirections to plain words, and doubts everything else.
//!
//! It runs nothing and knows no program. What it doubts must be asked about: a wrong reading would be a hole.

use super::characters::first_unseen;
use super::word::Word;

/// How many characters a command may have to be read.
const COMMAND_CHARS_MAX: usize = 10_000;

/// What could not be understood, as a phrase such as "`$` begins an expansion".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Doubt(String);

impl Doubt {
    pub(crate) fn new(phrase: impl Into<String>) -> Doubt {
        Doubt(phrase.into())
    }
}

/// Which way the data of a redirection goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// From the file into the command.
    In,
    /// From the command into the file.
    Out,
}

/// A redirection to or from a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Redirect {
    pub(crate) direction: Direction,
    pub(crate) target: Word,
}

/// What stands after a simple command.
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

/// A program with its arguments and redirections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Simple {
    /// Never empty; the first names the program.
    pub(crate) words: Vec<Word>,
    pub(crate) redirects: Vec<Redirect>,
    pub(crate) link: Link,
}

impl Simple {
    /// The program's name, without the folder it is in.
    pub(crate) fn program(&self) -> &str {
        let first = self.words.first().map_or("", |word| word.value.as_str());
        first.rsplit('/').next().unwrap_or_default()
    }

    /// Whether it may leave a link where there was none: a later path through it leads elsewhere than it does now.
    pub(crate) fn brings_links(&self) -> bool {
        matches!(self.program(), "ln" | "mv")
    }
}

/// Splits a command line into its simple commands; there is at least one.
pub(crate) fn split(command: &str) -> Result<Vec<Simple>, Doubt> {
    if command.chars().nth(COMMAND_CHARS_MAX).is_some() {
        return Err(Doubt::new(format!("the command is longer than {COMMAND_CHARS_MAX} characters")));
    }
    if let Some(unseen) = first_unseen(command) {
        return Err(Doubt::new(format!(
            "the invisible character U+{:04X} may hide something",
            u32::from(unseen)
        )));
    }
    Splitter { rest: command, words: Vec::new(), redirects: Vec::new(), done: Vec::new() }.run()
}

struct Splitter<'a> {
    rest: &'a str,
    words: Vec<Word>,
    redirects: Vec<Redirect>,
    done: Vec<Simple>,
}

impl Splitter<'_> {
    fn run(mut self) -> Result<Vec<Simple>, Doubt> {
        loop {
            self.skip_blanks();
            let Some(next) = self.peek() else { break };
            match next {
                '\n' => {
                    self.take("\n");
                    if !self.words.is_empty() || !self.redirects.is_empty() {
                        self.end(Link::Then)?;
                    }
                }
                ';' | '&' | '|' => self.operator()?,
                '<' | '>' => self.redirect()?,
                _other => self.word_or_descriptor()?,
            }
        }
        if !self.words.is_empty() || !self.redirects.is_empty() {
            self.end(Link::Then)?;
        }
        match self.done.last().map(|last| last.link) {
            None => Err(Doubt::new("the command is empty")),
            Some(Link::Pipe | Link::And | Link::Or) => Err(Doubt::new("the command ends after an operator")),
            Some(Link::Then | Link::Background) => Ok(self.done),
        }
    }

    fn operator(&mut self) -> Result<(), Doubt> {
        if self.take("&>") {
            return self.redirect_to(Direction::Out, "&>");
        }
        let operators = [
            (";;", None),
            (";&", None),
            ("&&", Some(Link::And)),
            ("||", Some(Link::Or)),
            ("|&", Some(Link::Pipe)),
            (";", Some(Link::Then)),
            ("&", Some(Link::Background)),
            ("|", Some(Link::Pipe)),
        ];
        for (operator, link) in operators {
            if self.take(operator) {
                return link.map_or_else(|| Err(doubtful(operator)), |link| self.end(link));
            }
        }
        Err(Doubt::new("an operator is not known"))
    }

    /// Ends the simple command that was being read.
    fn end(&mut self, link: Link) -> Result<(), Doubt> {
        let words = std::mem::take(&mut self.words);
        let Some(program) = words.first() else {
            return Err(Doubt::new("an operator or a redirection stands without a command"));
        };
        program.check_names_a_program()?;
        self.done.push(Simple { words, redirects: std::mem::take(&mut self.redirects), link });
        Ok(())
    }

    fn redirect(&mut self) -> Result<(), Doubt> {
        for doubted in ["<<", "<(", "<&", "<>", ">(", ">|", ">>&", ">>(", ">>|", ">&-"] {
            if self.rest.starts_with(doubted) {
                return Err(doubtful(doubted));
            }
        }
        if self.take(">&") {
            return self.copy_of_descriptor();
        }
        if self.take("<") {
            return self.redirect_to(Direction::In, "<");
        }
        let operator = if self.take(">>") { ">>" } else { ">" };
        if operator == ">" {
            self.take(">");
        }
        self.redirect_to(Direction::Out, operator)
    }

    /// `>&1` and `>&2` join streams; any other word behind `>&` is a file in some shells and not in others.
    fn copy_of_descriptor(&mut self) -> Result<(), Doubt> {
        let joins = self.take("1") || self.take("2");
        let ends = self
            .peek()
            .is_none_or(|next| next.is_whitespace() || matches!(next, ';' | '&' | '|' | '<' | '>'));
        if joins && ends { Ok(()) } else { Err(doubtful(">&")) }
    }

    fn redirect_to(&mut self, direction: Direction, operator: &str) -> Result<(), Doubt> {
        self.skip_blanks();
        let ends = self.peek().is_none_or(|next| matches!(next, '\n' | ';' | '&' | '|' | '<' | '>'));
        if ends {
            return Err(doubtful(operator));
        }
        let target = self.word()?;
        if target.value.is_empty() || target.has_wildcard || target.has_tilde {
            return Err(Doubt::new(format!(
                "the target `{}` of a redirection is not a plain path",
                target.typed
            )));
        }
        if target.value.starts_with("/dev/tcp/") || target.value.starts_with("/dev/udp/") {
            return Err(Doubt::new(format!(
                "the target `{}` of a redirection is a network address",
                target.typed
            )));
        }
        self.redirects.push(Redirect { direction, target });
        Ok(())
    }

    /// A word; or the number of a stream, when a redirection follows without a blank.
    fn word_or_descriptor(&mut self) -> Result<(), Doubt> {
        let word = self.word()?;
        let is_number = !word.typed.is_empty() && word.typed.bytes().all(|byte| byte.is_ascii_digit());
        match (is_number, self.peek()) {
            (true, Some('<')) if word.typed == "0" => self.redirect(),
            (true, Some('>')) if word.typed == "1" || word.typed == "2" => self.redirect(),
            (true, Some('<' | '>')) => Err(Doubt::new(format!("the stream `{}` is redirected", word.typed))),
            _word => {
                self.words.push(word);
                Ok(())
            }
        }
    }

    fn word(&mut self) -> Result<Word, Doubt> {
        let mut word = Word::default();
        let mut before = ' ';
        while let Some(next) = self.peek() {
            match next {
                ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' => break,
                '\'' => self.single_quoted(&mut word)?,
                '"' => self.double_quoted(&mut word)?,
                '\\' if self.take("\\\n") => {}
                '\\' => self.escaped(&mut word)?,
                '$' | '`' | '(' | ')' | '{' | '}' => return Err(doubtful(next.encode_utf8(&mut [0; 4]))),
                '#' if word.typed.is_empty() => return Err(Doubt::new("`#` begins a comment")),
                '~' if matches!(before, '=' | ':') => {
                    return Err(Doubt::new("`~` behind `=` or `:` may be expanded"));
                }
                _plain => {
                    word.has_wildcard |= matches!(next, '*' | '?') || (next == '[' && !self.is_test(&word));
                    word.has_tilde |= next == '~' && word.typed.is_empty();
                    word.push(next);
                    self.bump(next);
                }
            }
            before = next;
        }
        Ok(word)
    }

    /// Whether a `[` here is the program of that name.
    fn is_test(&self, word: &Word) -> bool {
        let ends = self.rest[1..].chars().next().is_none_or(char::is_whitespace);
        word.typed.is_empty() && self.words.is_empty() && ends
    }

    fn single_quoted(&mut self, word: &mut Word) -> Result<(), Doubt> {
        let Some(length) = self.rest[1..].find('\'') else { return Err(Doubt::new("`'` is not closed")) };
        word.typed.push_str(&self.rest[..length + 2]);
        word.value.push_str(&self.rest[1..=length]);
        self.rest = &self.rest[length + 2..];
        Ok(())
    }

    fn double_quoted(&mut self, word: &mut Word) -> Result<(), Doubt> {
        let mut chars = self.rest.char_indices().skip(1).peekable();
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    word.typed.push_str(&self.rest[..=at]);
                    self.rest = &self.rest[at + 1..];
                    return Ok(());
                }
                '$' | '`' => return Err(doubtful(c.encode_utf8(&mut [0; 4]))),
                '\\' => match chars.next_if(|(_at, next)| matches!(next, '$' | '`' | '"' | '\\' | '\n')) {
                    Some((_at, '\n')) => {}
                    Some((_at, escaped)) => word.value.push(escaped),
                    None => word.value.push('\\'),
                },
                _plain => word.value.push(c),
            }
        }
        Err(Doubt::new("`\"` is not closed"))
    }

    fn escaped(&mut self, word: &mut Word) -> Result<(), Doubt> {
        self.take("\\");
        let Some(escaped) = self.peek() else { return Err(Doubt::new("`\\` stands at the end")) };
        word.typed.push('\\');
        word.push(escaped);
        self.bump(escaped);
        Ok(())
    }

    fn skip_blanks(&mut self) {
        while self.take(" ") || self.take("\t") || self.take("\\\n") {}
    }

    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn bump(&mut self, next: char) {
        self.rest = &self.rest[next.len_utf8()..];
    }

    fn take(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }
}

fn doubtful(piece: &str) -> Doubt {
    Doubt::new(format!("`{piece}` is not understood"))
}
