//! Programs that run the program behind them: with which options, and where it begins.

use super::launchers::{NOT_FOLLOWED, RUNNING_TEXT, Wrapper, wrapper};
use super::multiplexers::multiplexed;
use super::pipes::Input;
use super::word::Word;
use crate::shell::syntax::Doubt;

/// What stands behind a wrapper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Inner {
    /// It is no wrapper, or runs nothing.
    None,
    /// A command by its words. The wrapper is transparent where it adds nothing to what that command does.
    Command { words: Vec<Word>, is_transparent: bool, settings: Vec<String> },
    /// A text for a shell.
    Script { text: String },
}

/// What a program runs. `is_fed` where it reads from something.
pub(super) fn inner(name: &str, arguments: &[Word], input: &Input) -> Result<Inner, Doubt> {
    check_is_followed(name, arguments)?;
    if let Some(inner) = multiplexed(name, arguments)? {
        return Ok(inner);
    }
    if let Some(inner) = by_option(name, arguments)? {
        return Ok(inner);
    }
    let Some(row) = wrapper(name) else { return Ok(Inner::None) };
    if let Some(arguments) = split_up(name, arguments)? {
        return inner(name, &arguments, input);
    }
    if name == "command" && arguments.first().is_some_and(|word| matches!(word.value.as_str(), "-v" | "-V")) {
        return Ok(Inner::None);
    }
    let mut replaced: Option<String> = None;
    let mut rest = arguments;
    let mut settings = Vec::new();
    let mut had_options = false;
    let mut is_fed = *input != Input::Nothing;
    let mut reading = Reading::default();
    while let [word, after @ ..] = rest {
        if word.value == "--" {
            rest = after;
            break;
        }
        if name == "env" && word.value == "-" {
            rest = after;
            continue;
        }
        let Some(option) = word.value.strip_prefix('-').filter(|option| !option.is_empty()) else {
            let is_setting = matches!(name, "cross-env" | "doas" | "env" | "sudo") && is_setting(&word.value);
            if !is_setting {
                break;
            }
            settings.push(word.value.clone());
            rest = after;
            continue;
        };
        had_options = true;
        if name == "xargs" {
            reading.note(option);
            is_fed |= reading.takes_file;
        }
        let taken = taken(row, option)
            .filter(|_| word.is_known())
            .ok_or_else(|| Doubt::new(format!("the option `{}` of `{name}` is not known", word.typed)))?;
        if name == "xargs" && option.starts_with('I') {
            replaced = Some(placeholder(option, after));
        }
        rest = if taken { after.get(1..).unwrap_or_default() } else { after };
    }
    let words = rest.get(row.operands..).unwrap_or_default();
    if name == "watch" {
        return script(name, words);
    }
    if words.is_empty() {
        return Ok(Inner::None);
    }
    if let Some(odd) = words.first().filter(|word| word.value.starts_with('-')) {
        return Err(Doubt::new(format!("`{}` behind `{name}` is no program", odd.typed)));
    }
    let found = input.found().filter(|_| name == "xargs").and_then(|found| reading.given(found));
    let knows_words = found.is_some();
    let words = filled(words, replaced.as_deref(), found, name == "xargs" && is_fed);
    let is_transparent = row.is_transparent && !(name == "xargs" && had_options && !knows_words);
    Ok(Inner::Command { words, is_transparent, settings })
}

/// What `xargs -I` replaces: in the same word, or the next.
fn placeholder(option: &str, after: &[Word]) -> String {
    let said = if option == "I" { after.first().map_or("{}", |word| &word.value) } else { &option[1..] };
    said.to_owned()
}

/// Doubts a program that runs others in ways that are not followed.
fn check_is_followed(name: &str, arguments: &[Word]) -> Result<(), Doubt> {
    let only_lists =
        name == "crontab" && !arguments.is_empty() && arguments.iter().all(|word| word.value == "-l");
    if NOT_FOLLOWED.contains(&name) && !only_lists {
        return Err(Doubt::new(format!("`{name}` runs another command or changes the shell")));
    }
    Ok(())
}

