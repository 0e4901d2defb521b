//! What a command line would do, told without running it. What is doubtful makes the whole of it unknown.

use std::path::{Path, PathBuf};

use toolwright::contract::{Effect, Effects, EffectsContext};

use super::command::{Direction, Doubt, Link, Redirect, Simple, split};
use super::operands::Operands;
use super::place::Places;
use super::programs::{Program, Role, Wildcards, program};
use super::running::check_runs_nothing_else;
use super::word::Word;
use super::{condition, find, git, sed};

/// What a command line would do.
pub(crate) fn effects(command: &str, cx: &EffectsContext<'_>) -> Effects {
    match split(command).and_then(|simples| read_list(&simples, cx)) {
        Ok(effects) => Effects::Known(effects),
        Err(doubt) => Effects::Unknown { reason: doubt.to_string(), raw: command.to_owned() },
    }
}

/// Whether a command line is known to change nothing, wherever it runs.
pub(crate) fn is_read_only(command: &str) -> bool {
    effects_anywhere(command).is_some_and(|effects| {
        effects.iter().all(|effect| match effect {
            Effect::Command { read_only, .. } => *read_only,
            Effect::Read(_) | Effect::ReadBelow(_) => true,
            Effect::Write(_) | Effect::Remove(_) | Effect::Contact(_) | Effect::Name(_) => false,
        })
    })
}

/// Whether a command line may run beside others: it changes nothing, and it does not go elsewhere, which later commands
/// of the session would see.
pub(crate) fn is_safe_beside(command: &str) -> bool {
    let goes = |effect: &Effect| matches!(effect, Effect::Command { words, .. } if words.first().is_some_and(|name| name == "cd"));
    is_read_only(command) && !effects_anywhere(command).unwrap_or_default().iter().any(goes)
}

/// Whether a command line looks into a repository, and was judged to change nothing by it.
pub(crate) fn looks_with_git(command: &str) -> bool {
    let looks = |effect: &Effect| matches!(effect, Effect::Command { words, read_only: true, .. } if words.first().is_some_and(|name| name == "git"));
    effects_anywhere(command).unwrap_or_default().iter().any(looks)
}

/// Whether a command line is known to remove something, wherever it runs.
pub(crate) fn is_destructive(command: &str) -> bool {
    let effects = effects_anywhere(command).unwrap_or_default();
    effects.iter().any(|effect| matches!(effect, Effect::Remove(_)))
}

/// What a command line would do in some folder, for some person: for questions that only its shape answers.
fn effects_anywhere(command: &str) -> Option<Vec<Effect>> {
    let (cwd, home) = (Path::new("/session"), Some(Path::new("/home/session")));
    match effects(command, &EffectsContext { root: cwd, cwd, additional_directories: &[], home }) {
        Effects::Unknown { .. } => None,
        Effects::Known(effects) => Some(effects),
    }
}

fn read_list(simples: &[Simple], cx: &EffectsContext<'_>) -> Result<Vec<Effect>, Doubt> {
    let mut reader = Reader { places: Places::new(cx), effects: Vec::new() };
    let mut before = Link::Then;
    let is_concurrent = simples.iter().any(|simple| matches!(simple.link, Link::Pipe | Link::Background));
    for simple in simples {
        let is_piped = before == Link::Pipe || simple.link == Link::Pipe;
        reader.simple(simple, is_piped)?;
        if simple.brings_links() {
            if is_concurrent {
                return Err(Doubt::new("something is moved or linked while other commands run"));
            }
            reader.places.bring_links();
        }
        reader.places.pass(simple.link);
        before = simple.link;
    }
    Ok(reader.effects)
}

struct Reader<'a> {
    places: Places<'a>,
    effects: Vec<Effect>,
}

