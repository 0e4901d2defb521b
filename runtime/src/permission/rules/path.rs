//! Patterns over paths: gitignore syntax with four anchors.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use super::below::key;
use super::literal::Literals;
use super::parse::{Behavior, RuleText, Source};
use super::problem::Wrong;
use super::segment::{Segment, Wanted, follows, is_literal, literals, may_meet};
use crate::contract::{Context, absolute, normal};
use crate::permission::Files;
use crate::permission::raw::{RawText, may_name};
use crate::permission::subject::Subject;

/// A path pattern: the folders or files it names before any wildcard, and segments below them. A rule that closes is
/// read wider where there is a choice: without the case of letters, at any depth, wherever links lead, and in whatever
/// working directory.
#[derive(Clone, Debug)]
pub(super) struct PathPattern {
    /// What it names before any wildcard, by name and in reality.
    roots: Vec<PathBuf>,
    segments: Vec<Segment>,
    /// What hangs on the working directory also hangs on a later one.
    moving: Option<Moving>,
    closes: bool,
}

/// What a rule that closes names before any wildcard, from a working directory on.
#[derive(Clone, Debug)]
struct Moving {
    below: PathBuf,
    /// The working directory that the roots hang on, by name and in reality.
    known: Vec<PathBuf>,
}

/// Where a pattern is anchored, and what is left of it.
struct Anchored<'a> {
    anchor: PathBuf,
    below: &'a str,
    is_relative: bool,
    /// Whether it says with `./` that it means the working directory itself.
    is_dotted: bool,
}

impl PathPattern {
    /// Anchors and compiles a pattern: `//x` at the root, `~/x` at home, `/x` at the place of its source, `x` at the
    /// working directory; a bare file name at any depth below it.
    ///
    /// # Errors
    /// In words: what is wrong with the pattern.
    pub(super) fn new(
        content: &str,
        rule: &RuleText,
        context: &Context,
        files: &dyn Files,
    ) -> Result<PathPattern, Wrong> {
        let closes = rule.behavior != Behavior::Allow;
        let Anchored { anchor, below, is_relative, is_dotted } = anchored(content, rule, context)?;
        let place = |name: &str| name.as_ptr() as usize - content.as_ptr() as usize;
        let (ups, mut names) = names_of(below).map_err(|name| {
            let reason = "`..` stands behind a wildcard: write where it leads";
            Wrong::new(reason).at(place(name)..place(name) + name.len())
        })?;
        let is_plain = is_relative && ups == 0;
        let is_name = is_plain && names.len() == 1 && names[0] != "**" && (closes || !is_dotted);
        let is_folder = is_plain && names.len() == 2 && names[1] == "**" && closes;
        if closes {
            // Everything in a folder is the folder.
            names.truncate(names.iter().rposition(|name| *name != "**").map_or(0, |last| last + 1));
        }
        if is_name || is_folder {
            names.insert(0, "**");
        }
        let literal = names.iter().take_while(|name| is_literal(name)).count();
        let wild = names.split_off(literal);
        let climb = std::iter::repeat_n("..", ups).collect::<PathBuf>();
        let below: PathBuf = climb.iter().chain(names.iter().map(OsStr::new)).collect();
        let roots = roots(&anchor, &climb, &below, closes, files).map_err(Wrong::new)?;
        let moving =
            (closes && is_relative).then(|| places(&anchor, files)).transpose().map_err(Wrong::new)?;
        let moving = moving.map(|known| Moving { below, known });
        let segment = |name: &&str| {
            let new = Segment::new(name, closes);
            new.map_err(|reason| Wrong::new(reason).at(place(name)..place(name) + name.len()))
        };
        let mut segments = wild.iter().map(segment).collect::<Result<Vec<_>, _>>()?;
        if wild.last() == Some(&"**") {
            // Everything in a folder is not the folder, for a rule that opens.
            segments.push(Segment::new("*", closes).map_err(Wrong::new)?);
        }
        Ok(PathPattern { roots, segments, moving, closes })
    }

    /// Whether an absolute path matches, in a session that works in `cwds` now.
    pub(super) fn matches(&self, path: &Path, cwds: &[PathBuf]) -> bool {
        let is_below = |root: &Path| {
            names_below(path, root, self.closes).is_some_and(|names| follows(&self.segments, &names))
        };
        self.roots.iter().any(|root| is_below(root)) || self.moved(cwds).any(|root| is_below(&root))
    }

    /// Whether it matches every path that another does: where it matches a folder, it matches all in it.
    pub(super) fn covers(&self, other: &PathPattern) -> bool {
        other.roots.iter().all(|root| self.matches(root, &[]))
    }

