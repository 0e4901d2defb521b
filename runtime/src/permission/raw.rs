//! Text that a tool did not understand, such as a command line with an expansion in it, made searchable: for rules that
//! close, and for the killswitch. A search can only find too much; what it does not find still asks.

use super::hidden::numbered;
use super::words::{is_setting, program, runs_another};

/// How many characters are searched. Longer text counts as containing everything that is looked for.
const CHARS_MAX: usize = 20_000;

/// Words of the shell behind which a command begins.
const LEADING: &[&str] = &["!", "{", "coproc", "do", "elif", "else", "if", "then", "time", "until", "while"];
/// Programs that run text they are given.
const TEXT_RUNNERS: &[&str] = &[".", "eval", "source"];

/// A text that was not understood.
#[derive(Clone, Debug, Default)]
pub(super) struct RawText {
    /// The whole text and each stretch that might be a command of its own; quotes removed, single spaces.
    commands: Vec<String>,
    /// Everything that might be a word of its own; quotes removed.
    pub(super) words: Vec<String>,
    /// What stands behind each program whose name the shell puts together, so that any may be meant.
    pub(super) unnamed: Vec<Vec<String>>,
    /// Whether the shell puts something in that cannot be read here.
    pub(super) has_expansion: bool,
    /// How many characters it writes by their numbers.
    pub(super) numbered: usize,
    /// Whether there is too much of it to be searched.
    pub(super) is_too_long: bool,
}

impl RawText {
    pub(super) fn new(raw: &str) -> RawText {
        if raw.len() > CHARS_MAX {
            return RawText { is_too_long: true, ..RawText::default() };
        }
        let raw = &spelled_out(raw);
        let text = unquoted(raw);
        let is_end = |c: char| ";&|\n\r(){}`<>\0".contains(c);
        let whole = std::iter::once(text.as_str());
        let commands = whole.chain(text.split(is_end)).map(|part| spaced(&part.replace('$', "")));
        let mut words = Vec::new();
        for part in text.split(|c: char| c.is_whitespace() || ";&|()`<>\0".contains(c)) {
            let inner = part.split(['=', ':', ',', '@', '{', '}']);
            words.extend(
                std::iter::once(part).chain(inner).filter(|word| !word.is_empty()).map(str::to_owned),
            );
            words.extend(braces_expanded(part));
        }
        words.extend(with_patterns(&text));
        words.sort_unstable();
        words.dedup();
        RawText {
            commands: commands.filter(|part| !part.is_empty()).collect(),
            words,
            unnamed: unnamed(raw),
            has_expansion: raw.contains(['$', '`']),
            numbered: numbered(raw),
            is_too_long: false,
        }
    }

    /// The stretches that might be commands of their own.
    pub(super) fn into_stretches(self) -> Vec<String> {
        self.commands
    }

    /// Whether nothing was said.
    pub(super) fn is_empty(&self) -> bool {
        self.commands.is_empty() && !self.is_too_long
    }

    /// Whether these pieces stand in a stretch one after another, the first at the beginning of a word, and the last
    /// at the end of one. An empty piece at an end is open.
    pub(super) fn has_command(&self, pieces: &[String]) -> bool {
        let pieces: Vec<String> = pieces.iter().map(|piece| unquoted(piece).replace('$', "")).collect();
        self.is_too_long || self.commands.iter().any(|command| stands_in(&pieces, command))
    }
}

/// The text without quotes, escapes and continued lines, and with a space for each separator that a variable hides.
fn unquoted(text: &str) -> String {
    text.replace("\\\n", "").replace("${IFS}", " ").replace("$IFS", " ").replace(['"', '\'', '\\'], "")
}

/// The text with plain characters for those that `$'…'` writes by their numbers.
fn spelled_out(text: &str) -> String {
    if !text.contains("$'") {
        return text.to_owned();
    }
    let mut spelled = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        spelled.push_str(&rest[..at]);
        let behind = &rest[at + 1..];
        let (radix, most, skipped) = match behind.chars().next() {
            Some('x') => (16, 2, 1),
            Some('u') => (16, 4, 1),
            Some('U') => (16, 8, 1),
            _octal => (8, 3, 0),
        };
        let digits = &behind[skipped..];
        let length = digits.chars().take(most).take_while(|digit| digit.is_digit(radix)).count();
        let number = u32::from_str_radix(&digits[..length], radix).ok().and_then(char::from_u32);
        match number.filter(|c| c.is_ascii() && !c.is_ascii_control()) {
            Some(c) => {
                spelled.push(c);
                rest = &digits[length..];
            }
            None => {
                spelled.push('\\');
                rest = behind;
            }
        }
    }
    spelled + rest
}