impl Reader<'_> {
    fn simple(&mut self, simple: &Simple, is_piped: bool) -> Result<(), Doubt> {
        let (first, arguments) = simple.words.split_first().expect("the splitter makes no empty command");
        let name = simple.program();
        check_runs_nothing_else(name, arguments)?;
        let mut paths = Vec::new();
        let read_only = self.program(name, arguments, is_piped, &mut paths)?;
        self.effects.push(Effect::Command {
            text: simple.words.iter().map(Word::shown).collect::<Vec<_>>().join(" "),
            words: simple.words.iter().map(|word| word.value.clone()).collect(),
            read_only: read_only && first.value == name && !hides_an_option(arguments),
        });
        self.effects.append(&mut paths);
        for redirect in &simple.redirects {
            self.redirect(redirect)?;
        }
        Ok(())
    }

    /// Tells what a program does to files; answers whether it is known to change nothing.
    fn program(
        &mut self,
        name: &str,
        arguments: &[Word],
        is_piped: bool,
        paths: &mut Vec<Effect>,
    ) -> Result<bool, Doubt> {
        match name {
            "cd" => {
                let target = cd_target(arguments)?;
                // A part of a pipe runs in a shell of its own.
                if !is_piped {
                    self.places.go(target)?;
                }
                Ok(true)
            }
            "[" | "test" => condition::read(name, arguments, &self.places, paths),
            "date" => Ok(is_plain_date(arguments)),
            "uniq" => self.uniq(arguments, paths),
            "find" => find::read(arguments, &self.places, paths),
            "sed" => sed::read(arguments, &self.places, paths),
            "git" => git::read(arguments, &self.places, paths),
            _other => match program(name) {
                Some(row) => self.listed(row, arguments, paths),
                None => Ok(false),
            },
        }
    }

    fn listed(&self, row: &Program, arguments: &[Word], paths: &mut Vec<Effect>) -> Result<bool, Doubt> {
        let wild = arguments.iter().find(|word| word.has_wildcard);
        if let (Some(word), Wildcards::Doubtful) = (wild, row.wildcards) {
            return Err(Doubt::new(format!(
                "the wildcard in `{}` may become an option of `{}`",
                word.typed, row.name
            )));
        }
        let operands = Operands::of(row, arguments)?;
        let mut list = operands.list.as_slice();
        match row.role {
            Role::Match | Role::MatchHere if operands.has_pattern => {}
            Role::Match | Role::MatchHere | Role::WriteAfterFirst => list = list.get(1..).unwrap_or_default(),
            Role::Words | Role::Text | Role::Read | Role::ReadBelow | Role::List | Role::ListHere => {}
            Role::Write | Role::Remove | Role::CopyTo | Role::MoveTo => {}
        }
        match row.role {
            Role::Words | Role::Text => {
                let wild: Vec<&Word> = arguments.iter().filter(|word| word.has_wildcard).collect();
                self.list(&wild, paths)?;
            }
            Role::ListHere if list.is_empty() => paths.push(Effect::Read(self.places.here()?)),
            Role::List | Role::ListHere => self.list(list, paths)?,
            Role::MatchHere if list.is_empty() => paths.push(Effect::ReadBelow(self.places.here()?)),
            Role::Match if operands.is_recursive && list.is_empty() => {
                paths.push(Effect::ReadBelow(self.places.here()?));
            }
            Role::Match if operands.is_recursive => self.read(list, Effect::ReadBelow, paths)?,
            Role::ReadBelow | Role::MatchHere => self.read(list, Effect::ReadBelow, paths)?,
            Role::Read | Role::Match => self.read(list, Effect::Read, paths)?,
            Role::Write | Role::WriteAfterFirst => self.each(list, Effect::Write, paths)?,
            Role::Remove => self.each(list, Effect::Remove, paths)?,
            Role::CopyTo => self.transfer(list, Effect::Read, paths)?,
            Role::MoveTo => self.transfer(list, Effect::Remove, paths)?,
        }
        // In folders that are named, `diff` follows links unless it is told not to.
        let stays = row.role != Role::ReadBelow || stays_behind_links(arguments);
        if operands.is_recursive && !stays {
            return Err(Doubt::new(format!("`{} -r` follows links", row.name)));
        }
        Ok(row.role.is_read_only() && stays)
    }

    /// Tells of files without reading what they hold. A wildcard stands for names in one folder.
    fn list(&self, list: &[&Word], paths: &mut Vec<Effect>) -> Result<(), Doubt> {
        for word in list {
            let path =
                if word.has_wildcard { self.places.folder_of(word) } else { self.places.resolve(word) };
            paths.push(Effect::Read(path?));
        }
        Ok(())
    }

    /// Reads what files hold. A wildcard may stand for a link that leads elsewhere.
    fn read(
        &self,
        list: &[&Word],
        effect: fn(PathBuf) -> Effect,
        paths: &mut Vec<Effect>,
    ) -> Result<(), Doubt> {
        if let Some(wild) = list.iter().find(|word| word.has_wildcard) {
            let reason = format!("`{}` may stand for a link that leads elsewhere", wild.typed);
            return Err(Doubt::new(reason));
        }
        let files: Vec<&Word> = list.iter().copied().filter(|word| word.value != "-").collect();
        self.each(&files, effect, paths)
    }

    fn each(
        &self,
        list: &[&Word],
        effect: fn(PathBuf) -> Effect,
        paths: &mut Vec<Effect>,
    ) -> Result<(), Doubt> {
        for word in list {
            paths.push(effect(self.places.resolve(word)?));
        }
        Ok(())
    }

    /// All operands but the last go to the last: into it by their own names, where it is a folder.
    fn transfer(
        &self,
        list: &[&Word],
        effect: fn(PathBuf) -> Effect,
        paths: &mut Vec<Effect>,
    ) -> Result<(), Doubt> {
        let Some((last, sources)) = list.split_last() else { return Ok(()) };
        if sources.is_empty() {
            // One operand alone makes a link of its name in the working directory.
            let path = self.places.resolve(last)?;
            let name = path.file_name().map(|name| name.to_owned()).unwrap_or_default();
            paths.push(effect(path));
            paths.push(Effect::Write(self.places.here()?.join(name)));
            return Ok(());
        }
        let target = self.places.resolve(last)?;
        paths.push(Effect::Write(target.clone()));
        if let Some(source) = sources.iter().find(|source| means_what_is_in_it(&source.value)) {
            let reason = format!("`{}` means what is in it, which is not told", source.typed);
            return Err(Doubt::new(reason));
        }
        for source in sources {
            let source = self.places.resolve(source)?;
            if let Some(name) = source.file_name() {
                paths.push(Effect::Write(target.join(name)));
            }
            paths.push(effect(source));
        }
        Ok(())
    }

    /// `uniq` writes its second operand.
    fn uniq(&self, arguments: &[Word], paths: &mut Vec<Effect>) -> Result<bool, Doubt> {
        const UNIQ: Program = Program {
            name: "uniq",
            role: Role::Read,
            flags: "cdDuiz",
            valued: "fsw",
            long: "count repeated unique ignore-case",
            wildcards: Wildcards::Doubtful,
        };
        let operands = Operands::of(&UNIQ, arguments)?;
        match operands.list.as_slice() {
            [] => {}
            [input] => self.each(&[input], Effect::Read, paths)?,
            [input, outputs @ ..] => {
                self.each(&[input], Effect::Read, paths)?;
                self.each(outputs, Effect::Write, paths)?;
            }
        }
        Ok(operands.list.len() < 2)
    }

    fn redirect(&mut self, redirect: &Redirect) -> Result<(), Doubt> {
        let path = self.places.resolve(&redirect.target)?;
        match redirect.direction {
            Direction::In => self.effects.push(Effect::Read(path)),
            Direction::Out if path == Path::new("/dev/null") => {}
            Direction::Out => self.effects.push(Effect::Write(path)),
        }
        Ok(())
    }
}