    /// What it names before any wildcard, by name and in reality.
    pub(super) fn roots(&self) -> &[PathBuf] {
        &self.roots
    }

    /// Whether removing a path removes what the pattern names before any wildcard.
    pub(super) fn is_removed_with(&self, path: &Path, cwds: &[PathBuf]) -> bool {
        let is_above = |root: &Path| names_below(root, path, true).is_some();
        self.closes
            && (self.roots.iter().any(|root| is_above(root)) || self.moved(cwds).any(|root| is_above(&root)))
    }

    /// Whether a path below a folder may match.
    pub(super) fn may_match_below(&self, folder: &Path, cwds: &[PathBuf]) -> bool {
        let is_below_root = |root: &Path| names_below(folder, root, true).is_some();
        let goes_on = !self.segments.is_empty()
            && (self.roots.iter().any(|root| is_below_root(root))
                || self.moved(cwds).any(|root| is_below_root(&root)));
        goes_on || self.is_removed_with(folder, cwds)
    }

    /// Whether it has a wildcard for one character.
    pub(super) fn has_narrow_wildcards(&self) -> bool {
        self.segments.iter().any(Segment::is_narrow)
    }

    /// Whether one of the files that a path with wildcards stands for may match. Wildcards count for leading dots too.
    pub(super) fn may_match_wild(&self, path: &Path, cwds: &[PathBuf]) -> bool {
        let names: Vec<String> = path.iter().map(|name| name.to_string_lossy().to_lowercase()).collect();
        let may_match = |root: &Path| {
            let wanted = root.iter().map(|name| Wanted::Name(name.to_string_lossy().to_lowercase()));
            let wanted: Vec<Wanted> = wanted.chain(self.segments.iter().map(Wanted::of)).collect();
            may_meet(&wanted, &names)
        };
        self.roots.iter().any(|root| may_match(root)) || self.moved(cwds).any(|root| may_match(&root))
    }

    /// Texts of which every path that matches has all, for each way to match.
    pub(super) fn literals(&self) -> impl Iterator<Item = Literals> {
        let roots = self.roots.iter().map(PathBuf::as_path);
        let below = self.moving.iter().map(|moving| moving.below.as_path());
        roots.chain(below).map(|root| {
            let names = root.components().filter_map(|part| match part {
                Component::RootDir | Component::CurDir | Component::ParentDir => None,
                Component::Prefix(_) | Component::Normal(_) => Some(part.as_os_str()),
            });
            literals(names, &self.segments)
        })
    }

    /// What it names before any wildcard, as keys, and whether it goes on behind.
    pub(super) fn keys(&self) -> (impl Iterator<Item = Vec<u8>>, bool) {
        (self.roots.iter().map(|root| key(root)), !self.segments.is_empty())
    }

    /// What it names from whatever working directory, and the working directories it has been given its roots for.
    pub(super) fn moving(&self) -> Option<(&Path, &[PathBuf])> {
        self.moving.as_ref().map(|Moving { below, known }| (below.as_path(), known.as_slice()))
    }

    /// Whether a word of a text that was not understood means, or may mean, a path that matches.
    pub(super) fn may_be_named_in(&self, raw: &RawText, subject: &Subject<'_>) -> bool {
        raw.is_too_long || raw.words.iter().any(|word| self.may_be(word, subject))
    }

    fn may_be(&self, word: &str, subject: &Subject<'_>) -> bool {
        let below_home = ["$HOME", "${HOME}"].iter().find_map(|name| word.strip_prefix(name));
        let word = below_home.map_or_else(|| word.to_owned(), |below| format!("~{below}"));
        let path = absolute(&subject.context.cwd, subject.context.home.as_deref(), Path::new(&word));
        if self.matches(&path, subject.cwds()) {
            return true;
        }
        let is_wild = word.contains(['*', '?', '[', '$']);
        is_wild && self.wanted().is_some_and(|wanted| word.split('/').any(|name| may_name(name, wanted)))
    }

    /// The last name that it gives.
    fn wanted(&self) -> Option<&str> {
        let wanted = self.segments.iter().rev().find_map(Segment::literal);
        wanted.or_else(|| self.roots.first()?.file_name()?.to_str())
    }

    /// The roots in working directories other than the first.
    fn moved<'a>(&'a self, cwds: &'a [PathBuf]) -> impl Iterator<Item = PathBuf> + 'a {
        self.moving.iter().flat_map(|Moving { below, known }| {
            cwds.iter().filter(|cwd| !known.contains(cwd)).map(move |cwd| normal(&cwd.join(below)))
        })
    }
}