/// The words with patterns such as `!(…)` in them, which some shells read as wildcards, with a wildcard for each.
fn with_patterns(text: &str) -> Vec<String> {
    const OPENINGS: &[&str] = &["!(", "@(", "?(", "*(", "+("];
    let is_pattern = |word: &&str| OPENINGS.iter().any(|opening| word.contains(opening));
    let replaced = |word: &str| {
        let (mut shown, mut depth) = (String::new(), 0_usize);
        for (at, c) in word.char_indices() {
            let opens = OPENINGS.iter().any(|opening| word[at..].starts_with(opening));
            match c {
                _mark if opens && depth == 0 => shown.push_str("[.]*"),
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                plain if depth == 0 => shown.push(plain),
                _inside => {}
            }
        }
        shown
    };
    text.split(char::is_whitespace).filter(is_pattern).map(replaced).collect()
}

/// The words that a word with braces stands for, as far as they are few; nothing where it has none.
pub(super) fn braces_expanded(word: &str) -> Vec<String> {
    const WORDS_MAX: usize = 64;
    const LENGTH_MAX: usize = 2_000;
    if !word.contains('{') || !(word.contains(',') || word.contains("..")) || word.len() > LENGTH_MAX {
        return Vec::new();
    }
    let mut done = Vec::new();
    let mut open = vec![word.to_owned()];
    while let Some(word) = open.pop() {
        if done.len() + open.len() > WORDS_MAX {
            break;
        }
        // The innermost first: it has no brace within.
        let close = word.find('}');
        let begin = close.and_then(|close| word[..close].rfind('{'));
        match (begin, close) {
            (Some(begin), Some(close)) if word[begin..close].contains("..") => {
                open.push(format!("{}*{}", &word[..begin], &word[close + 1..]));
            }
            (Some(begin), Some(close)) => open.extend(
                word[begin + 1..close]
                    .split(',')
                    .map(|inner| format!("{}{inner}{}", &word[..begin], &word[close + 1..])),
            ),
            _plain => done.push(word),
        }
    }
    done
}

/// Whether a program's name has something in it that the shell replaces. The folder it is in does not matter.
pub(super) fn is_put_together(word: &str) -> bool {
    let name = program(word);
    !matches!(name, "[" | "[[") && name.contains(['$', '`', '*', '?', '[', '{', '}'])
}

/// What stands behind each program whose name is put together.
fn unnamed(raw: &str) -> Vec<Vec<String>> {
    let text = raw.replace("\\\n", "");
    let mut found = Vec::new();
    // Whether a command begins, here and behind each bracket that is still open.
    let (mut begins, mut outer) = (true, Vec::new());
    let mut rest = text.as_str();
    loop {
        let end = rest.find([';', '&', '|', '\n', '\r', '(', ')', '`']);
        let stretch = &rest[..end.unwrap_or(rest.len())];
        let mut is_open = false;
        if begins || stretch.trim_start().starts_with('{') {
            match behind_name(stretch) {
                Behind::Nothing => is_open = true,
                Behind::Plain => {}
                // What a substitution stands for is followed by the words behind it.
                Behind::PutTogether(words) if words.is_empty() => {
                    found.push(text.split_whitespace().skip(1).map(unquoted).collect());
                }
                Behind::PutTogether(words) => found.push(words),
            }
        }
        let Some(end) = end else { return found };
        match rest.as_bytes()[end] {
            b'(' => outer.push(std::mem::replace(&mut begins, true) && is_open),
            b')' => begins = outer.pop().unwrap_or(true),
            b'`' if begins && is_open => {
                found.push(text.split_whitespace().skip(1).map(unquoted).collect());
            }
            _separator => begins = true,
        }
        rest = &rest[end + 1..];
    }
}