/// What a program runs because an option gives it a text for a shell, or the command line of another program.
fn by_option(name: &str, arguments: &[Word]) -> Result<Option<Inner>, Doubt> {
    if name == "gdb" {
        let at = arguments.iter().position(|word| matches!(word.value.as_str(), "--args" | "-args"));
        let runs_code = |word: &Word| {
            let option = word.value.trim_start_matches('-');
            word.value.starts_with('-')
                && ["ex", "x", "iex", "ix", "command", "eval"].iter().any(|it| option.starts_with(it))
        };
        if let Some(odd) = arguments[..at.unwrap_or(arguments.len())].iter().find(|word| runs_code(word)) {
            return Err(Doubt::new(format!("`{}` of `gdb` runs commands of its own", odd.typed)));
        }
        let words = at.map(|at| arguments[at + 1..].to_vec()).unwrap_or_default();
        let command = Inner::Command { words, is_transparent: false, settings: Vec::new() };
        return Ok(Some(if at.is_some() { command } else { Inner::None }));
    }
    let Some((_, is_needed)) = RUNNING_TEXT.iter().find(|(known, _)| *known == name) else { return Ok(None) };
    let names_user = |word: &Word| word.value.starts_with("-u") || word.value.starts_with("--user");
    if name == "runuser" && arguments.iter().any(names_user) {
        return Ok(None);
    }
    let mut operands = 0;
    for (at, word) in arguments.iter().enumerate() {
        let value = word.value.as_str();
        operands += usize::from(!value.starts_with('-'));
        // Behind its file, another program has options of its own.
        if value == "--" || (name == "flock" && operands > 1) {
            break;
        }
        let attached = value.strip_prefix("--command=").or_else(|| value.strip_prefix("--session-command="));
        if let Some(text) = attached {
            let text = Word { value: text.to_owned(), has_tilde: false, ..word.clone() };
            return script(name, &[text]).map(Some);
        }
        let is_cluster = value.starts_with('-') && !value.starts_with("--") && value.ends_with('c');
        if is_cluster || matches!(value, "--command" | "--session-command") {
            return script(name, arguments.get(at + 1..at + 2).unwrap_or_default()).map(Some);
        }
    }
    if *is_needed {
        return Err(Doubt::new(format!("`{name}` runs another command or changes the shell")));
    }
    Ok(None)
}

/// The arguments of `env` with the command line that its option `-S` takes apart; nothing where it has none.
fn split_up(name: &str, arguments: &[Word]) -> Result<Option<Vec<Word>>, Doubt> {
    if name != "env" {
        return Ok(None);
    }
    let mut words = arguments.iter().enumerate();
    while let Some((at, word)) = words.next() {
        let value = word.value.as_str();
        let long = value.strip_prefix("--").filter(|long| !long.is_empty());
        let (text, taken) = match (long, value.strip_prefix('-')) {
            (Some(long), _) => {
                let (option, attached) = long.split_once('=').map_or((long, None), |(o, v)| (o, Some(v)));
                if option == "unset" && attached.is_none() {
                    words.next();
                }
                if option.is_empty() || !"split-string".starts_with(option) {
                    continue;
                }
                (attached, attached.is_none())
            }
            (None, Some(options)) => {
                let plain = options.trim_start_matches(['i', 'v', '0']);
                if plain == "u" {
                    words.next();
                }
                let Some(attached) = plain.strip_prefix('S') else { continue };
                (Some(attached).filter(|it| !it.is_empty()), attached.is_empty())
            }
            (None, None) => return Ok(None),
        };
        let given = if taken { arguments.get(at + 1) } else { Some(word) };
        let Some(given) = given else { return Ok(None) };
        let text = text.unwrap_or(&given.value);
        if !given.is_known() || given.has_wildcard || text.contains(['\\', '\'', '"', '$', '#']) {
            return Err(Doubt::new(format!("`env` takes `{}` apart, which is not told", given.typed)));
        }
        let mut all = arguments[..at].to_vec();
        all.extend(text.split_whitespace().map(Word::plain));
        all.extend(arguments.get(at + 1 + usize::from(taken)..).unwrap_or_default().iter().cloned());
        return Ok(Some(all));
    }
    Ok(None)
}