fn anchored<'a>(content: &'a str, rule: &RuleText, context: &Context) -> Result<Anchored<'a>, Wrong> {
    let home = || context.home.clone().ok_or_else(|| Wrong::new(NO_HOME));
    let fixed = |anchor, below| Ok(Anchored { anchor, below, is_relative: false, is_dotted: false });
    if let Some(at) = content.find('\0') {
        return Err(Wrong::new("it contains a NUL").at(at..at + 1));
    }
    if let Some(below) = content.strip_prefix("//") {
        return fixed(PathBuf::from("/"), below);
    }
    if let Some(below) = content.strip_prefix('/') {
        return fixed(folder_of_source(rule, context)?, below);
    }
    let first = content.split('/').next().unwrap_or_default();
    let mut chars = content.chars();
    match (chars.next(), chars.next()) {
        (Some('~'), None | Some('/')) => return fixed(home()?, content.trim_start_matches('~')),
        (Some('~'), Some(c)) if c.is_alphanumeric() || "_+-".contains(c) => {
            let reason = "`~` is read before `/` alone: write somebody's home as `//` and its path";
            return Err(Wrong::new(reason).at(0..first.len()));
        }
        (Some('$'), Some(c)) if c.is_alphabetic() || "_{".contains(c) => {
            let reason = "variables are not read: write `~/` for home";
            return Err(Wrong::new(reason).at(0..first.len()));
        }
        (Some('!'), _) => {
            let reason = "a rule cannot take back what another says: `!` is not read";
            return Err(Wrong::new(reason).at(0..1));
        }
        _other => {}
    }
    let is_dotted = content.starts_with("./");
    Ok(Anchored { anchor: context.cwd.clone(), below: content, is_relative: true, is_dotted })
}

const NO_HOME: &str = "the home directory is not known";

/// The folder that `/x` hangs on: the rule's own, or the usual one of its source.
fn folder_of_source(rule: &RuleText, context: &Context) -> Result<PathBuf, Wrong> {
    if let Some(folder) = &rule.folder {
        return Ok(folder.clone());
    }
    match rule.source {
        Source::UserSettings => {
            let home = context.home.as_ref().ok_or_else(|| Wrong::new(NO_HOME))?;
            Ok(home.join(".claude"))
        }
        Source::CliArg
        | Source::Command
        | Source::Session
        | Source::LocalSettings
        | Source::ProjectSettings
        | Source::PolicySettings => Ok(context.root.clone()),
    }
}

/// The names in a pattern, and how many folders up they begin; or the `..` that stands behind a wildcard.
fn names_of(below: &str) -> Result<(usize, Vec<&str>), &str> {
    let mut ups = 0;
    let mut names: Vec<&str> = Vec::new();
    for name in below.split('/').filter(|name| !matches!(*name, "" | ".")) {
        match (name, names.last()) {
            ("..", None) => ups += 1,
            ("..", Some(above)) if is_literal(above) => drop(names.pop()),
            ("..", Some(_wild)) => return Err(name),
            (name, _) => names.push(name),
        }
    }
    Ok((ups, names))
}

/// What a pattern names before any wildcard. A rule that opens follows links up to its anchor and no further.
fn roots(
    anchor: &Path,
    climb: &Path,
    below: &Path,
    closes: bool,
    files: &dyn Files,
) -> Result<Vec<PathBuf>, String> {
    if !anchor.is_absolute() {
        return Err("the folder it hangs on is not absolute".to_owned());
    }
    let named = normal(&anchor.join(below));
    if closes {
        return places(&named, files);
    }
    let start = normal(&anchor.join(climb));
    let literal = named.strip_prefix(&start).unwrap_or(Path::new(""));
    Ok(places(&start, files)?.iter().map(|start| start.join(literal)).collect())
}

/// A folder by name and in reality.
fn places(folder: &Path, files: &dyn Files) -> Result<Vec<PathBuf>, String> {
    let named = normal(folder);
    let real = files.resolve(&named);
    let real = real.map_err(|error| format!("where `{}` leads cannot be told: {error}", named.display()))?;
    Ok(if real == named { vec![named] } else { vec![named, real] })
}

/// The names of a path below a folder, if it is there.
fn names_below<'a>(path: &'a Path, folder: &Path, any_case: bool) -> Option<Vec<&'a OsStr>> {
    let mut names = path.iter();
    let is_below =
        folder.iter().all(|wanted| names.next().is_some_and(|name| is_same(name, wanted, any_case)));
    is_below.then(|| names.collect())
}

fn is_same(a: &OsStr, b: &OsStr, any_case: bool) -> bool {
    if !any_case || a.is_ascii() || b.is_ascii() {
        return a == b || (any_case && a.eq_ignore_ascii_case(b));
    }
    a.to_string_lossy().to_lowercase() == b.to_string_lossy().to_lowercase()
}