/// What a stretch of a command line says of the program it runs.
enum Behind {
    /// There is none yet.
    Nothing,
    /// It is named plainly.
    Plain,
    /// Its name is put together; with the words behind it.
    PutTogether(Vec<String>),
}

fn behind_name(stretch: &str) -> Behind {
    let mut words = stretch.split_whitespace();
    let (mut is_wrapped, mut may_be_value, mut is_target) = (false, false, false);
    while let Some(typed) = words.next() {
        let word = unquoted(typed);
        let redirects = typed.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with(['<', '>']);
        if redirects || std::mem::take(&mut is_target) {
            is_target = redirects && typed.ends_with(['<', '>']);
        } else if is_put_together(typed) && !is_setting(&word) && typed != "{" {
            return Behind::PutTogether(words.map(unquoted).collect());
        } else if TEXT_RUNNERS.contains(&word.as_str()) {
            let runs_any = words.any(|word| word.contains(['$', '`', '<']));
            // Its own name is no folder.
            return if runs_any { Behind::PutTogether(vec!["eval".to_owned()]) } else { Behind::Plain };
        } else if runs_another(program(&word)) {
            is_wrapped = true;
        } else if is_wrapped && word.starts_with(|c: char| c == '-' || c.is_ascii_digit()) {
            may_be_value = true;
        } else if !LEADING.contains(&word.as_str())
            && !is_setting(&word)
            && !std::mem::take(&mut may_be_value)
        {
            return Behind::Plain;
        }
    }
    Behind::Nothing
}

/// The text with each run of white space as one space, and none at the ends.
pub(super) fn spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Takes the leftmost place for each piece: with open ends, no other choice finds more.
fn stands_in(pieces: &[String], text: &str) -> bool {
    let Some((last, before)) = pieces.split_last() else { return false };
    let is_inner = |c: char| c.is_alphanumeric() || "_-.".contains(c);
    let begins = |at: usize| !text[..at].ends_with(is_inner);
    let ends = |at: usize| !text[at..].starts_with(is_inner);
    let mut from = 0;
    for (index, piece) in before.iter().enumerate() {
        let is_first = index == 0 && !piece.is_empty();
        let Some(at) = places(text, from, piece).find(|at| !is_first || begins(*at)) else { return false };
        from = at + piece.len();
    }
    let is_only = before.is_empty();
    last.is_empty() || places(text, from, last).any(|at| ends(at + last.len()) && (!is_only || begins(at)))
}

/// Every place of a piece in a text, from one on. Places may overlap: one that does not fit must not hide the next.
fn places(text: &str, from: usize, piece: &str) -> impl Iterator<Item = usize> {
    let starts = text[from..].char_indices().map(move |(at, _)| from + at).chain([text.len()]);
    starts.filter(move |at| text[*at..].starts_with(piece))
}

/// Whether a word of a shell might stand for a name: what the shell would fill in counts as anything, but at its
/// beginning not as a leading dot. A word that is nothing else says nothing.
pub(super) fn may_name(word: &str, name: &str) -> bool {
    let mut pieces = vec![String::new()];
    let mut chars = word.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '*' | '?' => pieces.push(String::new()),
            '[' => {
                chars.by_ref().find(|c| *c == ']');
                pieces.push(String::new());
            }
            '$' => {
                while chars.next_if(|c| c.is_alphanumeric() || *c == '_').is_some() {}
                pieces.push(String::new());
            }
            other => {
                let last = pieces.last_mut().expect("there is always one");
                last.extend(other.to_lowercase());
            }
        }
    }
    let is_hidden = word.starts_with(['*', '?']) && name.starts_with('.');
    let says_nothing = pieces.iter().all(|piece| piece.is_empty());
    !is_hidden && !says_nothing && pieces_match(&pieces, &name.to_lowercase())
}

/// Whether the text is the pieces in their order, with anything between them.
pub(super) fn pieces_match(pieces: &[String], text: &str) -> bool {
    let [first, middle @ .., last] = pieces else { return pieces.first().is_some_and(|only| only == text) };
    let Some(mut rest) = text.strip_prefix(first.as_str()) else { return false };
    for piece in middle {
        let Some(at) = rest.find(piece.as_str()) else { return false };
        rest = &rest[at + piece.len()..];
    }
    rest.ends_with(last.as_str())
}