/// The words of a command with what `xargs` puts in: for a mark, or at their end.
fn filled(words: &[Word], mark: Option<&str>, found: Option<Vec<Word>>, is_fed: bool) -> Vec<Word> {
    let mut words = words.to_vec();
    let Some(mark) = mark else {
        words.extend(found.unwrap_or_else(|| is_fed.then(Word::given).into_iter().collect()));
        return words;
    };
    let is_whole = words.iter().all(|word| word.value == mark || !word.value.contains(mark));
    let only = found.filter(|found| is_whole && found.len() == 1).and_then(|found| found.into_iter().next());
    words.iter_mut().filter(|word| word.value.contains(mark)).for_each(|word| match &only {
        Some(found) => *word = found.clone(),
        None => {
            let typed = word.typed.clone();
            *word = Word { typed: typed.clone(), ..Word::default() };
            word.add_unknown(super::word::Origin::Computed, false, &typed);
        }
    });
    words
}

/// How `xargs` makes words of what it reads.
#[derive(Clone, Copy, Debug, Default)]
struct Reading {
    takes_file: bool,
    ends_with_zero: bool,
    /// Whether names are cut where others do not end, so that they become other names.
    cuts_elsewhere: bool,
}

impl Reading {
    fn note(&mut self, option: &str) {
        self.takes_file |= option.starts_with('a') || option.contains("arg-file");
        self.cuts_elsewhere |= option.contains(['d', 'E']) && !option.starts_with('-');
        self.cuts_elsewhere |= option.starts_with("-delimiter");
        self.ends_with_zero |= matches!(option, "0" | "-null" | "0r" | "r0" | "0n" | "0P" | "0I");
    }

    /// What is found, as the command gets it: what shows names with a zero behind each must be read so.
    fn given(self, found: &[Word]) -> Option<Vec<Word>> {
        let shows_zero = |word: &Word| word.found.is_some_and(|found| !found.may_split);
        let fits = found.iter().all(|word| shows_zero(word) == self.ends_with_zero);
        (fits && !self.takes_file && !self.cuts_elsewhere).then(|| found.to_vec())
    }
}

/// Words that are joined and run by a shell.
fn script(name: &str, words: &[Word]) -> Result<Inner, Doubt> {
    if words.is_empty() {
        return Ok(Inner::None);
    }
    if let Some(odd) = words.iter().find(|word| !word.is_known() || word.has_wildcard || word.has_tilde) {
        return Err(Doubt::new(format!("`{name}` runs `{}`, which is not told", odd.typed)));
    }
    Ok(Inner::Script { text: words.iter().map(|word| word.value.as_str()).collect::<Vec<_>>().join(" ") })
}

/// Whether the next word is an option's value; nothing where the option is not known.
fn taken(row: &Wrapper, option: &str) -> Option<bool> {
    if let Some(long) = option.strip_prefix('-') {
        let (name, has_value) = long.split_once('=').map_or((long, false), |(name, _)| (name, true));
        return row.long.split_whitespace().find_map(|listed| match listed.strip_suffix('=') {
            Some(valued) if valued == name => Some(!has_value),
            None if listed == "*" || listed.strip_suffix('?') == Some(name) => Some(false),
            None if listed == name && !has_value => Some(false),
            _other => None,
        });
    }
    for (at, letter) in option.char_indices() {
        if row.valued.contains(letter) {
            return Some(at + 1 == option.len());
        }
        if !row.flags.contains(letter) {
            return None;
        }
    }
    Some(false)
}

fn is_setting(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}