/// Whether an option keeps `diff` from following links.
fn stays_behind_links(arguments: &[Word]) -> bool {
    let mut options = arguments.iter().take_while(|word| word.value != "--");
    options.any(|word| word.value == "--no-dereference")
}

/// Whether an operand is written so that it means a folder's contents, or what a link leads to.
fn means_what_is_in_it(operand: &str) -> bool {
    matches!(operand.rsplit('/').next(), Some("" | "." | ".."))
}

/// Whether an option is written so that a careless reader would miss it, such as `\-delete` or `"-delete"`.
fn hides_an_option(arguments: &[Word]) -> bool {
    let name = |text: &str| text.split('=').next().unwrap_or_default().to_owned();
    arguments.iter().any(|word| word.value.starts_with('-') && name(&word.typed) != name(&word.value))
}

fn cd_target(arguments: &[Word]) -> Result<Option<&Word>, Doubt> {
    let arguments = match arguments.first() {
        Some(first) if first.value == "--" => &arguments[1..],
        _other => arguments,
    };
    match arguments {
        [] => Ok(None),
        [only] if only.value == "-" || !only.value.starts_with('-') => Ok(Some(only)),
        [first, ..] => Err(Doubt::new(format!("`cd {}` is not understood", first.typed))),
    }
}

/// Whether `date` only shows a date.
fn is_plain_date(arguments: &[Word]) -> bool {
    let is_plain = |word: &Word| {
        let value = word.value.as_str();
        !word.has_wildcard
            && (value.starts_with('+') || matches!(value, "-u" | "-R" | "-I" | "--utc" | "--iso-8601"))
    };
    arguments.iter().all(is_plain)
}
